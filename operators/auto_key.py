"""Keyframes for what an operator has moved, where the user has Auto Keying on, as Blender does itself."""

from collections.abc import Iterable

import bpy

Posed = bpy.types.Object | bpy.types.PoseBone
Channels = dict[str, tuple[float, ...]]

_ROTATION = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}


class AutoKey:
    """Remembers where things are when it is made, and keys what has moved since."""

    def __init__(self, context: bpy.types.Context, things: Iterable[Posed]) -> None:
        self._options = _options(context)
        self._keytype = context.scene.tool_settings.keyframe_type
        self._before = [] if self._options is None else [(thing, _channels(thing)) for thing in things]

    def insert(self) -> None:
        for thing, before in self._before:
            for path, value in _channels(thing).items():
                if value != before[path] and self._may_insert(thing):
                    self._insert(thing, path)

    def _may_insert(self, thing: Posed) -> bool:
        """Not where only curves that are there may get keys, and there is none: Blender would complain."""
        animation = thing.id_data.animation_data
        return "INSERTKEY_AVAILABLE" not in self._options or bool(animation and animation.action)

    def _insert(self, thing: Posed, path: str) -> None:
        group = thing.name if isinstance(thing, bpy.types.PoseBone) else "Object Transforms"
        thing.keyframe_insert(path, group=group, options=self._options, keytype=self._keytype)


def _channels(thing: Posed) -> Channels:
    rotation = _ROTATION.get(thing.rotation_mode, "rotation_euler")
    return {path: tuple(getattr(thing, path)) for path in ("location", rotation)}


def _options(context: bpy.types.Context) -> set[str] | None:
    """How to insert keys by the user's settings; None for not at all."""
    tools, edit = context.scene.tool_settings, context.preferences.edit
    if not tools.use_keyframe_insert_auto:
        return None
    wanted = {
        "INSERTKEY_NEEDED": edit.use_auto_keyframe_insert_needed,
        "INSERTKEY_AVAILABLE": edit.use_keyframe_insert_available,
        "INSERTKEY_REPLACE": tools.auto_keying_mode == "REPLACE_KEYS",
        "INSERTKEY_CYCLE_AWARE": tools.use_keyframe_cycle_aware,
    }
    return {option for option, on in wanted.items() if on}

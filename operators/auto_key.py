"""Keyframes for what an operator has moved, where the user has Auto Keying on, as Blender does itself."""

from collections.abc import Iterable

import bpy

Posed = bpy.types.Object | bpy.types.PoseBone
Channels = dict[str, tuple[float, ...]]

_ROTATION = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}


class AutoKey:
    """Remembers where things are when it is made, and keys what has moved since."""

    def __init__(self, context: bpy.types.Context, things: Iterable[Posed]) -> None:
        self._context = context
        on = context.scene.tool_settings.use_keyframe_insert_auto
        self._before = [(thing, placement(thing)) for thing in things] if on else []

    def insert(self) -> None:
        key_moved(self._context, self._before)


def key_moved(context: bpy.types.Context, before: Iterable[tuple[Posed, Channels]]) -> None:
    """Key what is no longer where it was, if the user keys automatically."""
    options = _options(context)
    if options is None:
        return
    keytype = context.scene.tool_settings.keyframe_type
    for thing, channels in before:
        for path, value in placement(thing).items():
            if value != channels.get(path) and _may_insert(thing, options):
                group = thing.name if isinstance(thing, bpy.types.PoseBone) else "Object Transforms"
                thing.keyframe_insert(path, group=group, options=options, keytype=keytype)


def _may_insert(thing: Posed, options: set[str]) -> bool:
    """Not where only curves that are there may get keys, and there is none: Blender would complain."""
    animation = thing.id_data.animation_data
    return "INSERTKEY_AVAILABLE" not in options or bool(animation and animation.action)


def placement(thing: Posed) -> Channels:
    """Location and rotation, by name of the channel."""
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

"""A figure and its goals as they were, to go back to. By names and numbers: undo makes references invalid."""

import bpy

from ..bridge.goals import goal_objects
from ..properties import GoalSettings, goal_settings
from .auto_key import Posed, key_moved, placement

_TRANSFORM = ("location", "rotation_quaternion", "rotation_axis_angle", "rotation_euler", "scale")
_SETTINGS = [name for name in GoalSettings.__annotations__ if name != "armature"]

Values = dict[str, object]


class Start:
    """What live posing began with."""

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        bones = armature.pose.bones
        self._frame: float = context.scene.frame_current_final
        self._pose = {bone.name: _values(bone, _TRANSFORM) for bone in bones}
        self._placements = {bone.name: placement(bone) for bone in bones}
        goals = goal_objects(armature, context.view_layer)
        self._goals = {goal.session_uid: _values(goal, _TRANSFORM) for goal in goals}
        self._settings = {goal.session_uid: _values(goal_settings(goal), _SETTINGS) for goal in goals}

    def restore(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Put pose and goals back, as far as they are still there; animation has its own way."""
        for bone in armature.pose.bones:
            _set(bone, self._pose.get(bone.name, {}))
        for goal in goal_objects(armature, context.view_layer):
            _set(goal, self._goals.get(goal.session_uid, {}))
            _set(goal_settings(goal), self._settings.get(goal.session_uid, {}))
        armature.update_tag(refresh={"DATA"})
        if context.scene.frame_current_final != self._frame:
            context.scene.frame_set(context.scene.frame_current, subframe=context.scene.frame_subframe)

    def key_moved(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        """Key the bones that have moved since, if the user keys automatically."""
        bones = armature.pose.bones
        key_moved(context, ((bones[name], was) for name, was in self._placements.items() if name in bones))


def _values(thing: Posed | GoalSettings, names: tuple[str, ...] | list[str]) -> Values:
    read = ((name, getattr(thing, name)) for name in names)
    return {
        name: value if isinstance(value, str | bool | int | float) else tuple(value) for name, value in read
    }


def _set(thing: Posed | GoalSettings, values: Values) -> None:
    """Only what differs: setting a property tells Blender to evaluate it anew."""
    for name, value in values.items():
        if _values(thing, [name])[name] != value:
            setattr(thing, name, value)

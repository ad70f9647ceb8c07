"""New goals: their empties, their first settings, and where they are kept."""

import bpy

from ..properties import TYPE_ITEMS, figure_settings, goal_settings, rest_bones
from .gathering import gather

_TYPE_NAMES = {item[0]: item[1] for item in TYPE_ITEMS}
_DISPLAY_SIZE = 0.04  # of the figure's size


def make_goal(
    armature: bpy.types.Object, bone: bpy.types.PoseBone | None, kind: str, effector: str
) -> bpy.types.Object:
    """A goal for a bone, or for the centre of mass where there is none; in no collection yet."""
    subject = bone.name if bone else "Centre of Mass"
    goal = bpy.data.objects.new(f"{subject} {_TYPE_NAMES[kind]}", None)
    goal.show_in_front = True
    goal.empty_display_size = _DISPLAY_SIZE * size_of(armature)
    settings = goal_settings(goal)
    settings.is_goal = True
    settings.armature = armature
    settings.bone = bone.name if bone else ""
    settings.effector = effector
    settings.type = kind
    return goal


def keep_goal(scene: bpy.types.Scene, goal: bpy.types.Object) -> None:
    """Put a new goal into its figure's collection, and make it the active one of the list."""
    armature = goal_settings(goal).armature
    gather(scene, armature, [goal])
    figure = figure_settings(armature)
    figure.list_index = figure.goals_collection.all_objects.find(goal.name)


def size_of(armature: bpy.types.Object) -> float:
    """The longest side of the armature's rest pose in the world's units."""
    ends = [
        armature.matrix_world @ end
        for bone in rest_bones(armature)
        for end in (bone.head_local, bone.tail_local)
    ]
    return max((max(c) - min(c) for c in zip(*ends, strict=True)), default=1.0)

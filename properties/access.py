"""Typed access to the settings, and which figure and goal the user means. Cheap enough for drawing."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import bpy

if TYPE_CHECKING:
    from .bone import BoneSettings
    from .figure import FigureSettings
    from .goal import GoalSettings


def tag(settings: bpy.types.PropertyGroup, _context: bpy.types.Context) -> None:
    """Let Blender evaluate the owner anew when a script changes a setting, as it does when the user does."""
    settings.id_data.update_tag()


def goal_settings(goal: bpy.types.Object) -> GoalSettings:
    return cast("GoalSettings", goal.contrapposto_goal)


def figure_settings(armature: bpy.types.Object) -> FigureSettings:
    return cast("FigureSettings", armature.contrapposto_figure)


def bone_settings(bone: bpy.types.Bone) -> BoneSettings:
    return cast("BoneSettings", bone.contrapposto)


def rest_bones(armature: bpy.types.Object) -> bpy.types.ArmatureBones:
    return cast("bpy.types.Armature", armature.data).bones


def is_goal_of(goal: bpy.types.Object, armature: bpy.types.Object) -> bool:
    settings = goal_settings(goal)
    return settings.is_goal and settings.armature == armature


def active_figure(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active object if it is an armature, or the armature that the active goal poses."""
    # A script may override either of the two.
    for active in (context.active_object, context.object):
        if active is not None and goal_settings(active).is_goal:
            active = goal_settings(active).armature
        if active is not None and active.type == "ARMATURE":
            return active
    return None


def active_goal(context: bpy.types.Context) -> bpy.types.Object | None:
    """The active object if it is a goal, or the active entry in the figure's list of goals."""
    armature = active_figure(context)
    if armature is None:
        return None
    for active in (context.active_object, context.object):
        if active is not None and is_goal_of(active, armature):
            return active
    figure = figure_settings(armature)
    listed = figure.goals_collection.all_objects if figure.goals_collection else ()
    index = figure.list_index
    goal = listed[index] if 0 <= index < len(listed) else None
    return goal if goal is not None and is_goal_of(goal, armature) else None

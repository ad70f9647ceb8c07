"""What is saved: settings on armature objects, on goals and on bones, and preferences."""

import bpy

from .access import (
    active_figure,
    active_goal,
    bone_settings,
    figure_settings,
    goal_settings,
    is_goal_of,
    rest_bones,
)
from .bone import BoneSettings
from .figure import SOLVER_ITEMS, FigureSettings
from .goal import AIM_AXIS_ITEMS, EFFECTOR_ITEMS, TYPE_ITEMS, GoalSettings
from .live_figure import LiveFigure, live_figure, set_live_figure
from .preferences import Preferences, preferences

__all__ = [
    "AIM_AXIS_ITEMS",
    "EFFECTOR_ITEMS",
    "SOLVER_ITEMS",
    "TYPE_ITEMS",
    "BoneSettings",
    "FigureSettings",
    "GoalSettings",
    "LiveFigure",
    "Preferences",
    "active_figure",
    "active_goal",
    "bone_settings",
    "figure_settings",
    "goal_settings",
    "is_goal_of",
    "live_figure",
    "preferences",
    "rest_bones",
    "set_live_figure",
]

# (owner, name of the property on it, settings)
_SETTINGS = (
    (bpy.types.Object, "contrapposto_goal", GoalSettings),
    (bpy.types.Object, "contrapposto_figure", FigureSettings),
    (bpy.types.Bone, "contrapposto", BoneSettings),
)


def register() -> None:
    for owner, name, settings in _SETTINGS:
        bpy.utils.register_class(settings)
        # Overridable, so that figures linked as library overrides have settings and goals too.
        pointer = bpy.props.PointerProperty(type=settings, override={"LIBRARY_OVERRIDABLE"})
        setattr(owner, name, pointer)
    bpy.utils.register_class(Preferences)


def unregister() -> None:
    bpy.utils.unregister_class(Preferences)
    for owner, name, settings in reversed(_SETTINGS):
        delattr(owner, name)
        bpy.utils.unregister_class(settings)

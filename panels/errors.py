"""How far off a goal was at the last solve, as text and icon."""

from math import degrees
from typing import Literal

import bpy

from ..properties import GoalSettings

_ANGULAR = {"ORIENTATION", "AIM"}


def error_texts(scene: bpy.types.Scene, goal: GoalSettings) -> list[str]:
    """What the last solve left, in the scene's units: a distance, an angle, or both for a pose."""
    texts = []
    if goal.type not in _ANGULAR:
        texts.append(length_text(scene, goal.error_distance))
    if goal.type in _ANGULAR or goal.type == "POSE":
        texts.append(f"{degrees(goal.error_angle):.1f}°")
    return texts


def worst_error_text(scene: bpy.types.Scene, goal: GoalSettings) -> str:
    """The one error to show where there is little room; nothing for a goal that is met."""
    if not is_missed(goal):
        return ""
    texts = error_texts(scene, goal)
    too_far = goal.error_distance > goal.tolerance
    return texts[0] if too_far else texts[-1]


def is_missed(goal: GoalSettings) -> bool:
    return goal.enabled and goal.state not in {"", "MET"}


def length_text(scene: bpy.types.Scene, length: float) -> str:
    units = scene.unit_settings
    # Below a tenth of a millimetre only noise is left to see.
    shown = length * units.scale_length if length >= 5e-5 else 0.0
    return bpy.utils.units.to_string(units.system, "LENGTH", shown, precision=2).strip()


def met_icon(goal: GoalSettings) -> Literal["CHECKMARK", "NONE"]:
    return "CHECKMARK" if goal.enabled and goal.state == "MET" else "NONE"

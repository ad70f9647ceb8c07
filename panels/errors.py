"""How far off a goal was at the last solve, as text and icon."""

from math import degrees

import bpy

from ..properties import GoalSettings

_ANGULAR = {"ORIENTATION", "AIM"}


def error_text(scene: bpy.types.Scene, goal: GoalSettings) -> str:
    """In the scene's units: `1.2 mm`, `0.34°`, or both for a pose; nothing before the first solve."""
    if not goal.state or not goal.enabled:
        return ""
    distance, angle = length_text(scene, goal.error_distance), f"{degrees(goal.error_angle):.1f}°"
    if goal.type == "POSE":
        return f"{distance}, {angle}"
    return angle if goal.type in _ANGULAR else distance


def length_text(scene: bpy.types.Scene, length: float) -> str:
    units = scene.unit_settings
    # Below a tenth of a millimetre only noise is left to see.
    shown = length * units.scale_length if length >= 5e-5 else 0.0
    return bpy.utils.units.to_string(units.system, "LENGTH", shown, precision=2).strip()


def state_icon(goal: GoalSettings) -> str:
    if not goal.state or not goal.enabled:
        return "NONE"
    return "CHECKMARK" if goal.state == "MET" else "ERROR"

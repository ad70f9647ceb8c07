"""How far the figure is from a goal now, by Blender's own evaluation and without any solver."""

from collections.abc import Iterable
from typing import NamedTuple

import bpy
from mathutils import Matrix

from ..bridge.goals import effector_matrix
from ..properties import GoalSettings, goal_settings
from .placement import aim_direction, nearest_placement

ANGULAR = {"ORIENTATION", "AIM"}


class Error(NamedTuple):
    """Distance in units of length, angle in radians; None for what the goal does not ask."""

    distance: float | None
    angle: float | None


class Measured(NamedTuple):
    """What a goal asks, and how far the figure is from it."""

    kind: str
    error: Error


def measure_all(
    armature: bpy.types.Object, goals: Iterable[bpy.types.Object], depsgraph: bpy.types.Depsgraph
) -> dict[str, Measured]:
    """By the name that a result has: a goal's own, or that of a set, whose nearest goal counts."""
    measured: dict[str, Measured] = {}
    for goal in goals:
        settings = goal_settings(goal)
        error = measure(armature, goal, depsgraph)
        if not settings.any_of:
            measured[goal.name] = Measured(settings.type, error)
        elif settings.any_of not in measured or _size(error) < _size(measured[settings.any_of].error):
            measured[settings.any_of] = Measured("ANY_OF", error)
    return measured


def _size(error: Error) -> float:
    return (error.distance or 0.0) + (error.angle or 0.0)


def measure(armature: bpy.types.Object, goal: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Error:
    settings = goal_settings(goal)
    effector = effector_matrix(armature, settings, depsgraph)
    distance = angle = None
    if settings.type not in ANGULAR:
        move = nearest_placement(goal, effector).translation - goal.matrix_world.translation
        distance = move.length
    if settings.type == "AIM":
        ray = goal.matrix_world.translation - effector.translation
        angle = ray.angle(aim_direction(effector, settings.aim_axis), 0.0)
    elif settings.type in {"ORIENTATION", "POSE"}:
        angle = _turn(settings, goal.matrix_world, effector)
    return Error(distance, angle)


def _turn(settings: GoalSettings, goal: Matrix, effector: Matrix) -> float:
    """The larger of the angles between the axes that are to agree."""
    axes = [axis for axis, used in enumerate((settings.use_x, settings.use_y)) if used]
    return max((goal.col[i].xyz.angle(effector.col[i].xyz, 0.0) for i in axes), default=0.0)

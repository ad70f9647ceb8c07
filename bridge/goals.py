"""Empties as goals: where they are evaluated, what their settings say."""

from __future__ import annotations

from math import degrees
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ..properties import GoalSettings, goal_settings, is_goal_of
from ..solvers import (
    CENTRE_OF_MASS,
    AimGoal,
    AnyOf,
    Effector,
    Figure,
    Goal,
    HalfSpaceGoal,
    LineGoal,
    OrientationGoal,
    PlaneGoal,
    PoseGoal,
    PositionGoal,
    Reach,
)
from .arrays import Array, usable
from .bones import rest_bones
from .errors import BridgeError
from .figure import Reading, read_figure

RADIAN = 0.2  # of the figure's size: how far off weighs as much as being turned away by a radian
_TURNING = ("ORIENTATION", "POSE", "AIM")
_WITHOUT_AXES = ("POSITION", "AIM")


def goal_objects(
    armature: bpy.types.Object, view_layer: bpy.types.ViewLayer | None = None
) -> list[bpy.types.Object]:
    """The goals of ``armature`` in the view layer, enabled or not, by name."""
    objects = (view_layer or bpy.context.view_layer).objects
    # A removed object leaves a gap until the view layer is updated.
    empties = [each for each in objects if each is not None and each.type == "EMPTY"]
    goals = [each for each in empties if is_goal_of(each, armature)]
    return sorted(goals, key=lambda goal: goal.name)


def effector_matrix(
    armature: bpy.types.Object, settings: GoalSettings, depsgraph: bpy.types.Depsgraph
) -> Matrix:
    """The effector in world space: its place, and the bone's axes with their scale.

    The centre of mass has the world's axes.
    """
    if settings.effector == "CENTRE_OF_MASS":
        reading = read_figure(armature, depsgraph)
        return Matrix.Translation(Vector(reading.figure.centre_of_mass(reading.q).tolist()))
    evaluated = armature.evaluated_get(depsgraph)
    if settings.bone not in evaluated.pose.bones:
        raise _no_bone(armature, settings.id_data.name, settings.bone)
    bone = evaluated.pose.bones[settings.bone]
    frame = evaluated.matrix_world @ bone.matrix
    frame.translation = frame @ Vector(_point(settings, bone.bone.length))
    return frame


def read_goals(armature: bpy.types.Object, reading: Reading, depsgraph: bpy.types.Depsgraph) -> list[Goal]:
    """The goals that count, in world space; BridgeError names the one that is wrong.

    A goal that is disabled, weighs nothing or is disabled in viewports does not count. Goals that
    share a name in *Any Of* become one, by that name.
    """
    goals: list[Goal] = []
    sets: dict[str, list[Goal]] = {}
    for each in goal_objects(armature, depsgraph.view_layer):
        evaluated = each.evaluated_get(depsgraph)
        settings = goal_settings(evaluated)
        if not evaluated.is_evaluated or not settings.enabled or settings.weight == 0.0:
            continue
        goal = _read_goal(armature, reading.figure, evaluated, settings)
        (sets.setdefault(settings.any_of, []) if settings.any_of else goals).append(goal)
    return goals + [_any_of(name, members) for name, members in sets.items()]


def _any_of(name: str, goals: list[Goal]) -> Goal:
    members = [part for goal in goals for part in (goal.members if isinstance(goal, AnyOf) else (goal,))]
    priority = min(goal.priority for goal in goals)
    return AnyOf(
        name=name,
        effector=members[0].effector,
        reach=members[0].reach,
        priority=priority,
        members=tuple(members),
    )


def _read_goal(
    armature: bpy.types.Object, figure: Figure, goal: bpy.types.Object, settings: GoalSettings
) -> Goal:
    matrix = np.array(goal.matrix_world, dtype=float)
    _refuse_degenerate(goal.name, settings, matrix)
    common: dict[str, Any] = {
        "name": goal.name,
        "effector": _effector(armature, figure, goal.name, settings),
        "weight": settings.weight,
        "priority": settings.priority,
        "tolerance": settings.tolerance,
        "angle_tolerance": settings.angle_tolerance,
        "reach": _below_carrier(_reach(armature, figure, goal.name, settings), armature, figure, goal),
        "degrees_per_length": degrees(1.0 / (RADIAN * figure.size)),
    }
    return _build(matrix, goal, settings, common)


def _effector(armature: bpy.types.Object, figure: Figure, name: str, settings: GoalSettings) -> Effector:
    if settings.effector == "CENTRE_OF_MASS":
        if settings.type in _TURNING:
            raise BridgeError(f"Goal “{name}”: the centre of mass is a point, it cannot be turned.")
        return Effector(CENTRE_OF_MASS)
    bone = _index(armature, figure, name, settings.bone)
    length = rest_bones(armature)[settings.bone].length
    return Effector(bone, np.array(_point(settings, length), dtype=float), y=_axis(settings))


def _point(settings: GoalSettings, length: float) -> tuple[float, float, float]:
    """The effector in its bone's frame."""
    if settings.effector == "POINT":
        x, y, z = settings.point
        return x, y, z
    return 0.0, length if settings.effector == "TAIL" else 0.0, 0.0


def _axis(settings: GoalSettings) -> Array:
    """The direction of the bone that counts besides X: Y, or the one that aims."""
    axis = settings.aim_axis if settings.type == "AIM" else "POS_Y"
    sign = 1.0 if axis.startswith("POS") else -1.0
    return sign * np.eye(3)["XYZ".index(axis[-1])]


def _reach(armature: bpy.types.Object, figure: Figure, name: str, settings: GoalSettings) -> Reach:
    if settings.reach == "COUNT":
        return Reach(count=settings.reach_count)
    if settings.reach == "ALL":
        return Reach()
    top = _index(armature, figure, name, settings.reach_bone)
    if settings.effector != "CENTRE_OF_MASS":
        bone = _index(armature, figure, name, settings.bone)
        if not figure.skeleton.ancestors[bone, top]:
            raise BridgeError(
                f"Goal “{name}” reaches up to bone “{settings.reach_bone}”, "
                f"which is not above its own, “{settings.bone}”."
            )
    return Reach(top=top)


def _below_carrier(reach: Reach, armature: bpy.types.Object, figure: Figure, goal: bpy.types.Object) -> Reach:
    """The reach of a goal that is parented to a bone: a hand on the hip is not met by moving the hip.

    Bones that carry both goal and effector make no difference, and are left out.
    """
    carrier = _carrier(armature, goal)
    bone = goal_settings(goal).bone
    if carrier not in figure.names or bone not in figure.names:
        return reach
    carrying = figure.skeleton.ancestors[figure.index(carrier)] > 0.0
    chain = np.flatnonzero((figure.skeleton.ancestors[figure.index(bone)] > 0.0) & ~carrying)
    if not len(chain) or reach.top in chain or 0 < reach.count <= len(chain):
        return reach
    return Reach(top=int(chain[0]))


def _carrier(armature: bpy.types.Object, goal: bpy.types.Object) -> str:
    """The bone of ``armature`` that the goal or a parent of it is parented to; empty for none."""
    each = goal
    while each.parent is not None:
        if each.parent.original == armature and each.parent_type == "BONE":
            return each.parent_bone
        each = each.parent
    return ""


def _index(armature: bpy.types.Object, figure: Figure, goal: str, bone: str) -> int:
    try:
        return figure.index(bone)
    except KeyError:
        raise _no_bone(armature, goal, bone) from None


def _no_bone(armature: bpy.types.Object, goal: str, bone: str) -> BridgeError:
    if not bone:
        return BridgeError(f"Goal “{goal}” does not say which bone of “{armature.name}” it means.")
    return BridgeError(f"Goal “{goal}” is for bone “{bone}”, which “{armature.name}” does not have.")


def _refuse_degenerate(name: str, settings: GoalSettings, matrix: Array) -> None:
    numbers = [
        *matrix.ravel(),
        *settings.point,
        settings.weight,
        settings.tolerance,
        settings.angle_tolerance,
    ]
    if not usable(numbers).all():
        raise BridgeError(
            f"Goal “{name}” has a place or a setting that is infinite or not a number; clear it."
        )
    if settings.type not in _WITHOUT_AXES and abs(np.linalg.det(matrix[:3, :3])) < 1e-12:
        raise BridgeError(f"Goal “{name}” has a scale of zero, so that its axes point nowhere.")
    if settings.type == "ORIENTATION" and not (settings.use_x or settings.use_y):
        raise BridgeError(f"Goal “{name}” asks for nothing: turn on X or Y.")


def _build(matrix: Array, goal: bpy.types.Object, settings: GoalSettings, common: dict[str, Any]) -> Goal:
    place, (x, y, z) = matrix[:3, 3], matrix[:3, :3].T
    turned: dict[str, Any] = {"x": x if settings.use_x else None, "y": y if settings.use_y else None}
    match settings.type:
        case "POSITION":
            return PositionGoal(target=place, **common)
        case "ORIENTATION":
            return OrientationGoal(**turned, **common)
        case "POSE":
            return PoseGoal(target=place, **turned, **common)
        case "AIM":
            return AimGoal(target=place, **common)
        case "LINE":
            return LineGoal(target=place, direction=z, **common)
        case "PLANE":
            return PlaneGoal(target=place, normal=z, **common)
        case "HALF_SPACE":
            return HalfSpaceGoal(target=place, normal=z, **common)
        case "OUTSIDE_BOX":
            return _outside_box(matrix, goal.empty_display_size, common)
    raise NotImplementedError(settings.type)


def _outside_box(matrix: Array, half: float, common: dict[str, Any]) -> Goal:
    """Any of the six half-spaces beyond the faces of the cube that the empty shows."""
    normals = np.linalg.inv(matrix[:3, :3])  # row k is across the faces that axis k goes through
    sides = [
        HalfSpaceGoal(target=matrix[:3, 3] + sign * half * matrix[:3, k], normal=sign * normals[k], **common)
        for k in range(3)
        for sign in (1.0, -1.0)
    ]
    return AnyOf(members=tuple(sides), **{**common, "weight": 1.0})

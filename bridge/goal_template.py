"""A goal that lacks only its place: what its settings ask, wherever its empty is."""

from __future__ import annotations

from dataclasses import dataclass
from math import degrees
from operator import attrgetter
from typing import Any

import bpy
import numpy as np

from ..properties import GoalSettings, goal_settings
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

RADIAN = 0.2  # of the figure's size: how far off weighs as much as being turned away by a radian
_TURNING = ("ORIENTATION", "POSE", "AIM")
_WITHOUT_AXES = ("POSITION", "AIM")
_SETTINGS = attrgetter(
    *("enabled", "type", "bone", "effector", "aim_axis", "use_x", "use_y", "any_of"),
    *("weight", "priority", "tolerance", "angle_tolerance", "reach", "reach_count", "reach_bone"),
)


def everything_set(goal: bpy.types.Object) -> tuple[Any, ...]:
    """All that a template is read from: while this is the same, so is the template."""
    settings = goal_settings(goal)
    parent = (goal.parent.name, goal.parent_type, goal.parent_bone) if goal.parent else ()
    return (*_SETTINGS(settings), *settings.point, goal.empty_display_size, *parent)


@dataclass(frozen=True, eq=False)
class GoalTemplate:
    """All of a goal but its target. ``common`` are the fields that every goal has."""

    type: str
    use_x: bool
    use_y: bool
    half: float  # the side of the box, halved
    any_of: str
    common: dict[str, Any]

    def at(self, matrix: Array) -> Goal:
        """The goal at an empty of this world matrix (4, 4)."""
        self._refuse_degenerate(matrix)
        place, (x, y, z), common = matrix[:3, 3], matrix[:3, :3].T, self.common
        turned: dict[str, Any] = {"x": x if self.use_x else None, "y": y if self.use_y else None}
        match self.type:
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
                return _outside_box(matrix, self.half, common)
        raise NotImplementedError(self.type)

    def _refuse_degenerate(self, matrix: Array) -> None:
        name = self.common["name"]
        if not usable(matrix).all():
            raise BridgeError(f"Goal “{name}” is at a place that is infinite or not a number; clear it.")
        if self.type not in _WITHOUT_AXES and abs(np.linalg.det(matrix[:3, :3])) < 1e-12:
            raise BridgeError(f"Goal “{name}” has a scale of zero, so that its axes point nowhere.")


def _outside_box(matrix: Array, half: float, common: dict[str, Any]) -> Goal:
    """Any of the six half-spaces beyond the faces of the cube that the empty shows."""
    normals = np.linalg.inv(matrix[:3, :3])  # row k is across the faces that axis k goes through
    sides = [
        HalfSpaceGoal(target=matrix[:3, 3] + sign * half * matrix[:3, k], normal=sign * normals[k], **common)
        for k in range(3)
        for sign in (1.0, -1.0)
    ]
    return AnyOf(members=tuple(sides), **{**common, "weight": 1.0})


def read_template(armature: bpy.types.Object, figure: Figure, goal: bpy.types.Object) -> GoalTemplate:
    """What an evaluated empty asks of ``figure``; BridgeError names the goal and what is wrong."""
    settings = goal_settings(goal)
    numbers = [*settings.point, settings.weight, settings.tolerance, settings.angle_tolerance]
    if not usable(numbers).all():
        raise BridgeError(f"Goal “{goal.name}” has a setting that is infinite or not a number; clear it.")
    if settings.type == "ORIENTATION" and not (settings.use_x or settings.use_y):
        raise BridgeError(f"Goal “{goal.name}” asks for nothing: turn on X or Y.")
    common = {
        "name": goal.name,
        "effector": _effector(armature, figure, goal.name, settings),
        "weight": settings.weight,
        "priority": settings.priority,
        "tolerance": settings.tolerance,
        "angle_tolerance": settings.angle_tolerance,
        "reach": _below_carrier(_reach(armature, figure, goal.name, settings), armature, figure, goal),
        "degrees_per_length": degrees(1.0 / (RADIAN * figure.size)),
    }
    half = goal.empty_display_size
    return GoalTemplate(settings.type, settings.use_x, settings.use_y, half, settings.any_of, common)


def _effector(armature: bpy.types.Object, figure: Figure, name: str, settings: GoalSettings) -> Effector:
    if settings.effector == "CENTRE_OF_MASS":
        if settings.type in _TURNING:
            raise BridgeError(f"Goal “{name}”: the centre of mass is a point, it cannot be turned.")
        return Effector(CENTRE_OF_MASS)
    bone = _index(armature, figure, name, settings.bone)
    length = rest_bones(armature)[settings.bone].length
    return Effector(bone, np.array(effector_point(settings, length), dtype=float), y=_axis(settings))


def effector_point(settings: GoalSettings, length: float) -> tuple[float, float, float]:
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
        raise no_bone(armature, goal, bone) from None


def no_bone(armature: bpy.types.Object, goal: str, bone: str) -> BridgeError:
    if not bone:
        return BridgeError(f"Goal “{goal}” does not say which bone of “{armature.name}” it means.")
    return BridgeError(f"Goal “{goal}” is for bone “{bone}”, which “{armature.name}” does not have.")

"""How each joint may move: Blender's locks, IK limits, stiffness and Limit Rotation constraints.

A joint has swing–twist coordinates, as Blender's IK limits mean them, unless Euler angles are limited
or locked: then it has these angles as coordinates, so that limits and locks are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import degrees, pi
from typing import Any, TypeVar

import bpy
import numpy as np
from numpy.typing import NDArray

from ..solvers import EULER_ORDERS, SWING_TWIST
from .arrays import Array, Mask, read_flags, read_numbers
from .errors import BridgeError
from .influences import Influences

_T = TypeVar("_T", np.float64, np.bool_)
_FULL_TURN = 2.0 * pi
# Blender reads Euler angles back as the triple with the smaller sum of sizes; the two sum up to 540°.
_AMBIGUOUS = 1.5 * pi - 1e-3
_GIMBAL = 2e-3  # so close to gimbal lock, Blender's digits do not tell the angles
_ROUNDING = 1e-3


@dataclass(eq=False)
class Joints:
    """Rotational coordinates of n bones, in radians."""

    kinds: list[str]
    lower: Array  # (n, 3)
    upper: Array  # (n, 3)
    locked: Mask  # (n, 3)
    stiffness: Array  # (n, 3)
    limited: Mask  # (n,) has a Limit Rotation constraint
    least: Array  # (n, 3) its minimum, which may be turns away from the angle
    most: Array  # (n, 3)
    notes: dict[str, str]  # by name of the bone: why it is not posed


def read_joints(armature: bpy.types.Object, influences: Influences) -> Joints:
    """All joints of ``armature``, in the order of its pose."""
    pose = armature.pose.bones
    bounded = _by_axis(read_flags, pose, "use_ik_limit_{}")
    joints = Joints(
        kinds=[SWING_TWIST] * len(pose),
        lower=np.where(bounded, _by_axis(read_numbers, pose, "ik_min_{}"), -np.inf),
        upper=np.where(bounded, _by_axis(read_numbers, pose, "ik_max_{}"), np.inf),
        locked=_by_axis(read_flags, pose, "lock_ik_{}"),
        stiffness=_by_axis(read_numbers, pose, "ik_stiffness_{}"),
        limited=np.zeros(len(pose), dtype=bool),
        least=np.full((len(pose), 3), -np.inf),
        most=np.full((len(pose), 3), np.inf),
        notes={},
    )
    for i in np.flatnonzero(
        read_flags(pose, "lock_rotation", 3).any(axis=1) | read_flags(pose, "lock_rotation_w")
    ):
        _lock_channels(joints, int(i), pose[int(i)])
    for name, constraints in influences.limits.items():
        _limit_rotation(joints, pose.find(name), pose[name], constraints)
    return joints


def _by_axis(read: Callable[[Any, str], NDArray[_T]], pose: Any, name: str) -> NDArray[_T]:
    """A property of x, y and z as (n, 3)."""
    return np.stack([read(pose, name.format(axis)) for axis in "xyz"], axis=1)


def euler_order(rotation_mode: str) -> str:
    """The order Blender itself takes where a bone of this rotation mode needs Euler angles."""
    return rotation_mode if rotation_mode in EULER_ORDERS else "XYZ"


def _lock_channels(joints: Joints, i: int, bone: bpy.types.PoseBone) -> None:
    locks = np.array(bone.lock_rotation)
    four = bone.rotation_mode not in EULER_ORDERS and bone.lock_rotations_4d
    if four and (bone.lock_rotation_w or locks.any()) and not locks.all():
        joints.locked[i] = True
        joints.notes[bone.name] = (
            f"Bone “{bone.name}” has some of its four rotation channels locked and is not posed."
        )
        return
    joints.locked[i] |= locks
    if locks.any() and not locks.all():
        joints.kinds[i] = euler_order(bone.rotation_mode)


def _limit_rotation(
    joints: Joints,
    i: int,
    bone: bpy.types.PoseBone,
    constraints: list[bpy.types.Constraint],
) -> None:
    own = euler_order(bone.rotation_mode)
    for constraint in constraints:
        bounded = [getattr(constraint, f"use_limit_{axis}") for axis in "xyz"]
        if not any(bounded):
            continue
        order = own if constraint.euler_order == "AUTO" else constraint.euler_order
        if joints.kinds[i] not in (SWING_TWIST, order) and not joints.locked[i].all():
            joints.locked[i] = True
            joints.notes[bone.name] = (
                f"Bone “{bone.name}” has rotations locked and limited in different orders and is not posed."
            )
        joints.kinds[i] = order
        joints.limited[i] = True
        for k in np.flatnonzero(bounded):
            _limit_angle(joints, i, int(k), bone, constraint)


def _limit_angle(
    joints: Joints,
    i: int,
    k: int,
    bone: bpy.types.PoseBone,
    constraint: bpy.types.Constraint,
) -> None:
    low, high = (getattr(constraint, f"{end}_{'xyz'[k]}") for end in ("min", "max"))
    if low > high:
        raise BridgeError(
            f"The constraint “{constraint.name}” of bone “{bone.name}” has a minimum {'XYZ'[k]} of "
            f"{degrees(low):.4g}°, above its maximum of {degrees(high):.4g}°."
        )
    if constraint.use_legacy_behavior:
        # The angle that is clamped is within half a turn; beyond, the nearer end is all there is.
        low, high = max(low, min(high, -pi)), min(high, max(low, pi))
    elif high - low >= _FULL_TURN:
        return
    joints.least[i, k] = max(joints.least[i, k], low)
    joints.most[i, k] = min(joints.most[i, k], high)
    if joints.least[i, k] > joints.most[i, k]:
        raise _contradiction(bone.name, k)


def _contradiction(bone: str, k: int) -> BridgeError:
    return BridgeError(
        f"The limits of bone “{bone}” contradict each other: no rotation {'XYZ'[k]} is within all."
    )


def hold_still(joints: Joints, fixed: Mask, driven: Mask) -> None:
    """Lock the joints (n,) that something else moves; ``fixed`` ones are rigid, with no angles at all."""
    joints.locked |= (fixed | driven)[:, None]
    joints.limited &= ~fixed
    joints.lower[fixed], joints.upper[fixed] = -np.inf, np.inf
    for i in np.flatnonzero(fixed):
        joints.kinds[i] = SWING_TWIST


def settle_limits(joints: Joints, names: Sequence[str], angles: Array) -> None:
    """Limits of constrained joints around where they are, ``angles`` (n, 3), as far as they are exact.

    Blender finds Euler angles anew from the rotation before it clamps them, and of two triples it
    takes the one with the smaller sum of sizes. Within that sum, ours are the angles it finds.
    """
    for i in np.flatnonzero(joints.limited):
        parts = [_around(joints.least[i, k], joints.most[i, k], angles[i, k]) for k in range(3)]
        low, high = np.array(parts).T
        if ((angles[i] < low - _ROUNDING) | (angles[i] > high + _ROUNDING)).any():
            joints.notes[names[i]] = (
                f"Bone “{names[i]}” has limits that Blender does not hold in every pose, and is not posed."
            )
            joints.locked[i] = True
            joints.lower[i], joints.upper[i] = -np.inf, np.inf
            continue
        low, high = np.maximum(low, joints.lower[i]), np.minimum(high, joints.upper[i])
        if (low > high).any():
            raise _contradiction(names[i], int(np.argmax(low > high)))
        low, high = _unambiguous(low, high, angles[i], joints.locked[i])
        _avoid_gimbal_lock(low, high, "XYZ".index(joints.kinds[i][1]))
        joints.lower[i], joints.upper[i] = low, high


def _around(low: float, high: float, angle: float) -> tuple[float, float]:
    """The part within half a turn of a range of angles, of several the one around ``angle``."""
    parts = [(max(low + turn, -pi), min(high + turn, pi)) for turn in (0.0, _FULL_TURN, -_FULL_TURN)]
    real = [(start, end) for start, end in parts if start <= end]
    return min(real, key=lambda part: max(part[0] - angle, angle - part[1], 0.0))


def _avoid_gimbal_lock(low: Array, high: Array, middle: int) -> None:
    """A middle angle that can end at ±90° ends just before: there, Blender finds other angles."""
    for lock in (-0.5 * pi, 0.5 * pi):
        if abs(high[middle] - lock) < _GIMBAL and low[middle] < lock - _GIMBAL:
            high[middle] = lock - _GIMBAL
        if abs(low[middle] - lock) < _GIMBAL and high[middle] > lock + _GIMBAL:
            low[middle] = lock + _GIMBAL


def _unambiguous(low: Array, high: Array, angles: Array, locked: Mask) -> tuple[Array, Array]:
    """Cut the widest ranges down to one size, until all sizes add up to less than is ambiguous."""
    least = np.abs(np.where(locked, angles, np.clip(angles, low, high)))
    most = np.where(locked, least, np.maximum(np.abs(low), np.abs(high)))
    small, large = 0.0, pi
    for _ in range(40):
        size = 0.5 * (small + large)
        fits = np.maximum(least, np.minimum(most, size)).sum() <= _AMBIGUOUS
        small, large = (size, large) if fits else (small, size)
    sizes = np.maximum(least, np.minimum(most, large))
    return np.maximum(low, -sizes), np.minimum(high, sizes)

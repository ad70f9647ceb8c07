"""Joint coordinates as a pose: the channels of bones, in each bone's own rotation mode."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import bpy
import numpy as np

from ..solvers.rotations import to_euler, to_quaternion
from .arrays import Array, Ints, read_numbers, write_numbers
from .figure import Reading

_CHANNELS = {"location": 3, "rotation_quaternion": 4, "rotation_axis_angle": 4, "rotation_euler": 3}
_CHANNEL_OF = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
_FULL_TURN = 2.0 * np.pi
_SAME = 1e-6  # radians; Blender stores seven digits


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The channels that a solve may write, one row per bone."""

    channels: dict[str, Array]


def snapshot(armature: bpy.types.Object) -> Snapshot:
    """Remember the pose of ``armature``."""
    bones = armature.pose.bones
    return Snapshot({name: read_numbers(bones, name, width) for name, width in _CHANNELS.items()})


def restore(armature: bpy.types.Object, saved: Snapshot) -> None:
    """Put the pose back as it was, to the bit."""
    for name, values in saved.channels.items():
        write_numbers(armature.pose.bones, name, values)
    armature.update_tag(refresh={"DATA"})


def write_pose(armature: bpy.types.Object, reading: Reading, q: Array) -> Reading:
    """Write what differs between ``q`` (d,) and ``reading``; return the reading it then is.

    Values are continuous with the present ones: no Euler angle jumps by a turn and no quaternion
    changes its sign. Blender's evaluation follows with the next update of the view layer.
    """
    size, bones = len(reading.bones), armature.pose.bones
    moved = q != reading.q
    turned = np.flatnonzero(moved[: 3 * size].reshape(-1, 3).any(axis=1))
    if len(turned):
        _write_rotations(bones, reading, q, turned)
    if moved[3 * size :].any():
        location = read_numbers(bones, "location", 3)
        location[reading.figure.skeleton.translating] = q[3 * size :].reshape(-1, 3)
        write_numbers(bones, "location", location)
    if moved.any():
        armature.update_tag(refresh={"DATA"})
    return replace(reading, q=q)


def _write_rotations(bones: Any, reading: Reading, q: Array, turned: Ints) -> None:
    rotations, _ = reading.figure.skeleton.rotations(q)
    modes = np.array(reading.rotation_modes)[turned]
    kinds = np.array(reading.figure.skeleton.kinds)
    for mode in np.unique(modes):
        some = turned[modes == mode]
        channel = _CHANNEL_OF.get(mode, "rotation_euler")
        values = read_numbers(bones, channel, _CHANNELS[channel])
        if mode == "QUATERNION":
            values[some] = quaternion_near(rotations[some], values[some])
        elif mode == "AXIS_ANGLE":
            values[some] = axis_angle_near(rotations[some], values[some])
        else:
            own = np.where((kinds == mode)[:, None], q[: rotations.size // 3].reshape(-1, 3), np.nan)
            values[some] = euler_near(rotations[some], str(mode), values[some], own[some])
        write_numbers(bones, channel, values)


def quaternion_near(rotations: Array, present: Array) -> Array:
    """Unit quaternions (k, 4) on the side of the ``present`` ones."""
    quaternions = to_quaternion(rotations)
    opposite = (quaternions * present).sum(axis=1, keepdims=True) < 0.0
    return np.where(opposite, -quaternions, quaternions)


def axis_angle_near(rotations: Array, present: Array) -> Array:
    """Angles and axes (k, 4), the axis on the side of the ``present`` one, the angle within half a turn.

    No rotation keeps the axis that is there.
    """
    quaternions = to_quaternion(rotations)
    sines = np.linalg.norm(quaternions[:, 1:], axis=1)
    still = sines < 1e-9
    axes = quaternions[:, 1:] / np.where(still, 1.0, sines)[:, None]
    angles = 2.0 * np.arctan2(sines, quaternions[:, 0])
    opposite = (axes * present[:, 1:]).sum(axis=1) < 0.0
    axes[opposite], angles[opposite] = -axes[opposite], -angles[opposite]
    axes[still] = present[still, 1:]
    angles += _FULL_TURN * np.round((present[:, 0] - angles) / _FULL_TURN)
    return np.concatenate([angles[:, None], axes], axis=1)


def euler_near(rotations: Array, order: str, present: Array, own: Array) -> Array:
    """Euler angles (k, 3) closest to ``present``; what has not changed stays to the bit.

    ``own`` (k, 3) are angles that are known to be right, or NaN. Where they are as close they
    are taken as they are: exact at gimbal lock as well, so that a locked angle never changes.
    """
    angles = to_euler(rotations, order, present)
    own = own + _FULL_TURN * np.round((present - own) / _FULL_TURN)
    detour = np.abs(own - present).sum(axis=1) - np.abs(angles - present).sum(axis=1)
    angles = np.where((detour < _SAME)[:, None], own, angles)
    return np.where(np.abs(angles - present) < _SAME, present, angles)

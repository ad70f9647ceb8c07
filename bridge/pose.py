"""Joint coordinates as a pose: the channels of bones, in each bone's own rotation mode."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
from numpy.typing import NDArray

from ..solvers.rotations import swing_twist, to_euler, to_quaternion
from .arrays import Array, Ints, Mask
from .channels import WRITTEN, Channels, read_channels, rotation_channel, write_channels
from .figure import Reading

_FULL_TURN = 2.0 * np.pi
_SAME = 1e-6  # radians; Blender stores seven digits


def snapshot(armature: bpy.types.Object) -> Channels:
    """Remember the pose of ``armature``."""
    return read_channels(armature, WRITTEN)


def restore(armature: bpy.types.Object, saved: Channels) -> None:
    """Put the pose back as it was, to the bit."""
    write_channels(armature, saved)


def write_pose(armature: bpy.types.Object, reading: Reading, q: Array) -> Reading:
    """Write what differs between ``q`` (d,) and ``reading``; return the reading it then is.

    Values are continuous with those that were read: no Euler angle jumps by a turn and no quaternion
    changes its sign. Blender's evaluation follows with the next update of the view layer.
    """
    size = len(reading.bones)
    moved = q != reading.q
    turned = moved[: 3 * size].reshape(-1, 3).any(axis=1)
    changed = dict(_rotated(reading, q, turned))
    if moved[3 * size :].any():
        changed["location"] = location = reading.channels["location"].copy()
        location[reading.figure.skeleton.translating] = q[3 * size :].reshape(-1, 3)
    if changed:
        write_channels(armature, changed)
    return replace(reading, q=q, channels={**reading.channels, **changed})


def _rotated(reading: Reading, q: Array, turned: Mask) -> Channels:
    """The channels of rotation with the values of the bones (n,) that turned."""
    changed: dict[str, NDArray[np.float32]] = {}
    for mode, numbers in reading.by_mode.items():
        some = numbers[turned[numbers]]
        if not len(some):
            continue
        channel = rotation_channel(mode)
        # Bones of several Euler orders share a channel.
        changed[channel] = values = changed.get(channel, reading.channels[channel]).copy()
        present = values[some].astype(float)
        if mode == "QUATERNION":
            values[some] = quaternion_near(_quaternions(reading, q, some), present)
        elif mode == "AXIS_ANGLE":
            values[some] = axis_angle_near(_quaternions(reading, q, some), present)
        else:
            own = _own_angles(reading, q, mode, some)
            values[some] = euler_near(_rotations(reading, q, some), mode, present, own)
    return changed


def _rotations(reading: Reading, q: Array, bones: Ints) -> Array:
    """Rotation matrices (k, 3, 3) of some bones."""
    if reading.swinging[bones].all():
        return swing_twist(q[3 * bones[:, None] + np.arange(3)])[0]
    return reading.figure.skeleton.rotations(q)[0][bones]


def _quaternions(reading: Reading, q: Array, bones: Ints) -> Array:
    """Unit quaternions (k, 4) of some bones; of swing and twist without a detour, as ticks are many."""
    if not reading.swinging[bones].all():
        return to_quaternion(_rotations(reading, q, bones))
    x, y, z = 0.5 * q[3 * bones + np.arange(3)[:, None]]
    angle = np.hypot(x, z)
    sine = np.sinc(angle / np.pi)
    w, x, z = np.cos(angle), x * sine, z * sine
    c, s = np.cos(y), np.sin(y)
    return np.stack([w * c, x * c - z * s, w * s, z * c + x * s], axis=-1)


def _own_angles(reading: Reading, q: Array, mode: str, bones: Ints) -> Array:
    """The coordinates (k, 3) of bones where they are the Euler angles of this mode; NaN elsewhere."""
    kinds = reading.figure.skeleton.kinds
    same = np.array([kinds[i] == mode for i in bones])
    return np.where(same[:, None], q[3 * bones[:, None] + np.arange(3)], np.nan)


def quaternion_near(quaternions: Array, present: Array) -> Array:
    """Quaternions (k, 4) on the side of the ``present`` ones."""
    opposite = (quaternions * present).sum(axis=1, keepdims=True) < 0.0
    return np.where(opposite, -quaternions, quaternions)


def axis_angle_near(quaternions: Array, present: Array) -> Array:
    """Angles and axes (k, 4), the axis on the side of the ``present`` one, the angle within half a turn.

    No rotation keeps the axis that is there.
    """
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

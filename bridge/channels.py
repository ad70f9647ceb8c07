"""The channels of a pose: the numbers Blender stores on every bone, in bulk and to the bit."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeAlias

import bpy
import numpy as np
from numpy.typing import NDArray

Channels: TypeAlias = Mapping[str, NDArray[np.float32]]  # by name of the property, (n, width) each

_WIDTHS = {
    "location": 3,
    "scale": 3,
    "rotation_mode": 1,
    "rotation_quaternion": 4,
    "rotation_axis_angle": 4,
    "rotation_euler": 3,
}
_OF_MODE = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}
WRITTEN = ("location", "rotation_quaternion", "rotation_axis_angle", "rotation_euler")


def rotation_channel(mode: str) -> str:
    """The property that holds the rotation of a bone in this rotation mode."""
    return _OF_MODE.get(mode, "rotation_euler")


def channels_of(modes: Iterable[str]) -> tuple[str, ...]:
    """All that makes the pose of bones in these rotation modes."""
    rotations = dict.fromkeys(rotation_channel(mode) for mode in modes)
    return ("location", "scale", "rotation_mode", *rotations)


def read_channels(armature: bpy.types.Object, names: Iterable[str]) -> Channels:
    """The channels of these names as they are now."""
    bones = armature.pose.bones
    size = len(bones)
    result = {}
    for name in names:
        result[name] = values = np.empty((size, _WIDTHS[name]), dtype=np.float32)
        bones.foreach_get(name, values.ravel())
    return result


def write_channels(armature: bpy.types.Object, channels: Channels) -> None:
    """Set whole channels, and have Blender evaluate the armature at its next update."""
    bones = armature.pose.bones
    for name, values in channels.items():
        bones.foreach_set(name, values.ravel())
    armature.update_tag(refresh={"DATA"})

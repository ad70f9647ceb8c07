"""How an armature is set up: all that a figure is read from besides its pose, to see edits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, TypeAlias

import bpy
import numpy as np
from numpy.typing import NDArray

from ..properties import bone_settings, figure_settings
from .arrays import read_flags, read_numbers
from .bones import rest_bones
from .influences import CHAINS, is_active

Setup: TypeAlias = tuple[Any, ...]

_AXES = "xyz"
_POSE_FLAGS = ("use_ik_limit_{}", "lock_ik_{}")
_POSE_NUMBERS = ("ik_min_{}", "ik_max_{}", "ik_stiffness_{}")
_REST_FLAGS = ("use_connect", "use_local_location", "use_inherit_rotation", "use_deform")
_LIMITS = [f"{what}_{axis}" for what, axis in product(("use_limit", "min", "max"), _AXES)]


def read_setup(armature: bpy.types.Object) -> Setup:
    """Equal for as long as nothing is edited. About 0.3 ms for 159 bones."""
    pose, rest = armature.pose.bones, rest_bones(armature)
    figure = figure_settings(armature)
    return (
        figure.solver,
        figure.constraints,
        figure.use_root_location,
        *pose.keys(),
        tuple(bone_settings(bone).mass for bone in rest),
        *(read_flags(rest, name).tobytes() for name in _REST_FLAGS),
        _read_choices(rest, "inherit_scale").tobytes(),
        read_numbers(rest, "matrix_local", 16).tobytes(),
        read_numbers(rest, "length").tobytes(),
        *(read_flags(pose, name.format(axis)).tobytes() for name in _POSE_FLAGS for axis in _AXES),
        *(read_numbers(pose, name.format(axis)).tobytes() for name in _POSE_NUMBERS for axis in _AXES),
        *(read_flags(pose, name, 3).tobytes() for name in ("lock_location", "lock_rotation")),
        *(read_flags(pose, name).tobytes() for name in ("lock_rotation_w", "lock_rotations_4d")),
        *_constraints(armature),
        *_drivers(armature),
    )


def _read_choices(collection: Any, name: str) -> NDArray[np.int32]:
    """An enumeration of every item, by number."""
    values = np.empty(len(collection), dtype=np.int32)
    collection.foreach_get(name, values)
    return values


def _constraints(armature: bpy.types.Object) -> Iterator[Setup]:
    for bone in armature.pose.bones:
        for constraint in bone.constraints:
            yield bone.name, constraint.name, constraint.type, is_active(constraint), *_details(constraint)


def _details(constraint: bpy.types.Constraint) -> Setup:
    """What else of a constraint makes a figure; where others put a bone, is seen by where it is."""
    if constraint.type == "LIMIT_ROTATION":
        limits = (getattr(constraint, name) for name in _LIMITS)
        return (
            *limits,
            constraint.owner_space,
            constraint.influence,
            constraint.euler_order,
            constraint.use_legacy_behavior,
        )
    if constraint.type in CHAINS:
        return (constraint.chain_count, getattr(constraint, "use_tail", True))
    return ()


def _drivers(armature: bpy.types.Object) -> Iterator[Setup]:
    animation = armature.animation_data
    for curve in animation.drivers if animation else ():
        yield curve.data_path, curve.mute

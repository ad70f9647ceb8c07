"""What Blender stores on the bones of an armature, as arrays in the order of its pose."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import bpy
import numpy as np

from .arrays import Array, Ints, Mask, read_flags, read_matrices, read_numbers, usable
from .errors import BridgeError

_NO_SCALE = 1e-6  # a smaller scale has lost the digits that a way back would need


@dataclass(frozen=True, eq=False)
class Bones:
    """n bones, parents first. Lengths in Blender units, angles in radians."""

    names: tuple[str, ...]
    parents: Ints  # (n,) −1 for a root
    armature: Array  # (n, 3, 3) rest orientation in armature space
    offset: Array  # (n, 4, 4) rest frame in the parent's, a root's in armature space
    lengths: Array  # (n,)
    connected: Mask  # (n,) its location does not count
    local_location: Mask  # (n,) its location is along its own rest axes, not its parent's
    inherit_rotation: Mask  # (n,)
    inherit_scale: tuple[str, ...]
    deform: Mask  # (n,)
    rotation_modes: tuple[str, ...]
    rotation: Array  # (n, 3, 3) posed, as its channels say
    euler: Array  # (n, 3) the Euler channels, which count in an Euler mode alone
    scale: Array  # (n, 3) posed
    location: Array  # (n, 3) posed
    object_matrix: Array  # (4, 4) from armature space to the world, evaluated
    posed: Array  # (n, 4, 4) in armature space, evaluated, constraints and all

    @property
    def size(self) -> int:
        return len(self.names)

    @property
    def world(self) -> Array:
        """The evaluated frames (n, 4, 4) in world space."""
        return self.object_matrix @ self.posed


def rest_bones(armature: bpy.types.Object) -> bpy.types.ArmatureBones:
    return cast(bpy.types.Armature, armature.data).bones


def read_bones(armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Bones:
    """As evaluated, drivers and animation included; BridgeError for no number or a zero scale."""
    evaluated = armature.evaluated_get(depsgraph)
    pose, rest = evaluated.pose.bones, rest_bones(armature)
    names = tuple(bone.name for bone in pose)
    order = _order(names, rest)
    number = {name: i for i, name in enumerate(names)}
    parents = [number[bone.parent.name] if bone.parent else -1 for bone in pose]
    bones = Bones(
        names=names,
        parents=np.array(parents, dtype=np.intp),
        armature=read_matrices(rest, "matrix_local")[order, :3, :3],
        offset=_offsets(rest, order, np.array(parents)),
        lengths=read_numbers(rest, "length")[order],
        connected=read_flags(rest, "use_connect")[order] & (np.array(parents) >= 0),
        local_location=read_flags(rest, "use_local_location")[order],
        inherit_rotation=read_flags(rest, "use_inherit_rotation")[order],
        inherit_scale=tuple(rest[i].inherit_scale for i in order),
        deform=read_flags(rest, "use_deform")[order],
        rotation_modes=tuple(bone.rotation_mode for bone in pose),
        rotation=np.zeros((len(names), 3, 3)),
        euler=read_numbers(pose, "rotation_euler", 3),
        scale=read_numbers(pose, "scale", 3),
        location=read_numbers(pose, "location", 3),
        object_matrix=np.array(evaluated.matrix_world, dtype=float),
        posed=read_matrices(pose, "matrix"),
    )
    _refuse_degenerate(armature, bones)
    # Blender's own conversion, whatever the rotation mode; a quaternion need not be of length one.
    basis = read_matrices(pose, "matrix_basis")[:, :3, :3]
    bones.rotation[:] = basis / bones.scale[:, None, :]
    return bones


def read_world(evaluated: bpy.types.Object) -> Array:
    """The frames (n, 4, 4) of an evaluated armature's bones in world space."""
    return np.array(evaluated.matrix_world, dtype=float) @ read_matrices(evaluated.pose.bones, "matrix")


def _order(names: tuple[str, ...], rest: bpy.types.ArmatureBones) -> Ints:
    stored = {bone.name: i for i, bone in enumerate(rest)}
    return np.array([stored[name] for name in names], dtype=np.intp)


def _offsets(rest: bpy.types.ArmatureBones, order: Ints, parents: Ints) -> Array:
    """The numbers Blender itself multiplies by: a bone's head is stored from its parent's tail."""
    offsets = np.zeros((len(order), 4, 4))
    offsets[:, 3, 3] = 1.0
    offsets[:, :3, :3] = read_matrices(rest, "matrix", 3)[order]
    offsets[:, :3, 3] = read_numbers(rest, "head", 3)[order]
    lengths = read_numbers(rest, "length")[order]
    offsets[:, 1, 3] += np.where(parents < 0, 0.0, lengths[parents])
    return offsets


def _refuse_degenerate(armature: bpy.types.Object, bones: Bones) -> None:
    name = armature.name
    if not usable(bones.object_matrix).all():
        raise BridgeError(f"The transform of “{name}” is infinite or not a number; clear it.")
    if np.linalg.norm(bones.object_matrix[:3, :3], axis=0).min() < _NO_SCALE or _is_flat(bones):
        raise BridgeError(f"“{name}” has a scale of zero; give it a size to pose it.")
    for values, what in (
        (bones.offset, "rest position"),
        (bones.euler, "rotation"),
        (bones.scale, "scale"),
        (bones.location, "location"),
        (bones.posed, "pose"),
    ):
        wrong = ~usable(values.reshape(bones.size, -1)).all(axis=1)
        if wrong.any():
            bone = bones.names[int(np.argmax(wrong))]
            raise BridgeError(
                f"The {what} of bone “{bone}” of “{name}” is infinite or not a number; clear it."
            )
    flat = np.abs(bones.scale).min(axis=1) < _NO_SCALE
    if flat.any():
        bone = bones.names[int(np.argmax(flat))]
        raise BridgeError(f"Bone “{bone}” of “{name}” has a scale of zero; give it a size to pose it.")


def _is_flat(bones: Bones) -> bool:
    linear = bones.object_matrix[:3, :3]
    lengths = np.linalg.norm(linear, axis=0)
    return bool(abs(np.linalg.det(linear / lengths)) < _NO_SCALE)

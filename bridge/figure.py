"""An armature as a figure: arrays in world space that give the same bones as Blender's evaluation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

import bpy
import numpy as np

from ..properties import bone_settings, figure_settings
from ..solvers import SWING_TWIST, Figure, Skeleton
from ..solvers.rotations import to_euler, to_swing_twist
from .arrays import Array, Ints, Mask, read_flags, usable
from .bones import Bones, read_bones, rest_bones
from .channels import Channels, channels_of, read_channels
from .errors import BridgeError
from .influences import read_influences
from .inheritance import Inheritance, inherit
from .joints import Joints, hold_still, read_joints, settle_limits

_OFF = 1e-3  # of the figure's size: more than rounding ever makes, less than an eye would miss


@dataclass(frozen=True, eq=False)
class Reading:
    """An armature as it was read.

    ``figure`` is in world space and Blender units, its bones those of the pose, in the pose's order.
    ``q`` (d,) is the present pose. ``notes`` are the bones that are not posed, with a
    sentence that says why.
    """

    figure: Figure
    q: Array
    notes: Mapping[str, str]
    by_mode: Mapping[str, Ints]  # the numbers of the bones of each rotation mode
    swinging: Mask  # (n,) whose coordinates are swing and twist
    channels: Channels  # as Blender stored the pose

    @property
    def bones(self) -> tuple[str, ...]:
        return self.figure.names


def read_figure(armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> Reading:
    """Read ``armature`` as evaluated in ``depsgraph``; BridgeError if it cannot be posed exactly."""
    refuse_unposable(armature)
    bones = read_bones(armature, depsgraph)
    influences = read_influences(armature)
    fixed = np.array([name in influences.constrained for name in bones.names])
    driven = np.array([name in influences.driven for name in bones.names])
    joints = read_joints(armature, influences)
    hold_still(joints, fixed, driven)

    frames = inherit(bones, joints.limited | ~joints.locked.all(axis=1), fixed)
    angles = _angles(bones, joints, frames)
    angles[fixed] = 0.0
    settle_limits(joints, bones.names, angles)
    translating, slides_locked = _translating(armature, bones, fixed | driven)
    skeleton = _skeleton(bones, joints, frames, translating, fixed)
    figure = _figure(armature, bones, joints, skeleton, slides_locked)
    q = np.concatenate([angles.ravel(), bones.location[translating].ravel()])
    _refuse_different(armature, figure, q, bones.world)
    notes = {**joints.notes, **influences.driven, **influences.constrained}
    modes = np.array(bones.rotation_modes)
    by_mode = {str(mode): np.flatnonzero(modes == mode) for mode in np.unique(modes)}
    swinging = np.array([kind == SWING_TWIST for kind in joints.kinds])
    return Reading(figure, q, notes, by_mode, swinging, read_channels(armature, channels_of(by_mode)))


def refuse_unposable(armature: bpy.types.Object) -> None:
    """BridgeError where writing a pose would do nothing, or not be allowed."""
    name = armature.name
    if armature.type != "ARMATURE":
        raise BridgeError(f"“{name}” is not an armature.")
    if armature.library is not None:
        raise BridgeError(f"“{name}” is linked from a library; make a library override of it to pose it.")
    data = cast(bpy.types.Armature, armature.data)
    if data.is_editmode:
        raise BridgeError(f"“{name}” is in Edit Mode; leave it to pose it.")
    if data.pose_position == "REST":
        raise BridgeError(f"“{name}” is shown in its rest position; set it to Pose Position to pose it.")
    if not armature.pose or not len(armature.pose.bones):
        raise BridgeError(f"“{name}” has no bones.")


def _angles(bones: Bones, joints: Joints, frames: Inheritance) -> Array:
    """The present pose in the joints' rotational coordinates (n, 3)."""
    rotation = bones.rotation.copy()
    for i in np.flatnonzero(joints.limited):
        # What counts is the angle within limits that Blender makes of one outside.
        above = int(frames.rotation_parents[i])
        outer = np.eye(3) if above < 0 else bones.world[above, :3, :3]
        inner = np.linalg.solve(outer @ frames.rest[i], bones.world[i, :3, :3])
        rotation[i] = inner @ np.linalg.inv(frames.scale[i])
    angles = to_swing_twist(rotation)
    for i, kind in enumerate(joints.kinds):
        if kind == SWING_TWIST:
            continue
        if kind == bones.rotation_modes[i] and not joints.limited[i]:
            angles[i] = bones.euler[i]
        else:
            angles[i] = to_euler(rotation[i], kind)
    return angles


def _translating(armature: bpy.types.Object, bones: Bones, held: Mask) -> tuple[Ints, Mask]:
    """The roots that may move, and which of their three location channels are locked (t, 3)."""
    locks = read_flags(armature.pose.bones, "lock_location", 3)
    movable = (bones.parents < 0) & ~held & ~locks.all(axis=1)
    if not figure_settings(armature).use_root_location:
        movable[:] = False
    translating = np.flatnonzero(movable)
    return translating, locks[translating]


def _skeleton(bones: Bones, joints: Joints, frames: Inheritance, translating: Ints, fixed: Mask) -> Skeleton:
    """Locations that are no coordinates are part of where a bone sits on its parent."""
    still = ~fixed & ~bones.connected
    still[translating] = False
    moved = (frames.slide @ bones.location[:, :, None])[:, :, 0]
    return Skeleton(
        parents=bones.parents,
        rotation_parents=frames.rotation_parents,
        offsets=frames.offsets + np.where(still[:, None], moved, 0.0),
        rest=frames.rest,
        scale=frames.scale,
        slide=frames.slide,
        translating=translating,
        kinds=tuple(joints.kinds),
    )


def _figure(
    armature: bpy.types.Object, bones: Bones, joints: Joints, skeleton: Skeleton, slides_locked: Mask
) -> Figure:
    slides = slides_locked.size
    return Figure(
        names=bones.names,
        skeleton=skeleton,
        lower=np.concatenate([joints.lower.ravel(), np.full(slides, -np.inf)]),
        upper=np.concatenate([joints.upper.ravel(), np.full(slides, np.inf)]),
        locked=np.concatenate([joints.locked.ravel(), slides_locked.ravel()]),
        stiffness=np.concatenate([joints.stiffness.ravel(), np.zeros(slides)]),
        masses=_masses(armature, bones),
        mass_points=bones.lengths[:, None] * np.array([0.0, 0.5, 0.0]),
    )


def _masses(armature: bpy.types.Object, bones: Bones) -> Array:
    """Deforming bones weigh what they are long, in any unit, unless their settings say otherwise."""
    own = np.array([bone_settings(rest_bones(armature)[name]).mass for name in bones.names])
    if not usable(own).all():
        bone = bones.names[int(np.argmin(usable(own)))]
        raise BridgeError(f"The mass of bone “{bone}” is infinite or not a number; clear it.")
    by_length = np.where(bones.deform, bones.lengths, 0.0) if bones.deform.any() else bones.lengths
    return np.where(own > 0.0, own, by_length)


def _refuse_different(armature: bpy.types.Object, figure: Figure, q: Array, world: Array) -> None:
    """The last line of defence: what is not as Blender has it is not posed."""
    off = distance(figure, q, world) > _OFF
    if off.any():
        bone = figure.names[int(np.argmax(off))]
        raise BridgeError(f"Bone “{bone}” of “{armature.name}” is moved by something that is not understood.")


def distance(figure: Figure, q: Array, world: Array) -> Array:
    """How far each bone (n,) at ``q`` is from evaluated frames (n, 4, 4), in figure sizes or radians."""
    frames = figure.forward(q)
    apart = np.abs(frames.origins - world[:, :3, 3]).max(axis=1) / figure.size
    sizes = np.linalg.norm(world[:, :3, :3], axis=1)
    turned = (np.abs(frames.linear - world[:, :3, :3]) / sizes[:, None, :]).max(axis=(1, 2))
    return np.asarray(np.maximum(apart, turned))

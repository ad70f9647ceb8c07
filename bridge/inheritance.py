"""What a bone takes over from its parent: Blender's rule, as constants of a skeleton.

Blender places a bone by ``inherited · offset · basis``, where *inherited* is the parent's frame with
its rotation, scale or shear taken out according to *Inherit Rotation* and *Inherit Scale*. As
long as the parent's frame is a rotation times a constant *shape*, what is left after taking out
is the same in every pose, and becomes a constant of the skeleton. A scaled bone below an unevenly
scaled one has no such shape: only what inherits its whole frame can be posed below it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .arrays import Array, Ints, Mask
from .bones import Bones
from .errors import BridgeError

_EVEN = 3e-4  # relative; the rest frames of bones along −Y are off by up to a fifth of this
_NO_SHEAR = 1e-4  # Blender takes a smaller cosine between axes for none


@dataclass(frozen=True, eq=False)
class Inheritance:
    """Fields of a `Skeleton`, in world space; offsets without any location of the bones."""

    rotation_parents: Ints
    offsets: Array
    rest: Array
    scale: Array
    slide: Array


def inherit(bones: Bones, turning: Mask, rigid: Mask) -> Inheritance:
    """The skeleton's constants.

    ``turning`` (n,): whose rotation may change. ``rigid`` (n,): who is fixed to the parent the way
    it is evaluated now, with joint coordinates of zero.
    """
    eye = np.broadcast_to(np.eye(3), (bones.size, 3, 3))
    result = Inheritance(
        rotation_parents=bones.parents.copy(),
        offsets=bones.offset[:, :3, 3].copy(),
        rest=bones.offset[:, :3, :3].copy(),
        scale=bones.scale[:, :, None] * eye,
        slide=np.where(bones.local_location[:, None, None], bones.offset[:, :3, :3], eye),
    )
    _fix_to_parents(bones, rigid, result)
    shapes = _Shapes(bones, turning, rigid, result)
    plain = np.array([mode == "FULL" for mode in bones.inherit_scale]) & bones.inherit_rotation
    for i in np.flatnonzero(~plain & ~rigid & (bones.parents >= 0)):
        _take_out(bones, int(i), shapes, result)
    _to_world(bones, result)
    return result


def _fix_to_parents(bones: Bones, rigid: Mask, result: Inheritance) -> None:
    for i in np.flatnonzero(rigid):
        parent = bones.parents[i]
        frame = bones.posed[i] if parent < 0 else np.linalg.solve(bones.posed[parent], bones.posed[i])
        result.rest[i], result.offsets[i] = frame[:3, :3], frame[:3, 3]
        result.scale[i] = np.eye(3)


def _to_world(bones: Bones, result: Inheritance) -> None:
    linear, origin = bones.object_matrix[:3, :3], bones.object_matrix[:3, 3]
    free, roots = result.rotation_parents < 0, bones.parents < 0
    result.rest[free] = linear @ result.rest[free]
    result.slide[roots] = linear @ result.slide[roots]
    result.offsets[roots] = result.offsets[roots] @ linear.T + origin


class _Shapes:
    """The constant ``G`` (3, 3) with a bone's frame = rotation(pose) · G; None where there is none."""

    def __init__(self, bones: Bones, turning: Mask, rigid: Mask, result: Inheritance) -> None:
        self._bones, self._turning, self._rigid, self._result = bones, turning, rigid, result
        self._known: dict[int, Array | None] = {}

    def of(self, bone: int) -> Array | None:
        """Asked of parents before children, so that what is above is settled."""
        if bone not in self._known:
            self._known[bone] = self._find(bone)
        return self._known[bone]

    def _find(self, bone: int) -> Array | None:
        result, above = self._result, int(self._result.rotation_parents[bone])
        outer = np.eye(3) if above < 0 else self.of(above)
        if outer is None:
            return None
        outer = outer @ result.rest[bone]
        if self._rigid[bone]:
            return outer
        if self._turning[bone] and not _is_even(outer):
            return None
        # An even outer frame and a rotation can change places: any rotation gives the same shape.
        return np.asarray(outer @ self._bones.rotation[bone] @ result.scale[bone])


def _take_out(bones: Bones, i: int, shapes: _Shapes, result: Inheritance) -> None:
    """Blender's rule for a bone that does not simply follow its parent."""
    mode, parent = bones.inherit_scale[i], int(bones.parents[i])
    offset = bones.offset[i, :3, :3]
    unscaled = mode in ("NONE", "NONE_LEGACY") and not bones.inherit_rotation[i]
    shape = np.eye(3) if unscaled else shapes.of(parent)
    if shape is None:
        raise BridgeError(
            f"Bone “{bones.names[i]}” cannot be posed: how it inherits scale depends on the pose of unevenly "
            "scaled bones above it; scale these evenly, or let it inherit rotation and its full scale."
        )
    if bones.inherit_rotation[i]:
        frame, stretch = _with_rotation(mode, shape, offset)
        result.rest[i] = np.linalg.solve(shape, frame)
    else:
        result.rotation_parents[i] = -1
        result.rest[i], stretch = _without_rotation(mode, shape, bones.armature[parent], offset)
    result.scale[i] = result.scale[i] @ np.diag(stretch)


def _with_rotation(mode: str, shape: Array, offset: Array) -> tuple[Array, Array]:
    """The frame inherited from a parent of this shape, and the scale that comes last."""
    even = np.ones(3)
    if mode == "FIX_SHEAR":
        return _orthogonal(shape @ offset), even
    if mode == "ALIGNED":
        straight = _orthogonal(shape)
        return straight / _sizes(straight) @ offset, _sizes(straight)
    if mode == "NONE_LEGACY":
        return shape / _sizes(shape) @ offset, even
    straight = _orthogonal(shape)
    volume = np.cbrt(abs(np.linalg.det(shape))) if mode == "AVERAGE" else 1.0
    return volume * straight / _sizes(straight) @ offset, even


def _without_rotation(mode: str, shape: Array, parent: Array, offset: Array) -> tuple[Array, Array]:
    """The same for a bone that keeps the orientation of its parent's rest frame."""
    even, sizes = np.ones(3), _sizes(shape)
    same_volume = sizes * np.cbrt(abs(np.linalg.det(shape)) / sizes.prod())
    if mode == "FULL":
        return parent * sizes @ offset, even
    if mode == "FIX_SHEAR":
        return _orthogonal(parent * same_volume @ offset), even
    if mode == "ALIGNED":
        return parent @ offset, same_volume
    volume = np.cbrt(abs(np.linalg.det(shape))) if mode == "AVERAGE" else 1.0
    return volume * parent @ offset, even


def _sizes(frame: Array) -> Array:
    return np.asarray(np.linalg.norm(frame, axis=0))


def _is_even(frame: Array) -> bool:
    """Whether a frame is a rotation or reflection times one number."""
    gram = frame.T @ frame
    mean = np.trace(gram) / 3.0
    return bool(np.abs(gram - mean * np.eye(3)).max() <= _EVEN * mean)


def _orthogonal(frame: Array) -> Array:
    """A frame without shear: Y stays, X and Z give way equally, the volume is kept."""
    x, y, z = frame.T
    x, z = (axis - y * (axis @ y) / (y @ y) for axis in (x, z))
    long, wide = np.linalg.norm(x), np.linalg.norm(z)
    a, b = x / long, z / wide
    cosine = float(a @ b)
    if abs(cosine) > _NO_SHEAR:
        angle = np.arccos(cosine)
        across = (a - b * cosine) / np.linalg.norm(a - b * cosine)
        target = angle + 0.5 * (0.5 * np.pi - angle)
        a = across * np.sin(target) + b * np.cos(target)
        b = np.cross(np.cross(a, b), a)
        b /= np.linalg.norm(b)
        shrink = np.sqrt(np.sin(angle))
        x, z = a * long * shrink, b * wide * shrink
    return np.stack([x, y, z], axis=1)

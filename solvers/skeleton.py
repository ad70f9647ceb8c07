"""Forward kinematics and its derivatives: a tree of bones as arrays.

A bone's frame is an affine map, *linear* part and *origin*::

    linear_i = linear_r · rest_i · R_i(q) · scale_i        r: the bone whose rotation it inherits
    origin_i = origin_p + linear_p · (offset_i + slide_i · translation_i)         p: its parent

``r`` is the parent, or nothing for a bone that does not inherit rotation. With no parent, the
outer frame is the identity: what a tree hangs on is part of its roots' ``rest`` and ``offset``.
Scale and shear (a posed scale, an object scaled unevenly) are in the matrices, so they cost
nothing and are exact.

Coordinates ``q``: three rotational ones per bone (see `rotations`), then three translations for
each bone that may translate. All functions take leading batch dimensions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .arrays import Array, Ints, Mask
from .rotations import SWING_TWIST, euler, swing_twist, swing_twist_rows
from .tree_scan import TreeScan

_IDENTITY = np.eye(3)
_MANY = 8  # postures, from which on linear work pays for more calls
_ROUNDING = 1e-5  # rest frames often come in single precision: this much is not scale or shear


@dataclass(frozen=True)
class Frames:
    """The placed bones: linear parts (…, n, 3, 3), origins (…, n, 3), axes in each bone's frame."""

    linear: Array
    origins: Array
    axes: Array


@dataclass(frozen=True, eq=False)
class Skeleton:
    """A tree of n bones; ``parents[i] < i``, −1 for a root."""

    parents: Ints
    rotation_parents: Ints
    offsets: Array  # (n, 3) in the parent's frame
    rest: Array  # (n, 3, 3) from the bone's rest frame to the frame it inherits
    scale: Array  # (n, 3, 3) posed scale
    slide: Array  # (n, 3, 3) from a bone's own translation to its parent's frame
    translating: Ints  # the bones that have translation coordinates
    kinds: tuple[str, ...]  # SWING_TWIST or an Euler order, per bone

    @cached_property
    def size(self) -> int:
        return len(self.parents)

    @property
    def dimension(self) -> int:
        """How many coordinates there are."""
        return 3 * (self.size + len(self.translating))

    @cached_property
    def ancestors(self) -> Array:
        """(n, n): 1 where the column's bone is the row's bone or above it."""
        return _closure(self.parents)

    @cached_property
    def carries(self) -> Mask:
        """(n, n): whether turning the row's joint turns the frame of the column's bone."""
        return np.asarray(_closure(self.rotation_parents).T > 0.0)

    @cached_property
    def _jumps(self) -> list[Ints]:
        """Who to multiply by in each round of pointer jumping; ``n`` stands for the identity."""
        jump = np.where(self.rotation_parents < 0, self.size, self.rotation_parents)
        jump = np.append(jump, self.size)
        rounds = []
        while (jump[:-1] < self.size).any():
            rounds.append(jump)
            jump = jump[jump]
        return rounds

    @cached_property
    def _groups(self) -> list[tuple[str, Ints]]:
        kinds = np.array(self.kinds)
        return [(str(kind), np.flatnonzero(kinds == kind)) for kind in np.unique(kinds)]

    @cached_property
    def conformal(self) -> bool:
        """Whether every frame is a rotation times one number, so that lines keep their angles."""
        maps = np.concatenate([self.rest, self.scale])
        gram = np.swapaxes(maps, -1, -2) @ maps
        even = gram[:, 0, 0, None, None] * _IDENTITY
        return bool(np.all(np.abs(gram - even) <= _ROUNDING * np.abs(gram[:, 0, 0, None, None])))

    @cached_property
    def _axis_scale(self) -> Array | None:
        """(n, 1, 1): what makes the axes of a conformal skeleton unit vectors, with their sign.

        None where they are.
        """
        determinants = np.linalg.det(self.rest)
        own = np.linalg.det(self.scale)
        total = np.empty(self.size)
        for i, parent in enumerate(self.rotation_parents):
            above = 1.0 if parent < 0 else total[parent] * own[parent]
            total[i] = above * determinants[i]
        if np.allclose(total, 1.0, rtol=0.0, atol=_ROUNDING):
            return None
        return np.asarray((1.0 / np.cbrt(total))[:, None, None])

    @cached_property
    def uneven(self) -> bool:
        """Whether frames stretch what is in them."""
        return self._scaled or not self.conformal or self._axis_scale is not None

    @cached_property
    def _scaled(self) -> bool:
        return not np.array_equal(self.scale, np.broadcast_to(np.eye(3), self.scale.shape))

    @cached_property
    def _inverse_scale(self) -> Array:
        return np.asarray(np.linalg.inv(self.scale), dtype=np.float64)

    def rotations(self, q: Array) -> tuple[Array, Array]:
        """Each joint's rotation and its axes in the bone's frame, (…, n, 3, 3) both."""
        angles = q[..., : 3 * self.size].reshape(*q.shape[:-1], self.size, 3)
        if len(self._groups) == 1 and self._groups[0][0] == SWING_TWIST:
            return swing_twist(angles)
        rotation = np.empty((*angles.shape, 3))
        axes = np.empty_like(rotation)
        for kind, bones in self._groups:
            part = angles[..., bones, :]
            turned = swing_twist(part) if kind == SWING_TWIST else euler(part, kind)
            rotation[..., bones, :, :], axes[..., bones, :, :] = turned
        return rotation, axes

    def forward(self, q: Array) -> Frames:
        """Place every bone: pointer jumping doubles the length of the products each round."""
        if q.size >= _MANY * q.shape[-1]:
            return self._forward_many(q.reshape(-1, q.shape[-1]), q.shape[:-1])
        rotation, axes = self.rotations(q)
        local = self.rest @ rotation
        if self._scaled:
            local = local @ self.scale
        linear = np.empty((*q.shape[:-1], self.size + 1, 3, 3))
        linear[..., :-1, :, :] = local
        linear[..., -1, :, :] = _IDENTITY
        for jump in self._jumps:
            linear = linear[..., jump, :, :] @ linear
        steps = linear[..., self.parents, :, :] @ self._offsets(q)[..., None]
        return Frames(linear[..., :-1, :, :], self.ancestors @ steps[..., 0], axes)

    def _forward_many(self, q: Array, batch: tuple[int, ...]) -> Frames:
        """The same for postures ``q`` (k, d), in work that is linear in the number of bones."""
        angles = np.ascontiguousarray(q[:, : 3 * self.size].T).reshape(self.size, 3, -1).swapaxes(0, 1)
        if len(self._groups) == 1 and self._groups[0][0] == SWING_TWIST:
            rotation, axes = swing_twist_rows(angles)
        else:
            rotation, axes = (np.moveaxis(part, 0, -1).transpose(1, 2, 0, 3) for part in self.rotations(q))
        local = np.einsum("nij,jlnk->ilnk", self.rest, rotation)
        if self._scaled:
            local = np.einsum("ijnk,njl->ilnk", local, self.scale)
        linear = self._turns.products(local)
        offsets = self._offsets(q)
        offsets = offsets.T[..., None] if offsets.ndim == 2 else offsets.transpose(2, 1, 0)
        inner = self.parents >= 0
        steps = np.broadcast_to(offsets, (3, self.size, len(q))).copy()
        steps[:, inner] = np.einsum("ijnk,jnk->ink", linear[:, :, self.parents[inner]], steps[:, inner])
        origins = self._moves.sums(steps)
        return Frames(*(_batch_first(part, batch) for part in (linear, origins, axes)))

    @cached_property
    def _turns(self) -> TreeScan:
        return TreeScan(self.rotation_parents)

    @cached_property
    def _moves(self) -> TreeScan:
        return TreeScan(self.parents)

    def _offsets(self, q: Array) -> Array:
        if not len(self.translating):
            return self.offsets
        moved = q[..., 3 * self.size :].reshape(*q.shape[:-1], len(self.translating), 3)
        offsets = self.offsets + np.zeros((*q.shape[:-1], 1, 1))
        slid = self.slide[self.translating] @ moved[..., None]
        offsets[..., self.translating, :] += slid[..., 0]
        return offsets

    def turning(self, frames: Frames, picks: Ints) -> Array:
        """The velocity of space under each rotational coordinate: ``Ω`` as (…, 3, 3, K).

        A point ``r`` that the joint at ``c`` carries moves by ``Ω_k (r − c)``: element
        ``[j, i, k]`` maps component j of the point to component i of its velocity. Which
        coordinates: `picks` of their numbers.
        """
        outer = frames.linear @ self._inverse_scale if self._scaled else frames.linear
        if self.conformal:
            axes = outer @ frames.axes
            return _skew(axes if self._axis_scale is None else axes * self._axis_scale, picks)
        skew = np.moveaxis(_skew(frames.axes, picks), -1, -3)  # [k, j, i]
        outer = outer[..., picks[0, 0] // 9, :, :]
        turn = outer @ np.swapaxes(skew, -1, -2) @ np.linalg.inv(outer)  # [k, i, j]
        return np.ascontiguousarray(np.moveaxis(np.swapaxes(turn, -1, -2), -3, -1))

    def sliding(self, frames: Frames, columns: Ints) -> Array:
        """The velocity (…, 3, T) of everything below under each translational coordinate."""
        bones = self.translating[columns // 3]
        above = self.parents[bones]
        outer = np.where((above < 0)[:, None, None], _IDENTITY, frames.linear[..., above, :, :])
        velocities = (outer @ self.slide[bones, :, columns % 3][:, :, None])[..., 0]
        return np.swapaxes(velocities, -1, -2)


def _batch_first(rows: Array, batch: tuple[int, ...]) -> Array:
    """(3, …, n, k) as (k, n, 3, …), the k as a batch of any shape."""
    inner = np.ascontiguousarray(rows.transpose(rows.ndim - 1, rows.ndim - 2, *range(rows.ndim - 2)))
    return inner.reshape(*batch, *inner.shape[1:])


def _closure(parents: Ints) -> Array:
    above = np.zeros((len(parents), len(parents)))
    for i, parent in enumerate(parents):
        if parent >= 0:
            above[i] = above[parent]
        above[i, i] = 1.0
    return above


# [j, i]: component i of ``axis × e_j`` is this component of the axis, with this sign.
_SKEW_COMPONENTS = np.array([[0, 2, 1], [2, 0, 0], [1, 0, 0]])
_SKEW_SIGNS = np.array([[0.0, 1.0, -1.0], [-1.0, 0.0, 1.0], [1.0, -1.0, 0.0]])[:, :, None]


def picks(columns: Ints) -> Ints:
    """(3, 3, K): where the entries of ``[axis]×`` are among 9n numbers, for rotational columns.

    Axis k is column ``k % 3`` of matrix ``k // 3`` of (n, 3, 3).
    """
    return np.asarray(9 * (columns // 3) + columns % 3 + 3 * _SKEW_COMPONENTS[:, :, None])


def _skew(axes: Array, where: Ints) -> Array:
    """``[j, i, k]``: component i of ``axis_k × e_j``, for the wanted ones of axes (…, n, 3, 3)."""
    flat = axes.reshape(*axes.shape[:-3], -1)
    return np.asarray(flat.take(where, axis=-1) * _SKEW_SIGNS)

"""Points and directions carried by bones, and how they move with the joints.

A point on a bone is turned by every joint above it, about that joint. Where a bone on the way
does not inherit rotation, the joints above it move only its head: the derivative of the point is
then that of the head for these joints. Such heads are *pivots*, further points whose derivatives
are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .arrays import Array, Ints
from .skeleton import Frames, Skeleton, picks

Carried = tuple[int, Array]  # a bone and a vector in its frame


@dataclass(frozen=True)
class Placed:
    """Where effectors are: points (…, p, 3) and unit directions (…, d, 3)."""

    frames: Frames
    points: Array
    directions: Array
    vectors: Array
    lumps: Array | None


class EffectorSet:
    """All points and directions of a problem, and the centre of mass as last point if wanted.

    ``columns``: the coordinates of the skeleton, in the order the derivatives are wanted.
    """

    def __init__(
        self,
        skeleton: Skeleton,
        columns: Ints,
        points: Sequence[Carried],
        directions: Sequence[Carried],
        lumps: Sequence[tuple[int, Array, float]] = (),
    ) -> None:
        self.skeleton = skeleton
        rotational = 3 * skeleton.size
        self._turns = np.flatnonzero(columns < rotational)
        self._slides = np.flatnonzero(columns >= rotational)
        turn_columns = columns[self._turns]
        self._slide_columns = columns[self._slides] - rotational
        self._width = len(columns)
        self._joints = turn_columns // 3
        self._picks = picks(turn_columns)
        self._sliding = skeleton.translating[self._slide_columns // 3]
        self._ordered = bool(len(self._turns) == 0 or self._turns[-1] == len(self._turns) - 1)

        above = skeleton.carries[np.ix_(self._joints, self._joints)].astype(float)
        self._above = above / (1.0 + above * above.T)  # pairs within a joint would count twice

        pivots, self._sums = _pivots(skeleton, points)
        all_points = [*points, *pivots]
        self._count = len(points)
        self._point_bones = np.array([bone for bone, _ in all_points], dtype=np.intp)
        carriers = self._point_bones.copy()
        carriers[self._count :] = skeleton.parents[carriers[self._count :]]
        direction_bones = np.array([bone for bone, _ in directions], dtype=np.intp)
        self._bones = np.concatenate([self._point_bones, direction_bones])
        vectors = [vector for _, vector in (*all_points, *directions)]
        self._vectors = np.array(vectors, dtype=float).reshape(-1, 3, 1)
        carriers = np.concatenate([carriers, direction_bones])
        turned = skeleton.carries[np.ix_(self._joints, carriers)].T
        self._turned = turned[:, None, :].astype(float)
        below = skeleton.ancestors[np.ix_(self._point_bones[: self._count], self._sliding)]
        self._below = below[:, None, :]
        self._set_lumps(lumps)

    def _set_lumps(self, lumps: Sequence[tuple[int, Array, float]]) -> None:
        total = sum(mass for _, _, mass in lumps)
        self._lump_bones = np.array([bone for bone, _, _ in lumps], dtype=np.intp)
        self._has_mass = bool(lumps)
        if not lumps:
            return
        self._lump_vectors = np.array([point for _, point, _ in lumps]).reshape(-1, 3, 1)
        self._lump_masses = np.array([mass for _, _, mass in lumps]) / total
        hung = _hung_masses(self.skeleton, self._lump_bones, self._lump_masses)
        heads = [(int(self.skeleton.parents[bone]), bone, mass) for bone, mass in hung]
        self._heads = np.array([bone for _, bone, _ in heads], dtype=np.intp)
        carriers = np.concatenate([self._lump_bones, [bone for bone, _, _ in heads]]).astype(np.intp)
        masses = np.concatenate([self._lump_masses, [mass for _, _, mass in heads]])
        carried = self.skeleton.carries[np.ix_(self._joints, carriers)]
        self._carried = carried * masses
        below = self.skeleton.ancestors[np.ix_(self._lump_bones, self._sliding)]
        self._share_below = (below * self._lump_masses[:, None]).sum(axis=0)

    def place(self, frames: Frames) -> Placed:
        """Points and directions in the frames of the bones."""
        vectors = (frames.linear[..., self._bones, :, :] @ self._vectors)[..., 0]
        count = len(self._point_bones)
        vectors[..., :count, :] += frames.origins[..., self._point_bones, :]
        points, directions = vectors[..., : self._count, :], vectors[..., count:, :]
        if self.skeleton.uneven and directions.size:
            directions = directions / np.linalg.norm(directions, axis=-1, keepdims=True)
        lumps = None
        if self._has_mass:
            lumps = (frames.linear[..., self._lump_bones, :, :] @ self._lump_vectors)[..., 0]
            lumps = lumps + frames.origins[..., self._lump_bones, :]
            centre = self._lump_masses @ lumps
            points = np.concatenate([points, centre[..., None, :]], axis=-2)
        return Placed(frames, points, directions, vectors, lumps)

    def slopes(self, placed: Placed) -> tuple[Array, Array]:
        """Derivatives of points (…, p, 3, K) and directions (…, d, 3, K) by the columns."""
        frames = placed.frames
        turning = self.skeleton.turning(frames, self._picks)
        batch, width = turning.shape[:-3], turning.shape[-1]
        flat = turning.reshape(*batch, 3, 3 * width)
        slopes = (placed.vectors @ flat).reshape(*batch, len(self._bones), 3, width)
        centres = np.swapaxes(frames.origins[..., self._joints, :], -1, -2)
        moments = (turning * centres[..., :, None, :]).sum(axis=-3)
        count = len(self._point_bones)
        slopes[..., :count, :, :] -= moments[..., None, :, :]
        slopes *= self._turned
        points, directions = slopes[..., :count, :, :], slopes[..., count:, :, :]
        if self.skeleton.uneven and directions.size:
            directions = self._normalised(placed, directions)
        if self._sums is not None:
            shape = (*points.shape[:-3], self._count, 3, width)
            points = (self._sums @ points.reshape(*batch, count, 3 * width)).reshape(shape)
        if self._has_mass:
            centre = self._centre_slope(placed, turning, moments)
            points = np.concatenate([points, centre[..., None, :, :]], axis=-3)
        return self._with_slides(frames, points, directions)

    def second_slopes(self, placed: Placed, pulls: Array, slopes: Array) -> Array:
        """``Σ pull · ∂²effector`` (K, K) for pulls (e, 3) on all effectors with slopes (e, 3, K)."""
        turning = self.skeleton.turning(placed.frames, self._picks)
        width = turning.shape[-1]
        # Component j of a pull against the velocity of what moves: [e, j, k] as rows of one product.
        size = 3 * len(pulls)
        turned = (pulls @ turning.swapaxes(0, 1).reshape(3, -1)).reshape(size, width)
        products = (turned.T @ slopes[..., self._turns].reshape(size, width)) * self._above
        result = products + products.T
        if not len(self._slides):
            return result
        whole = np.zeros((self._width, self._width))
        whole[np.ix_(self._turns, self._turns)] = result
        return whole

    def _normalised(self, placed: Placed, slopes: Array) -> Array:
        vectors = placed.vectors[..., len(self._point_bones) :, :]
        lengths = np.linalg.norm(vectors, axis=-1)[..., None, None]
        unit = placed.directions[..., None]
        return np.asarray((slopes - unit * (np.swapaxes(unit, -1, -2) @ slopes)) / lengths)

    def _centre_slope(self, placed: Placed, turning: Array, moments: Array) -> Array:
        """``Ω_k`` applied to what each joint carries, weighed by mass."""
        assert placed.lumps is not None
        heads = placed.frames.origins[..., self._heads, :]
        loads = self._carried @ np.concatenate([placed.lumps, heads], axis=-2)
        moved = (turning * np.swapaxes(loads, -1, -2)[..., :, None, :]).sum(axis=-3)
        return np.asarray(moved - moments * self._carried.sum(axis=-1))

    def _with_slides(self, frames: Frames, points: Array, directions: Array) -> tuple[Array, Array]:
        if not len(self._slides):
            return points, directions
        sliding = self.skeleton.sliding(frames, self._slide_columns)[..., None, :, :]
        moved = sliding * self._below
        if self._has_mass:
            moved = np.concatenate([moved, sliding * self._share_below], axis=-3)
        still = np.zeros((*directions.shape[:-1], len(self._slides)))
        moved = np.broadcast_to(moved, (*points.shape[:-1], len(self._slides)))
        points = np.concatenate([points, moved], axis=-1)
        directions = np.concatenate([directions, still], axis=-1)
        if self._ordered:
            return points, directions
        order = np.argsort(np.concatenate([self._turns, self._slides]))
        return points[..., order], directions[..., order]


def _pivots(skeleton: Skeleton, points: Sequence[Carried]) -> tuple[list[Carried], Array | None]:
    """The heads of non-inheriting bones above each point, and which to add to which point."""
    pivots: list[Carried] = []
    owners: list[int] = []
    for i, (bone, _) in enumerate(points):
        head = _head_of_run(skeleton, bone)
        while skeleton.parents[head] >= 0:
            pivots.append((head, np.zeros(3)))
            owners.append(i)
            head = _head_of_run(skeleton, int(skeleton.parents[head]))
    if not pivots:
        return [], None
    sums = np.zeros((len(points), len(points) + len(pivots)))
    sums[np.arange(len(points)), np.arange(len(points))] = 1.0
    sums[owners, len(points) + np.arange(len(pivots))] = 1.0
    return pivots, sums


def _head_of_run(skeleton: Skeleton, bone: int) -> int:
    """The highest bone whose rotation ``bone`` inherits."""
    while skeleton.rotation_parents[bone] >= 0:
        bone = int(skeleton.rotation_parents[bone])
    return bone


def _hung_masses(skeleton: Skeleton, bones: Ints, masses: Array) -> list[tuple[int, float]]:
    """Non-inheriting bones with a parent, and the mass that hangs on the head of each."""
    hung = np.flatnonzero((skeleton.rotation_parents < 0) & (skeleton.parents >= 0))
    below = skeleton.ancestors[bones]
    return [(int(bone), float(below[:, bone] @ masses)) for bone in hung]

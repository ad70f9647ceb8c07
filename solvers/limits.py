"""What joints may do besides a minimum and a maximum: polygons, couplings, joint groups.

All are linear in the joint coordinates, which is what lets a backend hold them at every iterate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from .arrays import Array, Mask

if TYPE_CHECKING:
    from .figure import Figure


@dataclass(frozen=True, eq=False)
class Polygon:
    """The swing (x, z) of a bone stays inside a convex polygon; corners (k, 2) in radians."""

    bone: int
    corners: Array

    def rows(self, dimension: int) -> tuple[Array, Array]:
        """``A q ≤ b`` with unit rows, one per edge."""
        corners = np.asarray(self.corners, dtype=float)
        edges = np.roll(corners, -1, axis=0) - corners
        following = np.roll(edges, -1, axis=0)
        turns = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]
        around = np.abs(np.arctan2(turns, (edges * following).sum(axis=-1)).sum())  # a star goes twice
        one_way = (turns > 0.0).all() or (turns < 0.0).all()
        if len(corners) < 3 or not one_way or around > 7.0:
            raise ValueError("a swing limit needs the corners of a convex polygon, in order")
        outward = np.stack([edges[:, 1], -edges[:, 0]], axis=-1) * np.sign(turns[0])
        outward /= np.linalg.norm(outward, axis=-1, keepdims=True)
        matrix = np.zeros((len(corners), dimension))
        matrix[:, [3 * self.bone, 3 * self.bone + 2]] = outward
        return matrix, np.asarray((outward * corners).sum(axis=-1))


@dataclass(frozen=True, eq=False)
class Coupling:
    """``Σ coefficient · q[coordinate] = value``: the last joints of a finger curl together."""

    coordinates: Sequence[int]
    coefficients: Sequence[float]
    value: float = 0.0


@dataclass(frozen=True, eq=False)
class JointGroup:
    """Coordinates that move as a few numbers: a spine bends, side-bends and twists as one.

    A change ``g`` (p,) of the group's numbers moves ``coordinates`` (c,) by ``shares`` (c, p) · g.
    """

    coordinates: Sequence[int]
    shares: Array


def project(figure: Figure, q: Array, movable: Mask) -> Array:
    """The nearest point to ``q`` within everything that bounds it, moving only ``movable``.

    Dykstra's alternating projections: exact for the box alone in one pass, and close to the
    nearest point where polygons and couplings meet it. Ends inside the box in every case.
    """
    lower = np.where(movable, figure.lower, q)
    upper = np.where(movable, figure.upper, q)
    result = np.clip(q, lower, upper)
    a, b = figure.inequalities
    c, d = figure.equalities
    rows = [(row[movable], float(bound), False) for row, bound in zip(a, b, strict=True)]
    rows += [(row[movable], float(bound), True) for row, bound in zip(c, d, strict=True)]
    fixed = [float(row[~movable] @ q[~movable]) for row in (*a, *c)]
    # A row that nothing movable takes part in cannot be mended here.
    live = [
        (row, bound - offset, equal)
        for (row, bound, equal), offset in zip(rows, fixed, strict=True)
        if np.abs(row).max(initial=0.0) > 0.0
    ]
    if not live:
        return np.asarray(result)
    point = q[movable].copy()
    low, high = lower[movable], upper[movable]
    corrections = np.zeros((len(live) + 1, len(point)))
    for _ in range(1000):
        before = point
        for i, (row, bound, equal) in enumerate(live):
            shifted = point + corrections[i]
            excess = float(row @ shifted) - bound
            moved = shifted - row * (excess / float(row @ row)) if equal or excess > 0.0 else shifted
            corrections[i] = shifted - moved
            point = moved
        shifted = point + corrections[-1]
        point = np.clip(shifted, low, high)
        corrections[-1] = shifted - point
        if np.abs(point - before).max() < 1e-13:
            break
    result[movable] = point
    return np.asarray(result)

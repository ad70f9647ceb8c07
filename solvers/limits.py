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

    def rows(self, dimension: int, name: str) -> tuple[Array, Array]:
        """``A q ≤ b`` with unit rows, one per edge; ``name`` is the bone's, for complaints."""
        corners = np.asarray(self.corners, dtype=float)
        edges = np.roll(corners, -1, axis=0) - corners
        following = np.roll(edges, -1, axis=0)
        turns = edges[:, 0] * following[:, 1] - edges[:, 1] * following[:, 0]
        around = np.abs(np.arctan2(turns, (edges * following).sum(axis=-1)).sum())  # a star goes twice
        one_way = (turns > 0.0).all() or (turns < 0.0).all()
        if len(corners) < 3 or not one_way or around > 7.0:
            raise ValueError(f"the swing limit of “{name}” needs the corners of a convex polygon, in order")
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

    Limits hold to the last digit. ValueError where they leave polygons and couplings no room.
    """
    lower = np.where(movable, figure.lower, q)
    upper = np.where(movable, figure.upper, q)
    result = np.asarray(np.clip(q, lower, upper))
    (a, b), (c, d) = figure.inequalities, figure.equalities
    rows, bounds = np.concatenate([a, c]), np.concatenate([b, d])
    equal = np.arange(len(rows)) >= len(a)
    # A row that nothing movable takes part in cannot be mended here.
    live = np.abs(rows[:, movable]).max(axis=1, initial=0.0) > 0.0
    rows, bounds, equal = rows[live], bounds[live], equal[live]
    if (_excess(rows, bounds, equal, result) <= 1e-12).all():
        return result
    part = np.flatnonzero(movable & (np.abs(rows).max(axis=0) > 0.0))
    gaps = bounds - rows @ np.where(np.isin(np.arange(len(q)), part), 0.0, result)
    box = np.eye(len(part))
    below, above = np.isfinite(lower[part]), np.isfinite(upper[part])
    nearest = _nearest(
        q[part],
        np.concatenate([rows[:, part], box[above], -box[below]]),
        np.concatenate([gaps, upper[part][above], -lower[part][below]]),
        np.concatenate([equal, np.zeros(int(above.sum() + below.sum()), dtype=bool)]),
    )
    result[part] = np.clip(nearest, lower[part], upper[part])
    excess = _excess(rows, bounds, equal, result)
    if excess.max() > 1e-6:
        worst = int(np.argmax(np.abs(rows[int(np.argmax(excess))]) * movable))
        raise ValueError(
            f"the limits of {figure.coordinate_name(worst)} leave no room for its swing limit or coupling"
        )
    return result


def _excess(rows: Array, bounds: Array, equal: Mask, q: Array) -> Array:
    """By how much each row is broken; not above 0 where it holds."""
    excess = rows @ q - bounds
    return np.asarray(np.where(equal, np.abs(excess), excess))


def _nearest(point: Array, rows: Array, bounds: Array, equal: Mask) -> Array:
    """The nearest to ``point`` with ``rows·x ≤ bounds``, and = where ``equal``.

    Lawson & Hanson's least distance: with ``E = [−rowsᵀ; gapsᵀ]`` and the ``w ≥ 0`` (free where equal)
    that brings ``E·w`` closest to ``(0, …, 0, 1)``, the remainder is the way to go, up to its length.
    Their active set of positive weights takes finitely many rounds.
    """
    sizes = np.linalg.norm(rows, axis=1)
    rows, gaps = rows / sizes[:, None], (rows @ point - bounds) / sizes
    system, wanted = np.vstack([-rows.T, gaps]), np.zeros(len(point) + 1)
    wanted[-1] = 1.0
    weights, held, remainder = np.zeros(len(bounds)), equal.copy(), wanted
    for _ in range(3 * len(bounds)):
        while True:
            trial = np.zeros(len(bounds))
            trial[held] = np.linalg.lstsq(system[:, held], wanted, rcond=None)[0]
            wrong = held & ~equal & (trial <= 0.0)
            if not wrong.any():
                break
            leaving = np.flatnonzero(wrong)
            parts = weights[leaving] / np.maximum(weights[leaving] - trial[leaving], 1e-300)
            first = int(np.argmin(parts))
            weights = weights + parts[first] * (trial - weights)
            held[leaving[first]] = False
        weights, remainder = trial, wanted - system @ trial
        pull = np.where(held, 0.0, system.T @ remainder)
        worst = int(np.argmax(pull))
        if pull[worst] <= 1e-13:
            break
        held[worst] = True
    return np.asarray(point + remainder[:-1] / -max(float(remainder[-1]), 1e-9))

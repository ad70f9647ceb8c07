"""What a solver may change: a vector ``u``, with ``q = q₀ + B·u`` and linear bounds.

Recruited degrees of freedom are columns of ``B`` with a single 1; a joint group is a few columns
spread over its joints; a coupling takes a column away. Nothing else in a backend knows of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .arrays import Array, Ints, Mask
from .figure import Figure
from .goals import CENTRE_OF_MASS, AnyOf, Goal, Reach


@dataclass(frozen=True, eq=False)
class Space:
    """``q = start + basis · u``, ``lower ≤ u ≤ upper``, ``rows · u ≤ bounds``; u = 0 is feasible.

    ``scale`` (u,) is how willingly each variable moves: 1 less its stiffness.
    """

    start: Array
    basis: Array
    lower: Array
    upper: Array
    rows: Array
    bounds: Array
    scale: Array

    @property
    def size(self) -> int:
        return int(self.basis.shape[1])

    @cached_property
    def selection(self) -> Ints | None:
        """The coordinate that each variable is, where every variable is one coordinate."""
        return selection(self.basis)

    def restarted(self, figure: Figure, movable: Mask, q: Array) -> Space:
        """The same space around another ``q``."""
        plain = self.selection
        if plain is None or len(self.bounds) or len(figure.couplings) or len(figure.polygons):
            start = figure.nearest_feasible(q, movable)
            return Space(start, self.basis, *_bounds(figure, start, self.basis), self.scale)
        start = np.where(movable, np.minimum(np.maximum(q, figure.lower), figure.upper), q)
        lower, upper = figure.lower[plain] - start[plain], figure.upper[plain] - start[plain]
        result = copy(self)  # keeps what is cached, as `dataclasses.replace` would not
        for name, value in (("start", start), ("lower", lower), ("upper", upper)):
            object.__setattr__(result, name, value)
        return result


def recruit(figure: Figure, goals: Iterable[Goal], reach: Reach | None = None) -> Mask:
    """Which coordinates (d,) the goals may move, by their own reach or by one for all.

    The union of their chains, without what is locked. A group or a coupling that is touched takes
    part whole.
    """
    bones = np.zeros(figure.skeleton.size, dtype=bool)
    for goal in goals:
        for part in goal.members if isinstance(goal, AnyOf) else (goal,):
            bones |= chain(figure, part.effector.bone, reach or goal.reach)
    movable = _coordinates(figure, bones) & ~figure.locked
    ties = [list(group.coordinates) for group in figure.groups]
    ties += [list(coupling.coordinates) for coupling in figure.couplings]
    while True:
        before = movable.sum()
        for tie in ties:
            movable[tie] |= movable[tie].any() & ~figure.locked[tie]
        if movable.sum() == before:
            return movable


def coordinates_above(figure: Figure, bones: Iterable[int]) -> Mask:
    """The coordinates (d,) of bones and all above them."""
    above = figure.skeleton.ancestors[list(bones)].max(axis=0, initial=0.0) > 0.0
    return _coordinates(figure, above)


def _coordinates(figure: Figure, bones: Mask) -> Mask:
    """(d,): those of the given bones (n,)."""
    return np.concatenate([np.repeat(bones, 3), np.repeat(bones[figure.skeleton.translating], 3)])


def chain(figure: Figure, bone: int, reach: Reach) -> Mask:
    """Which bones (n,) an effector on ``bone`` may recruit."""
    skeleton = figure.skeleton
    if bone == CENTRE_OF_MASS:
        if reach.top is None:
            return np.ones(skeleton.size, dtype=bool)
        return np.asarray(skeleton.ancestors[:, reach.top] > 0.0)
    bones = np.zeros(skeleton.size, dtype=bool)
    count = 0
    while bone >= 0:
        bones[bone] = True
        count += 1
        if count == reach.count or bone == reach.top:
            break
        bone = int(skeleton.parents[bone])
    return bones


def build_space(figure: Figure, movable: Mask, q: Array) -> Space:
    """The space of everything ``movable`` around ``q``, which is brought within its limits."""
    start = figure.nearest_feasible(q, movable)
    basis, stiffness = _columns(figure, movable)
    basis, stiffness = _without_couplings(figure, basis, stiffness)
    lower, upper, rows, bounds = _bounds(figure, start, basis)
    return Space(start, basis, lower, upper, rows, bounds, 1.0 - stiffness)


def _columns(figure: Figure, movable: Mask) -> tuple[Array, Array]:
    columns, stiffness = [], []
    single = movable.copy()
    for group in figure.groups:
        members = list(group.coordinates)
        if not movable[members].any():
            continue
        single[members] = False
        for share in np.asarray(group.shares, dtype=float).T:
            column = np.zeros(len(movable))
            column[members] = np.where(figure.locked[members], 0.0, share)
            columns.append(column)
            stiffness.append(float(figure.stiffness[members].mean()))
    singles = np.flatnonzero(single)
    basis = np.zeros((len(movable), len(columns) + len(singles)))
    if columns:
        basis[:, : len(columns)] = np.stack(columns, axis=1)
    basis[singles, len(columns) + np.arange(len(singles))] = 1.0
    return basis, np.concatenate([np.array(stiffness), figure.stiffness[singles]])


def _without_couplings(figure: Figure, basis: Array, stiffness: Array) -> tuple[Array, Array]:
    """Gaussian elimination: each coupling expresses one variable by the others."""
    matrix, _ = figure.equalities
    rows = matrix @ basis
    rows = rows[np.abs(rows).max(axis=1, initial=0.0) > 1e-12].copy()
    pivots: list[int] = []
    for i in range(len(rows)):
        pivot = int(np.argmax(np.abs(rows[i])))
        if abs(rows[i, pivot]) < 1e-9:
            continue  # says nothing that the couplings before it did not
        rows[i] /= rows[i, pivot]
        others = np.arange(len(rows)) != i
        rows[others] -= np.outer(rows[others, pivot], rows[i])
        pivots.append(pivot)
    if not pivots:
        return basis, stiffness
    used = [i for i in range(len(rows)) if np.abs(rows[i]).max() > 0.5]
    kept = np.setdiff1d(np.arange(basis.shape[1]), pivots)
    change = np.zeros((basis.shape[1], len(kept)))
    change[kept, np.arange(len(kept))] = 1.0
    for i, pivot in zip(used, pivots, strict=True):
        change[pivot] = -rows[i, kept]
    return basis @ change, stiffness[kept]


def _bounds(figure: Figure, start: Array, basis: Array) -> tuple[Array, Array, Array, Array]:
    """Limits of coordinates that follow one variable bound it; all others become rows."""
    size = basis.shape[1]
    lower, upper = np.full(size, -np.inf), np.full(size, np.inf)
    counts = (np.abs(basis) > 1e-12).sum(axis=1)
    rows: list[Array] = []
    bounds: list[float] = []
    for k in np.flatnonzero(counts == 1):
        column = int(np.argmax(np.abs(basis[k])))
        ends = np.array([figure.lower[k], figure.upper[k]]) - start[k]
        ends = np.sort(ends / basis[k, column])
        lower[column], upper[column] = max(lower[column], ends[0]), min(upper[column], ends[1])
    for k in np.flatnonzero(counts > 1):
        for sign, end in ((-1.0, figure.lower[k]), (1.0, figure.upper[k])):
            if np.isfinite(end):
                rows.append(sign * basis[k])
                bounds.append(sign * (end - start[k]))
    matrix, limit = figure.inequalities
    moving = matrix @ basis
    for row, slack in zip(moving, limit - matrix @ start, strict=True):
        if np.abs(row).max(initial=0.0) > 1e-12:
            rows.append(row)
            bounds.append(float(slack))
    # Rounding may leave the start a hair outside: u = 0 is feasible by definition.
    lower, upper = np.minimum(lower, 0.0), np.maximum(upper, 0.0)
    return lower, upper, np.array(rows).reshape(len(rows), size), np.maximum(np.array(bounds), 0.0)


def selection(basis: Array) -> Ints | None:
    """The coordinate that each variable is, where every variable is one coordinate; else None."""
    ones = np.abs(basis) > 0.0
    if basis.size and (ones.sum(axis=0) == 1).all() and (ones.sum(axis=1) <= 1).all():
        picked = np.argmax(ones, axis=0)
        if (basis[picked, np.arange(basis.shape[1])] == 1.0).all():
            return picked
    return None

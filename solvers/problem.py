"""A problem: a figure, its goals and a start, compiled for a backend.

Every backend sees the same: variables ``u`` within linear bounds (see `space`), a residual ``r(u)``
whose squared length is the objective, and its derivative ``J``. Rows of one-sided terms count only
while positive. Of a set of goals (*any of*), one branch counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, field, replace

import numpy as np

from .arrays import Array, Ints, Mask
from .constraints import Constraint
from .effectors import Carried, EffectorSet, Placed
from .figure import Figure
from .goals import CENTRE_OF_MASS, AnyOf, Goal, Reach
from .goals.base import Term
from .reduction import Reduction, reduce
from .space import Space, build_space, coordinates_above, recruit, selection
from .terms import Terms

_HARDLY = 0.01  # in sizes of the figure, or as a part of the objective
_SWITCH = 0.9  # another branch must be this much better before it takes over: no chattering


class _Memo:
    """What has been worked out about a point so far."""

    slope: Array | None = None
    slopes: tuple[Array, Array] | None = None


@dataclass(frozen=True)
class Point:
    """The residual at some ``u``: ``signed`` (m,) as computed, ``residual`` with what counts."""

    u: Array
    branches: Ints
    placed: Placed
    signed: Array
    residual: Array
    objective: float
    memo: _Memo = field(default_factory=_Memo)


@dataclass(frozen=True, eq=False)
class Reference:
    """A posture ``q`` (d,) that is liked: what the goals leave free is drawn to it.

    ``weights`` (d,): how much each coordinate counts; all alike if not given.
    """

    q: Array
    weights: Array | None = None


class Problem:
    """Find ``u`` with ``‖residual(u)‖²`` smallest, within ``space``."""

    def __init__(
        self,
        figure: Figure,
        goals: Sequence[Goal],
        start: Array,
        movable: Mask | None = None,
        constraints: Sequence[Constraint] = (),
        reference: Reference | None = None,
    ) -> None:
        """``movable`` (d,): the coordinates that may move; those that the goals recruit if not given.

        ``constraints`` count for the particle backend; no gradient knows of them. ``reference`` counts for
        the prioritized one.
        """
        self.figure, self.reference = figure, reference
        self.constraints = tuple(constraints)
        self.goals = _counting(goals)
        self._parts: dict[tuple[int, ...], Problem] = {}
        self._old_parts: dict[tuple[int, ...], Problem] = {}
        movable = recruit(figure, self.goals) if movable is None else movable
        self.space: Space = build_space(figure, movable, np.asarray(start, dtype=float))
        self.moving: Mask = np.asarray(np.abs(self.space.basis).max(axis=1, initial=0.0) > 0.0)
        self.terms = Terms(self.goals)
        self._check_balance()
        self._sets = [g for g, goal in enumerate(self.goals) if isinstance(goal, AnyOf)]
        self._compile()

    def _check_balance(self) -> None:
        """The centre of mass has no directions, and needs masses."""
        for term, owner in zip(self.terms.terms, self.terms.owners, strict=True):
            if term.bone != CENTRE_OF_MASS:
                continue
            name = self.goals[owner].name
            if term.direction is not None:
                raise ValueError(f"“{name}” asks for a direction of the centre of mass: it has none")
            if not self.figure.masses.any():
                raise ValueError(f"“{name}” is about the centre of mass, but no bone has a mass")

    def retargeted(self, goals: Sequence[Goal], start: Array) -> Problem:
        """The same figure with goals and a start elsewhere; quick where only numbers differ."""
        counting = _counting(goals)
        start = np.asarray(start, dtype=float)
        same = len(counting) == len(self.goals) and all(
            type(one) is type(other) and one.reach == other.reach
            for one, other in zip(counting, self.goals, strict=True)
        )
        still = ~self.moving & self._watched
        if not same or not np.array_equal(start[still], self.space.start[still]):
            return self._anew(goals, start)
        terms = self.terms.retargeted(counting)
        if terms is None:
            return self._anew(goals, start)
        result = copy(self)
        result.goals, result.terms = counting, terms
        result._parts, result._old_parts = {}, {**self._old_parts, **self._parts}
        result.space = self.space.restarted(self.figure, self.moving, start)
        result._start = result._reduced(result.space.start)
        return result

    def _anew(self, goals: Sequence[Goal], start: Array) -> Problem:
        return Problem(self.figure, goals, start, constraints=self.constraints, reference=self.reference)

    def part(self, kept: Sequence[int]) -> Problem:
        """Some of the goals, by their numbers, with what they feel of the variables, and the same start.

        It is the problem that these goals would make alone, unless others recruit more bones for them.
        """
        key = tuple(kept)
        if key not in self._parts:
            goals, start, old = [self.goals[g] for g in key], self.space.start, self._old_parts.get(key)
            if old is None:
                movable = recruit(self.figure, goals, Reach()) & self.moving
                self._parts[key] = Problem(self.figure, goals, start, movable)
            else:
                self._parts[key] = old.retargeted(goals, start)
        return self._parts[key]

    @property
    def priorities(self) -> list[int]:
        """All priorities of the goals, the most important first."""
        return sorted({goal.priority for goal in self.goals})

    def variables_at(self, q: Array) -> Array:
        """The ``u`` (u,) of a posture ``q`` (d,) that differs from the start in what may move alone."""
        chosen = self.space.selection
        motion = q - self.space.start
        if chosen is not None:
            return np.asarray(motion[chosen])
        return np.asarray(np.linalg.lstsq(self.space.basis, motion, rcond=None)[0])

    def _compile(self) -> None:
        terms = self.terms.terms
        balanced = any(term.bone == CENTRE_OF_MASS for term in terms)
        watched = {term.bone for term in terms if term.bone != CENTRE_OF_MASS}
        if balanced:
            watched |= {int(bone) for bone in np.flatnonzero(self.figure.masses > 0.0)}
        self._watched = coordinates_above(self.figure, watched)
        self._reduction: Reduction = reduce(self.figure, self.moving, self.space.start, watched)
        coordinates = self._reduction.coordinates
        self._start = self._reduced(self.space.start)
        self._basis = np.where(coordinates[:, None] < 0, 0.0, self.space.basis[coordinates])
        self._selection = selection(self._basis)
        used = np.flatnonzero(np.abs(self._basis).max(axis=1, initial=0.0) > 0.0)
        self._used_basis = self._basis[used]
        columns = used if self._selection is None else self._selection

        points: list[Carried] = []
        directions: list[Carried] = []
        held = [self._hold(term, points, directions) for term in terms]
        centre = len(points)
        numbers = iter([(centre if p == CENTRE_OF_MASS else p, d) for p, d in held])
        self.terms.number(lambda term: next(numbers))
        lumps = self._lumps() if balanced else []
        self._effectors = EffectorSet(self._reduction.skeleton, columns, points, directions, lumps)

    def _reduced(self, q: Array) -> Array:
        """The coordinates of the reduced skeleton; it has one bone that is not the figure's."""
        coordinates = self._reduction.coordinates
        return np.asarray(np.where(coordinates < 0, 0.0, q[coordinates]))

    def _hold(self, term: Term, points: list[Carried], directions: list[Carried]) -> tuple[int, int]:
        """The numbers of a term's point and direction, added to the lists where they are new."""
        if term.bone == CENTRE_OF_MASS:
            return CENTRE_OF_MASS, 0
        point = direction = 0
        if term.point is not None:
            point = _found(points, self._reduction.point(term.bone, term.point))
        if term.direction is not None:
            direction = _found(directions, self._reduction.vector(term.bone, term.direction))
        return point, direction

    def _lumps(self) -> list[tuple[int, Array, float]]:
        """One mass per reduced bone: what is fixed to it weighs as one."""
        figure, holders = self.figure, self._reduction.holders
        heavy = figure.masses > 0.0
        lumps = []
        for holder in np.unique(holders[heavy]):
            bones = np.flatnonzero(heavy & (holders == holder))
            masses = figure.masses[bones]
            points = [self._reduction.point(int(b), figure.mass_points[b])[1] for b in bones]
            centre = np.average(points, axis=0, weights=masses)
            lumps.append((int(holder), centre, float(masses.sum())))
        return lumps

    # Evaluating

    def coordinates(self, u: Array) -> Array:
        """The figure's coordinates (…, d) at ``u``, within its box limits to the last digit."""
        chosen = self.space.selection
        if chosen is None:
            q = self.space.start + u @ self.space.basis.T
            inside = np.clip(q, self.figure.lower, self.figure.upper)
            return np.asarray(np.where(self.moving, inside, q))
        q = self.space.start + np.zeros((*u.shape[:-1], 1))
        lower, upper = self.figure.lower[chosen], self.figure.upper[chosen]
        q[..., chosen] = np.minimum(np.maximum(q[..., chosen] + u, lower), upper)
        return q

    def evaluate(self, u: Array, branches: Ints | None = None) -> Point:
        """The residual at ``u``; ``branches`` says which member of each set counts."""
        signed, placed = self._signed(u)
        if branches is None:
            best = [int(np.argmin(p)) for _, p in self.branch_potentials(signed)]
            branches = np.array(best, dtype=np.intp)
        residual = self._counted(signed, branches)
        return Point(u, branches, placed, signed, residual, float(residual @ residual))

    def objectives(self, us: Array, branches: Ints) -> Array:
        """The objective (k,) of many ``us`` (k, u) at once."""
        residual = self._counted(self._signed(us)[0], branches)
        return np.asarray((residual * residual).sum(axis=-1))

    def residuals(self, us: Array) -> Array:
        """The residual (k, m) of many ``us`` (k, u), each with the branches that suit it best."""
        residual = self.terms.counted(self._signed(us)[0])
        squares = self.terms.squares(residual)
        owners, members = self.terms.owners, self.terms.members
        for g in self._sets:
            numbers = range(int(members[owners == g].max()) + 1)
            sums = [squares[:, (owners == g) & (members == b)].sum(axis=-1) for b in numbers]
            spared = (owners == g) & (members != np.argmin(sums, axis=0)[:, None])
            residual = np.where(spared[:, self.terms.row_terms], 0.0, residual)
        return residual

    def linearised(self, us: Array, branches: Ints) -> tuple[Array, Array]:
        """Residual (k, m) and its derivative (k, m, u) of many ``us`` (k, u) at once."""
        signed, placed = self._signed(us)
        residual = self._counted(signed, branches)
        slope = self.terms.slope(placed, *self._effectors.slopes(placed))
        slope = slope * (residual != 0.0)[..., None]
        return residual, slope if self._selection is not None else slope @ self._used_basis

    def _signed(self, u: Array) -> tuple[Array, Placed]:
        if self._selection is None:
            q = self._start + u @ self._basis.T
        else:
            q = self._start.copy() if u.ndim == 1 else self._start + np.zeros((*u.shape[:-1], 1))
            q[..., self._selection] += u
        placed = self._effectors.place(self._reduction.skeleton.forward(q))
        return self.terms.signed(placed, u.shape[:-1]), placed

    def slope_at(self, point: Point) -> Array:
        """The derivative (m, u) of the signed residual, kept with the point."""
        if point.memo.slope is None:
            slope = self.terms.slope(point.placed, *self._slopes(point))
            if self._sets:
                slope = slope * self.counting(point.branches)[self.terms.row_terms][:, None]
            if self._selection is None:
                slope = slope @ self._used_basis
            point.memo.slope = slope
        return point.memo.slope

    def _slopes(self, point: Point) -> tuple[Array, Array]:
        if point.memo.slopes is None:
            point.memo.slopes = self._effectors.slopes(point.placed)
        return point.memo.slopes

    def curvature(self, point: Point) -> Array:
        """``Σ rᵢ ∇²rᵢ`` (u, u): what Gauss–Newton leaves out, by the second derivative of chains.

        How the axes of one joint's own coordinates turn into each other is left out, and so is
        the curvature of a formula itself.
        """
        slopes = np.concatenate(self._slopes(point))
        pulls = np.concatenate(self.terms.pulls(point.placed, point.residual))
        result = self._effectors.second_slopes(point.placed, pulls, slopes)
        if self._selection is None:
            result = self._used_basis.T @ result @ self._used_basis
        return result

    # Sets of goals

    def counting(self, branches: Ints) -> Array:
        """(terms,): 1 where a term is of a branch that counts, 0 where not."""
        counts = self.terms.members < 0
        for g, branch in zip(self._sets, branches, strict=True):
            counts = counts | ((self.terms.owners == g) & (self.terms.members == branch))
        return counts.astype(float)

    def branch(self, point: Point) -> Array:
        """The signed residual (m,) with zeros for branches that do not count."""
        if not self._sets:
            return point.signed
        return np.asarray(point.signed * self.counting(point.branches)[self.terms.row_terms])

    def _counted(self, signed: Array, branches: Ints) -> Array:
        residual = self.terms.counted(signed)
        if self._sets:
            residual = residual * self.counting(branches)[self.terms.row_terms]
        return residual

    def branch_potentials(self, signed: Array) -> list[tuple[int, Array]]:
        """For every set, its number among the goals and the potential of each of its members."""
        if not self._sets:
            return []
        squares = self.terms.squares(self.terms.counted(signed))
        owners, members = self.terms.owners, self.terms.members
        result = []
        for g in self._sets:
            numbers = range(int(members[owners == g].max()) + 1)
            sums = [squares[(owners == g) & (members == b)].sum() for b in numbers]
            result.append((g, np.array(sums)))
        return result

    def rebranched(self, point: Point, settle: bool = False) -> Point:
        """The same place with better branches: clearly better ones, or to settle, any."""
        if not self._sets:
            return point
        branches = point.branches.copy()
        factor = 1.0 - 1e-9 if settle else _SWITCH
        for i, (_, potentials) in enumerate(self.branch_potentials(point.signed)):
            best = int(np.argmin(potentials))
            if potentials[best] < factor * potentials[branches[i]]:
                branches[i] = best
        if np.array_equal(branches, point.branches):
            return point
        residual = self._counted(point.signed, branches)
        objective = float(residual @ residual)
        return replace(point, branches=branches, residual=residual, objective=objective, memo=_Memo())

    # Judging

    def met(self, point: Point) -> bool:
        """Whether every goal is within its tolerance."""
        return bool((self.terms.squares(point.residual) <= self.terms.limits).all())

    def met_goals(self, point: Point) -> Mask:
        """(goals,): which goals are within their tolerance."""
        missed = self.terms.squares(point.residual) > self.terms.limits
        result = np.ones(len(self.goals), dtype=bool)
        result[self.terms.owners[missed]] = False
        return result

    def settled(self, before: Point, after: Point, part: float) -> bool:
        """Whether no term changed by more than a part of itself, or of what hardly shows.

        What shows depends: a centimetre does not where others miss by a metre.
        """
        old, new = self.terms.squares(before.residual), self.terms.squares(after.residual)
        hardly = min((_HARDLY * self.figure.size) ** 2, _HARDLY * after.objective)
        floor = np.maximum(self.terms.limits, hardly)
        return bool((np.abs(new - old) <= part * np.maximum(new, floor)).all())

    def errors(self, point: Point) -> Array:
        """Each goal's distance (length) and angle (radians) from where it should be, (goals, 2)."""
        sizes = np.sqrt(self.terms.squares(point.residual) / self.terms.squared_gains)
        angular = self.terms.angular
        angles = np.where(angular, 2.0 * np.arcsin(np.minimum(1.0, 0.5 * sizes)), 0.0)
        result = np.zeros((len(self.goals), 2))
        np.maximum.at(result[:, 0], self.terms.owners, np.where(angular, 0.0, sizes))
        np.maximum.at(result[:, 1], self.terms.owners, angles)
        return result

    def rows_of(self, goal: int) -> Mask:
        """(m,): which rows of the residual are those of a goal."""
        return np.asarray(self.row_owners == goal)

    @property
    def row_owners(self) -> Ints:
        """(m,): which goal each row of the residual is of."""
        return np.asarray(self.terms.owners[self.terms.row_terms])

    def projected(self, u: Array, gradient: Array) -> Array:
        """A gradient by the scaled variables without what points out of the bounds at ``u``."""
        space = self.space
        low = (u <= space.lower + 1e-9) & (gradient > 0.0)
        high = (u >= space.upper - 1e-9) & (gradient < 0.0)
        inner = np.where(low | high, 0.0, gradient)
        if not len(space.bounds):
            return np.asarray(inner)
        active = space.rows[space.rows @ u >= space.bounds - 1e-9] * space.scale
        while len(active):
            multipliers = np.linalg.lstsq(active.T, -inner, rcond=None)[0]
            if (multipliers >= 0.0).all():
                return np.asarray(inner + active.T @ multipliers)
            active = np.delete(active, int(np.argmin(multipliers)), axis=0)
        return np.asarray(inner)


def _counting(goals: Sequence[Goal]) -> tuple[Goal, ...]:
    """The goals that take part: enabled, with a weight, and of sets the members that do."""
    result: list[Goal] = []
    for goal in goals:
        if isinstance(goal, AnyOf):
            members = _counting(goal.members)
            if not members:
                continue
            if len(members) < len(goal.members):
                goal = replace(goal, members=members)
        if goal.enabled and goal.weight > 0.0:
            result.append(goal)
    return tuple(result)


def _found(carried: list[Carried], wanted: Carried) -> int:
    """The number of ``wanted`` in a list, to which it is added where it is new."""
    for i, (bone, vector) in enumerate(carried):
        if bone == wanted[0] and np.array_equal(vector, wanted[1]):
            return i
    carried.append(wanted)
    return len(carried) - 1

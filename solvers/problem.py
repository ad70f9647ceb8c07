"""A problem: a figure, its goals and a start, compiled for a backend.

Every backend sees the same: variables ``u`` within linear bounds (see `space`), a residual ``r(u)``
whose squared length is the objective, and its derivative ``J``. Rows of one-sided terms count only
while positive. Of a set of goals (*any of*), one branch counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from .arrays import Array, Ints, Mask
from .effectors import EffectorSet, Placed
from .figure import Figure
from .goals import CENTRE_OF_MASS, AnyOf, Goal
from .goals.base import Formula, Term
from .reduction import reduce
from .space import Space, build_space, recruit, selection

_SWITCH = 0.9  # another branch must be this much better before it takes over: no chattering


@dataclass(frozen=True)
class Point:
    """The residual at some ``u``: ``signed`` (m,) as computed, ``residual`` with what counts."""

    u: Array
    branches: Ints
    placed: Placed
    signed: Array
    residual: Array
    objective: float
    memo: _Memo = field(default_factory=lambda: _Memo())


class _Memo:
    """What has been worked out about a point so far."""

    slope: Array | None = None


@dataclass(frozen=True, eq=False)
class _Stack:
    """All terms of one formula."""

    formula: type[Formula]
    rows: slice
    points: Ints
    directions: Ints
    targets: Array
    axes: Array
    gains: Array


class Problem:
    """Find ``u`` with ``‖residual(u)‖²`` smallest, within ``space``."""

    def __init__(self, figure: Figure, goals: Sequence[Goal], start: Array) -> None:
        self.figure = figure
        self.goals = tuple(goal for goal in goals if goal.enabled and goal.weight > 0.0)
        movable = recruit(figure, self.goals)
        self.space: Space = build_space(figure, movable, np.asarray(start, dtype=float))
        self.moving: Mask = np.asarray(np.abs(self.space.basis).max(axis=1, initial=0.0) > 0.0)
        self._compile_terms()
        self._compile_kinematics()
        self._stack_terms()

    def retargeted(self, goals: Sequence[Goal], start: Array) -> Problem:
        """The same goals at other places and a figure in another posture, compiled anew."""
        return Problem(self.figure, goals, start)

    # Compiling

    def _compile_terms(self) -> None:
        self._terms: list[Term] = []
        owners, members, tolerances = [], [], []
        for g, goal in enumerate(self.goals):
            parts = goal.members if isinstance(goal, AnyOf) else (goal,)
            for b, part in enumerate(parts):
                for term in part.terms():
                    gain = term.gain * float(np.sqrt(goal.weight * (part.weight if part is not goal else 1.0)))
                    self._terms.append(replace(term, gain=gain))
                    owners.append(g)
                    members.append(b if isinstance(goal, AnyOf) else -1)
                    angular = term.formula.angular
                    chord = 2.0 * np.sin(0.5 * min(part.angle_tolerance, np.pi))
                    tolerances.append(chord if angular else part.tolerance)
        order = sorted(range(len(self._terms)), key=lambda i: self._terms[i].formula.__name__)
        self._terms = [self._terms[i] for i in order]
        self.owners = np.array([owners[i] for i in order], dtype=np.intp)
        self._members = np.array([members[i] for i in order], dtype=np.intp)
        self._tolerances = np.array([tolerances[i] for i in order])
        self._sets = [g for g, goal in enumerate(self.goals) if isinstance(goal, AnyOf)]

    def _compile_kinematics(self) -> None:
        figure, space = self.figure, self.space
        balanced = any(term.bone == CENTRE_OF_MASS for term in self._terms)
        watched = {term.bone for term in self._terms if term.bone != CENTRE_OF_MASS}
        heavy = figure.masses > 0.0
        if balanced:
            watched |= {int(bone) for bone in np.flatnonzero(heavy)}
        self._reduction = reduce(figure, self.moving, space.start, watched)
        coordinates = self._reduction.coordinates
        self._start = np.where(coordinates < 0, 0.0, space.start[coordinates])
        basis = np.where(coordinates[:, None] < 0, 0.0, space.basis[coordinates])
        self._selection = selection(basis)
        used = np.flatnonzero(np.abs(basis).max(axis=1, initial=0.0) > 0.0)
        self._columns = used if self._selection is None else self._selection
        self._basis = basis
        self._used_basis = basis[used]

        points: list[tuple[int, Array]] = []
        directions: list[tuple[int, Array]] = []
        self._point_numbers, self._direction_numbers = [], []
        for term in self._terms:
            self._point_numbers.append(self._number(points, term.bone, term.point, True))
            self._direction_numbers.append(self._number(directions, term.bone, term.direction, False))
        centre = len(points)
        self._point_numbers = [centre if i == CENTRE_OF_MASS else i for i in self._point_numbers]
        lumps = self._lumps(heavy) if balanced else []
        self._effectors = EffectorSet(
            self._reduction.skeleton, self._columns, points, directions, lumps
        )

    def _number(
        self, carried: list[tuple[int, Array]], bone: int, vector: Array | None, is_point: bool
    ) -> int:
        if bone == CENTRE_OF_MASS:
            return CENTRE_OF_MASS if is_point else 0
        if vector is None:
            return 0
        hold = self._reduction.point if is_point else self._reduction.vector
        holder, held = hold(bone, vector)
        for i, (other, same) in enumerate(carried):
            if other == holder and np.array_equal(same, held):
                return i
        carried.append((holder, held))
        return len(carried) - 1

    def _lumps(self, heavy: Mask) -> list[tuple[int, Array, float]]:
        """One mass per reduced bone: what is fixed to it weighs as one."""
        figure = self.figure
        lumps = []
        for holder in np.unique(self._reduction.holders[heavy]):
            bones = np.flatnonzero(heavy & (self._reduction.holders == holder))
            mass = float(figure.masses[bones].sum())
            points = [self._reduction.point(int(b), figure.mass_points[b])[1] for b in bones]
            lumps.append((int(holder), np.average(points, axis=0, weights=figure.masses[bones]), mass))
        return lumps

    def _stack_terms(self) -> None:
        self._stacks: list[_Stack] = []
        self._row_terms = np.repeat(np.arange(len(self._terms)), [t.formula.rows for t in self._terms])
        row = 0
        start = 0
        while start < len(self._terms):
            formula = self._terms[start].formula
            stop = start
            while stop < len(self._terms) and self._terms[stop].formula is formula:
                stop += 1
            terms = self._terms[start:stop]
            rows = slice(row, row + formula.rows * len(terms))
            self._stacks.append(
                _Stack(
                    formula,
                    rows,
                    np.array(self._point_numbers[start:stop], dtype=np.intp),
                    np.array(self._direction_numbers[start:stop], dtype=np.intp),
                    np.array([term.target for term in terms], dtype=float),
                    np.array([term.axis for term in terms], dtype=float),
                    np.array([term.gain for term in terms])[:, None],
                )
            )
            row, start = rows.stop, stop
        self.rows = row
        self._starts = np.array([stack.rows.start for stack in self._stacks], dtype=np.intp)
        self.one_sided = np.array(
            [self._terms[t].formula.one_sided for t in self._row_terms], dtype=bool
        )
        self._any_one_sided = bool(self.one_sided.any())
        self._term_starts = np.flatnonzero(np.diff(self._row_terms, prepend=-1))
        self._angular = np.array([term.formula.angular for term in self._terms], dtype=bool)
        gains = np.array([term.gain for term in self._terms])
        self._squared_gains = gains * gains
        self._limits = (gains * self._tolerances) ** 2

    # Evaluating

    def coordinates(self, u: Array) -> Array:
        """The figure's coordinates (…, d) at ``u``, within its box limits to the last digit."""
        q = self.space.start + u @ self.space.basis.T
        inside = np.clip(q, self.figure.lower, self.figure.upper)
        return np.asarray(np.where(self.moving, inside, q))

    def evaluate(self, u: Array, branches: Ints | None = None) -> Point:
        """The residual at ``u``; ``branches`` says which member of each set counts."""
        if self._selection is None:
            q = self._start + u @ self._basis.T
        else:
            q = self._start + np.zeros((*u.shape[:-1], 1)) if u.ndim > 1 else self._start.copy()
            q[..., self._selection] += u
        placed = self._effectors.place(self._reduction.skeleton.forward(q))
        signed = np.empty((*u.shape[:-1], self.rows))
        for stack in self._stacks:
            point, direction = self._gather(stack, placed)
            value = stack.formula.value(point, direction, stack.targets, stack.axes)
            signed[..., stack.rows] = (stack.gains * value).reshape(*u.shape[:-1], -1)
        if branches is None:
            branches = self._best_branches(signed)
        residual = self._counted(signed, branches)
        return Point(u, branches, placed, signed, residual, float(np.vdot(residual, residual)))

    def _gather(self, stack: _Stack, placed: Placed) -> tuple[Array, Array]:
        points, directions = placed.points, placed.directions
        point = points[..., stack.points, :] if points.shape[-2] else stack.targets
        direction = directions[..., stack.directions, :] if directions.shape[-2] else stack.axes
        return point, direction

    def _counted(self, signed: Array, branches: Ints) -> Array:
        residual = signed
        if self._any_one_sided:
            residual = np.where(self.one_sided & (signed < 0.0), 0.0, signed)
        if self._sets:
            residual = residual * self.counting(branches)[self._row_terms]
        return residual

    def counting(self, branches: Ints) -> Array:
        """(terms,): 1 where a term is of a branch that counts, 0 where not."""
        counts = self._members < 0
        for g, branch in zip(self._sets, branches, strict=True):
            counts = counts | ((self.owners == g) & (self._members == branch))
        return counts.astype(float)

    def slope_at(self, point: Point) -> Array:
        """`slope`, kept with the point for whoever asks again."""
        if point.memo.slope is None:
            point.memo.slope = self.slope(point)
        return point.memo.slope

    def slope(self, point: Point) -> Array:
        """The derivative (m, u) of the signed residual."""
        d_points, d_directions = self._effectors.slopes(point.placed)
        blocks = np.empty((*point.u.shape[:-1], self.rows, len(self._columns)))
        for stack in self._stacks:
            where, direction = self._gather(stack, point.placed)
            d_point = d_points[..., stack.points, :, :] if d_points.shape[-3] else d_points
            d_direction = (
                d_directions[..., stack.directions, :, :] if d_directions.shape[-3] else d_directions
            )
            slope = stack.formula.slope(
                where, direction, stack.targets, stack.axes, d_point, d_direction
            )
            blocks[..., stack.rows, :] = (stack.gains[..., None] * slope).reshape(
                *blocks.shape[:-2], -1, blocks.shape[-1]
            )
        if self._sets:
            blocks = blocks * self.counting(point.branches)[self._row_terms][:, None]
        return blocks if self._selection is not None else blocks @ self._used_basis

    def objectives(self, us: Array, point: Point) -> Array:
        """The objective (k,) of many ``us`` (k, u), with the branches of ``point``."""
        residual = self.evaluate(us, point.branches).residual
        return np.asarray((residual * residual).sum(axis=-1))

    def curvature(self, point: Point) -> Array:
        """``Σ rᵢ ∇²rᵢ`` (u, u): what Gauss–Newton leaves out, by the second derivative of chains.

        How the axes of one joint's own coordinates turn into each other is left out.
        """
        d_points, d_directions = self._effectors.slopes(point.placed)
        pull_points = np.zeros(d_points.shape[:-1])
        pull_directions = np.zeros(d_directions.shape[:-1])
        for stack in self._stacks:
            where, direction = self._gather(stack, point.placed)
            zero = np.zeros((len(stack.points), 3, 3))
            identity = zero + np.eye(3)
            rows = point.residual[stack.rows].reshape(len(stack.points), 1, -1)
            constants = (where, direction, stack.targets, stack.axes)
            gains = stack.gains[..., None]
            by_point = rows @ (gains * stack.formula.slope(*constants, identity, zero))
            by_direction = rows @ (gains * stack.formula.slope(*constants, zero, identity))
            if len(pull_points):
                np.add.at(pull_points, stack.points, by_point[:, 0])
            if len(pull_directions):
                np.add.at(pull_directions, stack.directions, by_direction[:, 0])
        pulls = np.concatenate([pull_points, pull_directions])
        slopes = np.concatenate([d_points, d_directions])
        result = self._effectors.second_slopes(point.placed, pulls, slopes)
        if self._selection is None:
            result = self._used_basis.T @ result @ self._used_basis
        return result

    # Branches of sets

    def _branch_potentials(self, signed: Array) -> list[Array]:
        counted = np.where(self.one_sided & (signed < 0.0), 0.0, signed)
        potentials = np.add.reduceat(counted**2, self._term_starts) if self.rows else counted
        result = []
        for g in self._sets:
            goal = self.goals[g]
            assert isinstance(goal, AnyOf)
            own = self.owners == g
            sums = [potentials[own & (self._members == b)].sum() for b in range(len(goal.members))]
            result.append(np.array(sums))
        return result

    def _best_branches(self, signed: Array) -> Ints:
        best = [int(np.argmin(p)) for p in self._branch_potentials(signed)] if self._sets else []
        return np.array(best, dtype=np.intp)

    def rebranched(self, point: Point, settle: bool = False) -> Point:
        """The same place with better branches, where some are clearly (or at all) better."""
        if not self._sets:
            return point
        branches = point.branches.copy()
        factor = 1.0 - 1e-9 if settle else _SWITCH
        for i, potentials in enumerate(self._branch_potentials(point.signed)):
            best = int(np.argmin(potentials))
            if potentials[best] < factor * potentials[branches[i]]:
                branches[i] = best
        if np.array_equal(branches, point.branches):
            return point
        residual = self._counted(point.signed, branches)
        return replace(
            point,
            branches=branches,
            residual=residual,
            objective=float(residual @ residual),
            memo=_Memo(),
        )

    # Judging

    def rows_of(self, goal: int) -> Mask:
        """(m,): which rows of the residual are those of a goal."""
        return np.asarray(self.owners[self._row_terms] == goal)

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

    def term_squares(self, point: Point) -> Array:
        """The squared, weighted residual of every term."""
        if not self.rows:
            return np.zeros(0)
        return np.asarray(np.add.reduceat(point.residual**2, self._term_starts))

    def met(self, point: Point) -> bool:
        """Whether every goal is within its tolerance."""
        return bool((self.term_squares(point) <= self._limits).all())

    def met_goals(self, point: Point) -> Mask:
        """(goals,): which goals are within their tolerance."""
        good = self.term_squares(point) <= self._limits
        return np.array([bool(good[self.owners == g].all()) for g in range(len(self.goals))], dtype=bool)

    def may_be_reachable(self, point: Point, goal: int) -> bool:
        """Whether limits or other goals hold back a goal that is not met at a minimum.

        A chain without limits has no poor minima: a goal that its own gradient no longer moves
        is as near as it will ever be.
        """
        rows = self.rows_of(goal)
        slope, residual = self.slope_at(point)[rows] * self.space.scale, point.residual[rows]
        steepest = float(np.linalg.norm(slope) * np.linalg.norm(residual))
        return bool(np.linalg.norm(slope.T @ residual) > 1e-2 * steepest)

    def errors(self, point: Point) -> Array:
        """Each goal's distance (length) and angle (radians) from where it should be, (goals, 2)."""
        sizes = np.sqrt(self.term_squares(point) / self._squared_gains)
        angular = self._angular
        angles = np.where(angular, 2.0 * np.arcsin(np.minimum(1.0, 0.5 * sizes)), 0.0)
        lengths = np.where(angular, 0.0, sizes)
        result = np.zeros((len(self.goals), 2))
        np.maximum.at(result[:, 0], self.owners, lengths)
        np.maximum.at(result[:, 1], self.owners, angles)
        return result

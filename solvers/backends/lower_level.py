"""The descent of one level within what the levels above it leave free.

A level above that is met stays so: its rows may not change. One that is missed is at a minimum of its
own: there rows of the derivative are not enough, as a stretched limb bends without moving its end, to
first order. It is its gradient that may not change, so the rows of its second derivative are held, and
whatever its limits press stays where it is. One-sided rows may move while they are met.

A step that bends a level above out of its tolerance is mended by that level's own steps, or else
taken back: every point is as good as the one before at all levels above.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..arrays import Array, Mask
from ..problem import Point, Problem
from .active_set import Bounds
from .bounded_step import CurvedModel, LinearModel, Model, minimiser_within
from .levels import Level, PostureLevel
from .null_space import NullSpace, prioritized_step

_PATIENCE = 4  # so many steps in a row that gain nothing that shows are the last
_MENDS = 4
_FLAT = 1e-4  # of the largest: curvature of a level that is as good as none
_LONGEST_STEP = 0.5  # radians
_MOST_DAMPING = 1e4
_SHORTEST = 1e-5
_PART = 0.1  # of the tolerance: a step that changes no row by more is not worth taking
_SLOW = 0.5  # a decrease by less than this part says that the linear model misses something


@dataclass(frozen=True, eq=False)
class _Hold:
    """What a level above asks of a step: ``rows·z = wanted``, and variables that stay."""

    rows: Array
    wanted: Array
    fixed: Mask
    one_sided: Array
    slack: Array


class LowerLevel:
    """Takes steps for ``level``; ``point`` is where those in ``upper`` have come to."""

    def __init__(
        self, problem: Problem, level: Level | PostureLevel, upper: Sequence[Level], point: Point
    ) -> None:
        self._problem, self._level, self._upper = problem, level, upper
        self._met = [each.met(point) for each in upper]
        self._least, self._most = self._allowances(point)
        self._damping, self._longest = 1e-3, _LONGEST_STEP
        self._curved, self._trusted = False, True

    def _allowances(self, point: Point) -> tuple[Array, Array]:
        """(t,) each: how small and how large the residual of every term may become.

        What cannot be met must not get better either: then it would have been better without this level.
        """
        terms = self._problem.terms
        limits, squares = np.sqrt(terms.limits), terms.squares(point.residual)
        sizes = np.sqrt(squares)
        # A chord changes less than its angle, the less the wider it is.
        chords = np.where(terms.angular, squares / terms.squared_gains, 0.0)
        narrow = np.sqrt(np.maximum(1.0 - 0.25 * chords, 0.0))
        least, most = np.zeros(len(limits)), np.full(len(limits), np.inf)
        for i, (level, met) in enumerate(zip(self._upper, self._met, strict=True)):
            # Half of the tolerance for the next level below, a quarter for the one after that ...
            share = 0.5 ** (len(self._upper) - i) * limits * narrow
            most[level.terms] = (limits if met else sizes + share)[level.terms]
            least[level.terms] = (0.0 * limits if met else sizes - share)[level.terms]
        return least, most

    def _kept(self, point: Point) -> bool:
        sizes = np.sqrt(self._problem.terms.squares(point.residual))
        return bool(((sizes >= self._least) & (sizes <= self._most)).all())

    def descend(self, point: Point, steps: int) -> Generator[Point, None, Point]:
        """Every point on the way; the last is where the level is met, or comes no further."""
        level = self._level
        idle = 0
        for _ in range(steps):
            if level.met(point) or self._damping > _MOST_DAMPING or self._longest < _SHORTEST:
                break
            z, expected = self._step(point)
            if self._is_small(point, z):
                if self._curved:
                    break
                self._curved = True
                continue
            trial = self._mended(self._moved(point, z))
            before = level.objective(point)
            if self._learned(point, trial, expected, float(np.abs(z).max(initial=0.0))):
                point = trial
            gain = np.sqrt(before) - np.sqrt(level.objective(point))
            idle = idle + 1 if gain < _PART * level.tolerance else 0
            yield point
            if idle == _PATIENCE:
                break
        return point

    def _is_small(self, point: Point, z: Array) -> bool:
        """Whether a step changes no row of the level by what shows."""
        motion = self._level.slope(point) @ z
        return float(np.abs(motion).max(initial=0.0)) < _PART * self._level.tolerance

    def _learned(self, point: Point, trial: Point, expected: float, length: float) -> bool:
        """Whether to go to a point; shorter steps after those that cannot be mended."""
        if not self._kept(trial):
            self._longest = 0.25 * length
            self._curved = True
            return False
        self._longest = min(2.0 * self._longest, _LONGEST_STEP)
        before = self._level.objective(point)
        gain = before - self._level.objective(trial)
        ratio = gain / max(before - expected, 1e-300)
        if ratio < 0.25:
            self._damping = max(self._damping, 1e-6) * (4.0 if ratio > 0.0 else 10.0)
        elif ratio > 0.75 and self._trusted:
            self._damping = max(0.1 * self._damping, 1e-8)
        self._trusted = ratio >= 0.25
        self._curved = self._curved or gain < _SLOW * before
        return gain > 0.0

    def _moved(self, point: Point, z: Array) -> Point:
        space = self._problem.space
        u = np.minimum(np.maximum(point.u + z * space.scale, space.lower), space.upper)
        return self._problem.evaluate(u, point.branches)

    def _mended(self, point: Point) -> Point:
        """A point brought back to where the levels above are kept, if that is near."""
        for _ in range(_MENDS):
            if self._kept(point):
                break
            holds = self._holds(point)
            bounds = _narrowed(Bounds.around(point.u, self._problem.space), holds)
            point = self._moved(point, prioritized_step([(h.rows, h.wanted) for h in holds], bounds))
        return point

    # What the levels above hold

    def _holds(self, point: Point) -> list[_Hold]:
        pairs = zip(self._upper, self._met, strict=True)
        return [self._rows(level, point) if met else self._curvature(level, point) for level, met in pairs]

    def _rows(self, level: Level, point: Point) -> _Hold:
        slope, signed, sides = level.slope(point), level.signed(point), level.one_sided
        inside = np.zeros(len(signed), dtype=bool) if sides is None else sides & (signed <= 0.0)
        fixed = np.zeros(slope.shape[1], dtype=bool)
        return _Hold(slope[~inside], -signed[~inside], fixed, slope[inside], -signed[inside])

    def _curvature(self, level: Level, point: Point) -> _Hold:
        problem = self._problem
        residual = level.alone(point.residual)
        slope = level.slope(point) * (residual[level.rows] != 0.0)[:, None]
        gradient = slope.T @ residual[level.rows]
        felt = slope.any(axis=0)
        fixed = felt & (problem.projected(point.u, gradient) != gradient)
        inner = np.flatnonzero(felt & ~fixed)
        hessian = slope.T @ slope + _curvature(problem, point, residual)
        sizes, vectors = np.linalg.eigh(hessian[np.ix_(inner, inner)])
        curved = sizes > _FLAT * max(float(sizes.max(initial=0.0)), 1e-300)
        roots = np.sqrt(sizes[curved])
        rows = np.zeros((len(roots), len(felt)))
        rows[:, inner] = vectors[:, curved].T * roots[:, None]
        wanted = -(vectors[:, curved].T @ gradient[inner]) / roots
        return _Hold(rows, wanted, fixed, np.zeros((0, len(felt))), np.zeros(0))

    # The step

    def _step(self, point: Point) -> tuple[Array, float]:
        """The best step within bounds that the levels above allow, and the objective it should give."""
        holds = self._holds(point)
        free = NullSpace(self._problem.space.size)
        bounds = _narrowed(Bounds.around(point.u, self._problem.space), holds)
        mend = np.zeros(self._problem.space.size)
        for hold, met in zip(holds, self._met, strict=True):
            mend = mend + free.solve(hold.rows * ~hold.fixed, met * hold.wanted - hold.rows @ mend)
        mend = bounds.kept(mend)
        bounds = _with_equations(bounds, free.held, holds).seen_from(mend)
        model = self._model(point, free, bounds, mend)
        z = minimiser_within(model, bounds)
        longest = float(np.abs((mend + z) * self._problem.space.scale).max(initial=0.0))
        part = min(1.0, self._longest / max(longest, 1e-300))
        return mend + part * z, model.objective(part * z)

    def _model(self, point: Point, free: NullSpace, bounds: Bounds, mend: Array) -> Model:
        """Of the level, by steps from where ``mend`` leads."""
        level = self._level
        slope, signed, one_sided = level.slope(point), level.signed(point), level.one_sided
        damping = self._damping * float(np.vdot(slope, slope)) / max(1, len(slope)) + 1e-12
        if not self._curved:
            return LinearModel(slope, signed + slope @ mend, one_sided, damping)
        if one_sided is not None:
            slope = slope * (~one_sided | (signed > 0.0))[:, None]
        gradient = slope.T @ signed
        loose = ~bounds.pressed(free.left_of(gradient)) & (bounds.low < bounds.high)
        held = self._multipliers(point, gradient, loose)
        pulling = level.alone(point.residual) + held
        hessian = slope.T @ slope + _curvature(self._problem, point, pulling)
        stiff = 10.0 * float(np.abs(hessian).max(initial=0.0)) * free.held.T @ free.held
        turned = gradient + hessian @ mend
        objective = level.objective(point) + float((gradient + turned) @ mend)
        return CurvedModel(objective, turned, hessian + stiff, loose, damping)

    def _multipliers(self, point: Point, gradient: Array, loose: Mask) -> Array:
        """(m,): how firmly the rows of met levels above hold this one; their curvature counts by it."""
        result = np.zeros(len(point.residual))
        rows = np.zeros(len(result), dtype=bool)
        for level, met in zip(self._upper, self._met, strict=True):
            rows |= level.rows & met
        if self._problem.terms.one_sided is not None:
            rows &= ~self._problem.terms.one_sided | (point.signed > 0.0)
        if rows.any() and loose.any():
            slope = (self._problem.slope_at(point) * self._problem.space.scale)[np.ix_(rows, loose)]
            result[rows] = np.linalg.lstsq(slope.T, -gradient[loose], rcond=1e-4)[0]
        return result


def _curvature(problem: Problem, point: Point, residual: Array) -> Array:
    """``Σ rᵢ ∇²rᵢ`` by scaled variables, with another residual."""
    scale = problem.space.scale
    return problem.curvature(replace(point, residual=residual)) * np.outer(scale, scale)


def _narrowed(bounds: Bounds, holds: Sequence[_Hold]) -> Bounds:
    """The bounds with what levels above press against a limit held there."""
    for hold in holds:
        if hold.fixed.any():
            low, high = (np.where(hold.fixed, 0.0, end) for end in (bounds.low, bounds.high))
            bounds = replace(bounds, low=low, high=high)
    return bounds


def _with_equations(bounds: Bounds, held: Array, holds: Sequence[_Hold]) -> Bounds:
    rows = np.concatenate([held, bounds.rows, *(hold.one_sided for hold in holds)])
    slack = np.concatenate([np.zeros(len(held)), bounds.slack, *(hold.slack for hold in holds)])
    return Bounds(bounds.low, bounds.high, rows, slack, equal=len(held))

"""The paper's metric: Rosen's projection with a variable metric, as Goldfarb joined them.

At a feasible point with active normals ``N`` the search goes along ``s = −H_N g`` with
``H_N = H − HN(NᵀHN)⁻¹NᵀH``, as far as no constraint is passed and a cubic line search finds a
decrease. A constraint met on the way becomes active; the active one with the worst multiplier is
dropped where leaving it promises more than going on along it. ``H``, an estimate of the inverse
second derivative, is updated by BFGS, or by DFP where Fletcher's test prefers it.

All in scaled variables ``z = u/s``, with ``g`` half the gradient of the objective.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..problem import Point, Problem
from .bounded_step import Step

_ON = 1e-10  # a constraint with less slack is met
_LONGEST_STEP = 1.0  # radians
_SHORTEST = 1e-10
_FLAT = 1e-6  # parts of the objective: a step that promises less is none


class VariableMetric:
    """Proposes steps along the projected direction, and learns the metric from their outcome."""

    @property
    def patience(self) -> int:
        """Steps may be small, or fail, for a while before the metric is any good."""
        return 25

    def __init__(self, problem: Problem) -> None:
        space = problem.space
        self._problem, self._scale = problem, space.scale
        self._metric: Array | None = None
        self._length, self._fresh = 1.0, True  # fresh: it has not learnt anything yet
        identity = np.eye(space.size)
        finite = [np.isfinite(end) for end in (space.lower, space.upper)]
        # Every bound as a row ``normal · z ≤ bound``, in scaled variables.
        rows = space.rows * space.scale
        self._normals = np.concatenate([-identity[finite[0]], identity[finite[1]], rows])
        ends = [-space.lower[finite[0]], space.upper[finite[1]]]
        scales = [space.scale[finite[0]], space.scale[finite[1]]]
        box = [end / scale for end, scale in zip(ends, scales, strict=True)]
        self._bounds = np.concatenate([*box, space.bounds])
        sizes = np.linalg.norm(self._normals, axis=1)
        self._normals, self._bounds = self._normals / sizes[:, None], self._bounds / sizes
        self._active: list[int] = []

    @property
    def spent(self) -> bool:
        """Whether the line search has come down to nothing."""
        return self._length < _SHORTEST

    def propose(self, point: Point) -> Step:
        """A feasible step along the projected direction; empty at a Kuhn–Tucker point."""
        if self._metric is None:
            self._begin_anew(point)
        step = self._step(point)
        if not self._fresh and point.objective - step.expected < _FLAT * point.objective:
            # Either a Kuhn–Tucker point, or the metric has gone flat where the gradient points.
            self._begin_anew(point)
            step = self._step(point)
        return step

    def _begin_anew(self, point: Point) -> None:
        slope = self._problem.slope_at(point) * self._scale
        self._metric = np.eye(len(self._scale)) / max(1e-12, float(np.linalg.norm(slope)) ** 2)
        self._length, self._fresh = 1.0, True

    def _step(self, point: Point) -> Step:
        gradient = self._gradient(point)
        z = point.u / self._scale
        slack = self._bounds - self._normals @ z
        self._active = [i for i in self._active if slack[i] <= _ON]
        direction = self._direction(gradient, slack)
        length = self._longest(direction, slack) * self._length
        expected = point.objective + 2.0 * length * float(gradient @ direction)
        return Step(length * direction * self._scale, expected)

    def _gradient(self, point: Point) -> Array:
        return (self._problem.slope_at(point) * self._scale).T @ point.residual

    def _direction(self, gradient: Array, slack: Array) -> Array:
        """The projected direction, with constraints dropped that hold the search back."""
        assert self._metric is not None
        while True:
            direction, multipliers = self._projected(gradient)
            if len(multipliers):
                worst = int(np.argmin(multipliers))
                gain = multipliers[worst] / np.sqrt(self._stretch(worst))
                if gain < 0.0 and np.linalg.norm(direction) <= -gain:
                    del self._active[worst]
                    continue
            moving = self._normals @ direction
            ahead = np.flatnonzero((slack <= _ON) & (moving > 1e-12))
            blocked = [int(i) for i in ahead if i not in self._active]
            if not blocked:
                return direction
            self._active.append(max(blocked, key=lambda i: float(moving[i])))
            if len(self._active) > len(gradient):
                return np.zeros_like(gradient)

    def _projected(self, gradient: Array) -> tuple[Array, Array]:
        """``−H_N g`` and the multipliers of the active constraints, negative where wrong."""
        assert self._metric is not None
        steepest = self._metric @ gradient
        if not self._active:
            return -steepest, np.zeros(0)
        normals = self._normals[self._active].T
        across = self._metric @ normals
        system = normals.T @ across
        multipliers = np.linalg.lstsq(system, normals.T @ steepest, rcond=None)[0]
        return -(steepest - across @ multipliers), -multipliers

    def _stretch(self, position: int) -> float:
        normals = self._normals[self._active].T
        assert self._metric is not None
        inverse = np.linalg.pinv(normals.T @ self._metric @ normals)
        return max(1e-300, float(inverse[position, position]))

    def _longest(self, direction: Array, slack: Array) -> float:
        """How much of a direction no constraint and no length forbids, at most all of it."""
        longest = float(np.abs(direction * self._scale).max(initial=0.0))
        most = min(1.0, _LONGEST_STEP / longest) if longest > 0.0 else 1.0
        moving = self._normals @ direction
        ahead = (moving > 1e-12) & (slack > _ON)
        if not ahead.any():
            return most
        return min(most, float((slack[ahead] / moving[ahead]).min()))

    def learn(self, before: Point, after: Point, step: Step) -> None:
        """Update the metric after a decrease; shorten the step by a cubic where there was none."""
        sigma = step.d / self._scale
        first, second = self._gradient(before), self._gradient(after)
        if after.objective >= before.objective:
            slopes = float(first @ sigma), float(second @ sigma)
            self._length *= _cubic(before.objective, after.objective, *slopes)
            return
        self._length, self._fresh = 1.0, False
        self._update(sigma, second - first)

    def _update(self, sigma: Array, change: Array) -> None:
        assert self._metric is not None
        inner = float(sigma @ change)
        if inner <= 1e-12 * float(np.linalg.norm(sigma) * np.linalg.norm(change)):
            return  # the metric must stay positive definite
        along = self._metric @ change
        stretch = float(change @ along)
        if inner >= stretch:  # Fletcher's test: BFGS, else DFP
            mixed = np.outer(sigma, along)
            factor = (1.0 + stretch / inner) / inner
            self._metric = self._metric + factor * np.outer(sigma, sigma) - (mixed + mixed.T) / inner
        else:
            self._metric = self._metric + np.outer(sigma, sigma) / inner - np.outer(along, along) / stretch


def _cubic(start: float, end: float, slope_start: float, slope_end: float) -> float:
    """Where, from 0 to 1, the cubic through two values and slopes is lowest; kept in 0.05–0.5.

    Slopes are half of the objective's.
    """
    a, b = 2.0 * slope_start, 2.0 * slope_end
    turn = a + b - 3.0 * (end - start)
    root = turn * turn - a * b
    if root < 0.0:
        return 0.5
    root = float(np.sqrt(root))
    denominator = b - a + 2.0 * root
    lowest = 1.0 - (b + root - turn) / denominator if denominator != 0.0 else 0.5
    return min(0.5, max(0.05, lowest))

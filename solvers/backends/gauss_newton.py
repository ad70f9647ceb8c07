"""The default metric: damped Gauss–Newton, since the objective is a sum of squares.

The damping adapts to how well the linear model foretold the last step (Levenberg–Marquardt). The
second derivative of the residual is left out, so the metric costs no more than the Jacobian.
"""

from __future__ import annotations

import numpy as np

from ..problem import Point, Problem
from .bounded_step import Step, bounded_step

_FIRST_DAMPING = 0.1  # times the mean squared row of J: large, so far targets do not fling limbs
_LEAST_DAMPING = 1e-8
_MOST_DAMPING = 1e6
_LONGEST_STEP = 1.0  # radians: beyond, the linear model of a rotation means nothing


class GaussNewtonMetric:
    """Proposes the bounded step of the linear model and adapts its damping."""

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._one_sided = problem.one_sided if problem.one_sided.any() else None
        self._damping = _FIRST_DAMPING

    def propose(self, point: Point) -> Step:
        """A step from ``point`` that stays within all bounds."""
        slope, space = self._problem.slope_at(point), self._problem.space
        scaled = slope * space.scale
        mean = float(np.vdot(scaled, scaled)) / max(1, len(scaled))
        damping = self._damping * mean + 1e-12
        step = bounded_step(slope, point.signed, self._one_sided, point.u, space, damping)
        longest = float(np.abs(step.d).max(initial=0.0))
        if longest <= _LONGEST_STEP:
            return step
        return step.shortened(_LONGEST_STEP / longest, point.objective)

    def learn(self, before: Point, after: Point, step: Step) -> None:
        """Trust the model more where it foretold well, less where not."""
        expected = before.objective - step.expected
        ratio = (before.objective - after.objective) / max(expected, 1e-300)
        if ratio > 0.75:
            self._damping = max(0.1 * self._damping, _LEAST_DAMPING)
        elif ratio < 0.25:
            self._damping *= 4.0 if ratio > 0.0 else 10.0

    @property
    def spent(self) -> bool:
        """Whether steps have become too short to matter."""
        return self._damping > _MOST_DAMPING

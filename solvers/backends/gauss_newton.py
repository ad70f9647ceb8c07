"""The default metric: damped Gauss–Newton, since the objective is a sum of squares.

The damping adapts to how well the model foretold the last step (Levenberg–Marquardt). While goals
come closer quickly, the second derivative of the residual does not matter and is left out. Where
they cannot be met it does: then the steps are Newton's, with the curvature of the chains.
"""

from __future__ import annotations

import numpy as np

from ..problem import Point, Problem
from .bounded_step import CurvedModel, LinearModel, Model, Step, bounded_step

_FIRST_DAMPING = 0.1  # times the mean squared row of J: large, so far targets do not fling limbs;
_FAR = 0.1  # sizes of the figure: less from nearer ones, which the linear model reaches at once
_LEAST_DAMPING = 1e-8
_MOST_DAMPING = 1e6
_LONGEST_STEP = 1.0  # radians: beyond, a quadratic model of rotations means nothing
_SLOW = 0.5  # a decrease by less than this part says that the linear model misses something
_CURVED_DAMPING = 0.01  # to begin with, once the curvature is worth its price


class GaussNewton:
    """Proposes the bounded step of its model and adapts the damping."""

    @property
    def patience(self) -> int:
        """With the curvature, steps converge so fast that a small one is the last worth taking."""
        return 1 if self._slow else 2

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._one_sided = problem.terms.one_sided
        self._damping = 0.0  # not known before the first step
        self._slow = False

    def propose(self, point: Point) -> Step:
        """A step from ``point`` that stays within all bounds."""
        if not self._damping:
            distance = point.objective / (_FAR * self._problem.figure.size) ** 2
            self._damping = max(_FIRST_DAMPING * min(1.0, distance), 1e-6)
        step = bounded_step(self._model(point), point.u, self._problem.space)
        longest = float(np.abs(step.d).max(initial=0.0))
        if longest <= _LONGEST_STEP:
            return step
        return step.shortened(_LONGEST_STEP / longest, point.objective)

    def _model(self, point: Point) -> Model:
        scale = self._problem.space.scale
        slope = self._problem.slope_at(point) * scale
        damping = self._damping * float(np.vdot(slope, slope)) / max(1, len(slope)) + 1e-12
        if not self._slow:
            return LinearModel(slope, self._problem.branch(point), self._one_sided, damping)
        counted = slope
        if self._one_sided is not None:
            counted = slope * (~self._one_sided | (point.signed > 0.0))[:, None]
        hessian = counted.T @ counted + self._problem.curvature(point) * np.outer(scale, scale)
        gradient = counted.T @ point.residual
        free = self._problem.projected(point.u, gradient) == gradient
        return CurvedModel(point.objective, gradient, hessian, free, damping)

    def learn(self, before: Point, after: Point, step: Step) -> None:
        """Trust the model more where it foretold well, less where not."""
        gain, expected = before.objective - after.objective, before.objective - step.expected
        ratio = gain / max(expected, 1e-300)
        if ratio > 0.75:
            self._damping = max(0.1 * self._damping, _LEAST_DAMPING)
        elif ratio < 0.25:
            self._damping = max(self._damping, 1e-6) * (4.0 if ratio > 0.0 else 10.0)
        if gain < _SLOW * before.objective:
            if not self._slow:
                self._damping = min(self._damping, _CURVED_DAMPING)
            self._slow = True

    @property
    def spent(self) -> bool:
        """Whether steps have become too short to matter."""
        return self._damping > _MOST_DAMPING

"""The nonlinear program of Zhao & Badler: all goals in one objective, within linear constraints.

Descent: from a feasible point, a metric proposes a feasible step; only a decrease is accepted; it
ends when all goals are met, at a Kuhn–Tucker point, or when steps stop paying. Two metrics serve
the one loop: `gauss_newton` and `variable_metric`.

A descent finds the nearest minimum. Where that is not good enough, `escape` leads on. What is
reported is the best so far, so the objective never rises.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from ..problem import Point, Problem
from ..result import Status
from . import escape
from .base import Backend, Progress
from .bounded_step import Step
from .gauss_newton import GaussNewton
from .variable_metric import VariableMetric

_SMALL = 1e-3  # a decrease below this part of the objective is small
_HOPELESS = 1e-7  # so small a decrease, even by the model, is none
_EXITS = 3  # along negative curvature, after each start
_RESTARTS = 8


class Metric(Protocol):
    """What makes a step of a gradient. ``patience``: how many small decreases end a descent."""

    patience: int

    def propose(self, point: Point) -> Step: ...

    def learn(self, before: Point, after: Point, step: Step) -> None: ...

    @property
    def spent(self) -> bool: ...


class Nonlinear(Backend):
    """One weighted objective, descended with a metric that subclasses choose."""

    def metric(self, problem: Problem) -> Metric:
        raise NotImplementedError

    def iterate(self, problem: Problem) -> Iterator[Progress]:
        best = problem.evaluate(np.zeros(problem.space.size))
        iterations = 0
        if problem.met(best) or not problem.space.size:
            status = Status.MET if problem.met(best) else Status.COMPROMISE
            yield Progress(best, 0, 1, status)
            return
        for point in self._search(problem, best):
            iterations += 1
            if point.objective < best.objective:
                best = point
            status = Status.MET if problem.met(best) else None
            yield Progress(best, iterations, iterations + 1, status)
            if status is not None:
                return
        yield Progress(best, iterations, iterations + 1, Status.COMPROMISE)

    def _search(self, problem: Problem, start: Point) -> Iterator[Point]:
        """Every point tried, descent after descent, until there is no hope for a better one."""
        rng = np.random.default_rng(0)
        point: Point | None = escape.bent(problem, start)
        for _ in range(1 + _RESTARTS):
            for _ in range(1 + _EXITS):
                assert point is not None
                for point in self._descend(problem, point):
                    yield point
                stalled = point
                point = escape.downhill(problem, stalled)
                if point is None:
                    break
            if not escape.hopeful(problem, stalled):
                return
            point = escape.elsewhere(problem, rng, stalled)

    def _descend(self, problem: Problem, point: Point) -> Iterator[Point]:
        metric = self.metric(problem)
        small = 0
        yield point
        while small < metric.patience and not metric.spent:
            step = metric.propose(point)
            if point.objective - step.expected < _HOPELESS * point.objective:
                break
            space = problem.space
            trial = problem.evaluate(
                np.clip(point.u + step.d, space.lower, space.upper), point.branches
            )
            metric.learn(point, trial, step)
            gain = point.objective - trial.objective
            if gain > 0.0:
                small = small + 1 if gain < _SMALL * point.objective else 0
                point = problem.rebranched(trial)
            yield point


class NonlinearGaussNewton(Nonlinear):
    """The default: damped Gauss–Newton."""

    def metric(self, problem: Problem) -> Metric:
        return GaussNewton(problem)


class NonlinearVariableMetric(Nonlinear):
    """As the paper has it: BFGS with the DFP switch."""

    def metric(self, problem: Problem) -> Metric:
        return VariableMetric(problem)

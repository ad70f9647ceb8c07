"""The nonlinear program of Zhao & Badler: all goals in one objective, within linear constraints.

Descent: from a feasible point, a metric proposes a feasible step; only a decrease is accepted; it
ends when all goals are met, at a Kuhn–Tucker point, or when steps stop paying. Two metrics serve
the one loop: `gauss_newton` and `variable_metric`.

A descent finds the nearest minimum. Where that is not good enough, `escape` leads on. What is
reported is the best so far, so the objective never rises.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Protocol

import numpy as np

from ..problem import Point, Problem
from ..result import Status
from . import escape
from .base import Backend, Progress
from .bounded_step import Step
from .gauss_newton import GaussNewton
from .variable_metric import VariableMetric

_SMALL = 0.01  # a step that changes no goal's potential by more than this part is small
_HOPELESS = 1e-10  # so small a decrease, even by the model, is none
_SLOW = 0.3  # a start elsewhere that comes closer to the best by less, step by step, is given up
_WORTH = 0.98  # so much lower must the objective be for a pose from elsewhere
_FAINT = 0.01  # a way out that lowers the objective by less leads nowhere
_EXITS = 3  # along negative curvature, after each start


class Metric(Protocol):
    """What makes a step of a gradient. ``patience``: how many small steps end a descent."""

    @property
    def patience(self) -> int: ...

    def propose(self, point: Point) -> Step: ...

    def learn(self, before: Point, after: Point, step: Step) -> None: ...

    @property
    def spent(self) -> bool: ...


class Nonlinear(Backend):
    """One weighted objective, descended with a metric that subclasses choose."""

    def metric(self, problem: Problem) -> Metric:
        raise NotImplementedError

    def iterate(self, problem: Problem, restarts: int = 0) -> Iterator[Progress]:
        best = problem.evaluate(np.zeros(problem.space.size))
        iterations = 0
        if problem.met(best) or not problem.space.size:
            yield Progress(best, 0, 1, Status.MET if problem.met(best) else Status.COMPROMISE)
            return
        for point in self._search(problem, best, restarts):
            iterations += 1
            if point.objective < best.objective:
                best = point
            status = Status.MET if problem.met(best) else None
            yield Progress(best, iterations, iterations + 1, status)
            if status is not None:
                return
        yield Progress(best, iterations, iterations + 1, Status.COMPROMISE)

    def _search(self, problem: Problem, start: Point, restarts: int) -> Iterator[Point]:
        """Every point tried, descent after descent, until there is no hope for a better one."""
        rng = np.random.default_rng(0)
        best = yield from self._settle(problem, escape.bent(problem, start), bar=None)
        for point in escape.other_branches(problem, best):
            point = yield from self._settle(problem, point, bar=_WORTH * best.objective, choose=False)
            if point.objective < _WORTH * best.objective:
                best = point
        starts, near = escape.worthwhile_restarts(problem, best)
        while min(restarts, starts) > 0:
            restarts, starts = restarts - 1, starts - 1
            point = escape.elsewhere(problem, rng, best, near)
            if not near and not escape.promising(problem, point, best):
                continue
            point = yield from self._settle(problem, point, bar=_WORTH * best.objective)
            if point.objective < _WORTH * best.objective:
                best = point
                starts += 1  # where there was a lower one, there may be another

    def _settle(
        self, problem: Problem, point: Point, bar: float | None, choose: bool = True
    ) -> Generator[Point, None, Point]:
        """Descend to a minimum that no curvature leads out of; it is the return value.

        ``choose``: whether sets of goals may change to a better branch on the way.
        """
        before = np.inf
        for _ in range(1 + _EXITS):
            point, hopeless = yield from self._descend(problem, point, bar, choose)
            if hopeless or point.objective > (1.0 - _FAINT) * before:
                break
            before = point.objective
            if choose:
                point = problem.rebranched(point, settle=True)
            below = escape.downhill(problem, point)
            if below is None:
                break
            point = below
        return point

    def _descend(
        self, problem: Problem, point: Point, bar: float | None, choose: bool
    ) -> Generator[Point, None, tuple[Point, bool]]:
        """Step by step to a stationary point; or until hopeless, which is the second value.

        Hopeless: so slow that it stays above ``bar``.
        """
        metric = self.metric(problem)
        space = problem.space
        small = steps = 0
        yield point
        while small < metric.patience and not metric.spent:
            step = metric.propose(point)
            if point.objective - step.expected < _HOPELESS * point.objective:
                break
            u = np.minimum(np.maximum(point.u + step.d, space.lower), space.upper)
            trial = problem.evaluate(u, point.branches)
            metric.learn(point, trial, step)
            gain = point.objective - trial.objective
            small = small + 1 if gain <= 0.0 or problem.settled(point, trial, _SMALL) else 0
            steps += 1
            excess = 0.0 if bar is None else max(0.0, point.objective - bar)
            hopeless = excess > 0.0 and steps >= metric.patience + 2 and gain < _SLOW * excess
            if gain > 0.0:
                point = problem.rebranched(trial) if choose else trial
            if hopeless:
                return point, True
            yield point
        return point, False


class NonlinearGaussNewton(Nonlinear):
    """The default: damped Gauss–Newton."""

    def metric(self, problem: Problem) -> Metric:
        return GaussNewton(problem)


class NonlinearVariableMetric(Nonlinear):
    """As the paper has it: BFGS with the DFP switch."""

    def metric(self, problem: Problem) -> Metric:
        return VariableMetric(problem)

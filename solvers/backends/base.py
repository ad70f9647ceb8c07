"""What all backends share: the budget, the iterator and the making of a result."""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..constraints import broken_constraints
from ..judgement import judge
from ..postures import Postures
from ..problem import Point, Problem
from ..result import Result, Status


@dataclass(frozen=True)
class Budget:
    """How far a backend may go: iterations, seconds where given, and starts elsewhere.

    Starting elsewhere finds more poses, but they may look quite different: not for live posing. With
    ``rescue``, particles explore where goals are missed that may be within reach.
    """

    iterations: int = 300
    seconds: float = float("inf")
    restarts: int = 8
    rescue: bool = False


@dataclass(frozen=True)
class Progress:
    """Where a backend is after an iteration; ``status`` is None while it wants to go on.

    ``point`` is the best so far: its objective never rises.
    """

    point: Point
    iterations: int
    evaluations: int
    status: Status | None


class Backend(ABC):
    """Takes a problem and improves ``u`` step by step, within the bounds at every step.

    ``strict``: whether a goal of higher priority is never given up for one of lower.
    """

    strict = False

    @abstractmethod
    def iterate(self, problem: Problem, restarts: int = 0) -> Iterator[Progress]:
        """Progress after every iteration, the last with a status. The caller may stop anywhere."""

    def solve(self, problem: Problem, budget: Budget) -> Result:
        """Iterate until the backend is done or the budget is spent."""
        return Run(self, problem, budget.restarts).advance(budget)


class Run:
    """A backend at work on a problem, which can be told to go on where a budget has stopped it."""

    def __init__(self, backend: Backend, problem: Problem, restarts: int = 0) -> None:
        self._problem, self._strict = problem, backend.strict
        self._steps = backend.iterate(problem, restarts)
        self._iterations = 0

    def advance(self, budget: Budget) -> Result:
        """Iterate until the backend is done or this budget is spent; not to be called once it is done."""
        begin = time.perf_counter()
        for progress in self._steps:
            seconds = time.perf_counter() - begin
            status = progress.status
            if status is None and progress.iterations - self._iterations >= budget.iterations:
                status = Status.ITERATIONS
            if status is None and seconds >= budget.seconds:
                status = Status.TIME
            if status is not None:
                break
        else:
            raise RuntimeError("a backend must end with a status")
        self._iterations = progress.iterations
        return finish(self._problem, progress, status, seconds, self._strict)


def finish(problem: Problem, progress: Progress, status: Status, seconds: float, strict: bool) -> Result:
    """The result of a backend that stopped at ``progress``."""
    finished = status in (Status.MET, Status.COMPROMISE)
    point = progress.point
    q = problem.coordinates(point.u)
    on_limit = (q <= problem.figure.lower) | (q >= problem.figure.upper)
    return Result(
        q=q,
        status=status,
        goals=judge(problem, point, finished, strict),
        active=tuple(int(k) for k in np.flatnonzero(on_limit & problem.moving)),
        objective=point.objective,
        iterations=progress.iterations,
        evaluations=progress.evaluations,
        seconds=seconds,
        broken=broken_constraints(problem.constraints, Postures(problem.figure, q[None])),
    )

"""Strict priorities: a goal of lower priority gets only what those above leave free.

Goals that can all be met need no priorities: then all levels descend together, as in `nonlinear`.
Where they cannot, the levels without the last are solved first, in the same way; from where they come
to, the last one follows within what they leave (`lower_level`). Levels are solved with nothing but
what their goals feel, so that what they come to is the same with and without levels below them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import accumulate

import numpy as np

from ..problem import Point, Problem
from ..result import Status
from .base import Backend, Progress
from .levels import Ranking, levels_of
from .lower_level import LowerLevel
from .nonlinear import NonlinearGaussNewton


class Prioritized(Backend):
    """Any number of levels, each as good as those above it allow."""

    strict = True

    def iterate(self, problem: Problem, restarts: int = 0) -> Iterator[Progress]:
        start = problem.evaluate(np.zeros(problem.space.size))
        if problem.met(start) or not problem.space.size:
            yield Progress(start, 0, 1, Status.MET if problem.met(start) else Status.COMPROMISE)
            return
        ranking = Ranking(levels_of(problem), start)
        iterations = 0
        for point in _Search(problem, restarts).all_levels():
            iterations += 1
            if point is not None:
                ranking.offer(point)
            status = Status.MET if problem.met(ranking.best) else None
            yield Progress(ranking.best, iterations, iterations + 1, status)
            if status is not None:
                return
        yield Progress(ranking.best, iterations, iterations + 1, Status.COMPROMISE)


Tried = Generator[Point | None, None, Point]  # None for a step that is not of all variables


class _Search:
    """Solves the first level, the first two, and so on."""

    def __init__(self, problem: Problem, restarts: int) -> None:
        self._problem, self._restarts = problem, restarts
        *above, everything = accumulate(level.goals for level in levels_of(problem))
        self._goals = [*above, everything]

    def all_levels(self) -> Tried:
        return self._first(len(self._goals))

    def _part(self, count: int) -> Problem:
        return self._problem if count == len(self._goals) else self._problem.part(self._goals[count - 1])

    def _first(self, count: int) -> Tried:
        """Solve so many levels; the point that is returned is one of their part of the problem."""
        part = self._part(count)
        for progress in NonlinearGaussNewton().iterate(part, self._restarts):
            # A compromise between levels is none of what is asked for.
            shown = part is self._problem and (count == 1 or progress.status is Status.MET)
            yield progress.point if shown else None
        point = progress.point
        if progress.status is not Status.MET:
            point = yield from self._one_by_one(part, count, point)
        if part is not self._problem:
            yield self._problem.evaluate(self._problem.taken_over(part, point.u))
        return point

    def _one_by_one(self, part: Problem, count: int, point: Point) -> Tried:
        """The levels above, and then the last within what they leave."""
        if count > 1:
            above = yield from self._first(count - 1)
            point = part.evaluate(part.taken_over(self._part(count - 1), above.u))
        *upper, level = levels_of(part)
        steps = LowerLevel(part, level, upper, point).descend(point)
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                return end.value
            yield step if part is self._problem else None

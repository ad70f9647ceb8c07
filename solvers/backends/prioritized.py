"""Strict priorities: a goal of lower priority gets only what those above leave free.

Goals that can all be met need no priorities: then all levels descend together, as in `nonlinear`.
Where they cannot, the levels without the last are solved, and so on, until what is left is met or
only the first level is. From there the others follow one by one, each within what those above it leave
(`lower_level`). So whatever a level comes to is the same whether or not there are levels below it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence

import numpy as np

from ..problem import Point, Problem
from ..result import Status
from .base import Backend, Progress
from .levels import Level, Ranking, levels_of
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
        levels = levels_of(problem)
        ranking = Ranking(levels, start)
        iterations = 0
        for point in _search(problem, levels, restarts):
            iterations += 1
            ranking.offer(point)
            status = Status.MET if problem.met(ranking.best) else None
            yield Progress(ranking.best, iterations, iterations + 1, status)
            if status is not None:
                return
        yield Progress(ranking.best, iterations, iterations + 1, Status.COMPROMISE)


def _search(problem: Problem, levels: Sequence[Level], restarts: int) -> Iterator[Point]:
    """Every point tried, until each level is as good as those above it allow."""
    count, point = yield from _together(problem, levels, restarts)
    for k in range(count, len(levels)):
        point = yield from LowerLevel(problem, levels[k], levels[:k], point).descend(point)


def _together(
    problem: Problem, levels: Sequence[Level], restarts: int
) -> Generator[Point, None, tuple[int, Point]]:
    """How many levels can be met at once, and where; at least the first is as near as it comes."""
    for count in range(len(levels), 0, -1):
        part = problem
        if count < len(levels):
            part = problem.among([g for level in levels[:count] for g in level.goals])
        point = problem.evaluate(np.zeros(problem.space.size))
        for progress in NonlinearGaussNewton().iterate(part, restarts):
            if part is problem:
                point = progress.point
            yield point
        if part is not problem:
            point = problem.evaluate(progress.point.u)
            yield point
        if progress.status is Status.MET:
            return count, point
    return 0, point

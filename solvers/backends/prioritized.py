"""Strict priorities: a goal of lower priority gets only what those above leave free.

Goals that can all be met need no priorities: then all levels descend together, as in `nonlinear`.
Where they cannot, the levels without the last are solved first, in the same way; from where they come
to, the last one follows within what they leave (`lower_level`). Levels are solved with nothing but
what their goals feel, so that what they come to is the same with and without levels below them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from itertools import accumulate, count

import numpy as np

from ..arrays import Array
from ..problem import Point, Problem
from ..result import Status
from .base import Backend, Progress
from .levels import Ranking, levels_of
from .lower_level import LowerLevel
from .nonlinear import NonlinearGaussNewton

_NEARLY = 0.01  # in sizes of the figure: what misses by so little is rarely all a body can do
_INSIDE = 0.1  # of the way to the middle of the limits


class Prioritized(Backend):
    """Any number of levels, each as good as those above it allow."""

    strict = True

    def iterate(self, problem: Problem, restarts: int = 0) -> Iterator[Progress]:
        start = problem.evaluate(np.zeros(problem.space.size))
        if problem.met(start) or not problem.space.size:
            yield Progress(start, 0, 1, Status.MET if problem.met(start) else Status.COMPROMISE)
            return
        ranking = Ranking(levels_of(problem), start)
        tried = _Search(problem, restarts).all_levels()
        for iterations in count(1):
            try:
                point = next(tried)
            except StopIteration as end:
                yield Progress(end.value, iterations, iterations + 1, Status.COMPROMISE)
                return
            if point is not None:
                ranking.offer(point)
            status = Status.MET if problem.met(ranking.best) else None
            yield Progress(ranking.best, iterations, iterations + 1, status)
            if status is not None:
                return


Tried = Generator[Point | None, None, Point]  # None for a step that is not of all variables


class _Search:
    """Solves the first level, the first two, and so on."""

    def __init__(self, problem: Problem, restarts: int) -> None:
        self._problem, self._restarts = problem, restarts
        *above, everything = accumulate(level.goals for level in levels_of(problem))
        self._goals = [*above, everything]

    def all_levels(self) -> Tried:
        return self._first(len(self._goals))

    def _part(self, size: int) -> Problem:
        return self._problem if size == len(self._goals) else self._problem.part(self._goals[size - 1])

    def _first(self, size: int) -> Tried:
        """Solve so many levels; the point that is returned is one of their part of the problem."""
        part = self._part(size)
        point, met = yield from self._together(part, size)
        if not met:
            point = yield from self._one_by_one(part, size, point)
        if part is not self._problem:
            yield self._problem.evaluate(_taken_over(self._problem, part, point))
        return point

    def _together(self, part: Problem, size: int) -> Generator[Point | None, None, tuple[Point, bool]]:
        """All these levels as if they were one, and whether they are met."""
        point = yield from self._descended(part, size)
        near = point.objective < (_NEARLY * part.figure.size) ** 2
        if near and self._restarts and not part.met(point):
            inside = _from_inside(part)
            other = yield from self._descended(inside, size)
            if inside.met(other):
                point = part.evaluate(_taken_over(part, inside, other))
                yield point if part is self._problem else None
        return point, part.met(point)

    def _descended(self, part: Problem, size: int) -> Tried:
        for progress in NonlinearGaussNewton().iterate(part, self._restarts):
            # A compromise between levels is none of what is asked for.
            shown = part is self._problem and (size == 1 or progress.status is Status.MET)
            yield progress.point if shown else None
        return progress.point

    def _one_by_one(self, part: Problem, size: int, point: Point) -> Tried:
        """The levels above, and then the last within what they leave."""
        if size > 1:
            above = yield from self._first(size - 1)
            point = part.evaluate(_taken_over(part, self._part(size - 1), above))
        *upper, level = levels_of(part)
        steps = LowerLevel(part, level, upper, point).descend(point)
        while True:
            try:
                step = next(steps)
            except StopIteration as end:
                return end.value
            yield step if part is self._problem else None


def _taken_over(problem: Problem, part: Problem, point: Point) -> Array:
    """Where a point of a part is among all variables; the others are at their start."""
    space = problem.space
    return np.clip(problem.variables_at(part.coordinates(point.u)), space.lower, space.upper)


def _from_inside(part: Problem) -> Problem:
    """The same from a little nearer to the middle of all limits."""
    figure, start = part.figure, part.space.start
    bounded = part.moving & np.isfinite(figure.lower) & np.isfinite(figure.upper)
    inside = start.copy()
    inside[bounded] += _INSIDE * (0.5 * (figure.lower + figure.upper) - start)[bounded]
    return part.retargeted(part.goals, inside)

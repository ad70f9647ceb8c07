"""Strict priorities: a goal of lower priority gets only what those above leave free.

Goals that can all be met need no priorities: then all levels descend together, as in `nonlinear`.
Where they cannot, the levels without the last are solved first, in the same way; from where they come
to, the last one follows within what they leave (`lower_level`). Levels are solved with nothing but
what their goals feel, so that what they come to is the same with and without levels below them.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from itertools import count

import numpy as np

from ..arrays import Array
from ..problem import Point, Problem
from ..result import Status
from .base import Progress
from .levels import Level, PostureLevel, Ranking, levels_of
from .lower_level import LowerLevel
from .nonlinear import NonlinearGaussNewton

_STEPS, _LIVE_STEPS = 60, 8  # of one level; live, the next solve goes on from there
_NEARLY = 0.01  # in sizes of the figure: what misses by so little is rarely all a body can do
_INSIDE = 0.1  # of the way to the middle of the limits


Tried = Generator[Point | None, None, Point]  # None for a step that is not to be shown


class Prioritized(NonlinearGaussNewton):
    """Any number of levels, each as good as those above it allow."""

    strict = True

    def iterate(self, problem: Problem, restarts: int = 0) -> Iterator[Progress]:
        start = problem.evaluate(np.zeros(problem.space.size))
        if (problem.met(start) and problem.reference is None) or not problem.space.size:
            yield Progress(start, 0, 1, Status.MET if problem.met(start) else Status.COMPROMISE)
            return
        best: Point = start
        status: Status | None = None
        tried = _Search(self, problem, restarts).run(start)
        for iterations in count(1):
            try:
                point = next(tried)
            except StopIteration as end:
                best, status = end.value, Status.MET if problem.met(end.value) else Status.COMPROMISE
            else:
                best, status = best if point is None else point, None
            yield Progress(best, iterations, iterations + 1, status)
            if status is not None:
                return

    def together(self, problem: Problem, start: Point, restarts: int) -> Tried:
        """All levels as if they were one, until they are met; the best point."""
        best, alone = start, len(problem.priorities) == 1
        for point in self._search(problem, start, restarts):
            if point.objective < best.objective:
                best = point
            if problem.met(best):
                break
            # A compromise between levels is none of what is asked for.
            yield best if alone else None
        return best


class _Search:
    """Solves the first level, the first two, and so on."""

    def __init__(self, backend: Prioritized, problem: Problem, restarts: int) -> None:
        self._backend, self._problem, self._restarts = backend, problem, restarts
        self._best: Ranking | None = None

    def run(self, start: Point) -> Tried:
        """All levels, and then the reference within what they leave."""
        point = start
        if not self._problem.met(start):
            point = yield from self._first(len(self._problem.priorities), start)
        if self._problem.reference is None:
            return point
        yield point
        posture = PostureLevel(self._problem, self._problem.reference)
        return (yield from self._descended(self._problem, posture, levels_of(self._problem), point))

    def _first(self, size: int, start: Point) -> Tried:
        """Solve so many levels; the point that is returned is one of their part of the problem."""
        part = self._part(size)
        point = yield from _shown(self._together(part, start), part is self._problem)
        if not part.met(point):
            point = yield from self._one_by_one(part, size, point)
        if part is not self._problem:
            yield self._offered(self._problem.evaluate(_taken_over(self._problem, part, point)))
        return point

    def _part(self, size: int) -> Problem:
        priorities = self._problem.priorities
        if size == len(priorities):
            return self._problem
        kept = [g for g, goal in enumerate(self._problem.goals) if goal.priority <= priorities[size - 1]]
        return self._problem.part(kept)

    def _offered(self, point: Point) -> Point:
        """The best of all that were shown."""
        if self._best is None:
            first = self._problem.evaluate(np.zeros(self._problem.space.size))
            self._best = Ranking(levels_of(self._problem), first)
        self._best.offer(point)
        return self._best.best

    def _together(self, part: Problem, start: Point) -> Tried:
        """All these levels at once; once more from inside of the limits where they are nearly met."""
        point = yield from self._backend.together(part, start, self._restarts)
        near = point.objective < (_NEARLY * part.figure.size) ** 2
        if near and self._restarts and not part.met(point):
            inside = _from_inside(part)
            other = inside.evaluate(np.zeros(part.space.size))
            other = yield from _shown(self._backend.together(inside, other, self._restarts), False)
            if inside.met(other):
                point = part.evaluate(_taken_over(part, inside, other))
        return point

    def _one_by_one(self, part: Problem, size: int, point: Point) -> Tried:
        """The levels above, and then the last within what they leave."""
        if size > 1:
            start = self._part(size - 1)
            above = yield from self._first(size - 1, start.evaluate(np.zeros(start.space.size)))
            point = part.evaluate(_taken_over(part, start, above))
        *upper, level = levels_of(part)
        return (yield from self._descended(part, level, upper, point))

    def _descended(
        self, part: Problem, level: Level | PostureLevel, upper: Sequence[Level], point: Point
    ) -> Tried:
        steps = _STEPS if self._restarts else _LIVE_STEPS
        descent = LowerLevel(part, level, upper, point).descend(point, steps)
        return (yield from _shown(descent, part is self._problem))


def _shown(tried: Generator[Point | None, None, Point], show: bool) -> Tried:
    """The same steps, to be seen or not."""
    while True:
        try:
            point = next(tried)
        except StopIteration as end:
            last: Point = end.value
            return last
        yield point if show else None


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

"""The particle filter as a backend: forward kinematics only, any constraint that can be computed.

What is reported is the best estimate so far: of those that hard constraints allow, one that meets the goals
before one that does not; the lower objective; and once the goals are met, the lower cost.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..particles import Cloud, ParticleFilter, scattered
from ..problem import Point, Problem
from ..result import Status
from .base import Backend, Progress

_LEAST, _MOST = 30, 128  # particles
_PATIENCE, _LESS = 30, 15  # steps without gain that end the search; from a start elsewhere
_RESTARTS = 1  # at most: a cloud explores by itself
_GAIN = 2e-3  # part by which the objective or the cost must fall to count as one


class Particles(Backend):
    """Courty & Arnaud's filter, seeded: the same problem gives the same pose."""

    def iterate(self, problem: Problem, restarts: int = 0) -> Iterator[Progress]:
        start = problem.evaluate(np.zeros(problem.space.size))
        met = problem.met(start)
        if (met and not problem.constraints) or not problem.space.size:
            yield Progress(start, 0, 1, Status.MET if met else Status.COMPROMISE)
            return
        count = min(max(_LEAST, 2 * problem.terms.rows), _MOST)
        rng = np.random.default_rng(0)
        search, step = _Search(problem, start), 0
        particles = None
        for last in [False] * min(restarts, _RESTARTS) + [True]:
            for cloud in ParticleFilter(problem, rng, count, problem.constraints, start=particles):
                status, step = search.see(cloud), step + 1
                if status is Status.COMPROMISE and not last:
                    break
                yield Progress(search.best, step, 1 + step * count, status)
                if status is not None:
                    return
            search.begin(_LESS)
            particles = scattered(problem, rng, count)


Rank = tuple[bool, bool, float]  # forbidden, missed, cost or objective: the lower, the better
_WORST: Rank = (True, True, np.inf)


class _Search:
    """The best so far, and whether to go on."""

    def __init__(self, problem: Problem, start: Point) -> None:
        self._problem = problem
        self._soft = any(not each.hard for each in problem.constraints)
        self.best, self._rank = start, _WORST
        self.begin(_PATIENCE)

    def begin(self, patience: int) -> None:
        """From another start."""
        self._lowest, self._waited, self._patience = _WORST, 0, patience

    def see(self, cloud: Cloud) -> Status | None:
        """Take the cloud's estimate if it is better; a status where there is nothing more to gain."""
        number = cloud.estimate
        self._waited += 1
        if cloud.objectives[number] < self._lowest[2] or self._problem.constraints:
            self._compare(cloud, number)
        forbidden, missed, _ = self._rank
        if not forbidden and not missed and (not self._soft or self._waited >= self._patience):
            return Status.MET
        return Status.COMPROMISE if self._waited >= self._patience else None

    def _compare(self, cloud: Cloud, number: int) -> None:
        point = self._problem.evaluate(cloud.us[number])
        met = self._problem.met(point)
        cost = float(cloud.costs[number].sum())
        rank = (not cloud.allowed[number], not met, cost if met else point.objective)
        if rank[:2] < self._lowest[:2] or rank[2] < (1.0 - _GAIN) * self._lowest[2]:
            self._lowest, self._waited = rank, 0
        if rank < self._rank and (self._problem.constraints or point.objective < self.best.objective):
            self.best, self._rank = point, rank

"""The particle filter as a backend: forward kinematics only, any constraint that can be computed.

What is reported is the best estimate so far: of those that hard constraints allow, one that meets the goals
before one that does not; the lower objective; and once the goals are met, the lower cost.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..particles import Cloud, ParticleFilter
from ..problem import Point, Problem
from ..result import Status
from .base import Backend, Progress

_LEAST, _MOST = 30, 128  # particles
_PATIENCE = 40  # steps without gain end the search
_GAIN = 1e-3  # part by which the objective or the cost must fall to count as one


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
        search = _Search(problem, start)
        for step, cloud in enumerate(ParticleFilter(problem, rng, count, problem.constraints), start=1):
            status = search.see(cloud)
            yield Progress(search.best, step, 1 + step * count, status)
            if status is not None:
                return


class _Search:
    """The best so far, and whether to go on."""

    def __init__(self, problem: Problem, start: Point) -> None:
        self._problem = problem
        self.best = start
        self._rank: tuple[bool, bool, float] = (True, True, np.inf)  # the lower, the better
        self._waited = 0
        self._soft = any(not each.hard for each in problem.constraints)

    def see(self, cloud: Cloud) -> Status | None:
        """Take the cloud's estimate if it is better; a status where there is nothing more to gain."""
        number = cloud.estimate
        self._waited += 1
        if self.best.objective > cloud.objectives[number] or self._problem.constraints:
            point = self._problem.evaluate(cloud.us[number])
            self._compare(point, bool(cloud.allowed[number]), float(cloud.costs[number].sum()))
        forbidden, missed, _ = self._rank
        if not forbidden and not missed and (not self._soft or self._waited >= _PATIENCE):
            return Status.MET
        return Status.COMPROMISE if self._waited >= _PATIENCE else None

    def _compare(self, point: Point, allowed: bool, cost: float) -> None:
        met = self._problem.met(point)
        rank = (not allowed, not met, cost if met else point.objective)
        if rank >= self._rank:
            return
        if rank[:2] < self._rank[:2] or rank[2] < (1.0 - _GAIN) * self._rank[2]:
            self._waited = 0
        self.best, self._rank = point, rank

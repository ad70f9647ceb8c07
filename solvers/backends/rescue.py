"""Where a local backend stopped at a poor minimum: particles explore, and it goes on from what they find.

Particles scattered over all that the limits allow need no descent to come near the goals; a few steps of
the filter tell which basin is worth a descent. Only a pose that keeps every goal met so far, and is
clearly better, is taken.
"""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np

from ..arrays import Array
from ..particles import ParticleFilter, scattered
from ..problem import Problem
from ..result import Reason, Result
from .base import Backend, Budget

_ROUNDS = 12
_PARTICLES = 64
_STEPS = 25  # of the filter in each round
_NEAR = 0.02  # in sizes of the figure: goals missed by less may be within reach, whatever the reason given
_WORTH = 0.98  # so much lower must the objective be


def rescued(problem: Problem, backend: Backend, result: Result, budget: Budget) -> Result:
    """``result``, or a better one from elsewhere, with the effort of all."""
    begin, first = time.perf_counter(), result.seconds
    rng = np.random.default_rng(0)
    iterations, evaluations = result.iterations, result.evaluations
    for _ in range(_ROUNDS if _may_be_reachable(problem, result) else 0):
        if first + time.perf_counter() - begin >= budget.seconds:
            break
        q = _explored(problem, rng)
        found = backend.solve(problem.retargeted(problem.goals, q), budget)
        iterations += _STEPS + found.iterations
        evaluations += _STEPS * _PARTICLES + found.evaluations
        result = found if _better(found, result) else result
        if result.met:
            break
    seconds = first + time.perf_counter() - begin
    return replace(result, iterations=iterations, evaluations=evaluations, seconds=seconds)


def _may_be_reachable(problem: Problem, result: Result) -> bool:
    near = result.objective < (_NEAR * problem.figure.size) ** 2
    return near or any(not goal.met and goal.reason is not Reason.OUT_OF_REACH for goal in result.goals)


def _explored(problem: Problem, rng: np.random.Generator) -> Array:
    """The coordinates (d,) of the best that a scattered cloud finds in a few steps."""
    start = scattered(problem, rng, _PARTICLES)
    filtering = ParticleFilter(problem, rng, _PARTICLES, start=start)
    for _ in range(_STEPS):
        cloud = next(filtering)
    return problem.coordinates(cloud.us[cloud.estimate])


def _better(found: Result, result: Result) -> bool:
    kept = all(new.met or not old.met for new, old in zip(found.goals, result.goals, strict=True))
    return found.met or (kept and found.objective < _WORTH * result.objective)

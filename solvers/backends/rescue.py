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

_ROUNDS, _FAR_ROUNDS = 24, 2  # where goals are nearly met, which is rarely all a body can do, and where not
_NEARLY = 0.1  # in sizes of the figure
_PARTICLES = 64
_STEPS = 12  # of the filter in each round
_NEAR = 0.02  # in sizes of the figure: goals missed by less may be within reach, whatever the reason given
_WORTH = 0.98  # so much lower must the objective be


def rescued(problem: Problem, backend: Backend, result: Result, budget: Budget) -> Result:
    """``result``, or a better one from elsewhere, with the effort of all."""
    begin, first = time.perf_counter(), result.seconds
    rng = np.random.default_rng(0)
    iterations, evaluations = result.iterations, result.evaluations
    for _ in range(_rounds(problem, result)):
        if first + time.perf_counter() - begin >= budget.seconds:
            break
        q = _explored(problem, rng)
        found = backend.solve(problem.retargeted(problem.goals, q), replace(budget, restarts=0))
        iterations += _STEPS + found.iterations
        evaluations += _STEPS * _PARTICLES + found.evaluations
        result = found if _better(found, result) else result
        if result.met:
            break
    seconds = first + time.perf_counter() - begin
    return replace(result, iterations=iterations, evaluations=evaluations, seconds=seconds)


def _rounds(problem: Problem, result: Result) -> int:
    """How often to explore: not at all where every missed goal is out of reach by itself."""
    distance = result.objective**0.5 / problem.figure.size
    hopeless = all(goal.met or goal.reason is Reason.OUT_OF_REACH for goal in result.goals)
    if hopeless and distance > _NEAR:
        return 0
    return _ROUNDS if distance < _NEARLY else _FAR_ROUNDS


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

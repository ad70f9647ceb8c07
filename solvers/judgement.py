"""Why a goal is not met: read off the gradient of that goal alone where a backend stopped.

A goal that could still improve by itself is held back by the others; one that only its limits
stop is held back by them; one that nothing moves any closer is out of reach.
"""

from __future__ import annotations

import numpy as np

from .arrays import Array
from .problem import Point, Problem
from .result import GoalResult, Reason

_FLAT = 1e-2  # a gradient counts as zero below this part of the largest it could be
_OPPOSED = 0.3  # other goals hold one back if they pull at least by this part of its own pull


def judge(problem: Problem, point: Point, finished: bool) -> tuple[GoalResult, ...]:
    """How each goal came out."""
    met = problem.met_goals(point)
    errors = problem.errors(point)
    slope = None if met.all() or not finished else problem.slope_at(point)
    results = []
    for g, goal in enumerate(problem.goals):
        reason = Reason.NONE
        if not met[g]:
            reason = Reason.UNFINISHED if slope is None else _reason(problem, point, slope, g)
        results.append(GoalResult(goal.name, float(errors[g, 0]), float(errors[g, 1]), bool(met[g]), reason))
    return tuple(results)


def may_be_reachable(problem: Problem, point: Point, goal: int) -> bool:
    """Whether limits or other goals hold back a goal that is not met at a minimum.

    A chain without limits has no poor minima: a goal that its own gradient no longer moves is as
    near as it will ever be.
    """
    return _reason(problem, point, problem.slope_at(point), goal) is not Reason.OUT_OF_REACH


def _reason(problem: Problem, point: Point, slope: Array, g: int) -> Reason:
    rows = problem.rows_of(g)
    matrix, residual = slope[rows] * problem.space.scale, point.residual[rows]
    gradient = matrix.T @ residual
    steepest = float(np.linalg.norm(matrix) * np.linalg.norm(residual))
    size = float(np.linalg.norm(gradient))
    if size <= _FLAT * steepest:
        return Reason.OUT_OF_REACH
    inner = float(np.linalg.norm(problem.projected(point.u, gradient)))
    if inner <= _FLAT * steepest:
        return Reason.AT_A_LIMIT
    others = (slope * problem.space.scale).T @ point.residual - gradient
    if np.linalg.norm(problem.projected(point.u, others)) > _OPPOSED * inner:
        return Reason.CONFLICT
    # Nothing pulls the other way: what is left is how far from the very minimum a backend stopped.
    return Reason.AT_A_LIMIT if inner < 0.5 * size else Reason.OUT_OF_REACH

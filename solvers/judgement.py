"""Why a goal is not met: read off the gradient of that goal alone where a backend stopped.

A goal that could still improve by itself is held back by the others; one that only its limits
stop is held back by them; one that nothing moves any closer is out of reach. Where priorities are
strict, what its own level does not balance is held by a level above: the goal there whose rows
explain most of that pull overrules it.
"""

from __future__ import annotations

import numpy as np

from .arrays import Array
from .problem import Point, Problem
from .result import GoalResult, Reason

_FLAT = 1e-2  # a gradient counts as zero below this part of the largest it could be
_OPPOSED = 0.3  # other goals hold one back if they pull at least by this part of its own pull


def judge(problem: Problem, point: Point, finished: bool, strict: bool = False) -> tuple[GoalResult, ...]:
    """How each goal came out; ``strict``: whether goals of higher priority come first."""
    met = problem.met_goals(point)
    errors = problem.errors(point)
    slope = None if met.all() or not finished else problem.slope_at(point)
    results = []
    for g, goal in enumerate(problem.goals):
        reason, by = (Reason.NONE if met[g] else Reason.UNFINISHED), ""
        if slope is not None and not met[g]:
            reason, by = _reason(problem, point, slope, g, strict)
        distance, angle = (float(error) for error in errors[g])
        results.append(GoalResult(goal.name, distance, angle, bool(met[g]), reason, by))
    return tuple(results)


def may_be_reachable(problem: Problem, point: Point, goal: int) -> bool:
    """Whether limits or other goals hold back a goal that is not met at a minimum.

    A chain without limits has no poor minima: a goal that its own gradient no longer moves is as
    near as it will ever be.
    """
    return _reason(problem, point, problem.slope_at(point), goal)[0] is not Reason.OUT_OF_REACH


def _reason(problem: Problem, point: Point, slope: Array, g: int, strict: bool = False) -> tuple[Reason, str]:
    """Why a goal is not met, and by which goal it is overruled."""
    rows = problem.rows_of(g)
    matrix, residual = slope[rows] * problem.space.scale, point.residual[rows]
    gradient = matrix.T @ residual
    steepest = float(np.linalg.norm(matrix) * np.linalg.norm(residual))
    size = float(np.linalg.norm(gradient))
    if size <= _FLAT * steepest:
        return Reason.OUT_OF_REACH, ""
    inner = float(np.linalg.norm(problem.projected(point.u, gradient)))
    if inner <= _FLAT * steepest:
        return Reason.AT_A_LIMIT, ""
    overruling = _overruling(problem, point, slope, g) if strict else None
    if overruling is not None:
        return Reason.OVERRULED, problem.goals[overruling].name
    others = (slope * problem.space.scale).T @ point.residual - gradient
    if np.linalg.norm(problem.projected(point.u, others)) > _OPPOSED * inner:
        return Reason.CONFLICT, ""
    # Nothing pulls the other way: what is left is how far from the very minimum a backend stopped.
    return (Reason.AT_A_LIMIT if inner < 0.5 * size else Reason.OUT_OF_REACH), ""


def _overruling(problem: Problem, point: Point, slope: Array, g: int) -> int | None:
    """The goal of higher priority that holds back goal ``g`` the most; None where its equals do."""
    priority = problem.goals[g].priority
    scaled = slope * problem.space.scale
    level = np.isin(problem.row_owners, [h for h, o in enumerate(problem.goals) if o.priority == priority])
    pull = problem.projected(point.u, scaled[level].T @ point.residual[level])
    own = problem.rows_of(g)
    alone = problem.projected(point.u, scaled[own].T @ point.residual[own])
    upper = [h for h, other in enumerate(problem.goals) if other.priority < priority]
    if not upper or np.linalg.norm(pull) <= _OPPOSED * np.linalg.norm(alone):
        return None
    moving = pull != 0.0
    shares = [_explained(scaled[problem.rows_of(h)][:, moving], pull[moving]) for h in upper]
    most = int(np.argmax(shares))
    return upper[most] if shares[most] > _OPPOSED * float(np.linalg.norm(pull)) else None


def _explained(rows: Array, pull: Array) -> float:
    """How much of a pull rows of the derivative can hold: the length of its part in their span."""
    across, sizes, _ = np.linalg.svd(rows.T, full_matrices=False)
    across = across[:, sizes > 1e-6 * max(1e-300, float(sizes.max(initial=0.0)))]
    return float(np.linalg.norm(across.T @ pull))

"""Ways out of where a descent cannot go on.

*Bending.* A limb that is straight, on the limit of its hinge, is singular: no first-order step
shortens it. Before a long way it is bent a little; before a short one it is not, so that nothing
jumps when a target moves by a hair.

*Curvature.* At a stationary point that is no minimum (a straight limb with its target nearer, a
direction exactly opposite to the wanted one), the objective falls along a direction of negative
curvature. The second derivative of a chain needs only what the first has: for joint i above
joint j, ``∂²p/∂qᵢ∂qⱼ = uᵢ × ∂p/∂qⱼ``.

*Elsewhere.* At a minimum that is not good enough, rough descents from random feasible postures
find where to start again.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..arrays import Array
from ..judgement import may_be_reachable
from ..problem import Point, Problem
from .bounded_step import positive

_FAR = 0.05  # in sizes of the figure: from here on the way is long enough to bend first
_BEND = 0.35  # radians
# Random postures, how many of them are worth a rough descent, and its steps.
_THOROUGH, _QUICK = (24, 3, 4), (8, 1, 3)
_ROUGH_DAMPING = 0.05
_NEAR = 0.2  # in sizes of the figure: goals missed by less are nearly met
_MANY = 8
_HARDLY_FARTHER = 0.04  # sizes of the figure, for each goal: a start that may lead lower
_BRANCHES = 6  # a box has as many sides


def bent(problem: Problem, point: Point) -> Point:
    """``point`` with variables that start on a limit moved inside, if there is a long way to go."""
    distance, angle = problem.errors(point).max(axis=0)
    if distance < _FAR * problem.figure.size and angle < 0.2:
        return point
    space = problem.space
    up = np.where(space.lower >= -1e-6, np.minimum(_BEND, 0.25 * space.upper), 0.0)
    down = np.where(space.upper <= 1e-6, np.maximum(-_BEND, 0.25 * space.lower), 0.0)
    u = up + down
    if not u.any() or (len(space.bounds) and (space.rows @ u > space.bounds).any()):
        return point
    return problem.evaluate(u, point.branches)


def downhill(problem: Problem, point: Point) -> Point | None:
    """A lower point along the most negative curvature, None where there is none."""
    space = problem.space
    slope = problem.slope_at(point) * space.scale
    gradient = slope.T @ point.residual
    pushed = problem.projected(point.u, gradient) - gradient
    free = np.abs(pushed) <= 1e-6 * np.linalg.norm(point.residual) * np.linalg.norm(slope)
    if not free.any():
        return None
    hessian = slope.T @ slope + problem.curvature(point) * np.outer(space.scale, space.scale)
    inner = hessian[np.ix_(free, free)]
    if positive(inner, 1e-6 * float(np.abs(inner).max())):
        return None
    vectors = np.linalg.eigh(inner)[1]
    direction = np.zeros(space.size)
    direction[free] = vectors[:, 0]
    direction *= space.scale / np.abs(direction * space.scale).max()
    lengths = np.array([0.05, 0.1, 0.2, 0.4, 0.8])
    steps = np.concatenate([lengths, -lengths])[:, None] * direction
    candidates = feasible(problem, point.u, np.clip(point.u + steps, space.lower, space.upper))
    objectives = problem.objectives(candidates, point.branches)
    best = int(np.argmin(objectives))
    if objectives[best] >= point.objective:
        return None
    return problem.evaluate(candidates[best], point.branches)


def elsewhere(problem: Problem, rng: np.random.Generator, point: Point, near: bool) -> Point:
    """The best end of a few rough descents from random postures within limits, all at once.

    For numpy, some postures cost little more than one. The descents only clip their steps to the
    bounds: what is rough about them, the descent that follows mends.
    """
    space = problem.space
    low = np.where(np.isfinite(space.lower), space.lower, -1.0)
    high = np.where(np.isfinite(space.upper), space.upper, 1.0)
    samples, kept, steps = _THOROUGH if near else _QUICK
    us = rng.uniform(low, high, (samples, space.size))
    us = feasible(problem, np.zeros(space.size), us)
    us = us[np.argsort(problem.objectives(us, point.branches))[:kept]]
    for _ in range(steps):
        us = feasible(problem, np.zeros(space.size), us + _rough_steps(problem, us, point))
    best = int(np.argmin(problem.objectives(us, point.branches))) if kept > 1 else 0
    return problem.evaluate(us[best], point.branches)


def promising(problem: Problem, point: Point, best: Point) -> bool:
    """Whether ``point`` is hardly farther from the goals than the best so far."""
    hardly = _HARDLY_FARTHER * problem.figure.size * np.sqrt(len(problem.goals))
    return bool(np.sqrt(point.objective) < np.sqrt(best.objective) + hardly)


def _rough_steps(problem: Problem, us: Array, point: Point) -> Array:
    """Damped Gauss–Newton steps (k, u), variables on a bound that they press against left out."""
    space = problem.space
    residual, slope = problem.linearised(us, point.branches)
    slope = slope * space.scale
    gradient = (residual[:, None] @ slope)[:, 0]
    blocked = ((us <= space.lower) & (gradient > 0.0)) | ((us >= space.upper) & (gradient < 0.0))
    slope = slope * ~blocked[:, None]
    across = np.swapaxes(slope, -1, -2)
    system = slope @ across
    mean = np.einsum("kii->k", system) / max(1, system.shape[-1])
    system += (_ROUGH_DAMPING * mean + 1e-12)[:, None, None] * np.eye(system.shape[-1])
    steps = -(across @ np.linalg.solve(system, residual[..., None]))[..., 0] * space.scale
    longest = np.abs(steps).max(axis=-1, keepdims=True)
    steps = steps * np.minimum(1.0, 1.0 / np.maximum(longest, 1e-12))
    return np.asarray(np.clip(us + steps, space.lower, space.upper) - us)


def feasible(problem: Problem, inside: Array, us: Array) -> Array:
    """The part of the way from a feasible point to each of ``us`` (k, u) that keeps all rows."""
    space = problem.space
    if not len(space.bounds):
        return us
    slack = space.bounds - space.rows @ inside
    motion = (us - inside) @ space.rows.T
    parts = np.where(motion > slack, np.maximum(slack, 0.0) / np.maximum(motion, 1e-300), 1.0)
    return np.asarray(inside + (us - inside) * parts.min(axis=1, keepdims=True))


def other_branches(problem: Problem, point: Point) -> Iterator[Point]:
    """The same place with another member of a set that is not met, nearest members first."""
    missed = set(np.flatnonzero(~problem.met_goals(point)).tolist())
    for i, (goal, potentials) in enumerate(problem.branch_potentials(point.signed)):
        for branch in np.argsort(potentials)[: _BRANCHES + 1] if goal in missed else ():
            if branch != point.branches[i]:
                branches = point.branches.copy()
                branches[i] = branch
                yield problem.evaluate(point.u, branches)


def worthwhile_restarts(problem: Problem, point: Point) -> tuple[int, bool]:
    """How often it pays to start elsewhere, at a minimum that is not good enough; whether it is near.

    Not at all where the goals are as near as they will ever be; many times where limits or each other
    hold them back from being met nearly, as that is rarely all a body can do, and the more, the more
    goals; else once.
    """
    missed = np.flatnonzero(~problem.met_goals(point))
    if not any(may_be_reachable(problem, point, int(g)) for g in missed):
        on_limit = (point.u <= problem.space.lower) | (point.u >= problem.space.upper)
        return int(on_limit.any()), False
    distance = float(np.sqrt(point.objective / len(missed)))
    near = distance < _NEAR * problem.figure.size
    return (min(_MANY, 1 + 2 * len(problem.goals)) if near else 1), near

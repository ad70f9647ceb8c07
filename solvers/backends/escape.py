"""Ways out of where a descent cannot go on.

*Bending.* A limb that is straight, on the limit of its hinge, is singular: no first-order step
shortens it. Before a long way it is bent a little; before a short one it is not, so that nothing
jumps when a target moves by a hair.

*Curvature.* At a stationary point that is no minimum (a straight limb with its target nearer, a
direction exactly opposite to the wanted one), the objective falls along a direction of negative
curvature. The second derivative of a chain needs only what the first has: for joint i above
joint j, ``∂²p/∂qᵢ∂qⱼ = uᵢ × ∂p/∂qⱼ``.

*Elsewhere.* At a minimum that is not good enough, the best of some random feasible postures is
where to start again.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array
from ..judgement import may_be_reachable
from ..problem import Point, Problem

_FAR = 0.05  # in sizes of the figure: from here on the way is long enough to bend first
_BEND = 0.35  # radians
_SAMPLES = 32


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
    values, vectors = np.linalg.eigh(hessian[np.ix_(free, free)])
    if values[0] > -1e-6 * max(1e-12, values[-1]):
        return None
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


def elsewhere(problem: Problem, rng: np.random.Generator, point: Point) -> Point:
    """The most promising of some random postures within limits."""
    space = problem.space
    spread = rng.standard_normal((_SAMPLES, space.size))
    low = np.where(np.isfinite(space.lower), space.lower, -1.0)
    high = np.where(np.isfinite(space.upper), space.upper, 1.0)
    us = np.where(np.isfinite(space.upper - space.lower), rng.uniform(low, high, spread.shape), spread)
    us = feasible(problem, np.zeros(space.size), np.clip(us, space.lower, space.upper))
    best = int(np.argmin(problem.objectives(us, point.branches)))
    return problem.evaluate(us[best])


def feasible(problem: Problem, inside: Array, us: Array) -> Array:
    """The part of the way from a feasible point to each of ``us`` (k, u) that keeps all rows."""
    space = problem.space
    if not len(space.bounds):
        return us
    slack = space.bounds - space.rows @ inside
    motion = (us - inside) @ space.rows.T
    parts = np.where(motion > slack, np.maximum(slack, 0.0) / np.maximum(motion, 1e-300), 1.0)
    return np.asarray(inside + (us - inside) * parts.min(axis=1, keepdims=True))


def hopeful(problem: Problem, point: Point) -> bool:
    """Whether some goal that is not met might be, from another start."""
    return any(may_be_reachable(problem, point, g) for g in np.flatnonzero(~problem.met_goals(point)))

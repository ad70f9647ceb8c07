"""The step of the damped Gauss–Newton method within linear bounds.

Minimise ``‖r + J d‖² + λ‖d/s‖²`` over ``d`` with ``lower ≤ u + d ≤ upper`` and
``rows·(u + d) ≤ bounds``, where rows of ``r`` that are one-sided count only while positive, and
``s`` scales the variables (a stiffer joint has a smaller one).

An active set is found by clamping whatever passes its bound and releasing whatever is held by
a multiplier of the wrong sign. With a set at hand, the minimiser is in closed form, in the *dual*:
``z = −Jᵀ(J Jᵀ + λ)⁻¹ r`` costs a system of the size of the residual, not of the joints.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Mask
from ..space import Space

_ROUNDS = 12


@dataclass(frozen=True)
class Step:
    """A displacement, and the objective that the model expects after it."""

    d: Array
    expected: float

    def shortened(self, part: float, objective: float) -> Step:
        """A part of the step; the model's objective is convex along it."""
        return Step(part * self.d, objective + part * (self.expected - objective))


def bounded_step(
    slope: Array,
    residual: Array,
    one_sided: Mask | None,
    u: Array,
    space: Space,
    damping: float,
) -> Step:
    """The best step from ``u`` by the linear model; ``residual`` is signed."""
    scale = space.scale
    matrix = slope * scale
    low, high = (space.lower - u) / scale, (space.upper - u) / scale
    counts = None if one_sided is None else ~one_sided | (residual > 0.0)
    z = np.zeros_like(u)
    gradient = matrix.T @ (residual if counts is None else residual * counts)
    free = ~(((low >= 0.0) & (gradient > 0.0)) | ((high <= 0.0) & (gradient < 0.0)))
    slack = space.bounds - space.rows @ u if len(space.bounds) else None
    held: list[int] = []
    released = np.zeros(len(u), dtype=bool)
    for _ in range(_ROUNDS):
        z = _face_minimiser(matrix, residual, counts, z, free, damping, space, slack, held)
        below, above = free & (z < low), free & (z > high)
        outside = below | above
        if outside.any():
            z = np.clip(z, low, high)
            free = free & ~outside
            continue
        if slack is not None:
            excess = space.rows @ (z * scale) - slack
            excess[held] = 0.0
            worst = int(np.argmax(excess))
            if excess[worst] > 1e-12:
                held.append(worst)
                continue
        model = residual + matrix @ z
        if one_sided is not None:
            now = ~one_sided | (model > 0.0)
            if not np.array_equal(now, counts):
                counts = now
                continue
            model = model * now
        if free.all() and not held:
            break
        gradient = matrix.T @ model + damping * z
        wrong = ~free & ~released & (((z <= low) & (gradient < 0.0)) | ((z >= high) & (gradient > 0.0)))
        wrong &= np.abs(gradient) > 1e-12
        if not wrong.any() or held:
            break
        released |= wrong
        free = free | wrong
    d = np.clip(z, low, high) * scale
    d = _shortened(d, space, slack)
    model = residual + slope @ d
    if one_sided is not None:
        model = np.where(one_sided & (model < 0.0), 0.0, model)
    return Step(d, float(model @ model))


def _face_minimiser(
    matrix: Array,
    residual: Array,
    counts: Mask | None,
    z: Array,
    free: Mask,
    damping: float,
    space: Space,
    slack: Array | None,
    held: list[int],
) -> Array:
    """The minimiser with clamped variables fixed and held rows met exactly."""
    fixed = np.where(free, 0.0, z)
    inner = matrix * free
    target = residual + matrix @ fixed
    if counts is not None:
        inner = inner * counts[:, None]
        target = target * counts
    if held:
        assert slack is not None
        rows = space.rows[held] * space.scale
        gap = slack[held] - rows @ fixed
        rows = rows * free
        gram = rows @ rows.T + 1e-14 * np.eye(len(held))
        along = rows.T @ np.linalg.solve(gram, gap)
        target = target + inner @ along
        inner = inner - (inner @ rows.T) @ np.linalg.solve(gram, rows)
        fixed = fixed + along
    system = inner @ inner.T
    system.flat[:: len(system) + 1] += damping
    return np.asarray(fixed - inner.T @ np.linalg.solve(system, target))


def _shortened(d: Array, space: Space, slack: Array | None) -> Array:
    """The part of a step that keeps every row; rounding is all there should be to cut."""
    if slack is None:
        return d
    motion = space.rows @ d
    over = motion > np.maximum(slack, 0.0)
    if not over.any():
        return d
    return np.asarray(d * max(0.0, float((slack[over] / motion[over]).min())))

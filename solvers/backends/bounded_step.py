"""The step to the minimum of a quadratic model within linear bounds.

Minimise the model over ``d`` with ``lower ≤ u + d ≤ upper`` and ``rows·(u + d) ≤ bounds``. What is active
is mostly found by clamping whatever passes its bound, all at once, and releasing whatever is held
by a multiplier of the wrong sign; where that does not end, by `active_set`. Variables are scaled,
``d = s·z``: a stiffer joint has a smaller ``s`` and, as damping counts in ``z``, moves less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from ..arrays import Array, Mask
from ..space import Space
from .active_set import FLAT, Bounds, minimum_within

_ROUNDS = 12


@dataclass(frozen=True)
class Step:
    """A displacement, and the objective that the model expects after it."""

    d: Array
    expected: float

    def shortened(self, part: float, objective: float) -> Step:
        """A part of the step; the model's objective is convex along it."""
        return Step(part * self.d, objective + part * (self.expected - objective))


class Model(Protocol):
    """A convex quadratic in scaled variables ``z``."""

    def gradient(self, z: Array) -> Array:
        """Half the gradient at ``z``, damping included."""
        ...

    def minimiser(self, fixed: Array, free: Mask, rows: Array, gaps: Array) -> Array:
        """The minimiser among ``z`` that equal ``fixed`` where not free, and ``rows·z = gaps``."""
        ...

    def recount(self, z: Array) -> bool:
        """Take note of which one-sided rows count at ``z``; whether that changed."""
        ...

    def objective(self, z: Array) -> float:
        """The model's objective at ``z``, without damping."""
        ...


def bounded_step(model: Model, u: Array, space: Space) -> Step:
    """The best step from ``u`` by the model."""
    z = minimiser_within(model, Bounds.around(u, space))
    return Step(z * space.scale, model.objective(z))


def minimiser_within(model: Model, bounds: Bounds) -> Array:
    """Where within bounds a model is lowest."""
    z = _clamped(model, bounds)
    if z is None:
        z = minimum_within(model, bounds)
    return bounds.kept(z)


def _clamped(model: Model, bounds: Bounds) -> Array | None:
    """The minimiser by holding whatever passes its bound, many at once; None where that fails."""
    z = np.zeros(len(bounds.low))
    free = ~bounds.pressed(model.gradient(z))
    held = bounds.equations
    for _ in range(_ROUNDS):
        z = model.minimiser(z, free, bounds.rows[held], bounds.slack[held])
        inside = bounds.clipped(z)
        outside = (inside != z) & free
        if outside.any():
            z = inside
            free = free & ~outside
            continue
        passed = _passed(bounds, z, held)
        if passed in held:
            return None
        if passed is not None:
            held.append(passed)
            continue
        if model.recount(z):
            continue
        if not held and free.all():
            return z
        on_bounds, on_rows = bounds.multipliers(model.gradient(z), z, free, held)
        wrong = on_bounds < -FLAT
        if (on_rows < -FLAT).any():
            return None
        if not wrong.any():
            return z
        free = free | wrong
    return None


def _passed(bounds: Bounds, z: Array, held: list[int]) -> int | None:
    """The row that a step breaks the most; rounding lets held ones pass."""
    if not len(bounds.slack):
        return None
    excess = bounds.rows @ z - bounds.slack
    excess[held] -= 1e-9
    worst = int(np.argmax(excess))
    return worst if excess[worst] > 1e-12 else None


class LinearModel:
    """``‖r + J z‖² + λ‖z‖²``, where one-sided rows of ``r`` count only while positive.

    Its minimisers are found in the *dual*, ``z = −Jᵀ(J Jᵀ + λ)⁻¹ r``: a system of the size of the
    residual, not of the joints.
    """

    def __init__(self, slope: Array, residual: Array, one_sided: Mask | None, damping: float) -> None:
        self._slope, self._residual, self._damping = slope, residual, damping
        self._one_sided = one_sided
        self._counts = None if one_sided is None else ~one_sided | (residual > 0.0)

    def gradient(self, z: Array) -> Array:
        value = self._residual + self._slope @ z
        if self._counts is not None:
            value = value * self._counts
        return np.asarray(self._slope.T @ value + self._damping * z)

    def minimiser(self, fixed: Array, free: Mask, rows: Array, gaps: Array) -> Array:
        fixed = np.where(free, 0.0, fixed)
        inner = self._slope * free
        target = self._residual + self._slope @ fixed
        if self._counts is not None:
            inner = inner * self._counts[:, None]
            target = target * self._counts
        if len(rows):
            gaps = gaps - rows @ fixed
            rows = rows * free
            left, sizes, across = np.linalg.svd(rows, full_matrices=False)
            across = across[sizes > 1e-10]
            along = ((left.T @ gaps)[sizes > 1e-10] / sizes[sizes > 1e-10]) @ across
            target = target + inner @ along
            inner = inner - (inner @ across.T) @ across
            fixed = fixed + along
        system = inner @ inner.T
        system.flat[:: len(system) + 1] += self._damping
        return np.asarray(fixed - inner.T @ np.linalg.solve(system, target))

    def recount(self, z: Array) -> bool:
        if self._one_sided is None:
            return False
        counts = ~self._one_sided | (self._residual + self._slope @ z > 0.0)
        changed = self._counts is None or not np.array_equal(counts, self._counts)
        self._counts = counts
        return changed

    def objective(self, z: Array) -> float:
        value = self._residual + self._slope @ z
        if self._one_sided is not None:
            value = np.where(self._one_sided & (value < 0.0), 0.0, value)
        return float(value @ value)


def positive(matrix: Array, damping: float) -> bool:
    """Whether a symmetric matrix with that much added to its diagonal is positive definite."""
    damped = matrix.copy()
    damped.flat[:: len(matrix) + 1] += damping
    try:
        np.linalg.cholesky(damped)
    except np.linalg.LinAlgError:
        return False
    return True


class CurvedModel:
    """``f + 2 gᵀz + zᵀ H z`` with a whole second derivative ``H``.

    Damping makes it convex among the variables that are ``free``: those on a bound that the
    gradient presses them against often bend the other way, and do not matter.
    """

    def __init__(self, objective: float, gradient: Array, hessian: Array, free: Mask, damping: float) -> None:
        self._objective, self._gradient, self._hessian = objective, gradient, hessian
        inner = hessian[free][:, free]
        lowest = float(np.linalg.eigvalsh(inner)[0]) if len(inner) else 0.0
        self._damping = max(damping, damping - 1.5 * lowest)

    def gradient(self, z: Array) -> Array:
        return np.asarray(self._gradient + self._hessian @ z + self._damping * z)

    def minimiser(self, fixed: Array, free: Mask, rows: Array, gaps: Array) -> Array:
        fixed = np.where(free, 0.0, fixed)
        inner = np.flatnonzero(free)
        if not len(inner):
            return np.asarray(fixed)
        system = self._hessian[free][:, free]
        system.flat[:: len(system) + 1] += self._damping
        target = -(self._gradient + self._hessian @ fixed)[inner]
        if not len(rows):
            fixed[inner] = np.linalg.solve(system, target)
            return np.asarray(fixed)
        gaps = gaps - rows @ fixed
        both = np.block([[system, rows[:, inner].T], [rows[:, inner], -1e-14 * np.eye(len(rows))]])
        fixed[inner] = np.linalg.solve(both, np.concatenate([target, gaps]))[: len(inner)]
        return np.asarray(fixed)

    def recount(self, z: Array) -> bool:
        return False

    def objective(self, z: Array) -> float:
        return float(self._objective + 2.0 * self._gradient @ z + z @ self._hessian @ z)

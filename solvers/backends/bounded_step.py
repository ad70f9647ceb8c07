"""The step to the minimum of a quadratic model within linear bounds.

Minimise the model over ``d`` with ``lower ≤ u + d ≤ upper`` and ``rows·(u + d) ≤ bounds``. The active
set is found by clamping whatever passes its bound and releasing whatever is held by a multiplier
of the wrong sign. Variables are scaled, ``d = s·z``: a stiffer joint has a smaller ``s`` and, as
damping counts in ``z``, moves less.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

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
    scale = space.scale
    low, high = (space.lower - u) / scale, (space.upper - u) / scale
    rows, slack = space.rows, space.bounds
    if len(slack):
        rows, slack = rows * scale, slack - rows @ u
    z = np.zeros(len(u))
    gradient = model.gradient(z)
    free = ~(((low >= 0.0) & (gradient > 0.0)) | ((high <= 0.0) & (gradient < 0.0)))
    released = np.zeros(len(u), dtype=bool)
    held: list[int] = []
    for _ in range(_ROUNDS):
        z = model.minimiser(z, free, rows[held], slack[held])
        inside = np.minimum(np.maximum(z, low), high)
        outside = (inside != z) & free
        if outside.any():
            z = inside
            free = free & ~outside
            continue
        passed = _passed(rows, slack, z, held)
        if passed is not None:
            held.append(passed)
            continue
        if model.recount(z):
            continue
        if held or free.all():
            break
        gradient = model.gradient(z)
        # Clamped variables are on one of their bounds: the nearer one tells the sign.
        inward = np.where(z - low < high - z, gradient, -gradient) < -1e-12
        wrong = inward & ~free & ~released
        if not wrong.any():
            break
        released |= wrong
        free = free | wrong
    z = _shortened(np.minimum(np.maximum(z, low), high), rows, slack)
    return Step(z * scale, model.objective(z))


def _passed(rows: Array, slack: Array, z: Array, held: list[int]) -> int | None:
    """The row that a step breaks the most, of those not held yet."""
    if not len(rows):
        return None
    excess = rows @ z - slack
    excess[held] = 0.0
    worst = int(np.argmax(excess))
    return worst if excess[worst] > 1e-12 else None


def _shortened(z: Array, rows: Array, slack: Array) -> Array:
    """The part of a step that keeps every row; rounding is most of what there is to cut."""
    if not len(rows):
        return z
    motion = rows @ z
    over = motion > np.maximum(slack, 0.0)
    if not over.any():
        return z
    return np.asarray(z * max(0.0, float((slack[over] / motion[over]).min())))


class LinearModel:
    """``‖r + J z‖² + λ‖z‖²``, where one-sided rows of ``r`` count only while positive.

    Its minimisers are found in the *dual*, ``z = −Jᵀ(J Jᵀ + λ)⁻¹ r``: a system of the size of the
    residual, not of the joints.
    """

    def __init__(
        self, slope: Array, residual: Array, one_sided: Mask | None, damping: float
    ) -> None:
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
            gram = rows @ rows.T + 1e-14 * np.eye(len(rows))
            along = rows.T @ np.linalg.solve(gram, gaps)
            target = target + inner @ along
            inner = inner - (inner @ rows.T) @ np.linalg.solve(gram, rows)
            fixed = fixed + along
        system = inner @ inner.T
        system.flat[:: len(system) + 1] += self._damping
        return np.asarray(fixed - inner.T @ np.linalg.solve(system, target))

    def recount(self, z: Array) -> bool:
        if self._one_sided is None:
            return False
        counts = ~self._one_sided | (self._residual + self._slope @ z > 0.0)
        changed = not np.array_equal(counts, self._counts)
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

    def __init__(
        self, objective: float, gradient: Array, hessian: Array, free: Mask, damping: float
    ) -> None:
        self._objective, self._gradient, self._hessian = objective, gradient, hessian
        inner = hessian[np.ix_(free, free)]
        self._damping = damping
        if not positive(inner, damping):
            self._damping -= 1.5 * float(np.linalg.eigvalsh(inner)[0])

    def gradient(self, z: Array) -> Array:
        return np.asarray(self._gradient + self._hessian @ z + self._damping * z)

    def minimiser(self, fixed: Array, free: Mask, rows: Array, gaps: Array) -> Array:
        fixed = np.where(free, 0.0, fixed)
        inner = np.flatnonzero(free)
        if not len(inner):
            return np.asarray(fixed)
        system = self._hessian[np.ix_(inner, inner)]
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

"""Linear bounds, and the minimum of a convex model within them, one constraint at a time.

Goes towards the minimiser on what is held, up to the first bound in the way, which is held from
then on; at a minimiser, lets go of the bound with the worst multiplier. Every point on the way is
within all bounds and no higher than the one before. (Nocedal & Wright, *Numerical Optimization*,
§16.5.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ..arrays import Array, Mask
from ..space import Space

if TYPE_CHECKING:
    from .bounded_step import Model

_ROUNDING = 1e-12
FLAT = 1e-10  # a multiplier that is as good as zero


@dataclass(frozen=True, eq=False)
class Bounds:
    """``low ≤ z ≤ high`` and ``rows·z ≤ slack``; z = 0 is within them.

    The first ``equal`` rows hold as equations, with a slack of zero.
    """

    low: Array
    high: Array
    rows: Array
    slack: Array
    equal: int = 0

    @staticmethod
    def around(u: Array, space: Space) -> Bounds:
        """How far scaled variables can go from ``u``."""
        scale, rows, slack = space.scale, space.rows, space.bounds
        low, high = np.minimum((space.lower - u) / scale, 0.0), np.maximum((space.upper - u) / scale, 0.0)
        if len(slack):
            rows, slack = rows * scale, np.maximum(slack - rows @ u, 0.0)
        return Bounds(low, high, rows, slack)

    @property
    def equations(self) -> list[int]:
        """The rows that are held from the start, and never let go."""
        return list(range(self.equal))

    def seen_from(self, z: Array) -> Bounds:
        """The same bounds for what is to be added to a ``z`` within them."""
        slack = np.maximum(self.slack - self.rows @ z, 0.0)
        slack[: self.equal] = 0.0
        return Bounds(self.low - z, self.high - z, self.rows, slack, self.equal)

    def pressed(self, gradient: Array) -> Mask:
        """(n,): which variables a descent from z = 0 would press against a bound."""
        return np.asarray(((self.low >= 0.0) & (gradient > 0.0)) | ((self.high <= 0.0) & (gradient < 0.0)))

    def clipped(self, z: Array) -> Array:
        return np.minimum(np.maximum(z, self.low), self.high)

    def multipliers(self, gradient: Array, z: Array, free: Mask, held: list[int]) -> tuple[Array, Array]:
        """How firmly bounds (n,) and held rows hold at a minimiser; below zero, they should let go.

        Equations hold either way.
        """
        on_rows: Array = np.zeros(0)
        if held:
            rows = self.rows[held]
            on_rows = np.asarray(
                np.linalg.lstsq(rows[:, free].T, -gradient[free], rcond=None)[0], dtype=float
            )
            gradient = gradient + rows.T @ on_rows
            on_rows[: self.equal] = 0.0
        # A variable that is not free is on one of its bounds: the nearer one tells the sign.
        inward = np.where(z - self.low < self.high - z, gradient, -gradient)
        return np.where(free | (self.low == self.high), 0.0, inward), on_rows

    def open_part(self, z: Array, way: Array, free: Mask, held: list[int]) -> tuple[float, int | None]:
        """How much of a way is open, at most all, and what ends it: a variable or, after those, a row."""
        moving = free & (np.abs(way) > _ROUNDING)
        ends = np.where(way > 0.0, self.high, self.low) - z
        parts = np.where(moving, ends / np.where(moving, way, 1.0), np.inf)
        speed = self.rows @ way
        speed[held] = 0.0
        closing = speed > _ROUNDING
        gaps = self.slack - self.rows @ z
        parts = np.append(parts, np.where(closing, gaps / np.where(closing, speed, 1.0), np.inf))
        first = int(np.argmin(parts))
        return (max(0.0, float(parts[first])), first) if parts[first] <= 1.0 else (1.0, None)

    def kept(self, z: Array) -> Array:
        """A step rid of what rounding has left outside."""
        z = self.clipped(z)
        rows, slack = self.rows[self.equal :], self.slack[self.equal :]
        if not len(slack) or (rows @ z <= slack).all():
            return z
        over = rows @ z > slack
        excess = (rows @ z - slack)[over]
        z = self.clipped(z - np.linalg.lstsq(rows[over], excess, rcond=None)[0])
        motion = rows @ z
        over = motion > slack + _ROUNDING
        return z * float((slack[over] / motion[over]).min()) if over.any() else z


def minimum_within(model: Model, bounds: Bounds) -> Array:
    """The minimiser of a model within bounds."""
    z = np.zeros(len(bounds.low))
    model.recount(z)
    free = ~bounds.pressed(model.gradient(z))
    held = bounds.equations
    for _ in range(10 + 3 * (len(z) + len(bounds.slack))):
        way = model.minimiser(z, free, bounds.rows[held], bounds.slack[held]) - z
        fall = float(model.gradient(z) @ way)
        if fall > -_ROUNDING * float(way @ way) or float(np.abs(way).max(initial=0.0)) < FLAT:
            if not _let_go(*bounds.multipliers(model.gradient(z), z, free, held), free, held):
                break
            continue
        part, block = bounds.open_part(z, way, free, held)
        if _uphill(model, z, way, part, fall):
            block = None
            while part > 1e-6 and _uphill(model, z, way, part, fall):
                part *= 0.5
        z = z + part * way
        if block is not None and block < len(z):
            free[block] = False
        elif block is not None:
            held.append(block - len(z))
    return z


def _uphill(model: Model, z: Array, way: Array, part: float, fall: float) -> bool:
    """Whether a part of a way is too long, as one-sided rows begin to count on it."""
    model.recount(z + part * way)
    return float(model.gradient(z + part * way) @ way) > -1e-6 * fall


def _let_go(on_bounds: Array, on_rows: Array, free: Mask, held: list[int]) -> bool:
    """Let go of what is held most wrongly; False where nothing is."""
    bound, row = on_bounds.min(initial=0.0), on_rows.min(initial=0.0)
    if min(bound, row) >= -FLAT:
        return False
    if bound < row:
        free[int(np.argmin(on_bounds))] = True
    else:
        del held[int(np.argmin(on_rows))]
    return True

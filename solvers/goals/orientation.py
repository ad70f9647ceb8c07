"""Orientation: directions of the effector point along given ones.

``P = c²(‖x_g − x‖² + ‖y_g − y‖²)``; a direction that is left free takes no part.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import Array
from .base import Goal, Term, unit


class DirectionFormula:
    """``x − x_g`` of unit vectors: a chord, ``2 sin(angle/2)``.

    Opposite directions are a maximum, where the derivative vanishes: a solver has to leave it by
    other means.
    """

    rows = 3
    angular = True
    one_sided = False

    @staticmethod
    def value(point: Array, direction: Array, target: Array, axis: Array) -> Array:
        return direction - axis

    @staticmethod
    def slope(
        point: Array, direction: Array, target: Array, axis: Array, d_point: Array, d_direction: Array
    ) -> Array:
        return d_direction


@dataclass(frozen=True, eq=False, kw_only=True)
class OrientationGoal(Goal):
    """Turn the effector's x and y directions along ``x`` and ``y`` (world); None leaves one free."""

    x: Array | None = None
    y: Array | None = None

    def terms(self) -> list[Term]:
        bone, gain = self.effector.bone, self.angular_gain
        pairs = ((self.effector.x, self.x), (self.effector.y, self.y))
        return [
            Term(DirectionFormula, bone, direction=unit(own), axis=unit(wanted), gain=gain)
            for own, wanted in pairs
            if wanted is not None
        ]

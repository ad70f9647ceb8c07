"""Half-space: the effector's point is on the side of a plane that its normal points to.

``P = max(0, (p − r)·ν)²``.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import Array
from .base import Goal, Term, unit


class HalfSpaceFormula:
    """The depth ``(p − r)·ν`` below the plane; it counts only while positive."""

    rows = 1
    angular = False
    one_sided = True

    @staticmethod
    def value(point: Array, direction: Array, target: Array, axis: Array) -> Array:
        return ((target - point) * axis).sum(axis=-1, keepdims=True)

    @staticmethod
    def slope(
        point: Array, direction: Array, target: Array, axis: Array, d_point: Array, d_direction: Array
    ) -> Array:
        return -axis[..., None, :] @ d_point


@dataclass(frozen=True, eq=False, kw_only=True)
class HalfSpaceGoal(Goal):
    """Keep the effector's point on the side of the plane that ``normal`` points to (world)."""

    target: Array
    normal: Array

    def terms(self) -> list[Term]:
        e = self.effector
        return [Term(HalfSpaceFormula, e.bone, e.point, target=self.target, axis=unit(self.normal))]

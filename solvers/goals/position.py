"""Position: the effector's point is at the target. ``P = ‖p − r‖²``."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import Array
from .base import Goal, Term


class PointFormula:
    """``r − p``, in units of length. No degenerate case."""

    rows = 3
    angular = False
    one_sided = False

    @staticmethod
    def value(point: Array, direction: Array, target: Array, axis: Array) -> Array:
        return point - target

    @staticmethod
    def slope(
        point: Array, direction: Array, target: Array, axis: Array, d_point: Array, d_direction: Array
    ) -> Array:
        return d_point


@dataclass(frozen=True, eq=False, kw_only=True)
class PositionGoal(Goal):
    """Bring the effector's point to ``target`` (3,) in world space."""

    target: Array

    def terms(self) -> list[Term]:
        effector = self.effector
        return [Term(PointFormula, effector.bone, effector.point, target=self.target)]

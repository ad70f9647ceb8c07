"""Line: the effector's point is on a line. ``P = ‖(p − r) − ((p − r)·ν)ν‖²``."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import Array
from .base import Goal, Term, unit


class LineFormula:
    """The part of ``r − p`` across the line, in units of length. No degenerate case."""

    rows = 3
    angular = False
    one_sided = False

    @staticmethod
    def value(point: Array, direction: Array, target: Array, axis: Array) -> Array:
        gap = point - target
        return gap - (gap * axis).sum(axis=-1, keepdims=True) * axis

    @staticmethod
    def slope(
        point: Array, direction: Array, target: Array, axis: Array, d_point: Array, d_direction: Array
    ) -> Array:
        return d_point - axis[..., None] * (axis[..., None, :] @ d_point)


@dataclass(frozen=True, eq=False, kw_only=True)
class LineGoal(Goal):
    """Bring the effector's point onto the line through ``target`` along ``direction`` (world)."""

    target: Array
    direction: Array

    def terms(self) -> list[Term]:
        e = self.effector
        return [Term(LineFormula, e.bone, e.point, target=self.target, axis=unit(self.direction))]

"""Plane: the effector's point is on a plane. ``P = ((p − r)·ν)²``."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import Array
from .base import Goal, Term, unit


class PlaneFormula:
    """The signed height ``(r − p)·ν`` over the plane, in units of length. No degenerate case."""

    rows = 1
    angular = False
    one_sided = False

    @staticmethod
    def value(point: Array, direction: Array, target: Array, axis: Array) -> Array:
        return ((point - target) * axis).sum(axis=-1, keepdims=True)

    @staticmethod
    def slope(
        point: Array, direction: Array, target: Array, axis: Array, d_point: Array, d_direction: Array
    ) -> Array:
        return axis[..., None, :] @ d_point


@dataclass(frozen=True, eq=False, kw_only=True)
class PlaneGoal(Goal):
    """Bring the effector's point onto the plane through ``target`` across ``normal`` (world)."""

    target: Array
    normal: Array

    def terms(self) -> list[Term]:
        e = self.effector
        return [Term(PlaneFormula, e.bone, e.point, target=self.target, axis=unit(self.normal))]

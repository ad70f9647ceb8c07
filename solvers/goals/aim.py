"""Aim: a direction of the effector points at the target. ``P = c²‖(p − r)/‖p − r‖ − v‖²``."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Array
from .base import Goal, Term, unit

_TOUCHING = 1e-9


class AimFormula:
    """``v − (p − r)/‖p − r‖``: a chord. Where the point is at the target, every direction aims."""

    rows = 3
    angular = True
    one_sided = False

    @staticmethod
    def value(point: Array, direction: Array, target: Array, axis: Array) -> Array:
        ray, distance = _ray(point, target)
        return np.where(distance > _TOUCHING, direction - ray, 0.0)

    @staticmethod
    def slope(
        point: Array, direction: Array, target: Array, axis: Array, d_point: Array, d_direction: Array
    ) -> Array:
        ray, distance = _ray(point, target)
        along = ray[..., None] * (ray[..., None, :] @ d_point)
        turned = (d_point - along) / np.maximum(distance, _TOUCHING)[..., None]
        return np.where(distance[..., None] > _TOUCHING, d_direction + turned, 0.0)


def _ray(point: Array, target: Array) -> tuple[Array, Array]:
    gap = target - point
    distance = np.linalg.norm(gap, axis=-1, keepdims=True)
    return gap / np.maximum(distance, _TOUCHING), distance


@dataclass(frozen=True, eq=False, kw_only=True)
class AimGoal(Goal):
    """Turn the effector's y direction, from its point, towards ``target`` (3,) in world space."""

    target: Array

    def terms(self) -> list[Term]:
        e = self.effector
        return [Term(AimFormula, e.bone, e.point, unit(e.y), self.target, gain=self.angular_gain)]

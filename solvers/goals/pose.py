"""Position and orientation together: the sum of both potentials."""

from __future__ import annotations

from dataclasses import dataclass

from ..arrays import Array
from .base import Term
from .orientation import OrientationGoal
from .position import PointFormula


@dataclass(frozen=True, eq=False, kw_only=True)
class PoseGoal(OrientationGoal):
    """Bring the effector's point to ``target`` and turn its directions along ``x`` and ``y``."""

    target: Array

    def terms(self) -> list[Term]:
        effector = self.effector
        place = Term(PointFormula, effector.bone, effector.point, target=self.target)
        return [place, *super().terms()]

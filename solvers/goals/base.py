"""What all goals share: the effector, its reach, weight, priority and tolerance.

A goal is made of *terms*. A term has a *formula*: a residual, zero exactly where the term is met,
and its derivative by the chain rule from that of the effector. The problem stacks the terms of
one formula, so that a formula is evaluated once for all goals that use it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np

from ..arrays import Array

CENTRE_OF_MASS = -1  # the "bone" of an effector that is the centre of mass


@dataclass(frozen=True, eq=False)
class Effector:
    """A point and two directions fixed to a bone, in its frame; or the centre of mass."""

    bone: int
    point: Array = field(default_factory=lambda: np.zeros(3))
    x: Array = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    y: Array = field(default_factory=lambda: np.array([0.0, 1.0, 0.0]))


@dataclass(frozen=True)
class Reach:
    """Which bones a goal may recruit, from its effector's bone upwards.

    ``count`` bones (0: all), or up to and including bone ``top``. For the centre of mass: the
    whole figure, or ``top`` and everything below it.
    """

    count: int = 0
    top: int | None = None


class Formula(Protocol):
    """A residual of k terms at once and its derivative.

    ``point``, ``direction``: the effectors' (…, k, 3); ``target``, ``axis``: the terms' own
    (k, 3). A slope takes the derivatives (…, k, 3, u) of point and direction.
    """

    rows: int  # how many numbers the residual has
    angular: bool  # whether it is a chord between unit directions, else a length
    one_sided: bool  # whether only positive values count

    @staticmethod
    def value(point: Array, direction: Array, target: Array, axis: Array) -> Array:
        """The residual (…, k, rows)."""
        ...

    @staticmethod
    def slope(
        point: Array, direction: Array, target: Array, axis: Array, d_point: Array, d_direction: Array
    ) -> Array:
        """Its derivative (…, k, rows, u)."""
        ...


_NOWHERE = np.zeros(3)


@dataclass(frozen=True, eq=False)
class Term:
    """One formula applied to one effector, in world space.

    ``point`` and ``direction`` are in the effector bone's frame, None where the formula has no
    use for them. ``gain`` multiplies the residual.
    """

    formula: type[Formula]
    bone: int
    point: Array | None = None
    direction: Array | None = None
    target: Array = field(default_factory=lambda: _NOWHERE)
    axis: Array = field(default_factory=lambda: _NOWHERE)
    gain: float = 1.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Goal:
    """The base of all goals.

    ``weight`` multiplies the potential. ``tolerance`` (length) and ``angle_tolerance`` (radians)
    say when it counts as met. ``degrees_per_length`` is the paper's d: how many degrees of
    misalignment weigh as much as one unit of length.
    """

    effector: Effector
    name: str = ""
    weight: float = 1.0
    priority: int = 1
    tolerance: float = 1e-4
    angle_tolerance: float = math.radians(0.01)
    enabled: bool = True
    reach: Reach = Reach()
    degrees_per_length: float = 180.0

    def terms(self) -> list[Term]:
        """The terms whose squares add up to the potential."""
        raise NotImplementedError

    @property
    def angular_gain(self) -> float:
        """The paper's ``c = 360/(2πd)``: a chord times this is a length."""
        return 180.0 / (math.pi * self.degrees_per_length)


def unit(vector: Array) -> Array:
    """``vector`` at length one; ValueError for one that has no direction."""
    vector = np.asarray(vector, dtype=float)
    length = float(np.linalg.norm(vector))
    if not 0.0 < length < math.inf:
        raise ValueError(f"{vector.tolist()} has no direction")
    return vector / length

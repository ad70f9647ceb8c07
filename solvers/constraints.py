"""Whatever can be computed from a posture, as a cost or as a test, and the names it is known by.

A constraint is a function of `Postures`. It is called with all particles at once, and gives one number
for each: a cost, 0 where all is well; or True where the posture is allowed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .arrays import Array, Mask
from .postures import Postures


@dataclass(frozen=True)
class Constraint:
    """``function`` gives costs (k,), or with ``hard`` which postures are allowed (k,).

    A cost of 1 weighs as much as a goal missed by one unit of length, times ``weight``.
    """

    name: str
    function: Callable[[Postures], Array | Mask]
    hard: bool = False
    weight: float = 1.0

    def costs(self, postures: Postures) -> Array:
        """(k,), not below 0; what is not a number is as bad as can be."""
        found = np.asarray(self._values(postures), dtype=float)
        return np.asarray(self.weight * np.maximum(np.where(np.isnan(found), np.inf, found), 0.0))

    def allows(self, postures: Postures) -> Mask:
        """(k,)."""
        return np.asarray(self._values(postures), dtype=bool)

    def _values(self, postures: Postures) -> NDArray[Any]:
        found = np.asarray(self.function(postures))
        if found.shape != (len(postures),):
            raise ValueError(
                f"constraint “{self.name}” gave the shape {found.shape} for {len(postures)} postures; "
                "it needs one value for each"
            )
        return found


_registered: dict[str, Constraint] = {}


def register_constraint(
    name: str,
    function: Callable[[Postures], Array | Mask],
    *,
    hard: bool = False,
    weight: float = 1.0,
) -> Constraint:
    """Make a constraint known by a name, in place of what had it before."""
    if not name.strip() or "," in name:
        raise ValueError(f"“{name}” cannot be the name of a constraint: it is empty or has a comma")
    _registered[name.strip()] = Constraint(name.strip(), function, hard, weight)
    return _registered[name.strip()]


def unregister_constraint(name: str) -> None:
    """Forget a constraint; KeyError where there is none of that name."""
    del _registered[name]


def registered_constraints(names: Sequence[str]) -> tuple[Constraint, ...]:
    """The constraints of these names; ValueError names the first that there is not."""
    for name in names:
        if name not in _registered:
            known = ", ".join(f"“{each}”" for each in _registered) or "none"
            raise ValueError(f"no constraint “{name}” is registered, only {known}")
    return tuple(_registered[name] for name in names)


def broken_constraints(constraints: Sequence[Constraint], postures: Postures) -> tuple[str, ...]:
    """The names of hard constraints that do not hold in every one of the postures."""
    return tuple(each.name for each in constraints if each.hard and not each.allows(postures).all())


def smoothness(bones: Sequence[str], neighbours: int = 1, weight: float = 1.0) -> Constraint:
    """Neighbouring joints of a chain turn alike: Courty & Arnaud's equation 10.

    The cost is the sum of the angles between the turns of joints up to ``neighbours`` apart, each pair twice.
    """
    chain = tuple(bones)

    def cost(postures: Postures) -> Array:
        turns = postures.turns(chain)
        total = np.zeros(len(postures))
        for j in range(1, neighbours + 1):
            total += 2.0 * _angles(turns[:, j:], turns[:, :-j]).sum(axis=-1)
        return total

    return Constraint("smoothness", cost, weight=weight)


def on_floor(
    points: Sequence[tuple[str, tuple[float, float, float]]], height: float = 0.0, tolerance: float = 1e-3
) -> Constraint:
    """Points of bones stay on the floor, to a tolerance: allowed or forbidden."""

    def stands(postures: Postures) -> Mask:
        heights = np.stack([postures.point(bone, point)[:, 2] for bone, point in points], axis=-1)
        return np.asarray((np.abs(heights - height) <= tolerance).all(axis=-1))

    return Constraint("on the floor", stands, hard=True)


def _angles(one: Array, other: Array) -> Array:
    """Between quaternions (…, 4), exact near 0."""
    aligned = np.where((one * other).sum(axis=-1, keepdims=True) < 0.0, -other, other)
    chord = np.sqrt(((one - aligned) ** 2).sum(axis=-1))
    return np.asarray(4.0 * np.arcsin(np.minimum(1.0, 0.5 * chord)))

"""Any of: one member of a set of goals is enough. ``P = min P_i``.

Staying outside a convex box is any of its outward half-spaces.
"""

from __future__ import annotations

from dataclasses import dataclass

from .base import Goal, Term


@dataclass(frozen=True, eq=False, kw_only=True)
class AnyOf(Goal):
    """Meet whichever of ``members`` is nearest to being met.

    Weight, priority and reach are those of the set, tolerances those of each member; the
    effector is the members' own. A member cannot be a set itself.
    """

    members: tuple[Goal, ...]

    def __post_init__(self) -> None:
        if not self.members:
            raise ValueError(f"“{self.name}” has no goals to choose from")
        if any(isinstance(member, AnyOf) for member in self.members):
            raise ValueError(f"“{self.name}”: a set of goals cannot hold another set")

    def terms(self) -> list[Term]:
        return [term for member in self.members for term in member.terms()]

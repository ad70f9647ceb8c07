"""What a backend gives back: data, for good and bad outcomes alike."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from .arrays import Array


class Status(Enum):
    """Why a backend stopped; the value is the sentence to show."""

    MET = "every goal is met"
    COMPROMISE = "the best compromise between goals and limits"
    ITERATIONS = "stopped at the iteration limit"
    TIME = "stopped at the time limit"


class Reason(Enum):
    """Why a goal is not met; the value completes the sentence “… is …”."""

    NONE = "met"
    OUT_OF_REACH = "out of reach"
    AT_A_LIMIT = "held back by joint limits"
    CONFLICT = "in conflict with other goals"
    OVERRULED = "overruled by a goal of higher priority"
    UNFINISHED = "not finished"


@dataclass(frozen=True)
class GoalResult:
    """How one goal came out: distance in units of length, angle in radians.

    ``overruled_by`` is the name of the goal that keeps this one from being met, where its reason is
    that one.
    """

    name: str
    distance: float
    angle: float
    met: bool
    reason: Reason
    overruled_by: str = ""


@dataclass(frozen=True, eq=False)
class Result:
    """The posture ``q`` (d,) of the whole figure and how it was come by.

    ``active`` are the numbers of the coordinates that ended on a limit, ``broken`` the names of hard
    constraints that do not hold.
    """

    q: Array
    status: Status
    goals: tuple[GoalResult, ...]
    active: tuple[int, ...]
    objective: float
    iterations: int
    evaluations: int
    seconds: float
    broken: tuple[str, ...] = ()

    @property
    def met(self) -> bool:
        return not self.broken and all(goal.met for goal in self.goals)

"""The outcome of a solve as a table for people or as JSON for programs."""

import json
from dataclasses import dataclass
from math import degrees

from ..solvers import GoalResult, Result
from .measuring import Measured
from .recording import not_posed_text, reason

_HEADER = ("goal", "type", "before", "after", "unit", "")


@dataclass(frozen=True)
class Outcome:
    """A solve of an armature; what was measured `before` it is by the result's names.

    `unposed` are the bones in reach that are not posed, and why.
    """

    armature: str
    solver: str
    before: dict[str, Measured]
    result: Result
    unposed: dict[str, str]


def as_table(outcome: Outcome) -> str:
    """One line per goal and unit, and one on the whole."""
    rows = [_HEADER, *(row for goal in outcome.result.goals for row in _rows(outcome, goal))]
    widths = [max(len(row[i]) for row in rows) for i in range(len(_HEADER))]
    lines = ["  ".join(_aligned(row, widths)).rstrip() for row in rows]
    if outcome.unposed:
        lines.append(not_posed_text(outcome.unposed))
    met = sum(goal.met for goal in outcome.result.goals)
    milliseconds = 1000.0 * outcome.result.seconds
    lines.append(f"{met} of {len(outcome.result.goals)} goals met in {milliseconds:.1f} ms")
    return "\n".join(lines)


def _aligned(row: tuple[str, ...], widths: list[int]) -> list[str]:
    numbers = (2, 3)
    return [
        text.rjust(width) if i in numbers else text.ljust(width)
        for i, (text, width) in enumerate(zip(row, widths, strict=True))
    ]


def _rows(outcome: Outcome, goal: GoalResult) -> list[tuple[str, ...]]:
    kind, (distance, angle) = outcome.before[goal.name]
    numbers = []
    if distance is not None:
        numbers.append((f"{distance:.4f}", f"{goal.distance:.4f}", "m"))
    if angle is not None:
        numbers.append((f"{degrees(angle):.2f}", f"{degrees(goal.angle):.2f}", "°"))
    named = [(goal.name, kind), *[("", "")] * len(numbers)]
    said = [reason(goal), *[""] * len(numbers)]
    return [(*name, *number, why) for name, number, why in zip(named, numbers, said, strict=False)]


def as_json(outcome: Outcome) -> str:
    """Distances in Blender units, angles in degrees; null for what a goal does not ask.

    On one line: Blender may print lines of its own around it.
    """
    result = outcome.result
    data = {
        "armature": outcome.armature,
        "solver": outcome.solver,
        "met": result.met,
        "status": result.status.value,
        "seconds": result.seconds,
        "iterations": result.iterations,
        "goals": [_goal_data(outcome, goal) for goal in result.goals],
        "not_posed": outcome.unposed,
    }
    return json.dumps(data, ensure_ascii=False)


def _goal_data(outcome: Outcome, goal: GoalResult) -> dict[str, object]:
    kind, (distance, angle) = outcome.before[goal.name]
    return {
        "name": goal.name,
        "type": kind,
        "distance_before": distance,
        "distance": None if distance is None else goal.distance,
        "angle_before": None if angle is None else degrees(angle),
        "angle": None if angle is None else degrees(goal.angle),
        "met": goal.met,
        "reason": None if goal.met else reason(goal),
    }

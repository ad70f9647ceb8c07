"""How a solve came out, noted where the panel shows it: on each goal and on the figure."""

from collections.abc import Iterable

import bpy

from ..bridge.figure import Reading
from ..bridge.goals import counts, goal_objects, not_posed, read_goals
from ..properties import figure_settings, goal_settings
from ..solvers import GoalResult, Result

_NAMED = 3  # goals or bones that a sentence names


def record(
    context: bpy.types.Context, armature: bpy.types.Object, result: Result, reading: Reading
) -> dict[str, str]:
    """Note the result on the goals, and on the figure which bones in their reach are not posed, and why.

    These are returned by name.
    """
    depsgraph = context.evaluated_depsgraph_get()
    note_goals(goal_objects(armature, depsgraph.view_layer), result, depsgraph)
    unposed = not_posed(reading, read_goals(armature, reading, depsgraph))
    figure_settings(armature).not_posed = "\n".join(unposed.values())
    return unposed


def note_goals(goals: Iterable[bpy.types.Object], result: Result, depsgraph: bpy.types.Depsgraph) -> None:
    """Of a set, any of which is enough, there is one result, and all its goals have it."""
    results = {each.name: each for each in result.goals}
    for goal in goals:
        settings = goal_settings(goal)
        each = results.get(settings.any_of or goal.name)
        if each is not None and counts(goal.evaluated_get(depsgraph)):
            settings.note(each.distance, each.angle, "MET" if each.met else reason(each))
        else:
            settings.forget_errors()


def reason(goal: GoalResult) -> str:
    """Why it is not met; completes “… is …”."""
    if goal.overruled_by:
        return f"overruled by “{goal.overruled_by}”, of a higher priority"
    return goal.reason.value


def summary(result: Result, unposed: dict[str, str]) -> str:
    """What was met and what was not, and why, in one sentence."""
    count = len(result.goals)
    missed = [goal for goal in result.goals if not goal.met]
    if result.broken and not missed:
        sentence = f"Forbidden by {listed([f'“{name}”' for name in result.broken], ', ')}"
    elif missed:
        named = listed([f"“{goal.name}” is {reason(goal)}" for goal in missed], "; ")
        sentence = f"{count - len(missed)} of {count} goals met: {named}"
    else:
        met = f"All {count} goals" if count > 1 else "The goal"
        sentence = f"{met} met in {1000.0 * result.seconds:.1f} ms"
    return f"{sentence}; {not_posed_text(unposed)}" if unposed else sentence


def not_posed_text(unposed: dict[str, str]) -> str:
    """How many bones, and the names of the first."""
    bones = f"{len(unposed)} bones in reach are" if len(unposed) > 1 else "1 bone in reach is"
    return f"{bones} not posed: {listed([f'“{name}”' for name in unposed], ', ')}"


def listed(texts: list[str], between: str) -> str:
    """The first few, and how many more there are."""
    more = f"{between}and {len(texts) - _NAMED} more" if len(texts) > _NAMED else ""
    return between.join(texts[:_NAMED]) + more

"""Pose the figure by its goals, once, now."""

import bpy

from ..bridge.goals import goal_objects
from ..bridge.solve import solve_armature
from ..properties import SOLVER_ITEMS, figure_settings, goal_settings
from ..solvers import GoalResult, Result
from .auto_key import AutoKey
from .base import FigureOperator
from .gathering import gather

_FIGURE_ITEM = ("FIGURE", "As Set", "The solver that is set for the figure", len(SOLVER_ITEMS))
_NAMED = 3  # goals that a report names


class CONTRAPPOSTO_OT_solve(FigureOperator):
    """Pose the figure so that it meets its goals, within its joint limits"""

    bl_idname = "contrapposto.solve"
    bl_label = "Solve"

    solver: bpy.props.EnumProperty(
        name="Solver",
        description="How a pose is found that meets the goals",
        items=(*SOLVER_ITEMS, _FIGURE_ITEM),
        default="FIGURE",
        options={"SKIP_SAVE"},
    )

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        solver = figure_settings(armature).solver if self.solver == "FIGURE" else self.solver
        result = solve_and_record(context, armature, solver)
        self.report({"INFO"} if result.met else {"WARNING"}, summary(result))


def solve_and_record(context: bpy.types.Context, armature: bpy.types.Object, solver: str) -> Result:
    """Solve, key what moved if the user keys automatically, and note on each goal how it came out."""
    keys = AutoKey(context, armature.pose.bones)
    result, _ = solve_armature(context, armature, solver)
    keys.insert()
    goals = goal_objects(armature)
    gather(context.scene, armature, goals)
    results = {each.name: each for each in result.goals}
    for goal in goals:
        settings = goal_settings(goal)
        # Of a set, any of which is enough, there is one result.
        each = results.get(settings.any_of or goal.name)
        if each is not None and settings.enabled:
            settings.note(each.distance, each.angle, "MET" if each.met else each.reason.value)
        else:
            settings.forget_errors()
    return result


def summary(result: Result) -> str:
    """What was met and what was not, and why, in one sentence."""
    count = len(result.goals)
    missed = [goal for goal in result.goals if not goal.met]
    if not missed:
        met = f"All {count} goals" if count > 1 else "The goal"
        return f"{met} met in {1000.0 * result.seconds:.1f} ms"
    named = "; ".join(_why(goal) for goal in missed[:_NAMED])
    more = f"; and {len(missed) - _NAMED} more" if len(missed) > _NAMED else ""
    return f"{count - len(missed)} of {count} goals met: {named}{more}"


def _why(goal: GoalResult) -> str:
    return f"“{goal.name}” is {goal.reason.value}"

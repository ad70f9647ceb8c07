"""Pose the figure by its goals, once, now."""

import bpy

from ..bridge.figure import refuse_unposable
from ..bridge.goals import goal_objects
from ..bridge.solve import solve_armature
from ..properties import SOLVER_ITEMS, figure_settings
from ..solvers import Budget, Result
from .auto_key import AutoKey
from .base import FigureOperator
from .gathering import gather
from .recording import record, summary

_FIGURE_ITEM = ("FIGURE", "As Set", "The solver that is set for the figure", len(SOLVER_ITEMS))


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

    use_rescue: bpy.props.BoolProperty(
        name="Rescue",
        description="Where goals are missed that may be within reach, look for other poses; it takes longer",
        default=True,
    )

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        solver = figure_settings(armature).solver if self.solver == "FIGURE" else self.solver
        result, unposed = solve_and_record(context, armature, solver, self.use_rescue)
        self.report({"INFO"} if result.met else {"WARNING"}, summary(result, unposed))


def solve_and_record(
    context: bpy.types.Context, armature: bpy.types.Object, solver: str, rescue: bool = True
) -> tuple[Result, dict[str, str]]:
    """Solve, key what moved if the user keys automatically, and note how it came out.

    Also returns the bones in reach that are not posed, and why.
    """
    refuse_unposable(armature)
    # First: Blender evaluates what the figure's collection holds, even where it is disabled in viewports.
    gather(context.scene, armature, goal_objects(armature))
    keys = AutoKey(context, armature.pose.bones)
    result, reading = solve_armature(context, armature, solver, Budget(rescue=rescue))
    keys.insert()
    return result, record(context, armature, result, reading)

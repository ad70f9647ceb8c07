"""Remove goals together with their empties."""

from collections.abc import Iterable

import bpy

from ..bridge.errors import BridgeError
from ..properties import active_goal, figure_settings, goal_settings, is_goal_of
from .base import FigureOperator
from .gathering import remove_if_empty


class CONTRAPPOSTO_OT_goal_remove(FigureOperator):
    """Remove the active goal"""

    bl_idname = "contrapposto.goal_remove"
    bl_label = "Remove Goal"

    name: bpy.props.StringProperty(
        name="Name",
        description="Name of the goal to remove, instead of the active one",
        options={"SKIP_SAVE"},
    )
    use_selected: bpy.props.BoolProperty(
        name="Selected",
        description="Remove all selected goals of the figure, instead of the active one",
        options={"SKIP_SAVE"},
    )

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        remove_goals(armature, self._goals(context, armature))

    def _goals(self, context: bpy.types.Context, armature: bpy.types.Object) -> list[bpy.types.Object]:
        if self.name:
            goal: bpy.types.Object | None = context.scene.objects.get(self.name)
            if goal is None or not is_goal_of(goal, armature):
                raise BridgeError(f"“{armature.name}” has no goal “{self.name}”.")
            return [goal]
        if self.use_selected:
            goals = [each for each in context.selected_objects if is_goal_of(each, armature)]
        else:
            goals = [goal for goal in [active_goal(context)] if goal]
        if not goals:
            kind = "selected" if self.use_selected else "active"
            raise BridgeError(f"“{armature.name}” has no {kind} goal.")
        return goals


def remove_goals(armature: bpy.types.Object, goals: Iterable[bpy.types.Object]) -> None:
    """Remove goals of an armature, and its collection with the last of them."""
    goals = list(goals)
    for goal in goals:
        if goal.library is not None:
            raise BridgeError(f"“{goal.name}” is linked from a library and cannot be removed here.")
    for goal in goals:
        _remove(goal)
    figure = figure_settings(armature)
    if figure.goals_collection:
        figure.list_index = max(0, min(figure.list_index, len(figure.goals_collection.all_objects) - 1))
    remove_if_empty(armature)


def _remove(goal: bpy.types.Object) -> None:
    # A prop that serves as a goal, or an empty that carries something, is more than a goal.
    if goal.type == "EMPTY" and not goal.children:
        bpy.data.objects.remove(goal)
    else:
        goal_settings(goal).is_goal = False

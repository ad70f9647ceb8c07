"""Put goals where the figure is now: the pose stays, and meets them."""

import bpy

from ..bridge.errors import BridgeError
from ..bridge.goals import effector_matrix, goal_objects
from ..properties import active_goal, goal_settings
from .auto_key import AutoKey
from .base import FigureOperator
from .gathering import gather
from .placement import nearest_placement, put


class CONTRAPPOSTO_OT_goals_snap(FigureOperator):
    """Put the goals where the figure is now, each by its least move"""

    bl_idname = "contrapposto.goals_snap"
    bl_label = "Snap Goals"

    use_active: bpy.props.BoolProperty(
        name="Active Only", description="Only the active goal, instead of all that are enabled"
    )

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        goals = self._goals(context, armature)
        depsgraph = context.evaluated_depsgraph_get()
        # All places before the first move: a goal may carry another, or a bone.
        effectors = [effector_matrix(armature, goal_settings(goal), depsgraph) for goal in goals]
        keys = AutoKey(context, goals)
        held = [
            goal.name
            for goal, effector in zip(goals, effectors, strict=True)
            if not put(goal, nearest_placement(goal, effector), context.view_layer)
        ]
        keys.insert()
        gather(context.scene, armature, goals)
        for goal in goals:
            goal_settings(goal).forget_errors()
        if held:
            self.report({"WARNING"}, f"Held back by their constraints: {', '.join(held)}")

    def _goals(self, context: bpy.types.Context, armature: bpy.types.Object) -> list[bpy.types.Object]:
        goals = [goal for goal in goal_objects(armature) if goal_settings(goal).enabled]
        if self.use_active:
            goals = [goal for goal in [active_goal(context)] if goal]
        if not goals:
            kind = "active goal" if self.use_active else "enabled goals"
            raise BridgeError(f"“{armature.name}” has no {kind}.")
        return goals

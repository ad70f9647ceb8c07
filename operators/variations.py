"""Step through different poses that meet the same goals."""

import bpy

from ..bridge.variations import vary_armature
from ..properties import figure_settings
from .auto_key import AutoKey
from .base import FigureOperator


class CONTRAPPOSTO_OT_variations(FigureOperator):
    """Propose other poses that meet the same goals; step through them below, and keep one"""

    bl_idname = "contrapposto.variations"
    bl_label = "Variations"

    number: bpy.props.IntProperty(
        name="Pose", description="Which of the poses is shown", default=1, min=1, options={"SKIP_SAVE"}
    )
    count: bpy.props.IntProperty(
        name="Poses", description="How many to propose", default=6, min=2, soft_max=20
    )
    seed: bpy.props.IntProperty(name="Seed", description="Another number proposes other poses", min=0)

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        keys = AutoKey(context, armature.pose.bones)
        solver = figure_settings(armature).solver
        number, count = vary_armature(context, armature, solver, self.count, self.number, self.seed)
        keys.insert()
        self.report({"INFO"}, f"Pose {number} of {count} that meet all goals")

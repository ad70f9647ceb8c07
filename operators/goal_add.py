"""Add goals for bones, where their effectors are, so that nothing has to move."""

from typing import cast

import bpy

from ..bridge.errors import BridgeError
from ..bridge.figure import refuse_unposable
from ..bridge.goals import effector_matrix
from ..properties import AIM_AXIS_ITEMS, TYPE_ITEMS, goal_settings, rest_bones
from .base import FigureOperator
from .making import keep_goal, make_goal, size_of
from .placement import first_placement

_EFFECTOR_ITEMS = (
    (
        "AUTO",
        "Automatic",
        "The tail of a bone that ends a chain and is not turned, such as a fingertip; else its head",
        0,
    ),
    ("HEAD", "Head", "The joint at which the bone begins, such as the wrist of a hand", 1),
    ("TAIL", "Tail", "The end of the bone, as in Blender's own IK", 2),
    ("CENTRE_OF_MASS", "Centre of Mass", "The balance of the whole figure", 3),
)
_TURNS = {"ORIENTATION", "POSE", "AIM"}

_AIM_DISTANCE = 0.5  # of the figure's size


class CONTRAPPOSTO_OT_goal_add(FigureOperator):
    """Add a goal for each selected bone, where its effector is now"""

    bl_idname = "contrapposto.goal_add"
    bl_label = "Add Goal"

    type: bpy.props.EnumProperty(name="Type", items=TYPE_ITEMS, default="POSITION")
    effector: bpy.props.EnumProperty(
        name="Effector", description="What is brought to the goal", items=_EFFECTOR_ITEMS, default="AUTO"
    )
    aim_axis: bpy.props.EnumProperty(
        name="Axis",
        description="The axis of the bone that points at the goal",
        items=AIM_AXIS_ITEMS,
        default="POS_Y",
    )
    bone: bpy.props.StringProperty(
        name="Bone",
        description="Name of a bone of the active armature, to use instead of the selected ones",
        options={"SKIP_SAVE"},
    )

    def draw(self, _context: bpy.types.Context) -> None:
        self.layout.use_property_split = True
        self.layout.prop(self, "type")
        self.layout.prop(self, "effector")
        if self.type == "AIM":
            self.layout.prop(self, "aim_axis")

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        subjects = self._subjects(context, armature)
        for figure, _ in subjects:
            refuse_unposable(figure)
        depsgraph = context.evaluated_depsgraph_get()
        made: list[bpy.types.Object] = []
        try:
            for figure, bone in subjects:
                made.append(self._make(figure, bone))
                self._place(made[-1], figure, depsgraph)
        except BridgeError:
            bpy.data.batch_remove(made)
            raise
        for goal in made:
            keep_goal(context.scene, goal)
        self.report({"INFO"}, f"Added {len(made)} goals" if len(made) > 1 else f"Added “{made[0].name}”")

    def _subjects(
        self, context: bpy.types.Context, armature: bpy.types.Object
    ) -> list[tuple[bpy.types.Object, bpy.types.PoseBone | None]]:
        """The armatures and bones to make goals for; no bone is the centre of mass."""
        if self.effector == "CENTRE_OF_MASS":
            if self.type in _TURNS:
                raise BridgeError("The centre of mass is a point: it cannot be turned.")
            return [(armature, None)]
        if self.bone:
            if self.bone not in armature.pose.bones:
                raise BridgeError(f"“{armature.name}” has no bone “{self.bone}”.")
            return [(armature, armature.pose.bones[self.bone])]
        bones = context.selected_pose_bones or [_active_bone(context, armature)]
        if bones == [None]:
            raise BridgeError("Select bones in Pose Mode to give them goals.")
        return [(cast(bpy.types.Object, bone.id_data), bone) for bone in bones]

    def _make(self, armature: bpy.types.Object, bone: bpy.types.PoseBone | None) -> bpy.types.Object:
        goal = make_goal(armature, bone, self.type, self._effector(bone))
        goal_settings(goal).aim_axis = self.aim_axis
        return goal

    def _effector(self, bone: bpy.types.PoseBone | None) -> str:
        if self.effector != "AUTO" or bone is None:
            return self.effector
        # What is turned, is turned about its joint.
        return "HEAD" if bone.children or self.type in _TURNS else "TAIL"

    def _place(
        self, goal: bpy.types.Object, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph
    ) -> None:
        effector = effector_matrix(armature, goal_settings(goal), depsgraph)
        goal.matrix_world = first_placement(goal, effector, _AIM_DISTANCE * size_of(armature))


def _active_bone(context: bpy.types.Context, armature: bpy.types.Object) -> bpy.types.PoseBone | None:
    active = rest_bones(armature).active
    return context.active_pose_bone or (armature.pose.bones[active.name] if active else None)

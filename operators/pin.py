"""Pins: goals that hold a bone where it is. One key pins the selected bones, and unpins them again."""

from collections.abc import Iterable
from typing import cast

import bpy

from ..bridge.figure import refuse_unposable
from ..bridge.goals import effector_matrix, goal_objects
from ..properties import goal_settings
from .base import FigureOperator
from .goal_remove import remove_goals
from .making import keep_goal, make_goal
from .placement import frame, put

_TYPE_ITEMS = (
    ("POSE", "Both", "Where the bone begins and how it is turned", "PINNED", 0),
    ("POSITION", "Position", "Where the bone begins; it may turn", "EMPTY_AXIS", 1),
    ("ORIENTATION", "Rotation", "How the bone is turned; it may go elsewhere", "ORIENTATION_GIMBAL", 2),
)
_WEIGHT = 10.0  # a pin gives way to goals out of reach by a tenth of what they miss
_SIZE = 0.5  # of another goal's


class CONTRAPPOSTO_OT_pin(FigureOperator):
    """Pin the selected bones where they are now, or unpin them if they are pinned like that"""

    bl_idname = "contrapposto.pin"
    bl_label = "Pin"

    type: bpy.props.EnumProperty(name="Type", description="What is held", items=_TYPE_ITEMS, default="POSE")

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if not super().poll(context):
            return False
        if not context.selected_pose_bones:
            cls.poll_message_set("Select bones in Pose Mode")
            return False
        return True

    def run(self, context: bpy.types.Context, _armature: bpy.types.Object) -> None:
        bones = context.selected_pose_bones
        for bone in bones:
            refuse_unposable(cast(bpy.types.Object, bone.id_data))
        pins = [(bone, _pin_of(bone, context.view_layer)) for bone in bones]
        like_that = [pin for _, pin in pins if pin is not None and goal_settings(pin).type == self.type]
        if len(like_that) == len(pins):
            for pin in like_that:
                remove_goals(goal_settings(pin).armature, [pin])
            self.report({"INFO"}, f"Unpinned {_named(bones)}")
            return
        for bone, pin in pins:
            self._pin(context, bone, pin)
        self.report({"INFO"}, f"Pinned {_named(bones)}")

    def _pin(
        self, context: bpy.types.Context, bone: bpy.types.PoseBone, pin: bpy.types.Object | None
    ) -> None:
        armature = cast(bpy.types.Object, bone.id_data)
        if pin is None:
            pin = _make_pin(armature, bone)
            keep_goal(context.scene, pin)
        settings = goal_settings(pin)
        settings.type = self.type
        effector = effector_matrix(armature, settings, context.evaluated_depsgraph_get())
        put(pin, frame(effector), context.view_layer)


def _make_pin(armature: bpy.types.Object, bone: bpy.types.PoseBone) -> bpy.types.Object:
    pin = make_goal(armature, bone, "POSE", "HEAD")
    pin.name = f"{bone.name} Pin"
    pin.empty_display_size *= _SIZE
    settings = goal_settings(pin)
    settings.is_pin, settings.weight = True, _WEIGHT
    return pin


def _pin_of(bone: bpy.types.PoseBone, view_layer: bpy.types.ViewLayer) -> bpy.types.Object | None:
    for goal in goal_objects(cast(bpy.types.Object, bone.id_data), view_layer):
        settings = goal_settings(goal)
        if settings.is_pin and settings.bone == bone.name:
            return goal
    return None


def _named(bones: Iterable[bpy.types.PoseBone]) -> str:
    names = [f"“{bone.name}”" for bone in bones]
    return names[0] if len(names) == 1 else f"{len(names)} bones"

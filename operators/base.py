"""What all operators on a figure share: whom they are for, and how they say that they cannot."""

from typing import Any

import bpy

from ..bridge.errors import BridgeError
from ..properties import active_figure

_MODES = {"OBJECT", "POSE"}


class FigureOperator(bpy.types.Operator):
    """Base of an operator that does `run(context, armature)`; a BridgeError becomes its report."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if active_figure(context) is None:
            cls.poll_message_set("Select an armature or one of its goals")
            return False
        if context.mode not in _MODES:
            cls.poll_message_set("Only in Object Mode and Pose Mode")
            return False
        return True

    def execute(self, context: bpy.types.Context) -> set[Any]:
        try:
            self.run(context, active_figure(context))
        except BridgeError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        return {"FINISHED"}

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        raise NotImplementedError

"""Live posing: the figure follows its goals while any other tool of Blender moves them."""

from typing import Any

import bpy

from ..bridge.errors import BridgeError
from ..properties import active_figure
from .base import FigureOperator
from .live import Ended, Live, running

_CONFIRM = {"RET", "NUMPAD_ENTER"}


class CONTRAPPOSTO_OT_pose(FigureOperator):
    """Pose live: the figure follows while its goals are moved, until Enter confirms or Esc cancels"""

    bl_idname = "contrapposto.pose"
    bl_label = "Live"
    bl_options = {"UNDO"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        if running() is not None:
            return True
        if bpy.app.background:
            cls.poll_message_set("Needs a window; solve instead")
            return False
        return super().poll(context)

    def invoke(self, context: bpy.types.Context, _event: bpy.types.Event) -> set[Any]:
        return self.execute(context)

    def execute(self, context: bpy.types.Context) -> set[Any]:
        """Begin, or confirm where it runs already: the button is a switch."""
        already = running()
        if already is not None:
            already.wants_to_end = True
            return {"CANCELLED"}
        try:
            self._live = Live(context, active_figure(context))
        except BridgeError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context: bpy.types.Context, event: bpy.types.Event) -> set[Any]:
        live = self._live
        if running() is not live:
            return {"CANCELLED"}
        try:
            return self._handle(live, context, event)
        except Ended as ended:
            live.end()
            self.report({"WARNING"}, f"Live posing has ended: {ended}")
            # Without an undo step: it may be undo that took the figure away, and redo brings it back.
            return {"CANCELLED"}
        except BaseException:
            live.end()
            raise

    def cancel(self, _context: bpy.types.Context) -> None:
        """Blender closes the window or opens another file."""
        self._live.end()

    def _handle(self, live: Live, context: bpy.types.Context, event: bpy.types.Event) -> set[Any]:
        """Everything but Enter and Esc above a viewport goes on to others."""
        if event.type == "TIMER":
            if live.wants_to_end:
                live.confirm(context)
                return {"FINISHED"}
            live.tick(context)
        elif event.value == "PRESS" and _is_plain(event) and _is_in_viewport(context, event):
            if event.type in _CONFIRM:
                live.confirm(context)
                return {"FINISHED"}
            # While an animation plays, Esc stops it.
            if event.type == "ESC" and not context.screen.is_animation_playing:
                live.cancel(context)
                return {"CANCELLED"}
        return {"PASS_THROUGH"}


def _is_plain(event: bpy.types.Event) -> bool:
    return not (event.ctrl or event.shift or event.alt or event.oskey)


def _is_in_viewport(context: bpy.types.Context, event: bpy.types.Event) -> bool:
    """Whether the pointer is in a 3D viewport: elsewhere the same keys mean other things."""
    x, y = event.mouse_x, event.mouse_y
    return any(
        area.type == "VIEW_3D" and area.x <= x < area.x + area.width and area.y <= y < area.y + area.height
        for area in context.window.screen.areas
    )

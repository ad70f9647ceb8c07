"""Live posing: what goes on from its start to its end, apart from the keys that the user presses.

Nothing of Blender's is kept: undo, redo and other files make references invalid. The armature is found by
the number that it has as long as Blender runs, whatever it is called.
"""

from __future__ import annotations

from typing import Any

import bpy

from ..bridge.errors import BridgeError
from ..bridge.figure import Reading, refuse_unposable
from ..bridge.goals import goal_objects
from ..bridge.session import Session
from ..properties import LiveFigure, preferences, set_live_figure
from ..solvers import Budget, Result
from .gathering import gather
from .recording import note_goals
from .start import Start

_INTERVAL = 1.0 / 60.0  # seconds
_CHANGES = ("depsgraph_update_post", "frame_change_post", "undo_post", "redo_post")

_running: Live | None = None


class Ended(Exception):
    """Live posing cannot go on; the sentence says why."""


class Live:
    """A figure that follows its goals. There is one at a time."""

    def __init__(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        global _running
        refuse_unposable(armature)
        gather(context.scene, armature, goal_objects(armature))
        self.name: str = armature.name
        self.message = ""
        self.wants_to_end = False
        self._number: int = armature.session_uid
        self._session = Session(armature)
        self._start = Start(context, armature)
        self._result: Result | None = None
        self._changed = True
        self._timer = context.window_manager.event_timer_add(_INTERVAL, window=context.window)
        for name in _CHANGES:
            getattr(bpy.app.handlers, name).append(self._note_change)
        _running = self
        set_live_figure(LiveFigure(self.name))
        self._show_status()

    def _note_change(self, *_: Any) -> None:
        self._changed = True

    # Ticks

    def tick(self, context: bpy.types.Context) -> None:
        """Follow what has changed. What cannot be solved is shown, until the user has mended it."""
        if not self._changed or bpy.app.is_job_running("RENDER"):
            return
        self._changed = False
        armature = self.find(context)
        try:
            result = self._session.tick(context, self._budget(context))
        except BridgeError as error:
            self._complain(str(error))
            return
        except ValueError as error:  # the solvers' word for what makes no sense
            self._complain(f"“{self.name}” cannot be posed: {error}.")
            return
        if result is not self._result or armature.name != self.name:
            self.name, self._result = armature.name, result
            self._note(context, result)
            self._publish(result)
            _redraw(context)
            self._changed = True

    def _complain(self, sentence: str) -> None:
        """Whatever comes next is news, even if it is the last result."""
        self._result = None
        self._say(sentence)

    def _publish(self, result: Result) -> None:
        """What the overlay shows besides the goals."""
        reading = self._session.reading
        if reading is not None:
            x, y, z = reading.figure.centre_of_mass(reading.q).tolist()
            set_live_figure(LiveFigure(self.name, _at_limit(reading, result), (x, y, z)))

    def _budget(self, context: bpy.types.Context) -> Budget:
        return Budget(seconds=preferences(context).time_budget / 1000.0, restarts=0)

    def find(self, context: bpy.types.Context) -> bpy.types.Object:
        """The armature, under whatever name; Ended where it is gone."""
        objects = context.view_layer.objects
        named: bpy.types.Object | None = objects.get(self._session.name)
        if named is not None and named.session_uid == self._number:
            return named
        for each in objects:
            if each is not None and each.session_uid == self._number:
                self._session.name = each.name
                return each
        raise Ended(f"“{self.name}” is not in this view layer any more")

    def _note(self, context: bpy.types.Context, result: Result) -> None:
        objects = context.view_layer.objects
        goals = [objects[name] for name in self._session.goals if name in objects]
        note_goals(goals, result, context.evaluated_depsgraph_get())
        met = sum(goal.met for goal in result.goals)
        self._say(f"{met} of {len(result.goals)} goals met")

    # The end

    def confirm(self, context: bpy.types.Context) -> None:
        """Keep the pose, with keys if the user keys automatically."""
        self.end()
        self._start.key_moved(context, self.find(context))

    def cancel(self, context: bpy.types.Context) -> None:
        """Put everything back as it was."""
        self.end()
        self._start.restore(context, self.find(context))

    def end(self) -> None:
        """Let go of Blender; the pose stays as it is."""
        global _running
        if _running is not self:
            return
        _running = None
        set_live_figure(LiveFigure())
        for name in _CHANGES:
            handlers = getattr(bpy.app.handlers, name)
            if self._note_change in handlers:  # another file has none of them
                handlers.remove(self._note_change)
        bpy.context.window_manager.event_timer_remove(self._timer)
        bpy.data.workspaces[0].status_text_set(None)
        _redraw(bpy.context)

    # The status bar

    def _say(self, message: str) -> None:
        if message != self.message:
            self.message = message
            self._show_status()

    def _show_status(self) -> None:
        def draw(header: bpy.types.Header, context: bpy.types.Context) -> None:
            layout = header.layout
            layout.label(text="Confirm", icon="EVENT_RETURN")
            layout.label(text=" Cancel", icon="EVENT_ESC")
            if context.mode == "POSE":
                layout.label(text="Pin Selected Bones", icon="EVENT_P")
            layout.separator_spacer()
            layout.label(text=f"Live: “{self.name}” follows its goals. {self.message}", icon="PLAY")
            layout.separator_spacer()

        # Given a function, this draws the status bar of every workspace.
        bpy.data.workspaces[0].status_text_set(draw)


def running() -> Live | None:
    return _running


def stop() -> None:
    """End live posing from outside, as when the extension is disabled."""
    if _running is not None:
        _running.end()


def _at_limit(reading: Reading, result: Result) -> tuple[str, ...]:
    """Bones that a limit holds; a locked coordinate does not move in any case."""
    figure = reading.figure
    rotations = 3 * len(figure.names)
    held = [k // 3 for k in result.active if k < rotations and figure.lower[k] < figure.upper[k]]
    return tuple(dict.fromkeys(figure.names[bone] for bone in held))


def _redraw(context: bpy.types.Context) -> None:
    for window in context.window_manager.windows:
        for area in window.screen.areas:
            if area.type == "VIEW_3D":
                area.tag_redraw()

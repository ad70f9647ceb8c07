"""Solving again and again, as live posing and baking do: what does not change is read once.

A tick reads the channels of the bones and the places of the goals in bulk, and finds them as it
left them or not. Only what is not, is read anew. Names are kept, never references: undo, redo and
loading a file put other objects behind the same names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix
from numpy.typing import NDArray

from ..properties import is_goal_of
from ..solvers import BACKENDS, Budget, Goal, Problem, Result, Status
from .errors import BridgeError
from .figure import Reading, read_figure, refuse_unposable
from .goal_template import GoalTemplate, everything_set, read_template
from .goals import assemble, counts, goal_objects
from .pose import ROTATIONS, write_pose
from .solve import agrees, no_goals

_SETTLED = (Status.MET, Status.COMPROMISE)
_CHANNELS = {**ROTATIONS, "rotation_mode": 1, "location": 3, "scale": 3}


@dataclass
class _Watched:
    """A goal as it was seen last; without a template while it does not count."""

    name: str
    settings: tuple[Any, ...] = ()
    template: GoalTemplate | None = None
    matrix: Matrix | None = None
    goal: Goal | None = None


class Session:
    """An armature that is posed by its goals, tick by tick.

    Limits, locks, constraints and the bones themselves are taken to stay as they are; call `refresh`
    after they may have been edited.
    """

    def __init__(self, armature: bpy.types.Object, solver: str = "NONLINEAR") -> None:
        self.name = armature.name
        self.solver = solver
        self.refresh()

    def refresh(self) -> None:
        """Read everything at the next tick."""
        self._reading: Reading | None = None
        self._watched: list[_Watched] = []
        self._count = -1  # of all objects: when it changes, goals may have come or gone
        self._problem: Problem | None = None
        self._result: Result | None = None

    @property
    def reading(self) -> Reading | None:
        """The armature as the last tick left it."""
        return self._reading

    def tick(self, context: bpy.types.Context, budget: Budget | None = None) -> Result:
        """Read, solve and write once; the view layer is to be updated after it.

        A solve that its budget cut short goes on at the next tick. BridgeError leaves the pose as it is.
        """
        depsgraph = context.evaluated_depsgraph_get()
        armature = self._find(context)
        fresh = self._read_figure(armature, depsgraph)
        moved = self._read_goals(armature, depsgraph, fresh)
        if self._result is not None and not fresh and not moved and self._result.status in _SETTLED:
            return self._result
        problem = self._compile(fresh)
        self._result = BACKENDS[self.solver]().solve(problem, budget or Budget())
        self._reading = write_pose(armature, self._reading, self._result.q)
        self._channels = _read_channels(armature)
        return self._result

    def _find(self, context: bpy.types.Context) -> bpy.types.Object:
        objects = context.view_layer.objects
        if self.name not in objects:
            raise BridgeError(f"There is no “{self.name}” in the view layer any more.")
        return objects[self.name]

    # The figure

    def _read_figure(self, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
        """Whether it had to be read anew."""
        if self._reading is not None and self._is_as_left(armature, depsgraph):
            return False
        self._reading = read_figure(armature, depsgraph)
        self._matrix = armature.evaluated_get(depsgraph).matrix_world.copy()
        self._channels = _read_channels(armature)
        return True

    def _is_as_left(self, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
        refuse_unposable(armature)
        if len(armature.pose.bones) != len(self._reading.bones):
            return False
        if armature.evaluated_get(depsgraph).matrix_world != self._matrix:
            return False
        if not np.array_equal(_read_channels(armature), self._channels):
            return False
        # Others move with the pose only where something other than the pose moves them.
        return not self._reading.notes or agrees(armature, self._reading, depsgraph)

    # The goals

    def _read_goals(self, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph, fresh: bool) -> bool:
        """Whether any goal came, went, moved or asks for something else."""
        objects = depsgraph.view_layer.objects
        moved = fresh or len(objects) != self._count
        if moved:
            self._count = len(objects)
            names = [goal.name for goal in goal_objects(armature, depsgraph.view_layer)]
            self._watched = [_Watched(name) for name in names]
        for each in self._watched:
            goal: bpy.types.Object | None = objects.get(each.name)
            if goal is None or not is_goal_of(goal, armature):
                self._count = -1
                return self._read_goals(armature, depsgraph, fresh)
            moved |= self._look_at(each, armature, goal.evaluated_get(depsgraph))
        return moved

    def _look_at(self, each: _Watched, armature: bpy.types.Object, goal: bpy.types.Object) -> bool:
        """Whether a goal differs from what was seen of it last."""
        settings, matrix = (goal.is_evaluated, *everything_set(goal)), goal.matrix_world
        if settings == each.settings and matrix == each.matrix:
            return False
        if settings != each.settings:
            each.template = read_template(armature, self._reading.figure, goal) if counts(goal) else None
            self._problem = None
        each.goal = each.template.at(np.array(matrix, dtype=float)) if each.template else None
        each.settings, each.matrix = settings, matrix.copy()
        return True

    def _compile(self, fresh: bool) -> Problem:
        seen = [(each.template.any_of, each.goal) for each in self._watched if each.template and each.goal]
        if not seen:
            raise no_goals(self.name)
        goals, start = assemble(seen), self._reading.q
        if fresh or self._problem is None:
            self._problem = Problem(self._reading.figure, goals, start)
        else:
            self._problem = self._problem.retargeted(goals, start)
        return self._problem


def _read_channels(armature: bpy.types.Object) -> NDArray[np.float32]:
    """All numbers of the pose in one row, as Blender stores them."""
    bones = armature.pose.bones
    row = np.empty(len(bones) * sum(_CHANNELS.values()), dtype=np.float32)
    start = 0
    for name, width in _CHANNELS.items():
        stop = start + len(bones) * width
        bones.foreach_get(name, row[start:stop])
        start = stop
    return row

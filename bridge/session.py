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

from ..properties import figure_settings, is_goal_of
from ..solvers import Budget, Goal, Problem, Result, Run, Status, begin
from .channels import read_channels
from .errors import BridgeError
from .figure import Reading, read_figure, refuse_unposable
from .goal_template import GoalTemplate, everything_set, read_template
from .goals import assemble, counts, goal_objects
from .pose import write_pose
from .setup import Setup, read_setup
from .solve import agrees, no_goals, read_constraints

_SETTLED = (Status.MET, Status.COMPROMISE)
_LIVE = Budget(restarts=0)
_SELDOM = 32  # ticks, while goals move


@dataclass
class _Watched:
    """A goal as it was seen last; without a template while it does not count."""

    name: str
    settings: tuple[Any, ...] = ()
    template: GoalTemplate | None = None
    matrix: Matrix | None = None
    goal: Goal | None = None


class Session:
    """An armature that is posed by its goals, tick by tick, with the solver that is set for it.

    Whether limits, locks, constraints or the bones themselves were edited is looked at where goals
    have not moved, and now and then while they move: nobody does both at once.
    """

    def __init__(self, armature: bpy.types.Object) -> None:
        self.name = armature.name
        self._ticks = 0
        self.refresh()

    def refresh(self) -> None:
        """Read everything at the next tick."""
        self._reading: Reading | None = None
        self._watched: list[_Watched] = []
        self._count = -1  # of all objects: when it changes, goals may have come or gone
        self._problem: Problem | None = None
        self._run: Run | None = None  # of a result that a budget cut short
        self._result: Result | None = None

    @property
    def reading(self) -> Reading | None:
        """The armature as the last tick left it."""
        return self._reading

    @property
    def goals(self) -> list[str]:
        """The names of the goals that the last tick has seen, counting or not."""
        return [each.name for each in self._watched]

    def tick(self, context: bpy.types.Context, budget: Budget | None = None) -> Result:
        """Read, solve and write once; the view layer is to be updated after it.

        A solve that its budget cut short goes on at the next tick. BridgeError leaves the pose as it is.
        """
        depsgraph = context.evaluated_depsgraph_get()
        armature = self._find(context)
        self._read(armature, depsgraph)
        if self._result is not None and self._result.status in _SETTLED:
            return self._result
        if self._result is None or self._run is None:
            self._run = begin(self._compile(armature), self._solver, (budget or _LIVE).restarts)
        self._result = self._run.advance(budget or _LIVE)
        self._reading = write_pose(armature, self._reading, self._result.q)
        return self._result

    def _read(self, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
        if self._reading is None or not self._is_as_left(armature, depsgraph):
            self._read_figure(armature, depsgraph)
        self._read_goals(armature, depsgraph)
        self._ticks += 1
        unmoved = self._result is not None
        if (unmoved or self._ticks % _SELDOM == 0) and read_setup(armature) != self._setup:
            self._read_figure(armature, depsgraph)
            self._read_goals(armature, depsgraph)

    def _find(self, context: bpy.types.Context) -> bpy.types.Object:
        objects = context.view_layer.objects
        if self.name not in objects:
            raise BridgeError(f"There is no “{self.name}” in the view layer any more.")
        return objects[self.name]

    # The figure

    def _read_figure(self, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
        self.refresh()
        self._reading = read_figure(armature, depsgraph)
        self._setup: Setup = read_setup(armature)
        self._solver: str = figure_settings(armature).solver
        self._matrix = armature.evaluated_get(depsgraph).matrix_world.copy()

    def _is_as_left(self, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> bool:
        refuse_unposable(armature)
        if len(armature.pose.bones) != len(self._reading.bones):
            return False
        if armature.evaluated_get(depsgraph).matrix_world != self._matrix:
            return False
        left = self._reading.channels
        present = read_channels(armature, left)
        if not all(np.array_equal(left[name], present[name]) for name in left):
            return False
        # Others move with the pose only where something other than the pose moves them.
        return not self._reading.notes or agrees(armature, self._reading, depsgraph)

    # The goals

    def _read_goals(self, armature: bpy.types.Object, depsgraph: bpy.types.Depsgraph) -> None:
        """Whatever came, went, moved or asks for something else makes the last result void."""
        objects = depsgraph.view_layer.objects
        if len(objects) != self._count:
            self._find_goals(armature, depsgraph.view_layer)
        for each in self._watched:
            goal: bpy.types.Object | None = objects.get(each.name)
            if goal is None or not is_goal_of(goal, armature):
                self._find_goals(armature, depsgraph.view_layer)
                return self._read_goals(armature, depsgraph)
            self._look_at(each, armature, goal.evaluated_get(depsgraph))
        return None

    def _find_goals(self, armature: bpy.types.Object, view_layer: bpy.types.ViewLayer) -> None:
        self._watched = [_Watched(goal.name) for goal in goal_objects(armature, view_layer)]
        self._count = len(view_layer.objects)
        self._problem = self._result = None

    def _look_at(self, each: _Watched, armature: bpy.types.Object, goal: bpy.types.Object) -> None:
        settings, matrix = (goal.is_evaluated, *everything_set(goal)), goal.matrix_world
        if settings == each.settings and matrix == each.matrix:
            return
        self._result = None
        if settings != each.settings:
            self._problem = None
            each.template = read_template(armature, self._reading.figure, goal) if counts(goal) else None
        each.goal = each.template.at(np.array(matrix, dtype=float)) if each.template else None
        each.settings, each.matrix = settings, matrix.copy()

    def _compile(self, armature: bpy.types.Object) -> Problem:
        seen = [(each.template.any_of, each.goal) for each in self._watched if each.template and each.goal]
        if not seen:
            raise no_goals(self.name)
        goals, start = assemble(seen), self._reading.q
        if self._problem is None:
            constraints = read_constraints(armature, self._solver)
            self._problem = Problem(self._reading.figure, goals, start, constraints=constraints)
        else:
            self._problem = self._problem.retargeted(goals, start)
        return self._problem

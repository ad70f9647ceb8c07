"""Read, solve, write, and look whether Blender agrees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np

from ..solvers import Budget, Goal, Problem, Result, solve
from .arrays import Array
from .bones import read_world
from .errors import BridgeError
from .figure import Reading, distance, read_figure, refuse_unposable
from .goals import read_goals
from .pose import restore, snapshot, write_pose

PASSES = 5  # at most: bones and goals that follow the pose are met again where they went
_AGREES = 1e-4  # of the figure's size, or radians


def solve_armature(
    context: bpy.types.Context,
    armature: bpy.types.Object,
    solver: str = "NONLINEAR",
    budget: Budget | None = None,
) -> tuple[Result, Reading]:
    """Pose ``armature`` by its goals; afterwards it is evaluated, and as the result says.

    Where constraints or drivers move bones or goals along with the pose, these are read again and the
    rest is solved around them. On any error the pose is as it was.
    """
    refuse_unposable(armature)
    saved = snapshot(armature)
    try:
        return _solve(context, armature, solver, budget or Budget())
    except BaseException:
        restore(armature, saved)
        context.view_layer.update()
        raise


def _solve(
    context: bpy.types.Context, armature: bpy.types.Object, solver: str, budget: Budget
) -> tuple[Result, Reading]:
    reading, goals = _read(context, armature)
    results = []
    for _ in range(PASSES):
        results.append(solve(Problem(reading.figure, goals, reading.q), solver, budget))
        reading = write_pose(armature, reading, results[-1].q)
        before = reading, goals
        if agrees(armature, reading, context.evaluated_depsgraph_get()):
            goals = read_goals(armature, reading, context.evaluated_depsgraph_get())
        else:
            reading, goals = _read(context, armature)
        if reading is before[0] and same_places(goals, before[1], reading.figure.size):
            break
    else:
        # Still moving: at least the result tells how it is now.
        results.append(solve(Problem(reading.figure, goals, reading.q), solver, Budget(iterations=0)))
    return _summed(results), reading


def _read(context: bpy.types.Context, armature: bpy.types.Object) -> tuple[Reading, list[Goal]]:
    depsgraph = context.evaluated_depsgraph_get()
    reading = read_figure(armature, depsgraph)
    goals = read_goals(armature, reading, depsgraph)
    if not goals:
        raise BridgeError(f"“{armature.name}” has no goals that count; add or enable one.")
    return reading, goals


def agrees(armature: bpy.types.Object, reading: Reading, depsgraph: bpy.types.Depsgraph) -> bool:
    """Whether Blender's bones are where forward kinematics puts them."""
    world = read_world(armature.evaluated_get(depsgraph))
    return bool((distance(reading.figure, reading.q, world) < _AGREES).all())


def same_places(goals: Sequence[Goal], before: Sequence[Goal], size: float) -> bool:
    """Whether goals are where they were, to what a figure of this size can tell."""
    now, then = _places(goals), _places(before)
    return now.shape == then.shape and bool((np.abs(now - then) < _AGREES * size).all())


def _places(goals: Sequence[Goal]) -> Array:
    terms = [term for goal in goals for term in goal.terms()]
    return np.array([[*term.target, *term.axis] for term in terms])


def _summed(results: Sequence[Result]) -> Result:
    """The last result, with the effort of all."""
    return replace(
        results[-1],
        iterations=sum(result.iterations for result in results),
        evaluations=sum(result.evaluations for result in results),
        seconds=sum(result.seconds for result in results),
    )

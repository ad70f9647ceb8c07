"""Read, solve, write, and look whether Blender agrees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import bpy
import numpy as np

from ..properties import figure_settings
from ..solvers import Budget, Constraint, Goal, Problem, Result, registered_constraints, solve
from .arrays import Array
from .bones import read_world
from .errors import BridgeError
from .figure import Reading, distance, read_figure, refuse_unposable
from .goals import read_goals
from .pose import restore, snapshot, write_pose

PASSES = 20  # at most: bones and goals that follow the pose are met again where they went
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
    except BaseException as error:
        restore(armature, saved)
        context.view_layer.update()
        if isinstance(error, ValueError):  # the solvers' word for what makes no sense
            raise BridgeError(f"“{armature.name}” cannot be posed: {error}.") from error
        raise


def _solve(
    context: bpy.types.Context, armature: bpy.types.Object, solver: str, budget: Budget
) -> tuple[Result, Reading]:
    """What follows the pose in ways the figure does not know makes a step too long: then it is halved."""
    reading, goals = read_problem(context, armature)
    constraints = read_constraints(armature, solver)
    results: list[Result] = []
    share = 1.0
    for _ in range(PASSES):
        problem = Problem(reading.figure, goals, reading.q, constraints=constraints)
        results.append(solve(problem, solver, budget))
        budget = replace(budget, rescue=False)  # what follows the first pose stays near it
        step = results[-1].q - reading.q
        pose = snapshot(armature)
        written = write_pose(armature, reading, results[-1].q if share == 1.0 else reading.q + share * step)
        whole = share == 1.0 or not step.any()
        if whole and _as_foreseen(context, armature, written, goals):
            return _summed(results), written
        after = read_problem(context, armature)
        if _objective(*after) < _objective(reading, goals):
            (reading, goals), share = after, min(1.0, 2.0 * share)
        else:
            restore(armature, pose)
            share *= 0.5
    # Still moving: at least the result tells how it is now.
    reading, goals = read_problem(context, armature)
    results.append(solve(Problem(reading.figure, goals, reading.q), solver, Budget(iterations=0)))
    return _summed(results), reading


def _as_foreseen(
    context: bpy.types.Context, armature: bpy.types.Object, reading: Reading, goals: Sequence[Goal]
) -> bool:
    depsgraph = context.evaluated_depsgraph_get()
    if not agrees(armature, reading, depsgraph):
        return False
    return same_places(read_goals(armature, reading, depsgraph), goals, reading.figure.size)


def _objective(reading: Reading, goals: Sequence[Goal]) -> float:
    problem = Problem(reading.figure, goals, reading.q)
    return problem.evaluate(np.zeros(problem.space.size)).objective


def read_problem(context: bpy.types.Context, armature: bpy.types.Object) -> tuple[Reading, list[Goal]]:
    """The figure as it is now, and the goals that count."""
    depsgraph = context.evaluated_depsgraph_get()
    reading = read_figure(armature, depsgraph)
    goals = read_goals(armature, reading, depsgraph)
    if not goals:
        raise no_goals(armature.name)
    return reading, goals


def read_constraints(armature: bpy.types.Object, solver: str) -> tuple[Constraint, ...]:
    """What scripts have registered and the figure names; only particles can keep it."""
    return registered_constraints(figure_settings(armature).constraint_names) if solver == "PARTICLES" else ()


def no_goals(name: str) -> BridgeError:
    return BridgeError(f"“{name}” has no goals that count; add or enable one.")


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

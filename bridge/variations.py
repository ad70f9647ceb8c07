"""Another pose that meets the same goals."""

from __future__ import annotations

import bpy

from ..solvers import Problem, variations
from .errors import BridgeError
from .figure import refuse_unposable
from .pose import write_pose
from .solve import read_constraints, read_problem


def vary_armature(
    context: bpy.types.Context, armature: bpy.types.Object, solver: str, count: int, number: int, seed: int
) -> tuple[int, int]:
    """Take on a variation of the pose, counted from 1; which it is, and of how many.

    Beyond the last, they begin again with the first.
    """
    refuse_unposable(armature)
    reading, goals = read_problem(context, armature)
    constraints = read_constraints(armature, solver)
    try:
        problem = Problem(reading.figure, goals, reading.q, constraints=constraints)
        poses = variations(problem, count, solver, seed)
    except ValueError as error:
        raise BridgeError(f"“{armature.name}” cannot be posed: {error}.") from error
    if not poses:
        raise BridgeError(f"No pose of “{armature.name}” was found that meets all goals; solve to see why.")
    index = (number - 1) % len(poses)
    write_pose(armature, reading, poses[index])
    context.view_layer.update()
    return index + 1, len(poses)

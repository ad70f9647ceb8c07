"""Empties as goals: which there are, and where they are evaluated."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ..properties import GoalSettings, goal_settings, is_goal_of
from ..solvers import AnyOf, Goal
from ..solvers.space import chain
from .figure import Reading, read_figure
from .goal_template import effector_point, no_bone, read_template


def goal_objects(
    armature: bpy.types.Object, view_layer: bpy.types.ViewLayer | None = None
) -> list[bpy.types.Object]:
    """The goals of ``armature`` in the view layer, enabled or not, by name."""
    objects = (view_layer or bpy.context.view_layer).objects
    # A removed object leaves a gap until the view layer is updated.
    empties = [each for each in objects if each is not None and each.type == "EMPTY"]
    goals = [each for each in empties if is_goal_of(each, armature)]
    return sorted(goals, key=lambda goal: goal.name)


def effector_matrix(
    armature: bpy.types.Object, settings: GoalSettings, depsgraph: bpy.types.Depsgraph
) -> Matrix:
    """The effector in world space: its place, and the bone's axes with their scale.

    The centre of mass has the world's axes.
    """
    if settings.effector == "CENTRE_OF_MASS":
        reading = read_figure(armature, depsgraph)
        return Matrix.Translation(Vector(reading.figure.centre_of_mass(reading.q).tolist()))
    evaluated = armature.evaluated_get(depsgraph)
    if settings.bone not in evaluated.pose.bones:
        raise no_bone(armature, settings.id_data.name, settings.bone)
    bone = evaluated.pose.bones[settings.bone]
    frame = evaluated.matrix_world @ bone.matrix
    frame.translation = frame @ Vector(effector_point(settings, bone.bone.length))
    return frame


def read_goals(armature: bpy.types.Object, reading: Reading, depsgraph: bpy.types.Depsgraph) -> list[Goal]:
    """The goals that count, in world space; BridgeError names the one that is wrong.

    A goal that is switched off, weighs nothing or is not evaluated does not count. Goals that share a
    name in *Any Of* become one, by that name.
    """
    placed: list[tuple[str, Goal]] = []
    for each in goal_objects(armature, depsgraph.view_layer):
        goal = each.evaluated_get(depsgraph)
        if counts(goal):
            template = read_template(armature, reading.figure, goal)
            placed.append((template.any_of, template.at(np.array(goal.matrix_world, dtype=float))))
    return assemble(placed)


def not_posed(reading: Reading, goals: Iterable[Goal]) -> dict[str, str]:
    """The bones in reach of ``goals`` that something else holds or moves, and why."""
    reached = np.zeros(len(reading.bones), dtype=bool)
    for goal in goals:
        reached |= chain(reading.figure, goal.effector.bone, goal.reach)
    return {name: why for name, why in reading.notes.items() if reached[reading.figure.index(name)]}


def counts(goal: bpy.types.Object) -> bool:
    """Whether an evaluated goal takes part.

    Blender does not evaluate one that is disabled in viewports, unless the figure's collection has it.
    """
    settings = goal_settings(goal)
    return goal.is_evaluated and settings.enabled and settings.weight != 0.0


def assemble(placed: Iterable[tuple[str, Goal]]) -> list[Goal]:
    """Goals with the name of the set they are in, or none, as goals and sets."""
    goals: list[Goal] = []
    sets: dict[str, list[Goal]] = {}
    for name, goal in placed:
        (sets.setdefault(name, []) if name else goals).append(goal)
    return goals + [_any_of(name, members) for name, members in sets.items()]


def _any_of(name: str, goals: list[Goal]) -> Goal:
    members = [part for goal in goals for part in (goal.members if isinstance(goal, AnyOf) else (goal,))]
    priority = min(goal.priority for goal in goals)
    return AnyOf(
        name=name,
        effector=members[0].effector,
        reach=members[0].reach,
        priority=priority,
        members=tuple(members),
    )

"""`native`: our solver against Blender's own Standard IK, problem by problem, in one process.

The same people with the same joint limits, targets that a random posture within the limits
reaches, started at rest. Blender's time is what an update of the view layer takes after moving
the targets, less what it takes for the same armature without IK. Times are those of the processor.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import bpy
import numpy as np
from bl_ext.user_default.contrapposto.bridge.solve import solve_armature
from bl_ext.user_default.contrapposto.solvers import Problem, solve
from mathutils import Matrix

from .scenes import (
    FINGERTIPS,
    LIMBS,
    MILLIMETRE,
    Person,
    add_goals,
    add_metarig,
    effector_points,
    person,
    position_goals,
    postures,
    rounded,
    set_limits,
)

PROBLEMS = 200
SEED = 20


class Stage:
    """A scene of its own with a metarig and an empty for each effector."""

    def __init__(self, kind: str, effectors: Sequence[str]) -> None:
        self.scene = bpy.data.scenes.new(kind)
        bpy.context.window.scene = self.scene
        self.armature = add_metarig(kind)
        set_limits(self.armature)
        self.effectors = effectors
        self.empties = self.add_empties()
        self.layer = self.scene.view_layers[0]
        self.layer.update()

    def add_empties(self) -> list[bpy.types.Object]:
        empties = [bpy.data.objects.new(name, None) for name in self.effectors]
        for empty in empties:
            self.scene.collection.objects.link(empty)
        return empties

    def move(self, targets: np.ndarray) -> None:
        for empty, target in zip(self.empties, targets, strict=True):
            empty.location = target
        self.armature.update_tag(refresh={"DATA"})

    def seconds(self, targets: np.ndarray) -> float:
        """Move the targets (goals, 3) and let Blender evaluate; how long that took."""
        self.move(targets)
        begin = time.process_time()
        self.layer.update()
        return time.process_time() - begin

    def reached(self, targets: np.ndarray) -> bool:
        """Whether Blender's evaluated bones are where they should be."""
        bones = self.armature.evaluated_get(self.layer.depsgraph).pose.bones
        return all_near(np.array([bones[name].tail for name in self.effectors]), targets)


class BlenderStage(Stage):
    """With Blender's own IK, of whole chains."""

    def add_empties(self) -> list[bpy.types.Object]:
        empties = super().add_empties()
        for name, empty in zip(self.effectors, empties, strict=True):
            constraint = self.armature.pose.bones[name].constraints.new("IK")
            constraint.target = empty
            constraint.chain_count = 0
        return empties


class GoalStage(Stage):
    """With our goals: all is read from Blender, solved, written and checked, as *Solve* does."""

    def add_empties(self) -> list[bpy.types.Object]:
        return add_goals(self.armature, self.effectors)

    def seconds(self, targets: np.ndarray) -> float:
        bpy.context.window.scene = self.scene
        for bone in self.armature.pose.bones:
            bone.matrix_basis = Matrix()
        self.move(targets)
        self.layer.update()
        begin = time.process_time()
        solve_armature(bpy.context, self.armature)
        return time.process_time() - begin


@dataclass(frozen=True)
class Times:
    """Seconds for every problem, and whether every goal was within a millimetre."""

    seconds: np.ndarray
    reached: np.ndarray

    def at(self, part: float) -> float:
        return float(np.percentile(self.seconds, part))

    def line(self, name: str) -> str:
        median, late = 1e3 * self.at(50), 1e3 * self.at(95)
        return f"{name:32}{median:10.2f} ms{late:10.2f} ms{100.0 * self.reached.mean():10.1f} %"


def all_near(places: np.ndarray, targets: np.ndarray) -> bool:
    return bool((np.linalg.norm(places - targets, axis=1) <= MILLIMETRE).all())


def solve_arrays(
    someone: Person, effectors: Sequence[str], targets: np.ndarray
) -> tuple[float, float, bool, float]:
    """Seconds to compile the problem and to solve it, whether every goal was reached; those of priorities."""
    goals = position_goals(someone, effectors, targets)
    begin = time.process_time()
    problem = Problem(someone.figure, goals, someone.rest)
    compiled = time.process_time()
    result = solve(problem)
    end = time.process_time()
    levelled = _levelled(problem)
    begun = time.process_time()
    solve(levelled, "PRIORITIZED")
    prioritized = time.process_time() - begun
    reached = all_near(effector_points(someone, effectors, result.q), targets)
    return compiled - begin, end - compiled, reached, prioritized


def _levelled(problem: Problem) -> Problem:
    """The same goals, the feet first."""
    goals = [replace(goal, priority=1 if "foot" in goal.name else 2) for goal in problem.goals]
    return Problem(problem.figure, goals, problem.space.start)


def compare(kind: str, effectors: Sequence[str], part: float = 1.0) -> tuple[Times, Times]:
    """Ours and Blender's times of all problems; print the table.

    ``part``: how far from rest the postures are that the targets are taken from, 1 for the whole
    range of every joint. All solvers take each problem in turn, so that a busy machine slows all.
    """
    someone = person(kind)
    qs = rounded(someone.figure, postures(someone.figure, PROBLEMS, np.random.default_rng(SEED)))
    blender, plain, goals = (stage(kind, effectors) for stage in (BlenderStage, Stage, GoalStage))
    rows = []
    for targets in effector_points(someone, effectors, part * qs):
        stages = [(stage.seconds(targets), stage.reached(targets)) for stage in (blender, plain, goals)]
        rows.append((*solve_arrays(someone, effectors, targets), *np.ravel(stages)))
    compiling, solving, ours, levelled, update, native, bare, _, through, written = np.array(
        rows, dtype=float
    ).T
    own, theirs = Times(solving, ours), Times(update - np.median(bare), native)
    print(f"\n{kind}: {len(effectors)} goals, {len(someone.figure.names)} bones, {part:.0%} of the range")
    print(f"{'':32}{'median':>13}{'p95':>13}{'reached':>12}")
    print(theirs.line("Blender's IK"))
    print(own.line("ours"))
    print(Times(compiling + solving, ours).line("ours, with compiling"))
    print(Times(through, written).line("ours, with all reading, writing"))
    print(f"prioritized, the feet first / nonlinear: {np.median(levelled) / np.median(solving):.2f}")
    print(f"Blender's update without IK {1e3 * np.median(bare):.2f} ms", flush=True)
    return own, theirs


def main() -> float:
    fingers = (*FINGERTIPS, "foot.L", "foot.R")
    pairs = {
        "hands and feet": compare("basic_human", LIMBS),
        "hands and feet, half the range": compare("basic_human", LIMBS, 0.5),
        "fingertips and feet": compare("human", fingers),
    }
    print(f"\n{'ours / Blender’s':32}{'median':>10}{'p95':>10}")
    for name, (ours, native) in pairs.items():
        print(f"{name:32}{ours.at(50) / native.at(50):10.3f}{ours.at(95) / native.at(95):10.3f}")
    ours, native = pairs["hands and feet"]
    return ours.at(50) / native.at(50)

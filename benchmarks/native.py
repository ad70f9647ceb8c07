"""`native`: our solver against Blender's own Standard IK, problem by problem, in one process.

The same people with the same joint limits, targets that a random posture within the limits
reaches, started at rest. Blender's time is what an update of the view layer takes after moving
the targets, less what it takes for the same armature without IK.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import bpy
import numpy as np
from bl_ext.user_default.contrapposto.solvers import Problem, solve

from .scenes import (
    FINGERTIPS,
    LIMBS,
    MILLIMETRE,
    Person,
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


@dataclass(frozen=True)
class Times:
    """Seconds for every problem, and whether every goal was within a millimetre."""

    seconds: np.ndarray
    reached: np.ndarray

    def line(self, name: str) -> str:
        median, late = (1e3 * np.percentile(self.seconds, part) for part in (50, 95))
        return f"{name:28}{median:10.2f} ms{late:10.2f} ms{100.0 * self.reached.mean():10.1f} %"


class Stage:
    """A scene of its own with a metarig and an empty for each goal, with or without Blender's IK."""

    def __init__(self, kind: str, effectors: Sequence[str], with_ik: bool) -> None:
        self.scene = bpy.data.scenes.new(kind)
        bpy.context.window.scene = self.scene
        self.armature = add_metarig(kind)
        self.armature.location = (0.0, 0.0, 0.0)
        self.effectors = effectors
        self.empties = [bpy.data.objects.new(name, None) for name in effectors]
        for empty in self.empties:
            self.scene.collection.objects.link(empty)
        if with_ik:
            set_limits(self.armature)
            self._constrain()
        self.layer = self.scene.view_layers[0]
        self.layer.update()

    def _constrain(self) -> None:
        for name, empty in zip(self.effectors, self.empties, strict=True):
            constraint = self.armature.pose.bones[name].constraints.new("IK")
            constraint.target = empty
            constraint.chain_count = 0

    def update(self, targets: np.ndarray) -> float:
        """Move the targets (goals, 3) and evaluate; the seconds that took."""
        for empty, target in zip(self.empties, targets, strict=True):
            empty.location = target
        self.armature.update_tag(refresh={"DATA"})
        begin = time.perf_counter()
        self.layer.update()
        return time.perf_counter() - begin

    def reached(self, targets: np.ndarray) -> bool:
        evaluated = self.armature.evaluated_get(self.layer.depsgraph)
        tails = np.array([evaluated.pose.bones[name].tail for name in self.effectors])
        return bool((np.linalg.norm(tails - targets, axis=1) <= MILLIMETRE).all())


def solve_ours(someone: Person, effectors: Sequence[str], targets: np.ndarray) -> tuple[float, float, bool]:
    """Seconds to compile the problem and to solve it, and whether every goal was reached."""
    goals = position_goals(someone, effectors, targets)
    begin = time.perf_counter()
    problem = Problem(someone.figure, goals, someone.rest)
    compiled = time.perf_counter()
    result = solve(problem)
    end = time.perf_counter()
    tails = effector_points(someone, effectors, result.q)
    reached = bool((np.linalg.norm(tails - targets, axis=1) <= MILLIMETRE).all())
    return compiled - begin, end - compiled, reached


def compare(kind: str, effectors: Sequence[str]) -> tuple[Times, Times]:
    """All problems, ours and Blender's in turn so that a busy machine slows both; print the table."""
    someone = person(kind)
    figure = someone.figure
    qs = rounded(figure, postures(figure, PROBLEMS, np.random.default_rng(SEED)))
    blender, plain = Stage(kind, effectors, True), Stage(kind, effectors, False)
    rows = []
    for targets in effector_points(someone, effectors, qs):
        ours = solve_ours(someone, effectors, targets)
        updates = blender.update(targets), plain.update(targets)
        rows.append((*ours, *updates, blender.reached(targets)))
    compiling, solving, reached, update, bare, blender_reached = (
        np.array(row) for row in zip(*rows, strict=True)
    )
    native = Times(update - np.median(bare), blender_reached.astype(bool))
    ours = Times(solving, reached.astype(bool))
    print(f"\n{kind}: {len(effectors)} goals, {len(figure.names)} bones, {PROBLEMS} problems")
    print(f"{'':28}{'median':>13}{'p95':>13}{'reached':>12}")
    print(Times(update, native.reached).line("Blender, whole update"))
    print(Times(bare, native.reached).line("Blender, update without IK").rsplit(" ms", 1)[0] + " ms")
    print(native.line("Blender, IK"))
    print(ours.line("ours, solve"))
    print(Times(compiling + solving, ours.reached).line("ours, compile and solve"))
    return ours, native


def ratio(ours: Times, native: Times, part: float) -> float:
    return float(np.percentile(ours.seconds, part) / np.percentile(native.seconds, part))


def main() -> float:
    limbs = compare("basic_human", LIMBS)
    fingers = compare("human", (*FINGERTIPS, "foot.L", "foot.R"))
    print("\nours / Blender's, of solving alone: median, p95")
    for name, pair in (("hands and feet", limbs), ("fingertips and feet", fingers)):
        print(f"{name:28}{ratio(*pair, 50):10.3f}{ratio(*pair, 95):10.3f}")
    return ratio(*limbs, 50)

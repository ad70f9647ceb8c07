"""`tick`: what following moving targets costs in Blender, part by part.

The 159-bone Human with eight goals on empties, which move as the effectors of a person who moves
smoothly do, sixty times a second. A tick of a session reads what has changed, solves from the last
pose and writes the new one. Its measure is the update of the view layer that follows, which
Blender needs in any case. Times are those of the processor.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from unittest import mock

import bpy
import numpy as np
from bl_ext.user_default.contrapposto.bridge import session as session_module
from bl_ext.user_default.contrapposto.bridge.session import Session
from bl_ext.user_default.contrapposto.bridge.solve import solve_armature
from bl_ext.user_default.contrapposto.solvers import Budget, Problem, Run, solve

from .scenes import (
    BODY,
    MILLIMETRE,
    Person,
    add_goals,
    add_metarig,
    effector_points,
    position_goals,
    read_person,
    set_limits,
)

EFFECTORS = (*BODY, "f_index.03.L", "f_index.03.R")
TICKS = 600
RATE = 60.0  # ticks a second
PACE = 0.25  # turns a second
SWAY = 0.35  # of the way from the middle of a joint's range to its limits
SEED = 8
# What of a session's work is timed by itself; reading is the rest.
TIMED = {
    "retarget the problem": (Session, "_compile"),
    "solve": (Run, "advance"),
    "write": (session_module, "write_pose"),
}


def path(someone: Person) -> np.ndarray:
    """Where the effectors are (ticks, effectors, 3) while every joint swings at a pace of its own."""
    figure = someone.figure
    rng = np.random.default_rng(SEED)
    middle, half = 0.5 * (figure.lower + figure.upper), 0.5 * (figure.upper - figure.lower)
    paces = PACE * rng.uniform(0.5, 1.5, len(middle))
    phases = rng.uniform(0.0, 2.0 * np.pi, len(middle))
    seconds = np.arange(TICKS)[:, None] / RATE
    qs = middle + SWAY * half * np.sin(2.0 * np.pi * paces * seconds + phases)
    return effector_points(someone, EFFECTORS, qs)


def set_up() -> tuple[bpy.types.Object, list[bpy.types.Object], Person]:
    """The Human with its limits and goals, alone in a new file."""
    bpy.ops.wm.read_homefile(use_empty=True)
    armature = add_metarig("human")
    set_limits(armature)
    empties = add_goals(armature, EFFECTORS)
    bpy.context.view_layer.update()
    return armature, empties, read_person(armature)


def move(empties: Sequence[bpy.types.Object], places: np.ndarray) -> None:
    for empty, place in zip(empties, places, strict=True):
        empty.location = place
    bpy.context.view_layer.update()


@contextmanager
def stopwatch() -> Iterator[dict[str, float]]:
    """Seconds spent so far in each of the functions in TIMED."""
    laps = dict.fromkeys(TIMED, 0.0)

    def timed(part: str, function: Callable) -> Callable:
        def run(*arguments: object, **named: object) -> object:
            begin = time.process_time()
            try:
                return function(*arguments, **named)
            finally:
                laps[part] += time.process_time() - begin

        return run

    with ExitStack() as patches:
        for part, (owner, name) in TIMED.items():
            patches.enter_context(mock.patch.object(owner, name, timed(part, getattr(owner, name))))
        yield laps


def follow(
    armature: bpy.types.Object, empties: Sequence[bpy.types.Object], places: np.ndarray
) -> tuple[dict[str, np.ndarray], np.ndarray, np.ndarray]:
    """Seconds of each part (ticks,), iterations and how far the worst goal was missed (ticks,)."""
    session = Session(armature)
    rows, steps, misses = [], [], []
    with stopwatch() as laps:
        for targets in places:
            move(empties, targets)
            laps.update(dict.fromkeys(TIMED, 0.0))
            begin = time.process_time()
            result = session.tick(bpy.context)
            ticked = time.process_time()
            bpy.context.view_layer.update()
            update = time.process_time() - ticked
            rows.append((ticked - begin - sum(laps.values()), *laps.values(), ticked - begin, update))
            steps.append(result.iterations)
            misses.append(_missed(armature, targets))
    names = ("read", *TIMED, "a tick", "update of the view layer")
    columns = np.array(rows)[1:].T  # the first comes from rest
    return dict(zip(names, columns, strict=True)), np.array(steps[1:]), np.array(misses[1:])


def _missed(armature: bpy.types.Object, targets: np.ndarray) -> float:
    bones = armature.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    tails = np.array([bones[name].tail for name in EFFECTORS])
    return float(np.linalg.norm(tails - targets, axis=1).max())


def whole_solves(
    armature: bpy.types.Object, empties: Sequence[bpy.types.Object], places: np.ndarray
) -> np.ndarray:
    """Seconds of the *Solve* operator's work, which trusts nothing that it read before."""
    seconds = []
    for targets in places:
        move(empties, targets)
        begin = time.process_time()
        solve_armature(bpy.context, armature)
        seconds.append(time.process_time() - begin)
    return np.array(seconds)


def prioritized_ratios(someone: Person, places: np.ndarray) -> list[float]:
    """The prioritized solver's median time over the nonlinear one's: all goals alike, and in three levels."""
    ratios = []
    for levels in ([1] * len(EFFECTORS), [1, 1, 1, 1, 2, 3, 2, 2]):
        ratios.append(_solve_time(someone, places, levels, "PRIORITIZED"))
        ratios[-1] /= _solve_time(someone, places, levels, "NONLINEAR")
    return ratios


def _solve_time(someone: Person, places: np.ndarray, levels: Sequence[int], solver: str) -> float:
    """Median seconds of a solve that follows the path, without anything of Blender's."""
    seconds, q, problem = [], someone.rest, None
    for targets in places:
        goals = position_goals(someone, EFFECTORS, targets)
        goals = [replace(goal, priority=level) for goal, level in zip(goals, levels, strict=True)]
        problem = problem.retargeted(goals, q) if problem else Problem(someone.figure, goals, q)
        begin = time.thread_time()
        q = solve(problem, solver, Budget(restarts=0)).q
        seconds.append(time.thread_time() - begin)
    return float(np.median(seconds))


def main() -> float:
    armature, empties, someone = set_up()
    places = path(someone)
    parts, steps, misses = follow(armature, empties, places)
    parts["a whole solve, all read anew"] = whole_solves(armature, empties, places[::20])
    update = float(np.median(parts["update of the view layer"]))
    print(f"\n{len(someone.figure.names)} bones, {len(EFFECTORS)} goals, {TICKS} ticks")
    print(f"{'':28}{'median':>13}{'p95':>13}{'in updates':>13}")
    for name, seconds in parts.items():
        median, late = np.percentile(seconds, (50, 95))
        print(f"{name:28}{1e3 * median:10.2f} ms{1e3 * late:10.2f} ms{median / update:13.2f}")
    print(f"iterations: {np.median(steps):.0f} at the median, {np.percentile(steps, 95):.0f} at p95")
    print(f"followed within a millimetre: {100.0 * np.mean(misses <= MILLIMETRE):.1f} % of ticks")
    alike, three = prioritized_ratios(someone, places)
    print(f"prioritized / nonlinear: {alike:.2f} with all goals alike, {three:.2f} in three levels")
    return float(np.median(parts["a tick"])) / update

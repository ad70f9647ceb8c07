"""Zhao & Badler's experiments: look into a tube with a grouped and a free spine; reach for a box."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from bl_ext.user_default.contrapposto.solvers import Goal, Problem, Result, solve

from .body import Body, build_body
from .mannequin import Mannequin
from .plot import plot_spines
from .studio import add_box, add_tube, empty_studio, render
from .tasks import BOX_CENTRE, BOX_SIZE, TUBE_BOTTOM, TUBE_RADIUS, TUBE_TOP, box_goal, tube_goals

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
REPEATS = 30  # of each solve, for its time
STIFFNESS = 0.5  # the paper's, of the torso's side bends and turns
BLUE, GREY = (0.05, 0.16, 0.40), (0.30, 0.30, 0.32)


@dataclass(frozen=True, eq=False)
class Posture:
    """A body as a task left it."""

    title: str
    body: Body
    freedom: int
    result: Result
    seconds: float

    @property
    def spine(self) -> np.ndarray:
        """Degrees (joints, 3) from the top down: forwards, to the side, turning."""
        q = np.degrees(self.result.q)
        return np.array(
            [[q[self.body.coordinate(joint, axis)] for axis in "xzy"] for joint in self.body.spine]
        )


def take_posture(title: str, body: Body, goals: list[Goal]) -> Posture:
    """Solve from the neutral posture and print how it went."""
    seconds = []
    for _ in range(REPEATS):
        problem = Problem(body.figure, goals, body.neutral)
        begin = time.thread_time()
        result = solve(problem)
        seconds.append(time.thread_time() - begin)
    posture = Posture(title, body, problem.space.size, result, float(np.median(seconds)))
    _report(posture)
    return posture


def _report(posture: Posture) -> None:
    result, bends = posture.result, posture.spine.sum(axis=0)
    jumps = np.abs(np.diff(posture.spine, axis=0)).max()
    print(f"\n{posture.title}: {posture.freedom} degrees of freedom, {result.status.value}")
    print(f"  {result.iterations} iterations, {1e3 * posture.seconds:.2f} ms")
    for goal in result.goals:
        angle = np.degrees(goal.angle)
        print(f"  {goal.name:20}{1e3 * goal.distance:10.3f} mm{angle:9.3f}°  {goal.reason.value}")
    turns = "forwards {:.1f}°, sideways {:.1f}°, turned {:.1f}°".format(*bends)
    print(f"  spine: {turns}; most between neighbours {jumps:.1f}°")


def look_into_tube() -> tuple[Posture, Posture]:
    """Figures 3, 4 and 5."""
    postures = []
    for title, grouped in (("spine grouped", True), ("spine free", False)):
        body = build_body(grouped=grouped)
        postures.append(take_posture(f"tube, {title}", body, tube_goals(body)))
    grouped, free = postures
    return grouped, free


def reach_for_box() -> list[Posture]:
    """Figures 6, 7 and 8."""
    body = build_body(segments=5)
    waist = body.spine[-1]
    stiff = replace(body, figure=replace(body.figure, stiffness=_stiffness(body)))
    return [
        take_posture("box, from the shoulder", body, [box_goal(body, "clavicle.R")]),
        take_posture("box, from the waist", body, [box_goal(body, waist)]),
        take_posture("box, from the waist, torso stiffer", stiff, [box_goal(stiff, waist)]),
    ]


def _stiffness(body: Body) -> np.ndarray:
    stiffness = np.zeros(body.figure.skeleton.dimension)
    for joint in body.spine:
        stiffness[[body.coordinate(joint, axis) for axis in "yz"]] = STIFFNESS
    return stiffness


def picture_tube(postures: tuple[Posture, ...], name: str) -> None:
    towards = np.array([0.75, 1.0, -0.22])
    empty_studio()
    for posture, shift in zip(postures, _row(towards, len(postures), 1.15), strict=True):
        Mannequin(posture.body, posture.result.q, shift)
        add_tube(TUBE_TOP + shift, TUBE_BOTTOM + shift, TUBE_RADIUS, BLUE)
    render(IMAGES / name, towards, np.array([0.0, -0.25, 0.9]), 2.5, (900, 680))


def picture_box(postures: list[Posture], name: str) -> None:
    towards = np.array([0.6, 1.0, -0.22])
    empty_studio()
    for posture, shift in zip(postures, _row(towards, len(postures), 1.15), strict=True):
        Mannequin(posture.body, posture.result.q, shift)
        add_box(BOX_CENTRE + shift, BOX_SIZE, BLUE)
        below = 0.5 * (BOX_CENTRE[2] - 0.5 * BOX_SIZE[2])
        stand = np.array([BOX_CENTRE[0], BOX_CENTRE[1], below])
        add_box(stand + shift, np.array([0.12, 0.12, 2.0 * below]), GREY)
    render(IMAGES / name, towards, np.array([0.0, -0.2, 0.9]), 3.6, (1200, 640))


def _row(towards: np.ndarray, count: int, apart: float) -> np.ndarray:
    """Places (count, 3) beside each other on the floor, as seen when looking ``towards``."""
    right = np.array([towards[1], -towards[0], 0.0]) / np.hypot(*towards[:2])
    return apart * (np.arange(count) - 0.5 * (count - 1))[:, None] * right


def main() -> float:
    IMAGES.mkdir(parents=True, exist_ok=True)
    grouped, free = look_into_tube()
    box = reach_for_box()
    plot_spines(IMAGES / "paper-spine.png", [(p.title, p.body.spine, p.spine) for p in (grouped, free)])
    picture_tube((grouped, free), "paper-tube.png")
    picture_box(box, "paper-reach.png")
    return free.seconds / grouped.seconds

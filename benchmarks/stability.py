"""`stability`: a hand and a foot led slowly through the reach of the body, beyond it and back.

Rigify's Basic Human, the other limbs held where they are at the start. The target goes straight out
from a bent limb until it is stretched, as far again as nobody reaches, and comes back the same way, a
millimetre a tick, each tick from the pose of the last, as live posing does. For every solver:

- *kick*: the most that any joint coordinate moves for a millimetre of the target, in degrees;
- *flips*: how often an elbow or a knee turns from bending to stretching and back within ten ticks;
- *hysteresis*: the most that any joint differs, back at the start, from how it left, in degrees.

The limb that is led has priority 2, all others 1. Each solver is measured as it is, and the prioritized one
also with the first pose as its reference. The figure is the largest hysteresis with a reference.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from bl_ext.user_default.contrapposto.solvers import Budget, Goal, Problem, Reference, solve

from .scenes import LIMBS, Person, effector_points, person, position_goals

SOLVERS = ("NONLINEAR", "VARIABLE_METRIC", "PARTICLES", "PRIORITIZED")
HINGES = ("forearm.L", "forearm.R", "shin.L", "shin.R")
BENT = 0.9  # radians, at the start
STEP = 1e-3
BEYOND = 0.25  # metres out of reach
LIVE = Budget(restarts=0)
WOBBLE = np.radians(2.0)  # a hinge that goes back and forth by less does not flip


@dataclass(frozen=True, eq=False)
class Drag:
    """A limb and the way its target goes, (ticks, 3): out and back."""

    name: str
    limb: str
    way: np.ndarray


def start_pose(someone: Person) -> np.ndarray:
    """Standing with bent elbows and knees."""
    figure, q = someone.figure, someone.rest
    for name in HINGES:
        x = 3 * figure.index(name)
        q[x] = BENT if figure.upper[x] > BENT else -BENT
    return q


def drags(someone: Person, q: np.ndarray) -> list[Drag]:
    """Hands forwards, to the side and up, a foot forwards and to the side."""
    ways = {
        "hand forwards": ("hand.L", (0.0, -1.0, 0.0)),
        "hand sideways": ("hand.L", (1.0, 0.0, 0.0)),
        "hand upwards": ("hand.R", (-0.2, 0.0, 1.0)),
        "foot forwards": ("foot.L", (0.0, -1.0, 0.3)),
        "foot sideways": ("foot.R", (-1.0, 0.0, 0.1)),
    }
    result = []
    for name, (limb, way) in ways.items():
        place = effector_points(someone, (limb,), q[None])[0, 0]
        direction = np.array(way) / np.linalg.norm(way)
        out = place + STEP * np.arange(1, int(_length(limb) / STEP) + 1)[:, None] * direction
        result.append(Drag(name, limb, np.concatenate([out, out[-2::-1], place[None]])))
    return result


def _length(limb: str) -> float:
    return (0.75 if limb.startswith("hand") else 0.55) + BEYOND


def follow(someone: Person, drag: Drag, q: np.ndarray, solver: str, drawn: bool) -> np.ndarray:
    """The posture (ticks + 1, d) of every tick; ``drawn`` to the first where there is a choice."""
    goals: list[Goal] = position_goals(someone, LIMBS, effector_points(someone, LIMBS, q[None])[0])
    goals = [replace(goal, priority=2 if goal.name == drag.limb else 1) for goal in goals]
    moving = LIMBS.index(drag.limb)
    qs = [q]
    problem = Problem(someone.figure, goals, q, reference=Reference(q) if drawn else None)
    for place in drag.way:
        goals[moving] = replace(goals[moving], target=place)
        problem = problem.retargeted(goals, qs[-1])
        qs.append(solve(problem, solver, LIVE).q)
    return np.array(qs)


def flips(someone: Person, qs: np.ndarray) -> int:
    """How often hinges change their mind: there and back within ten ticks, by more than a wobble."""
    count = 0
    for name in HINGES:
        angles = qs[:, 3 * someone.figure.index(name)]
        moves = np.diff(angles)
        for i in range(len(moves) - 10):
            window = moves[i : i + 10]
            count += bool(window.max() > WOBBLE and window.min() < -WOBBLE)
    return count


def main() -> float:
    someone = person("basic_human")
    start = start_pose(someone)
    rows = [(solver, False) for solver in SOLVERS] + [("PRIORITIZED", True)]
    worst = 0.0
    print(f"{'':34}{'drag':16}{'kick':>9}{'flips':>8}{'hysteresis':>12}")
    for solver, drawn in rows:
        for drag in drags(someone, start):
            qs = follow(someone, drag, start, solver, drawn)
            kick = np.degrees(np.abs(np.diff(qs, axis=0)).max())
            back = np.degrees(np.abs(qs[-1] - qs[0]).max())
            worst = max(worst, back if drawn else 0.0)
            name = f"{solver}{', drawn to the start' if drawn else ''}"
            print(f"{name:34}{drag.name:16}{kick:8.2f}°{flips(someone, qs):8d}{back:11.2f}°", flush=True)
    return worst

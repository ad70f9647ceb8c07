"""`strictness`: what levels of lower priority do to those above: nothing.

Seeded conflicts on Rigify's Human: two to four levels of one to three goals each, wanted where
different random postures have their effectors, so that they seldom agree; in a third of the problems
some goals are out of everyone's reach, and in some a bone is asked for twice. Each is solved with all
its levels and with the first one, two, three alone. The figure is the most that any goal's distance
changed by adding the levels below, in metres.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, replace

import numpy as np
from bl_ext.user_default.contrapposto.solvers import Goal, Problem, Result, solve

from .scenes import BODY, KINDS, Person, goal_at, person, postures

PROBLEMS = 500
SEED = 3
EFFECTORS = (*BODY, "forearm.L", "forearm.R", "shin.L", "shin.R")
FAR = 1.0 / 3.0  # of the problems have goals out of reach
METRES, DEGREES = 1e-4, 0.01  # what is allowed: the goals' tolerances


@dataclass(frozen=True)
class Change:
    """How much a goal got worse, and by how much it changed, through the levels below it."""

    metres: float
    degrees: float
    worse_metres: float
    worse_degrees: float


def conflict(someone: Person, number: int) -> list[Goal]:
    """The goals of a problem, each of a posture of its own."""
    rng = np.random.default_rng([SEED, number])
    levels = int(rng.integers(2, 5))
    far = rng.random() < FAR
    goals = []
    for priority in range(1, levels + 1):
        for _ in range(int(rng.integers(1, 4))):
            name, kind = str(rng.choice(EFFECTORS)), str(rng.choice(KINDS))
            goal = goal_at(someone, name, postures(someone.figure, 1, rng)[0], kind)
            if far and rng.random() < 0.5 and kind != "orientation":
                goal = _moved_away(someone, goal, rng.uniform(1.3, 3.0))
            goals.append(replace(goal, priority=priority, name=f"{priority} {name}"))
    return goals


def _moved_away(someone: Person, goal: Goal, times: float) -> Goal:
    chest = someone.figure.forward(someone.rest).origins[someone.figure.index("spine.003")]
    return replace(goal, target=chest + (goal.target - chest) * times)


def solved(someone: Person, goals: list[Goal]) -> tuple[Result, float]:
    problem = Problem(someone.figure, goals, someone.rest)
    begin = time.thread_time()
    return solve(problem, "PRIORITIZED"), time.thread_time() - begin


def changes(someone: Person, goals: list[Goal], whole: Result) -> list[Change]:
    """For every level but the last: its goals with and without what is below it."""
    result = []
    for priority in range(1, max(goal.priority for goal in goals)):
        alone = solved(someone, [goal for goal in goals if goal.priority <= priority])[0]
        for before, after, goal in zip(alone.goals, whole.goals, goals, strict=False):
            if goal.priority == priority:
                metres = after.distance - before.distance
                degrees = float(np.degrees(after.angle - before.angle))
                result.append(Change(abs(metres), abs(degrees), metres, degrees))
    return result


def main() -> float:
    someone = person("human")
    everything: list[list[Change]] = []
    seconds, reasons, met_above = [], Counter(), []
    for number in range(PROBLEMS):
        goals = conflict(someone, number)
        result, spent = solved(someone, goals)
        everything.append(changes(someone, goals, result))
        seconds.append(spent)
        reasons.update(goal.reason.name for goal in result.goals)
        first = [each.met for each, goal in zip(result.goals, goals, strict=True) if goal.priority == 1]
        met_above.append(all(first))
    rows = np.array(
        [(c.metres, c.degrees, c.worse_metres, c.worse_degrees) for each in everything for c in each]
    )
    worst = [max((c.metres / METRES, c.degrees / DEGREES)) for each in everything for c in each]
    bad = [
        i for i, each in enumerate(everything) if any(c.metres > METRES or c.degrees > DEGREES for c in each)
    ]
    print(f"\n{PROBLEMS} conflicts, {len(rows)} goals with levels below them")
    print(f"the first level met in {100.0 * np.mean(met_above):.1f} %; goals: {dict(reasons)}")
    print(f"most change: {rows[:, 0].max():.2e} m, {rows[:, 1].max():.2e}°")
    print(f"most change for the worse: {rows[:, 2].max():.2e} m, {rows[:, 3].max():.2e}°")
    print(f"within tolerance: {100.0 * np.mean(np.array(worst) <= 1.0):.1f} % of goals; not: {bad[:20]}")
    print(f"median {1e3 * np.median(seconds):.1f} ms, p95 {1e3 * np.percentile(seconds, 95):.1f} ms")
    return float(rows[:, 0].max())

"""`reach`: how often reachable goals are reached, and how goals out of reach settle.

Every problem starts at rest, where knees and elbows are straight and on their limit. Its goals
are where a random posture within the limits has its effectors. Out of reach are the same goals
moved away from the chest, as far as no solver reaches them; they are to settle where the best of
other solvers does, from the same start. Beside it stands the best known of all, from many starts.
Times are those of the processor: what else it does at the same time does not count.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from bl_ext.user_default.contrapposto.solvers import Goal, Problem, Result, solve
from scipy.optimize import Bounds, least_squares, minimize

from .scenes import BODY, KINDS, LIMBS, MILLIMETRE, Person, goal_at, person, postures, reached

PROBLEMS = 1000
FAR_PROBLEMS = 100  # of each row: a reference needs thousands of evaluations for each
STARTS = 6  # of each reference solver
SEED = 1000
COUNTS = (1, 4, 6)
INSIDE = 0.01  # radians: where other solvers are not stuck at once
METHODS = ("L-BFGS-B", "SLSQP")


@dataclass(frozen=True)
class Outcome:
    """One problem and how we solved it."""

    goals: Sequence[Goal]
    result: Result
    seconds: float


def problem_goals(someone: Person, count: int, kind: str, size: int) -> list[list[Goal]]:
    """Goals of ``size`` reachable problems: one anywhere, four limbs, or head and chest as well."""
    rng = np.random.default_rng([SEED, count, KINDS.index(kind)])
    sets = []
    for q in postures(someone.figure, size, rng):
        names = {1: (rng.choice(BODY),), 4: LIMBS, 6: BODY}[count]
        sets.append([goal_at(someone, str(name), q, kind) for name in names])
    return sets


def attempt(someone: Person, goals: Sequence[Goal]) -> Outcome:
    problem = Problem(someone.figure, goals, someone.rest)
    begin = time.thread_time()
    result = solve(problem)
    return Outcome(goals, result, time.thread_time() - begin)


def moved_away(someone: Person, goals: Sequence[Goal], rng: np.random.Generator) -> list[Goal]:
    """The goals at 1.2 to 2.5 times their distance from the chest."""
    chest = someone.figure.forward(someone.rest).origins[someone.figure.index("spine.003")]
    return [replace(goal, target=chest + (goal.target - chest) * rng.uniform(1.2, 2.5)) for goal in goals]


def others(problem: Problem) -> float:
    """The lowest objective of SciPy's solvers from the same start, a little inside the limits."""
    space = problem.space
    start = np.clip(np.full(space.size, INSIDE), space.lower, space.upper)
    start = np.where(space.upper <= 0.0, np.maximum(-INSIDE, space.lower), start)
    return min(_least_squares(problem, start), *(_minimize(problem, start, method) for method in METHODS))


def best_known(someone: Person, goals: Sequence[Goal], rng: np.random.Generator) -> float:
    """The lowest objective that SciPy's bounded least squares and we find from several starts."""
    problem = Problem(someone.figure, goals, someone.rest)
    starts = postures(someone.figure, STARTS, rng)
    ours = [solve(Problem(someone.figure, goals, start)).objective for start in starts]
    space = problem.space
    inner = space.upper - space.lower
    firsts = [0.01 * inner, *(rng.uniform(0.01, 0.99, (STARTS - 1, space.size)) * inner)]
    return min(*ours, *(_least_squares(problem, space.lower + first) for first in firsts))


def _least_squares(problem: Problem, first: np.ndarray) -> float:
    space = problem.space
    found = least_squares(
        lambda u: problem.evaluate(u).residual,
        np.clip(first, space.lower, space.upper),
        lambda u: problem.slope_at(problem.evaluate(u)),
        bounds=(space.lower, space.upper),
        xtol=1e-9,
        max_nfev=150,
    )
    return 2.0 * float(found.cost)


def _minimize(problem: Problem, first: np.ndarray, method: str) -> float:
    def gradient(u: np.ndarray) -> np.ndarray:
        point = problem.evaluate(u)
        return 2.0 * problem.slope_at(point).T @ point.residual

    bounds = Bounds(problem.space.lower, problem.space.upper)
    found = minimize(lambda u: problem.evaluate(u).objective, first, (), method, gradient, bounds=bounds)
    return float(found.fun)


def reachable_row(someone: Person, count: int, kind: str) -> float:
    """Print how reachable problems went; the share reached."""
    outcomes = [attempt(someone, goals) for goals in problem_goals(someone, count, kind, PROBLEMS)]
    good = np.array([reached(someone, outcome.goals, outcome.result.q) for outcome in outcomes])
    worst = max(someone.figure.violation(outcome.result.q) for outcome in outcomes)
    seconds = [outcome.seconds for outcome in outcomes]
    median, late = (1e3 * np.percentile(seconds, part) for part in (50, 95))
    steps = np.median([outcome.result.iterations for outcome in outcomes])
    missed = " ".join(str(i) for i in np.flatnonzero(~good)[:8])
    share = f"{count}  {kind:12}{100.0 * good.mean():8.1f} %{worst:10.0e}{steps:8.0f}"
    print(f"{share}{median:9.2f} ms{late:9.2f} ms  {missed}", flush=True)
    return float(good.mean())


def far_row(someone: Person, count: int, kind: str) -> None:
    """Print how the same goals settle when moved out of reach, and how long that takes compared to within."""
    within, seconds, behind_others, behind_best, missed = [], [], [], [], []
    for i, goals in enumerate(problem_goals(someone, count, kind, FAR_PROBLEMS)):
        rng = np.random.default_rng([SEED, count, KINDS.index(kind), i])
        outcome = attempt(someone, moved_away(someone, goals, rng))
        found = others(Problem(someone.figure, outcome.goals, someone.rest))
        lowest = min(outcome.result.objective, found, best_known(someone, outcome.goals, rng))
        if lowest <= MILLIMETRE**2:
            continue
        seconds.append(outcome.seconds)
        within.append(attempt(someone, goals).seconds)
        behind_others.append(np.sqrt(outcome.result.objective / found) - 1.0)
        behind_best.append(np.sqrt(outcome.result.objective / lowest) - 1.0)
        missed += [str(i)] if behind_others[-1] > 0.01 else []
    median, late = (1e3 * np.percentile(seconds, part) for part in (50, 95))
    ratio = np.median(seconds) / np.median(within)
    times = f"{count}  {kind:12}{len(seconds):8d}{median:9.2f} ms{late:9.2f} ms{ratio:8.2f}"
    shares = [100.0 * np.mean(np.array(behind) <= 0.01) for behind in (behind_others, behind_best)]
    print(f"{times}{shares[0]:12.1f} %{shares[1]:12.1f} %  {' '.join(missed)}", flush=True)


def main() -> float:
    someone = person("basic_human")
    print(f"\nreachable: {PROBLEMS} problems a row, from the rest pose")
    print("goals           reached  violation  steps     median         p95  missed")
    shares = [reachable_row(someone, count, kind) for count in COUNTS for kind in KINDS]
    print(
        f"\nout of reach: {FAR_PROBLEMS} problems a row; "
        "within 1 % of the best of SciPy's from the same start,"
    )
    print(f"and of the best known from {STARTS} starts each")
    print("goals           problems   median         p95  ratio  same start  best known  missed")
    for count in COUNTS:
        for kind in ("position", "both"):
            far_row(someone, count, kind)
    return 100.0 * min(shares)

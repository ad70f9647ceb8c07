"""`nlp`: our two metrics against SciPy's solvers, to the same objective on the same problems.

All get the same residual, derivative, bounds and start, and are timed until the objective is
first at or below the same value: every goal of a reachable problem 0.2 mm away, or 1 % more
than the best residual known of one out of reach. A solver that ends before never gets there.
Ours may start again elsewhere, as it always does; SciPy's descend once. Times are those of the
processor.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from bl_ext.user_default.contrapposto.solvers import BACKENDS, Budget, Problem
from scipy.optimize import Bounds, least_squares, minimize

from .reach import best_known, moved_away, problem_goals
from .scenes import Person, person

PROBLEMS = 60
FAR_PROBLEMS = 20
NEAR = 0.2e-3  # metres
MOST = 1000  # evaluations
BENT = 0.2  # radians
NEVER = float("inf")


@dataclass(frozen=True)
class Race:
    """A problem and the objective to get to."""

    problem: Problem
    goal: float


@dataclass(frozen=True)
class Run:
    """What it took until the goal was reached; `NEVER` where it was not."""

    seconds: float = NEVER
    iterations: float = NEVER
    evaluations: float = NEVER


class _There(Exception):
    """Ends a solver that has reached its goal."""


class Counter:
    """A problem as SciPy wants it, which counts and stops at the goal."""

    def __init__(self, race: Race) -> None:
        self.race, self.problem = race, race.problem
        self.evaluations = self.iterations = 0
        space = self.problem.space
        self.start = np.zeros(space.size)
        self.bounds = Bounds(space.lower, space.upper)
        self._point = None

    def _at(self, u: np.ndarray):
        if self._point is None or not np.array_equal(u, self._point.u):
            self._point = self.problem.evaluate(u.copy())
            self.evaluations += 1
            if self._point.objective <= self.race.goal:
                raise _There
        return self._point

    def residual(self, u: np.ndarray) -> np.ndarray:
        return self._at(u).residual

    def slope(self, u: np.ndarray) -> np.ndarray:
        return self.problem.slope_at(self._at(u))

    def objective(self, u: np.ndarray) -> float:
        return self._at(u).objective

    def gradient(self, u: np.ndarray) -> np.ndarray:
        return 2.0 * self.slope(u).T @ self.residual(u)

    def step(self, *_: object) -> None:
        self.iterations += 1


def _least_squares(method: str) -> Callable[[Counter], object]:
    return lambda c: least_squares(
        c.residual,
        c.start,
        c.slope,
        c.bounds,
        method,
        ftol=1e-15,
        xtol=1e-15,
        gtol=1e-15,
        max_nfev=MOST,
        callback=c.step,
    )


def _minimize(method: str, **options: float) -> Callable[[Counter], object]:
    options = {"maxiter": MOST, **options}
    return lambda c: minimize(
        c.objective, c.start, (), method, c.gradient, bounds=c.bounds, callback=c.step, options=options
    )


SCIPY = {
    "SciPy SLSQP": _minimize("SLSQP", ftol=1e-16),
    "SciPy L-BFGS-B": _minimize("L-BFGS-B", ftol=0.0, gtol=1e-12, maxfun=MOST),
    "SciPy least_squares trf": _least_squares("trf"),
    "SciPy least_squares dogbox": _least_squares("dogbox"),
}
OURS = {"ours, NONLINEAR": "NONLINEAR", "ours, VARIABLE_METRIC": "VARIABLE_METRIC"}


def run_scipy(solver: Callable[[Counter], object], race: Race) -> Run:
    counter = Counter(race)
    begin = time.thread_time()
    try:
        solver(counter)
    except _There:
        return Run(time.thread_time() - begin, counter.iterations + 1, counter.evaluations)
    return Run()


def run_ours(backend: str, race: Race) -> Run:
    begin = time.thread_time()
    for progress in BACKENDS[backend]().iterate(race.problem, Budget().restarts):
        if progress.point.objective <= race.goal:
            return Run(time.thread_time() - begin, progress.iterations, progress.evaluations)
    return Run()


def bent(someone: Person) -> np.ndarray:
    """Rest with joints that begin on a limit a little inside it, where no solver is stuck at the start."""
    figure = someone.figure
    inside = np.where(figure.lower >= 0.0, np.minimum(BENT, figure.upper), 0.0)
    return np.where(figure.upper <= 0.0, np.maximum(-BENT, figure.lower), inside)


def reachable(someone: Person, start: np.ndarray) -> Iterator[Race]:
    """Six goals of position and orientation."""
    for goals in problem_goals(someone, 6, "both", PROBLEMS):
        yield Race(Problem(someone.figure, goals, start), len(goals) * NEAR**2)


def far(someone: Person, start: np.ndarray) -> Iterator[Race]:
    """The same, moved out of reach."""
    rng = np.random.default_rng(5)
    for goals in problem_goals(someone, 6, "both", FAR_PROBLEMS):
        away = moved_away(someone, goals, rng)
        yield Race(Problem(someone.figure, away, start), 1.01**2 * best_known(someone, away, rng))


def table(title: str, races: list[Race]) -> dict[str, float]:
    """Run all solvers on all problems in turn and print what they took; their median seconds."""
    print(f"\n{title}: {len(races)} problems of {races[0].problem.space.size} variables")
    print(f"{'median of':30}{'iterations':>12}{'evaluations':>13}{'time':>13}{'got there':>12}")
    runs: dict[str, list[Run]] = {name: [] for name in (*OURS, *SCIPY)}
    for race in races:
        for name, backend in OURS.items():
            runs[name].append(run_ours(backend, race))
        for name, solver in SCIPY.items():
            runs[name].append(run_scipy(solver, race))
    return {name: _line(name, own) for name, own in runs.items()}


def _line(name: str, runs: list[Run]) -> float:
    steps, evaluations, seconds = (
        float(np.median([getattr(run, part) for run in runs]))
        for part in ("iterations", "evaluations", "seconds")
    )
    share = 100.0 * np.mean([run.seconds < NEVER for run in runs])
    print(f"{name:30}{steps:12.0f}{evaluations:13.0f}{1e3 * seconds:10.2f} ms{share:10.1f} %", flush=True)
    return seconds


def main() -> float:
    someone = person("basic_human")
    table("from rest", list(reachable(someone, someone.rest)))
    seconds = table("from 0.2 rad inside the limits", list(reachable(someone, bent(someone))))
    table("out of reach, from 0.2 rad inside the limits", list(far(someone, bent(someone))))
    return seconds["ours, NONLINEAR"] / min(seconds[name] for name in SCIPY)

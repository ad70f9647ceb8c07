"""The solvers by name. A backend takes a problem and gives a result; see docs/backends.md."""

from __future__ import annotations

from ..problem import Problem
from ..result import Result
from .base import Backend, Budget, Run
from .nonlinear import NonlinearGaussNewton, NonlinearVariableMetric
from .particles import Particles
from .prioritized import Prioritized
from .rescue import rescued

__all__ = ["BACKENDS", "Backend", "Budget", "Run", "begin", "solve"]

BACKENDS: dict[str, type[Backend]] = {
    "NONLINEAR": NonlinearGaussNewton,
    "VARIABLE_METRIC": NonlinearVariableMetric,
    "PRIORITIZED": Prioritized,
    "PARTICLES": Particles,
}


def begin(problem: Problem, backend: str = "NONLINEAR", restarts: int = 0) -> Run:
    """Set the backend of that name to work on a problem, to be advanced little by little."""
    return Run(BACKENDS[backend](), problem, restarts)


def solve(problem: Problem, backend: str = "NONLINEAR", budget: Budget | None = None) -> Result:
    """Solve a problem with the backend of that name, within a budget."""
    budget = budget or Budget()
    chosen = BACKENDS[backend]()
    result = chosen.solve(problem, budget)
    if not budget.rescue or result.met or problem.constraints:
        return result
    return rescued(problem, chosen, result, budget)

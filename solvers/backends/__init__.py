"""The solvers by name. A backend takes a problem and gives a result; see docs/backends.md."""

from __future__ import annotations

from ..problem import Problem
from ..result import Result
from .base import Backend, Budget
from .nonlinear import NonlinearGaussNewton, NonlinearVariableMetric

__all__ = ["BACKENDS", "Backend", "Budget", "solve"]

BACKENDS: dict[str, type[Backend]] = {
    "NONLINEAR": NonlinearGaussNewton,
    "VARIABLE_METRIC": NonlinearVariableMetric,
}


def solve(problem: Problem, backend: str = "NONLINEAR", budget: Budget | None = None) -> Result:
    """Solve a problem with the backend of that name, within a budget."""
    return BACKENDS[backend]().solve(problem, budget or Budget())

"""The solvers by name. A backend takes a problem and gives a result; see docs/backends.md."""

from .base import Backend, Budget
from .nonlinear import GaussNewton, VariableMetric

BACKENDS: dict[str, type[Backend]] = {
    "NONLINEAR": GaussNewton,
    "VARIABLE_METRIC": VariableMetric,
}


def solve(problem, backend="NONLINEAR", budget=Budget()):
    return BACKENDS[backend]().solve(problem, budget)

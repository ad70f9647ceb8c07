"""Solvers that are not ours to compare with; they need SciPy."""

import bpy
import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import Problem

try:
    from scipy import optimize
except ImportError:
    if bpy.app.module:  # the wheel's environment has it, or is broken
        raise
    pytest.skip("this Blender's Python has no SciPy", allow_module_level=True)


def quadratic_program(
    hessian: np.ndarray, gradient: np.ndarray, rows: np.ndarray, bounds: np.ndarray
) -> np.ndarray:
    """The z with the smallest ``½ zᵀHz + gᵀz`` among all with ``rows·z ≤ bounds``; H positive definite."""
    finite = np.isfinite(bounds)
    rows, bounds = rows[finite], bounds[finite]
    if not len(bounds):
        return -np.linalg.solve(hessian, gradient)
    z = _least_distance(hessian, gradient, rows, bounds)
    if (rows @ z > bounds + 1e-9).any():  # where rows depend on each other it may fail
        constraint = {"type": "ineq", "fun": lambda z: bounds - rows @ z, "jac": lambda z: -rows}
        z = optimize.minimize(
            lambda z: 0.5 * z @ hessian @ z + gradient @ z,
            np.zeros(len(gradient)),
            jac=lambda z: hessian @ z + gradient,
            method="SLSQP",
            constraints=constraint,
            options={"ftol": 1e-15, "maxiter": 1000},
        ).x
    assert (rows @ z <= bounds + 1e-7).all(), "nothing to compare with"
    return z


def _least_distance(hessian, gradient, rows, bounds):
    """As Lawson & Hanson have it: least distance to a polyhedron, by nonnegative least squares."""
    root = np.linalg.cholesky(hessian)
    unbounded = -np.linalg.solve(hessian, gradient)
    across = np.linalg.solve(root, rows.T)
    system = np.vstack([-across, rows @ unbounded - bounds])
    wanted = np.zeros(len(system))
    wanted[-1] = 1.0
    # Not SciPy's nnls: that of 1.17 writes beyond its memory where there are more columns than rows.
    found = optimize.lsq_linear(system, wanted, (0.0, np.inf), method="bvls", tol=1e-14)
    residual = system @ found.x - wanted
    return unbounded + np.linalg.solve(root.T, -residual[:-1] / residual[-1])


def box_rows(lower: np.ndarray, upper: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """``lower ≤ z ≤ upper`` as rows and bounds."""
    identity = np.eye(len(lower))
    return np.concatenate([identity, -identity]), np.concatenate([upper, -lower])


def lowest_objective(problem: Problem, starts: np.ndarray) -> float:
    """The lowest objective that SciPy finds from any of the starts (k, u), within all bounds."""
    space = problem.space
    if len(space.bounds) or problem.terms.one_sided is not None or problem.evaluate(starts[0]).branches.size:
        lowest = min(_by_slsqp(problem, start) for start in starts)
        assert np.isfinite(lowest), "nothing to compare with"
        return lowest
    margin = 1e-12  # least_squares wants to start strictly inside
    wide = space.upper - space.lower > 1e-9
    lower, upper = space.lower[wide], space.upper[wide]
    whole = np.zeros(space.size)

    def residual(inner):
        whole[wide] = inner
        return problem.evaluate(whole.copy()).residual

    def slope(inner):
        whole[wide] = inner
        return problem.slope_at(problem.evaluate(whole.copy()))[:, wide]

    found = []
    for start in starts:
        inside = np.clip(start[wide], lower + margin, upper - margin)
        result = optimize.least_squares(
            residual, inside, slope, (lower, upper), xtol=1e-9, ftol=1e-9, gtol=1e-9
        )
        found.append(2.0 * result.cost)
    return min(found)


def _by_slsqp(problem: Problem, start: np.ndarray) -> float:
    space = problem.space

    def objective(u):
        return problem.evaluate(u).objective

    def gradient(u):
        point = problem.evaluate(u)
        return 2.0 * problem.slope_at(point).T @ point.residual

    result = optimize.minimize(
        objective,
        start,
        jac=gradient,
        method="SLSQP",
        bounds=optimize.Bounds(space.lower, space.upper),
        constraints={
            "type": "ineq",
            "fun": lambda u: space.bounds - space.rows @ u,
            "jac": lambda u: -space.rows,
        },
        options={"maxiter": 500, "ftol": 1e-10},
    )
    u = np.clip(result.x, space.lower, space.upper)
    feasible = not len(space.bounds) or (space.rows @ u - space.bounds).max() < 1e-7
    return objective(u) if feasible else np.inf

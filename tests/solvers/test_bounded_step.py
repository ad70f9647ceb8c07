"""The bounded step is the minimum of its model within all bounds."""

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers.backends.bounded_step import (
    CurvedModel,
    LinearModel,
    bounded_step,
)
from bl_ext.user_default.contrapposto.solvers.space import Space

from .independent import box_rows, quadratic_program


def random_space(rng, size, rows=0):
    """Bounds around zero, on some of which u = 0 is; a third of the variables are not bounded."""
    lower, upper = -rng.uniform(0.0, 0.6, size), rng.uniform(0.0, 0.6, size)
    lower[rng.random(size) < 0.2] = 0.0
    upper[rng.random(size) < 0.2] = 0.0
    lower[rng.random(size) < 0.3] = -np.inf
    upper[rng.random(size) < 0.3] = np.inf
    matrix = rng.normal(size=(rows, size))
    bounds = rng.uniform(0.0, 0.4, rows) * (rng.random(rows) < 0.7)
    scale = rng.uniform(0.2, 1.0, size)
    return Space(np.zeros(size), np.eye(size), lower, upper, matrix, bounds, scale)


def start_within(rng, space):
    """A feasible u, often on bounds."""
    u = np.clip(rng.normal(scale=0.3, size=space.size), space.lower, space.upper)
    while len(space.bounds) and (space.rows @ u > space.bounds).any():
        u = 0.7 * u if rng.random() < 0.9 else np.zeros(space.size)
    return u


def bounds_of_z(space, u):
    """All bounds as rows over z, where the step is scale·z."""
    box, ends = box_rows((space.lower - u) / space.scale, (space.upper - u) / space.scale)
    return np.concatenate([box, space.rows * space.scale]), np.concatenate(
        [ends, space.bounds - space.rows @ u]
    )


def assert_feasible(space, u):
    assert (u >= space.lower - 1e-12).all() and (u <= space.upper + 1e-12).all()
    if len(space.bounds):
        assert (space.rows @ u <= space.bounds + 1e-12).all()


def damped_linear(slope, residual, one_sided, damping, z):
    value = residual + slope @ z
    value = np.where(one_sided & (value < 0.0), 0.0, value)
    return float(value @ value + damping * z @ z)


def best_linear_step(slope, residual, one_sided, damping, rows, bounds):
    """By a slack for every one-sided row: only what is above zero counts."""
    size, sided = slope.shape[1], np.flatnonzero(one_sided)
    whole = np.hstack([slope, np.eye(len(residual))[:, sided]])
    hessian = whole.T @ whole
    hessian[:size, :size] += damping * np.eye(size)
    slacks = np.hstack([np.zeros((len(sided), size)), -np.eye(len(sided))])
    rows = np.vstack([np.hstack([rows, np.zeros((len(rows), len(sided)))]), slacks])
    return quadratic_program(
        hessian, whole.T @ residual, rows, np.concatenate([bounds, np.zeros(len(sided))])
    )[:size]


@pytest.mark.parametrize("one_sided", [False, True], ids=["", "one-sided"])
@pytest.mark.parametrize("rows", [0, 1, 2, 4])
@pytest.mark.parametrize("size", [2, 4, 8, 15])
def test_linear_model(size, rows, one_sided):
    rng = np.random.default_rng([size, rows, one_sided])
    for _ in range(25):
        space = random_space(rng, size, rows)
        u = start_within(rng, space)
        count = int(rng.integers(1, 7))
        slope, residual = rng.normal(size=(count, size)), rng.normal(size=count)
        sided = (rng.random(count) < 0.6) & one_sided
        damping = 10.0 ** rng.uniform(-3.0, 0.0)
        step = bounded_step(LinearModel(slope, residual, sided if one_sided else None, damping), u, space)
        assert_feasible(space, u + step.d)

        best = best_linear_step(slope, residual, sided, damping, *bounds_of_z(space, u))
        z = step.d / space.scale
        lowest = damped_linear(slope, residual, sided, damping, best)
        assert damped_linear(slope, residual, sided, damping, z) <= lowest + 1e-7 * (1.0 + lowest)
        assert step.expected == pytest.approx(damped_linear(slope, residual, sided, 0.0, z))


@pytest.mark.parametrize("rows", [0, 1, 2, 4])
@pytest.mark.parametrize("size", [2, 4, 8, 15])
def test_curved_model(size, rows):
    rng = np.random.default_rng([size, rows, 2])
    for _ in range(25):
        space = random_space(rng, size, rows)
        u = start_within(rng, space)
        root = rng.normal(size=(size, size))
        hessian, gradient = root @ root.T + 0.05 * np.eye(size), rng.normal(size=size)
        damping = 10.0 ** rng.uniform(-3.0, 0.0)
        model = CurvedModel(3.0, gradient, hessian, np.ones(size, dtype=bool), damping)
        step = bounded_step(model, u, space)
        assert_feasible(space, u + step.d)

        damped = hessian + damping * np.eye(size)
        best = quadratic_program(damped, gradient, *bounds_of_z(space, u))
        z = step.d / space.scale
        lowest = 2.0 * gradient @ best + best @ damped @ best
        assert 2.0 * gradient @ z + z @ damped @ z <= lowest + 1e-7 * (1.0 + abs(lowest))
        assert step.expected == pytest.approx(3.0 + 2.0 * gradient @ z + z @ hessian @ z)


def test_a_model_that_bends_down_is_damped():
    """Along a direction of negative curvature the step stays finite and goes down."""
    space = Space(
        np.zeros(2),
        np.eye(2),
        *np.full((2, 2), [[-np.inf], [np.inf]]),
        np.zeros((0, 2)),
        np.zeros(0),
        np.ones(2),
    )
    model = CurvedModel(1.0, np.array([0.1, 0.1]), np.diag([2.0, -1.0]), np.ones(2, dtype=bool), 1e-3)
    step = bounded_step(model, np.zeros(2), space)
    assert np.isfinite(step.d).all()
    assert step.expected < 1.0


def test_a_step_out_of_an_acute_corner():
    """The minimum breaks both rows, and lies on the second alone once that is held."""
    rows = np.array([[1.0, 0.05], [-1.0, 1.0]])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    space = Space(
        np.zeros(2), np.eye(2), np.full(2, -np.inf), np.full(2, np.inf), rows, np.zeros(2), np.ones(2)
    )
    for heading in np.linspace(0.0, 2.0 * np.pi, 41):
        residual = -np.array([np.cos(heading), np.sin(heading)])
        step = bounded_step(LinearModel(np.eye(2), residual, None, 1e-9), np.zeros(2), space)
        best = quadratic_program(np.eye(2), residual, rows, np.zeros(2))
        assert np.allclose(step.d, best, atol=1e-6)


def test_a_stiffer_variable_moves_less():
    free = Space(
        np.zeros(2),
        np.eye(2),
        np.full(2, -9.0),
        np.full(2, 9.0),
        np.zeros((0, 2)),
        np.zeros(0),
        np.array([1.0, 0.3]),
    )
    step = bounded_step(
        LinearModel(np.ones((1, 2)) * free.scale, np.array([1.0]), None, 0.1), np.zeros(2), free
    )
    assert abs(step.d[1]) == pytest.approx(0.09 * abs(step.d[0]))


def test_a_shorter_step_expects_no_more_than_the_model_gives():
    slope, residual = np.array([[1.0, 0.5]]), np.array([-2.0])
    space = Space(
        np.zeros(2), np.eye(2), np.full(2, -9.0), np.full(2, 9.0), np.zeros((0, 2)), np.zeros(0), np.ones(2)
    )
    whole = bounded_step(LinearModel(slope, residual, None, 0.1), np.zeros(2), space)
    half = whole.shortened(0.5, 4.0)
    assert np.allclose(half.d, 0.5 * whole.d)
    assert float(np.sum((residual + slope @ half.d) ** 2)) <= half.expected <= 4.0

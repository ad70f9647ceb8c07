"""The recursion of priorities, against pseudo-inverses of whole matrices."""

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers.backends.active_set import Bounds
from bl_ext.user_default.contrapposto.solvers.backends.null_space import NullSpace, prioritized_step

SIZE = 20
OPEN = Bounds(np.full(SIZE, -np.inf), np.full(SIZE, np.inf), np.zeros((0, SIZE)), np.zeros(0))


def task(rng, rows, size=0.01):
    return rng.normal(size=(rows, SIZE)), size * rng.normal(size=rows)


def by_pseudo_inverses(tasks):
    """Li's equations 5 to 7 with n × n projectors, not damped."""
    z, projector = np.zeros(SIZE), np.eye(SIZE)
    above = np.zeros((0, SIZE))
    for rows, wanted in tasks:
        z = z + np.linalg.pinv(rows @ projector, rcond=1e-9) @ (wanted - rows @ z)
        above = np.concatenate([above, rows])
        projector = np.eye(SIZE) - np.linalg.pinv(above, rcond=1e-9) @ above
    return z


@pytest.mark.parametrize("seed", range(5))
def test_the_recursion(seed):
    rng = np.random.default_rng(seed)
    tasks = [task(rng, 6), task(rng, 3), task(rng, 9)]
    assert np.allclose(prioritized_step(tasks, OPEN), by_pseudo_inverses(tasks), atol=1e-9)


def test_a_task_that_contradicts_those_above_gets_nothing():
    rng = np.random.default_rng(0)
    rows, wanted = task(rng, 6)
    z = prioritized_step([(rows, wanted), (rows[:3], -5.0 * wanted[:3])], OPEN)
    assert np.allclose(rows @ z, wanted, atol=1e-10)


@pytest.mark.parametrize("size", [1e-2, 1e-4, 1e-6, 0.0])
def test_a_nearly_singular_task_moves_nothing_far_and_disturbs_nothing(size):
    """Its last row is all but one of those above; it wants a lot."""
    rng = np.random.default_rng(1)
    rows, wanted = task(rng, 6)
    near = rows[:1] + size * rng.normal(size=(1, SIZE))
    z = prioritized_step([(rows, wanted), (near, np.array([10.0]))], OPEN)
    assert np.allclose(rows @ z, wanted, atol=1e-9)
    assert np.linalg.norm(z) < 1.0


def test_what_is_held_is_orthonormal_and_spans_the_rows():
    rng = np.random.default_rng(2)
    space = NullSpace(SIZE)
    tasks = [task(rng, 4), task(rng, 5)]
    for rows, wanted in tasks:
        space.solve(rows, wanted)
    assert np.allclose(space.held @ space.held.T, np.eye(9), atol=1e-10)
    for rows, _ in tasks:
        assert np.allclose(space.left_of(rows), 0.0, atol=1e-10)


def test_clamping_keeps_bounds_and_lets_others_make_up_for_it():
    rng = np.random.default_rng(3)
    tasks = [task(rng, 6, 0.05), task(rng, 4, 0.05)]
    free = prioritized_step(tasks, OPEN)
    high = np.full(SIZE, 0.8 * np.abs(free).max())
    bounds = Bounds(-high, high, OPEN.rows, OPEN.slack)
    z = prioritized_step(tasks, bounds)
    assert (np.abs(free) > high).any() and (np.abs(z) <= high).all()
    for rows, wanted in tasks:
        assert np.allclose(rows @ z, wanted, atol=1e-9)

"""Rescue: particles explore where a local backend stops with goals missed."""

import numpy as np
from bl_ext.user_default.contrapposto.solvers import BACKENDS, Budget, solve
from bl_ext.user_default.contrapposto.solvers.backends.rescue import rescued

from .scenes import REACHABLE, at_rest, too_far, torn

LOCAL = Budget(restarts=0)
RESCUE = Budget(restarts=0, rescue=True)


def test_it_goes_on_where_a_backend_has_stopped():
    """Every backend, stopped after a step, gets to the goals from what the particles find."""
    problem = REACHABLE["hands and feet"]()
    for name, kind in BACKENDS.items():
        stopped = solve(problem, name, Budget(iterations=1))
        assert not stopped.met
        result = rescued(problem, kind(), stopped, LOCAL)
        assert result.met, name
        assert problem.figure.violation(result.q) <= 1e-9
        assert result.iterations > stopped.iterations and result.evaluations > stopped.evaluations


def test_a_goal_that_was_met_is_not_given_up():
    stopped = solve(torn(), budget=LOCAL)
    result = rescued(torn(), BACKENDS["NONLINEAR"](), stopped, LOCAL)
    kept = [new.met or not old.met for new, old in zip(result.goals, stopped.goals, strict=True)]
    assert all(kept)
    assert result.objective <= stopped.objective


def test_what_is_met_without_it_is_the_same():
    for make in REACHABLE.values():
        assert np.array_equal(solve(make()).q, solve(make(), budget=Budget(rescue=True)).q)


def test_it_never_makes_worse_and_ends():
    plain, rescued = (solve(too_far(), budget=budget) for budget in (LOCAL, RESCUE))
    assert rescued.objective <= plain.objective
    assert not rescued.met


def test_the_same_twice():
    problem = REACHABLE["whole body"]()
    stopped = solve(problem, budget=Budget(iterations=1))
    first, second = (rescued(problem, BACKENDS["NONLINEAR"](), stopped, LOCAL) for _ in range(2))
    assert np.array_equal(first.q, second.q)


def test_time_is_kept():
    result = solve(at_rest(too_far().figure, too_far().goals), budget=Budget(seconds=0.0, rescue=True))
    assert result.iterations <= 1

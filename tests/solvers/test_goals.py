"""Every goal: its potential by the formula, zero where met, gradient, errors and tolerance."""

from dataclasses import replace

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import CENTRE_OF_MASS, AnyOf, Effector, Problem

from . import naive
from .figures import random_coordinates, random_tree
from .goal_cases import CASES, HALF_SPACE, POSITION, see

BONE = 6
ON = [(case, "bone") for case in CASES] + [(case, "centre") for case in CASES if case.on_centre]
EVERY = pytest.mark.parametrize(("case", "on"), ON, ids=[f"{case.name}-{on}" for case, on in ON])
SEEDS = pytest.mark.parametrize("seed", range(3))


def scene(case, on, seed, tree="everything", **settings):
    """A random figure with limits around a random start, a goal, and a random u within them."""
    rng = np.random.default_rng(seed)
    figure = random_tree(seed, tree)
    q = random_coordinates(figure, rng, 0.5)
    figure = replace(figure, lower=q - rng.uniform(0.1, 1.0, len(q)), upper=q + rng.uniform(0.1, 1.0, len(q)))
    x, y = rng.normal(size=(2, 3))
    effector = Effector(BONE, rng.normal(size=3), x, np.cross(x, y))
    if on == "centre":
        effector = Effector(CENTRE_OF_MASS)
    p, v = rng.normal(size=(2, 3))
    goal = case.make(effector, p, v, np.cross(v, rng.normal(size=3)), **settings)
    problem = Problem(figure, [goal], q)
    return problem, goal, rng.uniform(problem.space.lower, problem.space.upper)


def seen(problem, goal, u):
    return see(problem.figure, goal.effector, problem.space.start + problem.space.basis @ u)


@EVERY
@SEEDS
def test_potential(case, on, seed):
    problem, goal, u = scene(case, on, seed)
    assert problem.evaluate(u).objective == pytest.approx(
        case.potential(goal, seen(problem, goal, u)), rel=1e-9
    )


@EVERY
@SEEDS
def test_zero_exactly_where_met(case, on, seed):
    problem, goal, u = scene(case, on, seed)
    here = case.met(goal, seen(problem, goal, u))
    problem = Problem(problem.figure, [here], problem.space.start)
    at = problem.evaluate(u)
    assert at.objective < 1e-24
    assert problem.met(at) and problem.met_goals(at).all()
    assert np.allclose(problem.errors(at), 0.0, atol=1e-11)
    if case is not HALF_SPACE:  # which is met far around
        away = problem.evaluate(0.9 * u)
        assert away.objective > 1e-9
        assert not problem.met(away)


@EVERY
@SEEDS
@pytest.mark.parametrize("where", ["inside", "on every limit"])
def test_gradient(case, on, seed, where):
    problem, goal, u = scene(case, on, seed)
    if where == "on every limit":
        space = problem.space
        u = np.where(np.random.default_rng(seed).random(len(u)) < 0.5, space.lower, space.upper)
    point = problem.evaluate(u)
    gradient = 2.0 * problem.slope_at(point).T @ point.residual
    true = naive.derivative(lambda u: case.potential(goal, seen(problem, goal, u)), u)
    assert np.allclose(gradient, true, rtol=1e-6, atol=1e-6)


@EVERY
@SEEDS
def test_errors(case, on, seed):
    problem, goal, u = scene(case, on, seed, weight=7.0)
    expected = case.errors(goal, seen(problem, goal, u))
    assert np.allclose(problem.errors(problem.evaluate(u))[0], expected, rtol=1e-7, atol=1e-9)


@EVERY
def test_met_within_tolerance(case, on):
    """Just inside and just outside, whatever the weight."""
    for weight in (1e-4, 1.0, 50.0):
        scenes = (scene(case, on, seed, weight=weight) for seed in range(9))
        problem, goal, u = next(s for s in scenes if s[0].evaluate(s[2]).objective > 0.0)
        errors = case.errors(goal, seen(problem, goal, u))
        for factor, met in ((1.001, True), (0.999, False)):
            length, turn = np.maximum(factor * np.array(errors), 1e-9)
            loose = _with_tolerance(goal, length, turn)
            again = Problem(problem.figure, [loose], problem.space.start)
            assert again.met(again.evaluate(u)) is met
            assert again.met_goals(again.evaluate(u)).tolist() == [met]


def _with_tolerance(goal, length, turn):
    if isinstance(goal, AnyOf):
        return replace(goal, members=tuple(_with_tolerance(member, length, turn) for member in goal.members))
    return replace(goal, tolerance=length, angle_tolerance=turn)


def test_weights_add_up():
    """The objective of many goals is the weighted sum of their potentials."""
    total, goals = 0.0, []
    problem, _, _ = scene(POSITION, "bone", 2)
    q = problem.space.start
    for i, (case, on) in enumerate(ON):
        _, goal, _ = scene(case, on, 2, weight=0.5 + i)
        goals.append(goal)
        total += (0.5 + i) * case.potential(goal, see(problem.figure, goal.effector, q))
    together = Problem(problem.figure, goals, q)
    assert together.evaluate(np.zeros(together.space.size)).objective == pytest.approx(total)


@EVERY
@pytest.mark.parametrize("settings", [{"enabled": False}, {"weight": 0.0}])
def test_what_does_not_count_is_as_if_it_was_not_there(case, on, settings):
    problem, _, _ = scene(case, on, 3, **settings)
    assert problem.goals == ()
    assert problem.space.size == 0
    assert problem.evaluate(np.zeros(0)).objective == 0.0
    assert problem.errors(problem.evaluate(np.zeros(0))).shape == (0, 2)

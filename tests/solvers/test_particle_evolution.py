"""How particles move: on the rotations themselves, within limits, in bounded time."""

from dataclasses import replace

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import (
    Effector,
    ParticleFilter,
    PositionGoal,
    Problem,
    smoothed,
)
from bl_ext.user_default.contrapposto.solvers.particles.evolution import Evolution
from scipy.spatial.transform import Rotation

from .figures import HUMANS, hinged_arm, human, random_tree
from .scenes import at_rest, hands_and_feet, reachable

COUNT = 40


def spaces(problem):
    return Evolution(problem.figure, problem.space), problem.space


@pytest.mark.parametrize("tree", ["plain", "Euler angles"])
def test_joints_turn_by_the_exponential_of_their_tangent(tree):
    figure = random_tree(2, tree)
    rng = np.random.default_rng(0)
    start = rng.normal(scale=0.5, size=figure.skeleton.dimension)
    problem = Problem(figure, [PositionGoal(effector=Effector(8), target=np.ones(3))], start)
    evolution, space = spaces(problem)
    us = rng.normal(scale=0.4, size=(COUNT, space.size))
    tangents = rng.normal(scale=0.7, size=us.shape)
    before, after = (
        figure.skeleton.rotations(problem.coordinates(each))[0]
        for each in (us, evolution.moved(us, tangents))
    )
    spread = np.zeros((COUNT, figure.skeleton.dimension))
    spread[:, space.selection] = tangents
    vectors = spread[:, : 3 * figure.skeleton.size].reshape(-1, 3)
    turns = Rotation.from_rotvec(vectors).as_matrix().reshape(before.shape)
    assert np.allclose(after, before @ turns, atol=1e-9)


@pytest.mark.parametrize("name", HUMANS)
def test_limits_groups_and_couplings_hold(name):
    problem = reachable(HUMANS[name](), hands_and_feet(human()), 0)
    evolution, space = spaces(problem)
    rng = np.random.default_rng(1)
    us = np.zeros((COUNT, space.size))
    for _ in range(30):
        drift = rng.normal(scale=0.5, size=us.shape)
        us, _ = evolution.drawn(us, drift, np.full(us.shape, 0.3), rng)
        for u in us:
            assert problem.figure.violation(space.start + space.basis @ u) <= 1e-9
    moved = np.abs(us).max(axis=0) > 0.0
    assert np.array_equal(moved, space.upper > space.lower)  # whatever may move has moved


def test_a_hinge_stays_a_hinge():
    problem = at_rest(hinged_arm(4), [PositionGoal(effector=Effector(3), target=np.ones(3))])
    evolution, space = spaces(problem)
    rng = np.random.default_rng(0)
    us, _ = evolution.drawn(np.zeros((COUNT, space.size)), 0.0, np.full((COUNT, space.size), 0.5), rng)
    q = problem.coordinates(us)
    assert (q[:, 3:9].reshape(COUNT, 2, 3)[:, :, 1:] == 0.0).all()
    assert (q[:, 3:9:3] >= 0.0).all()
    assert (q[:, 3:9:3] > 0.0).mean() > 0.8


def test_spreads_are_those_of_each_axis():
    figure = random_tree(1)
    problem = at_rest(figure, [PositionGoal(effector=Effector(8), target=np.ones(3))])
    evolution, space = spaces(problem)
    wanted = np.linspace(0.01, 0.3, space.size)
    us = np.zeros((20_000, space.size))
    _, tangents = evolution.drawn(
        us, np.zeros(us.shape), np.tile(wanted, (len(us), 1)), np.random.default_rng(0)
    )
    assert np.allclose(tangents.std(axis=0), wanted, rtol=0.03)
    assert np.abs(np.corrcoef(tangents.T) - np.eye(space.size)).max() < 0.04


def test_a_joint_without_room_keeps_its_place():
    """A corner too narrow for any draw: it stays, the others go on."""
    figure = hinged_arm(3)
    lower, upper = figure.lower.copy(), figure.upper.copy()
    lower[:3], upper[:3] = -1e-7, 1e-7
    problem = at_rest(
        replace(figure, lower=lower, upper=upper), [PositionGoal(effector=Effector(2), target=np.ones(3))]
    )
    evolution, space = spaces(problem)
    us, _ = evolution.drawn(
        np.zeros((COUNT, space.size)),
        np.ones((COUNT, space.size)),
        np.full((COUNT, space.size), 0.3),
        np.random.default_rng(0),
    )
    assert np.abs(us[:, :3]).max() <= 1e-7
    assert (us[:, 3] > 0.0).all()


@pytest.mark.parametrize("tree", ["plain", "Euler angles"])
def test_between_is_the_way_back_from_moved(tree):
    figure = random_tree(2, tree)
    problem = at_rest(figure, [PositionGoal(effector=Effector(8), target=np.ones(3))])
    evolution, space = spaces(problem)
    rng = np.random.default_rng(0)
    us, tangents = rng.normal(scale=0.3, size=(2, COUNT, space.size))
    assert np.allclose(evolution.between(us, evolution.moved(us, tangents)), tangents, atol=1e-7)


def test_a_smoothed_way_is_smoother_ends_there_and_keeps_limits():
    problem = reachable(human(), hands_and_feet(human()), 0)
    filtering = ParticleFilter(problem, np.random.default_rng(0))
    clouds = [next(filtering) for _ in range(25)]
    rough = [cloud.us[cloud.estimate] for cloud in clouds]
    smooth = list(smoothed(problem, [*rough, *[rough[-1]] * 40]))
    assert np.allclose(smooth[-1], rough[-1], atol=1e-4)
    jerks = [np.abs(np.diff(way, n=2, axis=0)).max() for way in (rough, smooth)]
    assert jerks[1] < 0.5 * jerks[0]
    for u in smooth:
        assert problem.figure.violation(problem.coordinates(u)) <= 1e-9

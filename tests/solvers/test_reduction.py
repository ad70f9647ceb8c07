"""The part of a figure that a problem works with places the same things as the whole."""

from dataclasses import replace

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import (
    CENTRE_OF_MASS,
    Budget,
    Effector,
    PoseGoal,
    PositionGoal,
    Problem,
    Reach,
    solve,
)

from .figures import HUMANS, TREES, human, random_coordinates, random_tree
from .goal_cases import see

REACHES = {
    "all": Reach(),
    "two bones": Reach(count=2),
    "one bone": Reach(count=1),
}


def pose_goals(figure, rng, reach):
    """Of some bones, and the balance of what is below one of them."""
    bones = rng.choice(figure.skeleton.size, 3, replace=False)
    goals = [
        PoseGoal(
            effector=Effector(int(b), rng.normal(size=3)),
            target=np.zeros(3),
            x=np.eye(3)[0],
            y=np.eye(3)[1],
            reach=reach,
        )
        for b in bones
    ]
    top = Reach(top=int(bones[0]))
    return [*goals, PositionGoal(effector=Effector(CENTRE_OF_MASS), target=np.zeros(3), reach=top)]


def assert_same_effectors(problem, u):
    """The residual is that of effectors placed by the whole figure, bone by bone."""
    q = problem.space.start + problem.space.basis @ u
    point = problem.evaluate(u)
    for g, goal in enumerate(problem.goals):
        seen = see(problem.figure, goal.effector, q)
        residual = point.residual[problem.rows_of(g)].reshape(-1, 3)
        gain = goal.angular_gain
        expected = [seen.r - goal.target]
        if isinstance(goal, PoseGoal):
            expected = [gain * (seen.x - goal.x), gain * (seen.y - goal.y), *expected]
        assert np.allclose(residual, expected, rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize("seed", range(3))
def test_same_effectors(tree, reach, seed):
    figure = random_tree(seed, tree, size=12)
    rng = np.random.default_rng(seed)
    # Locked and unrelated joints are anywhere but at zero.
    figure.locked[rng.random(len(figure.locked)) < 0.3] = True
    start = random_coordinates(figure, rng)
    problem = Problem(figure, pose_goals(figure, rng, REACHES[reach]), start)
    for _ in range(3):
        assert_same_effectors(problem, rng.normal(size=problem.space.size))


@pytest.mark.parametrize("name", HUMANS)
def test_same_effectors_with_groups_and_couplings(name):
    figure = HUMANS[name]()
    rng = np.random.default_rng(1)
    start = figure.nearest_feasible(random_coordinates(figure, rng, 0.3), ~figure.locked)
    problem = Problem(figure, pose_goals(figure, rng, Reach()), start)
    for _ in range(3):
        assert_same_effectors(problem, 0.2 * rng.normal(size=problem.space.size))


@pytest.mark.parametrize("tree", ["plain", "everything"])
def test_only_what_is_recruited_moves(tree):
    figure = random_tree(2, tree, size=12)
    rng = np.random.default_rng(2)
    start = random_coordinates(figure, rng)
    goal = PositionGoal(effector=Effector(11), target=rng.normal(size=3), reach=Reach(count=2))
    problem = Problem(figure, [goal], start)
    q = solve(problem, budget=Budget(iterations=20)).q
    allowed = np.isin(np.arange(12), [11, figure.skeleton.parents[11]])
    moves = np.concatenate([np.repeat(allowed, 3), np.repeat(allowed[figure.skeleton.translating], 3)])
    assert np.array_equal(q[~moves], start[~moves])
    assert not np.array_equal(q[moves], start[moves])


def test_unrelated_bones_keep_values_outside_of_their_limits():
    """Only what is recruited is brought within limits."""
    figure = human()
    start = np.full(figure.skeleton.dimension, 3.0)
    hand = figure.index("hand.L")
    goal = PositionGoal(effector=Effector(hand), target=np.ones(3), reach=Reach(count=1))
    result = solve(Problem(figure, [goal], start))
    others = np.arange(len(start)) // 3 != hand
    assert (result.q[others] == 3.0).all()
    assert (result.q[~others] <= figure.upper[~others]).all()


def test_the_work_depends_on_what_is_recruited():
    figure = human()
    one = PositionGoal(effector=Effector(figure.index("hand.L")), target=np.ones(3), reach=Reach(count=2))
    problem = Problem(figure, [one], np.zeros(figure.skeleton.dimension))
    assert problem._reduction.skeleton.size == 3  # two bones and the world they hang on
    assert problem.space.size == 6


class TestRetargeted:
    """The same goals elsewhere, from another start: as if made anew."""

    @pytest.mark.parametrize("name", HUMANS)
    def test_same_as_new(self, name):
        figure = HUMANS[name]()
        rng = np.random.default_rng(3)
        start = figure.nearest_feasible(random_coordinates(figure, rng, 0.2), ~figure.locked)
        goals = pose_goals(figure, rng, Reach())
        problem = Problem(figure, goals, start)
        for _ in range(3):
            start = np.where(problem.moving, random_coordinates(figure, rng, 0.3), start)
            goals = [replace(goal, target=rng.normal(size=3), weight=rng.uniform(0.5, 2.0)) for goal in goals]
            self.assert_equal(problem.retargeted(goals, start), Problem(figure, goals, start), rng)

    @staticmethod
    def assert_equal(quick, new, rng):
        for field in ("start", "basis", "lower", "upper", "rows", "bounds", "scale"):
            assert np.allclose(
                getattr(quick.space, field), getattr(new.space, field), rtol=0.0, atol=1e-12
            ), field
        u = 0.3 * rng.normal(size=new.space.size)
        one, other = quick.evaluate(u), new.evaluate(u)
        assert np.allclose(one.residual, other.residual, rtol=0.0, atol=1e-10)
        assert np.allclose(quick.slope_at(one), new.slope_at(other), rtol=0.0, atol=1e-10)
        assert np.array_equal(quick.met_goals(one), new.met_goals(other))
        assert np.allclose(quick.errors(one), new.errors(other))

    @pytest.mark.parametrize(
        "change",
        [
            "another bone",
            "another point",
            "another reach",
            "one more",
            "one off",
            "a still joint moved",
            "another type",
        ],
    )
    def test_what_differs_in_kind_is_made_anew(self, change):
        figure = random_tree(4, "everything", size=12)
        rng = np.random.default_rng(4)
        start = random_coordinates(figure, rng)
        goals = [
            PositionGoal(effector=Effector(11), target=rng.normal(size=3), reach=Reach(count=2)),
            PositionGoal(effector=Effector(9), target=rng.normal(size=3), reach=Reach(count=2)),
        ]
        problem = Problem(figure, goals, start)
        first, second = goals
        changed = {
            "another bone": [first, replace(second, effector=Effector(8))],
            "another point": [first, replace(second, effector=Effector(9, np.ones(3)))],
            "another reach": [first, replace(second, reach=Reach(count=3))],
            "one more": [first, second, replace(second, effector=Effector(4))],
            "one off": [first, replace(second, enabled=False)],
            "a still joint moved": goals,
            "another type": [first, PoseGoal(effector=Effector(9), target=np.ones(3), reach=Reach(count=2))],
        }[change]
        if change == "a still joint moved":
            start = np.where(problem.moving, start, start + 0.3)
        self.assert_equal(problem.retargeted(changed, start), Problem(figure, changed, start), rng)
        assert problem.goals == tuple(goals)

"""Where goals cannot be met: no other solver finds a better compromise."""

from dataclasses import replace

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import (
    BACKENDS,
    Budget,
    Effector,
    PositionGoal,
    Problem,
    Status,
    solve,
)

from .figures import coupled, grouped, hinged_arm, human, random_coordinates, random_posture, random_tree
from .goal_cases import CASES
from .independent import lowest_objective
from .scenes import UNREACHABLE, at_rest, hands_and_feet, reachable, tip

BACKEND = pytest.mark.parametrize("backend", BACKENDS)
STARTS = 4
PATIENT = Budget(iterations=3000)  # what is compared is where a backend ends, not how soon


def starts(problem, result, seed=0):
    """Where SciPy begins: at rest, at random postures, and at the result itself."""
    rng = np.random.default_rng(seed)
    space = problem.space
    low, high = np.clip(space.lower, -1.0, 0.0), np.clip(space.upper, 0.0, 1.0)
    random = rng.uniform(low, high, (STARTS, space.size))
    if len(space.bounds):
        for u in random:
            while (space.rows @ u > space.bounds).any():
                u *= 0.8
    found = np.linalg.lstsq(space.basis, result.q - space.start, rcond=None)[0]
    return np.vstack([np.zeros(space.size), found, random])


def assert_best(problem, backend):
    result = solve(problem, backend, PATIENT)
    assert result.status in (Status.COMPROMISE, Status.MET)
    lowest = lowest_objective(problem, starts(problem, result))
    tolerated = sum(goal.weight * goal.tolerance**2 for goal in problem.goals)
    assert result.objective <= 1.01 * lowest + tolerated
    return lowest


@BACKEND
@pytest.mark.parametrize("scene", UNREACHABLE)
def test_scenes(backend, scene):
    assert_best(UNREACHABLE[scene](), backend)


@BACKEND
@pytest.mark.parametrize("seed", range(4))
def test_arm_out_of_reach_and_torn(backend, seed):
    rng = np.random.default_rng(seed)
    hand, elbow = Effector(3), Effector(2)
    goals = [
        PositionGoal(effector=hand, target=rng.normal(scale=2.5, size=3), weight=rng.uniform(0.5, 2.0)),
        PositionGoal(effector=elbow, target=rng.normal(scale=2.0, size=3)),
    ]
    assert_best(at_rest(hinged_arm(4), goals), backend)


@BACKEND
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    "figure", [human, lambda: grouped(human()), lambda: coupled(human())], ids=["", "group", "coupled"]
)
def test_humans_pulled_apart(backend, figure, seed):
    """Reachable goals moved out by half a metre, each in its own direction."""
    problem = reachable(figure(), hands_and_feet(figure()), seed)
    rng = np.random.default_rng(seed)
    goals = [replace(goal, target=goal.target + 0.5 * _unit(rng)) for goal in problem.goals]
    assert_best(at_rest(problem.figure, goals), backend)


EVERY = pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])


@BACKEND
@EVERY
def test_every_goal_beside_a_position(backend, case):
    """The same hand shall do two things that exclude each other."""
    figure = human()
    hand = tip(figure, "hand.L")
    place = np.array([0.4, -0.3, 1.4])
    goals = [
        case.make(
            hand,
            place + np.array([0.2, 0.3, 0.2]),
            np.array([1.0, 0.3, -0.9]),
            np.array([0.3, -1.0, 0.0]),
            weight=0.3,
        ),
        PositionGoal(effector=hand, target=place),
        PositionGoal(effector=Effector(figure.index("hand.L")), target=place + np.array([0.1, -0.1, 0.1])),
    ]
    lowest = assert_best(at_rest(figure, goals), backend)
    assert lowest > 1e-4


@BACKEND
@EVERY
def test_a_compromise_cannot_be_improved_from_where_it_is(backend, case):
    """On a rig with limits on everything, whose objective has many minima."""
    rng = np.random.default_rng(5)
    figure = random_tree(5, "everything even")
    width = np.abs(random_coordinates(figure, rng, 0.4)) + 0.2
    figure = replace(figure, lower=-width, upper=width)
    goals = [
        case.make(Effector(8, rng.normal(size=3)), *rng.normal(scale=2.0, size=(3, 3)), weight=2.0),
        PositionGoal(effector=Effector(7), target=rng.normal(scale=2.0, size=3)),
    ]
    problem = at_rest(figure, goals)
    result = solve(problem, backend, PATIENT)
    assert result.objective <= 1.01 * lowest_objective(problem, starts(problem, result)[1:2])


@BACKEND
def test_the_minimum_of_a_plane_and_a_point_is_known(backend):
    """A free point between both: nearer to the heavier, in closed form."""
    figure = replace(
        hinged_arm(), locked=np.zeros(9, dtype=bool), lower=np.full(9, -9.0), upper=np.full(9, 9.0)
    )
    hand = Effector(2)
    places = np.array([[0.6, 0.9, 0.3], [0.3, 1.1, 0.5]])
    goals = [PositionGoal(effector=hand, target=p, weight=w) for p, w in zip(places, (3.0, 1.0), strict=True)]
    result = solve(at_rest(figure, goals), backend)
    assert result.objective == pytest.approx(0.75 * np.sum((places[0] - places[1]) ** 2), rel=1e-4)
    middle = figure.forward(result.q).origins[2]
    assert np.allclose(middle, 0.75 * places[0] + 0.25 * places[1], atol=1e-3)


@BACKEND
def test_the_start_does_not_matter_much(backend):
    """From random postures: the same compromise within a percent, where there is one minimum."""
    figure = hinged_arm(4)
    goal = PositionGoal(effector=Effector(3), target=np.array([2.0, 2.5, 1.0]))
    rng = np.random.default_rng(6)
    objectives = [
        solve(Problem(figure, [goal], random_posture(figure, [goal], rng)), backend).objective
        for _ in range(5)
    ]
    assert max(objectives) <= 1.01 * min(objectives)


def _unit(rng):
    vector = rng.normal(size=3)
    return vector / np.linalg.norm(vector)

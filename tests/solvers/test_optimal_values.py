"""Where goals cannot be met: SciPy's solvers find no better compromise.

Locally always. Globally nearly always: the objective has many minima, and which one a backend ends in
is not promised for every problem.
"""

from dataclasses import replace

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import (
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
from .scenes import PRECISE, UNREACHABLE, at_rest, hands_and_feet, reachable, tip

BACKEND = pytest.mark.parametrize("backend", PRECISE)
PATIENT = Budget(iterations=2000)  # what is compared is where a backend ends, not how soon
ABOVE = {"VARIABLE_METRIC": 1.02}  # how much above the minimum a backend may be; else 1.01
SEEDS = range(4)


def torn_arm(seed):
    """Hand and elbow each wanted somewhere, mostly out of reach."""
    rng = np.random.default_rng(seed)
    goals = [
        PositionGoal(
            effector=Effector(3), target=rng.normal(scale=2.5, size=3), weight=rng.uniform(0.5, 2.0)
        ),
        PositionGoal(effector=Effector(2), target=rng.normal(scale=2.0, size=3)),
    ]
    return at_rest(hinged_arm(4), goals)


def pulled_apart(figure, seed):
    """Reachable goals moved out by half a metre, each in its own direction."""
    problem = reachable(figure, hands_and_feet(figure), seed)
    directions = np.random.default_rng(seed).normal(size=(len(problem.goals), 3))
    directions *= 0.5 / np.linalg.norm(directions, axis=1, keepdims=True)
    pairs = zip(problem.goals, directions, strict=True)
    return at_rest(figure, [replace(goal, target=goal.target + direction) for goal, direction in pairs])


def at_odds(case):
    """The same hand shall do three things that exclude each other."""
    figure = human()
    hand, place = tip(figure, "hand.L"), np.array([0.4, -0.3, 1.4])
    aside, along = place + np.array([0.2, 0.3, 0.2]), np.array([1.0, 0.3, -0.9])
    goals = [
        case.make(hand, aside, along, np.array([0.3, -1.0, 0.0]), weight=0.3),
        PositionGoal(effector=hand, target=place),
        PositionGoal(effector=Effector(hand.bone), target=place + np.array([0.1, -0.1, 0.1])),
    ]
    return at_rest(figure, goals)


def strange_rig(case):
    """Limits on everything, and minima everywhere."""
    rng = np.random.default_rng(5)
    figure = random_tree(5, "everything even")
    width = np.abs(random_coordinates(figure, rng, 0.4)) + 0.2
    goals = [
        case.make(Effector(8, rng.normal(size=3)), *rng.normal(scale=2.0, size=(3, 3)), weight=2.0),
        PositionGoal(effector=Effector(7), target=rng.normal(scale=2.0, size=3)),
    ]
    return at_rest(replace(figure, lower=-width, upper=width), goals)


PROBLEMS = {
    **UNREACHABLE,
    **{f"torn arm {seed}": lambda seed=seed: torn_arm(seed) for seed in SEEDS},
    **{f"human {seed}": lambda seed=seed: pulled_apart(human(), seed) for seed in SEEDS},
    **{f"grouped spine {seed}": lambda seed=seed: pulled_apart(grouped(human()), seed) for seed in SEEDS},
    **{f"couplings {seed}": lambda seed=seed: pulled_apart(coupled(human()), seed) for seed in SEEDS},
    **{f"hand at odds: {case.name}": lambda case=case: at_odds(case) for case in CASES},
    **{f"strange rig: {case.name}": lambda case=case: strange_rig(case) for case in CASES},
}


def variables_of(problem, q):
    """The u of a posture."""
    space = problem.space
    return np.clip(np.linalg.lstsq(space.basis, q - space.start, rcond=None)[0], space.lower, space.upper)


def random_starts(problem, count):
    """Where SciPy begins besides: at rest and at random."""
    space = problem.space
    low, high = np.clip(space.lower, -1.0, 0.0), np.clip(space.upper, 0.0, 1.0)
    starts = np.random.default_rng(0).uniform(low, high, (count, space.size))
    for u in starts:
        while len(space.bounds) and (space.rows @ u > space.bounds).any():
            u *= 0.8
    return np.vstack([np.zeros(space.size), starts])


@BACKEND
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_compromise_cannot_be_improved_from_where_it_is(backend, name):
    problem = PROBLEMS[name]()
    result = solve(problem, backend, PATIENT)
    assert result.status in (Status.COMPROMISE, Status.MET)
    lowest = lowest_objective(problem, variables_of(problem, result.q)[None])
    tolerated = sum(goal.weight * goal.tolerance**2 for goal in problem.goals)
    assert result.objective <= ABOVE.get(backend, 1.01) * lowest + tolerated


def test_hardly_ever_is_there_a_better_compromise_elsewhere():
    """Within 1 % of the best distance of all starts, in 85 % of the problems."""
    good = []
    for name, make in PROBLEMS.items():
        problem = make()
        result = solve(problem)
        lowest = lowest_objective(problem, random_starts(problem, 2))
        if result.objective**0.5 <= 1.01 * lowest**0.5 + 1e-4:
            good.append(name)
    assert len(good) >= 0.85 * len(PROBLEMS), set(PROBLEMS) - set(good)


@BACKEND
def test_the_minimum_between_two_points_is_known(backend):
    """A free hand: nearer to the heavier goal, in closed form."""
    free = {"locked": np.zeros(9, dtype=bool), "lower": np.full(9, -9.0), "upper": np.full(9, 9.0)}
    figure = replace(hinged_arm(), **free)
    places = np.array([[0.6, 0.9, 0.3], [0.3, 1.1, 0.5]])
    pairs = zip(places, (3.0, 1.0), strict=True)
    goals = [PositionGoal(effector=Effector(2), target=place, weight=weight) for place, weight in pairs]
    result = solve(at_rest(figure, goals), backend)
    assert result.objective == pytest.approx(0.75 * np.sum((places[0] - places[1]) ** 2), rel=1e-4)
    middle = figure.forward(result.q).origins[2]
    assert np.allclose(middle, 0.75 * places[0] + 0.25 * places[1], atol=1e-3)


@BACKEND
def test_the_start_does_not_matter_where_there_is_one_minimum(backend):
    figure = hinged_arm(4)
    goal = PositionGoal(effector=Effector(3), target=np.array([2.0, 2.5, 1.0]))
    rng = np.random.default_rng(6)
    starts = [random_posture(figure, [goal], rng) for _ in range(5)]
    objectives = [solve(Problem(figure, [goal], start), backend).objective for start in starts]
    assert max(objectives) <= 1.01 * min(objectives)

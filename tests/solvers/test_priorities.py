"""Strict priorities: what is above never gives way, what is below gets all that is left."""

from dataclasses import replace

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import (
    Budget,
    Effector,
    HalfSpaceGoal,
    PositionGoal,
    Problem,
    Reason,
    Reference,
    solve,
)
from scipy.optimize import minimize

from .figures import hinged_arm, human
from .scenes import around_a_box, at_rest, tip

PLACES = np.array([[0.5, 1.8, 0.6], [-0.4, 1.0, 1.5]])


def one_hand(*priorities):
    """One hand, two places that it cannot be at together."""
    goals = [
        PositionGoal(effector=Effector(3), target=place, priority=priority, name=f"place {i}")
        for i, (place, priority) in enumerate(zip(PLACES, priorities, strict=True))
    ]
    return at_rest(hinged_arm(4), goals)


@pytest.mark.parametrize("first", [0, 1])
def test_the_first_has_its_way(first):
    result = solve(one_hand(*[1 + (i != first) for i in range(2)]), "PRIORITIZED")
    above, below = result.goals[first], result.goals[1 - first]
    assert above.met and not below.met
    assert below.distance == pytest.approx(np.linalg.norm(PLACES[0] - PLACES[1]), abs=2e-4)
    assert (below.reason, below.overruled_by) == (Reason.OVERRULED, f"place {first}")


def test_equal_priorities_are_a_conflict():
    result = solve(one_hand(3, 3), "PRIORITIZED")
    assert [goal.reason for goal in result.goals] == [Reason.CONFLICT] * 2
    assert result.objective == pytest.approx(solve(one_hand(1, 1)).objective, rel=1e-3)


def hand_and_elbow():
    """The hand's place comes first; the elbow gets what that leaves: a circle about the way there."""
    hand = PositionGoal(effector=Effector(3), target=np.array([0.3, 1.9, 0.9]), name="hand", tolerance=1e-7)
    elbow = PositionGoal(effector=Effector(1), target=np.array([0.9, 0.5, 0.4]), priority=2, name="elbow")
    return at_rest(hinged_arm(4), [hand, elbow])


def test_the_second_gets_the_best_of_what_is_left():
    """Against SciPy's constrained optimum, from many starts."""
    problem = hand_and_elbow()
    result = solve(problem, "PRIORITIZED")
    assert result.goals[0].met
    assert result.goals[1].distance == pytest.approx(_best_elbow(problem), abs=1e-3)


def _best_elbow(problem):
    space = problem.space
    rows = problem.rows_of(0)
    rng = np.random.default_rng(0)
    best = np.inf
    for _ in range(12):
        start = rng.uniform(np.maximum(space.lower, -1.0), np.minimum(space.upper, 1.0))
        found = minimize(
            lambda u: float((problem.evaluate(u).residual[~rows] ** 2).sum()),
            start,
            jac=lambda u: 2.0 * (problem.slope_at(p := problem.evaluate(u))[~rows].T @ p.residual[~rows]),
            bounds=list(zip(space.lower, space.upper, strict=True)),
            constraints={
                "type": "eq",
                "fun": lambda u: problem.evaluate(u).residual[rows],
                "jac": lambda u: problem.slope_at(problem.evaluate(u))[rows],
            },
            method="SLSQP",
            options={"maxiter": 300, "ftol": 1e-12},
        )
        if np.abs(problem.evaluate(found.x).residual[rows]).max() < 1e-6:
            best = min(best, float(np.sqrt(found.fun)))
    return best


def far_hand(figure, priority, name="hand.L"):
    target = np.array([2.5, -1.0, 1.4])
    return PositionGoal(effector=tip(figure, name), target=target, priority=priority, name=name)


def test_what_is_above_and_out_of_reach_stays_as_near_as_it_comes():
    """The other hand, wanted far to the other side, does not draw it back by more than its tolerance."""
    figure = human()
    first = far_hand(figure, 1)
    second = PositionGoal(
        effector=tip(figure, "hand.R"), target=np.array([-2.0, -0.5, 1.0]), priority=2, name="hand.R"
    )
    alone = solve(at_rest(figure, [first]), "PRIORITIZED").goals[0].distance
    both = solve(at_rest(figure, [first, second]), "PRIORITIZED").goals
    assert both[0].distance == pytest.approx(alone, abs=first.tolerance)
    unheeded = solve(at_rest(figure, [first]), "PRIORITIZED").q
    there = Problem(figure, [second], unheeded)
    assert both[1].distance < there.errors(there.evaluate(np.zeros(there.space.size)))[0, 0] - 0.1


def test_a_half_space_above_is_free_to_move_while_it_holds():
    """A floor under the hand takes nothing from a goal over it, and all from one below it."""
    figure = human()
    hand = tip(figure, "hand.L")
    floor = HalfSpaceGoal(
        effector=hand, target=np.array([0.0, 0.0, 1.0]), normal=np.array([0.0, 0.0, 1.0]), name="floor"
    )
    over = PositionGoal(effector=hand, target=np.array([0.5, -0.3, 1.2]), priority=2, name="hand")
    assert solve(at_rest(figure, [floor, over]), "PRIORITIZED").met
    under = replace(over, target=np.array([0.5, -0.3, 0.8]))
    held, kept = solve(at_rest(figure, [floor, under]), "PRIORITIZED").goals
    assert held.met
    assert kept.distance == pytest.approx(0.2, abs=1e-3)
    assert (kept.reason, kept.overruled_by) == (Reason.OVERRULED, "floor")


def test_a_reference_gets_what_the_goals_leave():
    """Against SciPy: the nearest posture to the reference that has the hand in its place."""
    figure = hinged_arm(4)
    hand = PositionGoal(effector=Effector(3), target=np.array([0.3, 1.9, 0.9]), name="hand", tolerance=1e-6)
    rng = np.random.default_rng(2)
    liked = np.clip(rng.uniform(-0.5, 0.5, 12), figure.lower, figure.upper) * ~figure.locked
    problem = Problem(figure, [hand], np.zeros(12), reference=Reference(liked))
    result = solve(problem, "PRIORITIZED")
    assert result.met
    space = problem.space
    found = minimize(
        lambda u: float(((problem.coordinates(u) - liked) ** 2).sum()),
        problem.variables_at(result.q),
        bounds=list(zip(space.lower, space.upper, strict=True)),
        constraints={
            "type": "eq",
            "fun": lambda u: problem.evaluate(u).residual,
            "jac": lambda u: problem.slope_at(problem.evaluate(u)),
        },
        method="SLSQP",
        options={"ftol": 1e-12},
    )
    assert np.abs(result.q - liked).max() > 0.2
    assert np.linalg.norm(result.q - liked) == pytest.approx(np.sqrt(found.fun), rel=1e-2)


def test_a_heavier_coordinate_stays_nearer_to_its_reference():
    figure = hinged_arm(4)
    hand = PositionGoal(effector=Effector(3), target=np.array([0.3, 1.9, 0.9]), name="hand")
    away = []
    for weight in (1.0, 5.0):
        weights = np.ones(12)
        weights[0] = weight
        reference = Reference(np.zeros(12), weights)
        away.append(
            abs(solve(Problem(figure, [hand], np.zeros(12), reference=reference), "PRIORITIZED").q[0])
        )
    assert away[1] < 0.6 * away[0]


def test_a_drag_out_of_reach_and_back_gives_the_pose_it_left():
    figure = human()
    q = np.zeros(figure.skeleton.dimension)
    for name in ("forearm.L", "forearm.R", "shin.L", "shin.R"):
        q[3 * figure.index(name)] = 0.9
    hand = tip(figure, "hand.L")
    frames = figure.forward(q)
    place = frames.origins[hand.bone] + frames.linear[hand.bone] @ hand.point
    goal = PositionGoal(effector=hand, target=place)
    start, problem = q, Problem(figure, [goal], q, reference=Reference(q))
    for way in np.concatenate([np.linspace(0.0, 0.6, 30), np.linspace(0.6, 0.0, 30)]):
        there = replace(goal, target=place + way * np.array([0.8, -0.6, 0.0]))
        problem = problem.retargeted([there], q)
        q = solve(problem, "PRIORITIZED", Budget(restarts=0)).q
    assert np.abs(q - start).max() < np.radians(1.0)


def test_outside_of_a_box_first():
    """The thing is 4 and 8 cm inside the nearest faces: the hand stays on one of these."""
    thing, box = around_a_box().goals
    result = solve(at_rest(human(), [replace(thing, priority=2), box]), "PRIORITIZED")
    reached, outside = result.goals
    assert outside.met
    assert min(abs(reached.distance - depth) for depth in (0.04, 0.08)) < 1e-3
    assert (reached.reason, reached.overruled_by) == (Reason.OVERRULED, "box")


def test_priorities_that_agree_give_the_pose_without_them():
    figure = human()
    goals = [
        PositionGoal(effector=tip(figure, "hand.L"), target=np.array([0.4, -0.4, 1.3]), priority=4),
        PositionGoal(effector=tip(figure, "hand.R"), target=np.array([-0.5, -0.3, 1.2]), priority=-2),
    ]
    ordered = solve(at_rest(figure, goals), "PRIORITIZED")
    plain = solve(at_rest(figure, goals))
    assert ordered.met
    assert np.array_equal(ordered.q, plain.q)

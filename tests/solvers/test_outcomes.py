"""How a solve ends: met, a compromise and why, and what stiffness and weight do to it."""

from dataclasses import replace

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import (
    BACKENDS,
    AimGoal,
    Budget,
    Effector,
    HalfSpaceGoal,
    OrientationGoal,
    PositionGoal,
    Problem,
    Reason,
    Status,
    build_figure,
    solve,
)

from .figures import hinged_arm, human
from .scenes import PRECISE, SCENES, UNREACHABLE, at_rest, conflicting_arm, tip, too_far

BACKEND = pytest.mark.parametrize("backend", BACKENDS)
BACKEND_THAT_IS_PRECISE = pytest.mark.parametrize("backend", PRECISE)


def reasons(result):
    return [goal.reason for goal in result.goals]


@BACKEND
@pytest.mark.parametrize("scene", UNREACHABLE)
def test_what_cannot_be_met_is_a_compromise_with_reasons(backend, scene):
    result = solve(UNREACHABLE[scene](), backend)
    assert result.status is Status.COMPROMISE
    assert not result.met
    for goal in result.goals:
        assert (goal.reason is Reason.NONE) == goal.met
        assert goal.reason is not Reason.UNFINISHED


@BACKEND
def test_out_of_reach(backend):
    """A free chain, stretched out towards its target."""
    free = build_figure(["a", "b", "c"], [-1, 0, 1], np.array([[0.0, 0, 0], [0, 1, 0], [0, 1, 0]]))
    target = np.array([2.0, 2.0, 1.0])
    result = solve(at_rest(free, [PositionGoal(effector=Effector(2), target=target, name="hand")]), backend)
    assert reasons(result) == [Reason.OUT_OF_REACH]
    assert result.goals[0].distance == pytest.approx(3.0 - 2.0, abs=1e-3 if backend in PRECISE else 1e-2)
    hand = free.forward(result.q).origins[2]
    assert np.allclose(hand, target * 2.0 / 3.0, atol=0.05)


@BACKEND
def test_too_near_is_out_of_reach_too(backend):
    """An upper arm longer than the forearm cannot bring the hand to the shoulder."""
    offsets = np.array([[0.0, 0, 0], [0, 1, 0], [0, 0.4, 0]])
    free = build_figure(["a", "b", "c"], [-1, 0, 1], offsets)
    result = solve(
        at_rest(free, [PositionGoal(effector=Effector(2), target=np.array([0.05, 0.0, 0.0]))]), backend
    )
    assert reasons(result) == [Reason.OUT_OF_REACH]
    assert result.goals[0].distance == pytest.approx(0.55, abs=1e-3)


@BACKEND_THAT_IS_PRECISE
def test_at_a_limit(backend):
    """A hinge that bends no further."""
    figure = hinged_arm(bend=0.5)
    figure.locked[:3] = True
    bent = figure.forward(np.array([0, 0, 0, 0.5, 0, 0, 0, 0, 0.0])).origins[2]
    goal = PositionGoal(effector=Effector(2), target=np.array([0.0, 1.0, 1.0]), name="hand")
    result = solve(at_rest(figure, [goal]), backend)
    assert reasons(result) == [Reason.AT_A_LIMIT]
    assert result.active == (3,)
    assert np.allclose(figure.forward(result.q).origins[2], bent, atol=1e-6)


@BACKEND_THAT_IS_PRECISE
def test_at_the_edge_of_a_polygon(backend):
    """The arm swings to the edge of its hexagon and along it."""
    figure = human()
    hand = tip(figure, "hand.L")
    bones = [figure.index(name) for name in ("upper arm.L", "forearm.L", "hand.L")]
    locked = np.ones_like(figure.locked)
    locked[[3 * bones[0], 3 * bones[0] + 2]] = False
    figure = replace(figure, locked=locked)
    goal = PositionGoal(effector=hand, target=np.array([-0.5, 1.0, 2.2]), name="behind")
    result = solve(at_rest(figure, [goal]), backend)
    assert reasons(result) == [Reason.AT_A_LIMIT]
    assert figure.violation(result.q) == pytest.approx(0.0, abs=1e-9)
    rows, bounds = figure.inequalities
    assert (bounds - rows @ result.q).min() == pytest.approx(0.0, abs=1e-6)


@BACKEND
def test_in_conflict(backend):
    result = solve(conflicting_arm(), backend)
    assert reasons(result) == [Reason.CONFLICT, Reason.CONFLICT]


@BACKEND
def test_one_conflict_does_not_blame_the_others(backend):
    """Two goals pull one hand apart; the other hand has its way."""
    figure = human()
    left, right = tip(figure, "hand.L"), tip(figure, "hand.R")
    goals = [
        PositionGoal(effector=left, target=np.array([0.4, -0.4, 1.3]), name="here"),
        PositionGoal(effector=left, target=np.array([0.4, -0.2, 1.5]), name="there"),
        PositionGoal(effector=right, target=np.array([-0.5, -0.3, 1.2]), name="free", weight=10.0),
    ]
    here, there, free = solve(at_rest(figure, goals), backend).goals
    assert free.distance < 0.01
    assert here.reason is there.reason is Reason.CONFLICT


@BACKEND
def test_what_was_cut_short_is_not_judged(backend):
    result = solve(too_far(), backend, Budget(iterations=1))
    assert result.status is Status.ITERATIONS
    assert reasons(result) == [Reason.UNFINISHED]


@BACKEND
def test_errors_in_radians(backend):
    """A hinge about x cannot aim aside: the angle that is left."""
    figure = hinged_arm()
    figure.locked[:3] = True
    aim = AimGoal(effector=Effector(1), target=np.array([1.0, 2.0, 0.0]), name="aside")
    turn = OrientationGoal(effector=Effector(1), x=np.array([0.0, 1.0, 0.0]), name="turned")
    result = solve(at_rest(figure, [aim, turn]), backend)
    assert [goal.distance for goal in result.goals] == [0.0, 0.0]
    assert result.goals[0].angle == pytest.approx(0.25 * np.pi, abs=1e-6)
    assert result.goals[1].angle == pytest.approx(0.5 * np.pi, abs=1e-6)


@BACKEND
def test_a_heavier_goal_gets_nearer(backend):
    distances = []
    for weight in (1.0, 4.0, 30.0):
        problem = conflicting_arm()
        first, second = problem.goals
        goals = [replace(first, weight=weight), replace(second, weight=1.0)]
        distances.append(solve(at_rest(problem.figure, goals), backend).goals[0].distance)
    assert distances == sorted(distances, reverse=True)
    assert distances[2] < 0.2 * distances[0]


@BACKEND
def test_a_stiffer_joint_moves_less(backend):
    """The same reach, the chest stiffer and stiffer."""
    figure = human()
    hand = tip(figure, "hand.L")
    goal = PositionGoal(effector=hand, target=np.array([0.45, -0.35, 1.15]))
    torso = [3 * figure.index(name) + k for name in ("pelvis", "spine", "chest") for k in range(3)]
    turned = []
    for stiffness in (0.0, 0.7, 0.95):
        stiff = figure.stiffness.copy()
        stiff[torso] = stiffness
        result = solve(at_rest(replace(figure, stiffness=stiff), [goal]), backend)
        assert result.met
        turned.append(float(np.linalg.norm(result.q[torso])))
    assert turned[0] > 1.5 * turned[1] > 1.5 * turned[2]


@BACKEND
def test_a_half_space_pushes_just_enough(backend):
    """Out of the forbidden side, and no further than the boundary."""
    figure = human()
    hand = tip(figure, "hand.L")
    start = figure.forward(np.zeros(figure.skeleton.dimension)).origins[hand.bone]
    wall = HalfSpaceGoal(
        effector=hand, target=start + np.array([0.0, 0.0, 0.05]), normal=np.array([0.0, 0.0, 1.0])
    )
    result = solve(at_rest(figure, [wall]), backend)
    assert result.met
    height = Problem(figure, [wall], result.q)
    above = -float(height.evaluate(np.zeros(height.space.size)).signed[0])
    assert -wall.tolerance <= above < 0.03


@BACKEND_THAT_IS_PRECISE
@pytest.mark.parametrize("scene", SCENES)
def test_no_goal_is_left_where_it_could_improve_alone(backend, scene):
    """At a compromise the projected gradient vanishes: a Kuhn–Tucker point."""
    problem = SCENES[scene]()
    result = solve(problem, backend)
    if result.status is Status.MET:
        return
    here = Problem(problem.figure, problem.goals, result.q)
    point = here.evaluate(np.zeros(here.space.size))
    slope = here.slope_at(point)
    gradient = here.projected(point.u, slope.T @ point.residual * here.space.scale)
    assert np.linalg.norm(gradient) <= 0.03 * np.linalg.norm(slope) * np.linalg.norm(point.residual)

"""What a drag feels like: no limb that will not bend, no jump, no chattering."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import (
    BACKENDS,
    AnyOf,
    Budget,
    Effector,
    HalfSpaceGoal,
    PositionGoal,
    Problem,
    solve,
)

from .figures import hinged_arm, human
from .scenes import around_a_box, at_rest, tip

BACKEND = pytest.mark.parametrize("backend", BACKENDS)
LIVE = Budget(restarts=0)
MILLIMETRE = 1e-3
DEGREE = np.radians(1.0)


@BACKEND
@pytest.mark.parametrize("bones", [3, 4, 6])
@pytest.mark.parametrize("part", [0.95, 0.6, 0.35])
def test_a_straight_limb_bends_to_a_target_along_it(backend, bones, part):
    """Singular, and on its limits: no first-order step shortens it."""
    target = np.array([0.0, part * (bones - 1), 0.0])
    goal = PositionGoal(effector=Effector(bones - 1), target=target)
    assert solve(at_rest(hinged_arm(bones), [goal]), backend).met


@BACKEND
@pytest.mark.parametrize("limb", ["hand.L", "foot.R"])
def test_knees_and_elbows_bend_from_rest(backend, limb):
    """Pulled straight in, towards the joint that they hang on."""
    figure = human()
    bone = figure.index(limb)
    rest = figure.forward(np.zeros(figure.skeleton.dimension)).origins
    root = rest[figure.index(f"{'upper arm' if 'hand' in limb else 'thigh'}{limb[-2:]}")]
    standing = [
        PositionGoal(effector=Effector(figure.index(name)), target=rest[figure.index(name)], weight=10.0)
        for name in ("head", "thigh.L", "thigh.R", "upper arm.L")
    ]
    goal = PositionGoal(effector=Effector(bone), target=root + 0.7 * (rest[bone] - root))
    assert solve(at_rest(figure, [goal, *standing]), backend).met


@BACKEND
def test_a_straight_limb_stays_straight_where_it_is(backend):
    """At its target, or a hair from it, nothing needs to bend."""
    figure = hinged_arm(4)
    for off in (0.0, 1e-5, 9e-5):
        goal = PositionGoal(effector=Effector(3), target=np.array([0.0, 3.0 - off, 0.0]))
        result = solve(at_rest(figure, [goal]), backend, LIVE)
        assert result.met
        assert not result.q.any()


def pinned(figure, q):
    """Position goals where hands and feet are."""
    origins = figure.forward(q).origins
    names = ("hand.L", "hand.R", "foot.L", "foot.R")
    return [
        PositionGoal(effector=Effector(figure.index(n)), target=origins[figure.index(n)], name=n)
        for n in names
    ]


@BACKEND
@pytest.mark.parametrize("limb", range(4))
@pytest.mark.parametrize("direction", [*np.eye(3), *-np.eye(3)], ids=["+x", "+y", "+z", "-x", "-y", "-z"])
def test_a_millimetre_aside_moves_no_joint_by_a_degree(backend, limb, direction):
    """From a pose with bent limbs, where no way is long."""
    figure = human()
    q = np.zeros(figure.skeleton.dimension)
    for name in ("forearm.L", "forearm.R", "shin.L", "shin.R"):
        q[3 * figure.index(name)] = 0.8
    goals = pinned(figure, q)
    goals[limb] = replace(goals[limb], target=goals[limb].target + MILLIMETRE * direction)
    result = solve(Problem(figure, goals, q), backend, LIVE)
    assert result.met
    assert np.abs(result.q - q).max() < DEGREE


@BACKEND
def test_sideways_from_straight_limbs_does_not_jump(backend):
    """At rest, arms out and on their limits; a millimetre across the arm."""
    figure = human()
    q = np.zeros(figure.skeleton.dimension)
    for axis in (1, 2):
        for sign in (-1.0, 1.0):
            goals = pinned(figure, q)
            target = goals[0].target.copy()
            target[axis] += sign * MILLIMETRE
            result = solve(at_rest(figure, [replace(goals[0], target=target), *goals[1:]]), backend, LIVE)
            assert result.met
            assert np.abs(result.q).max() < DEGREE


@BACKEND
def test_a_drag_is_continuous(backend):
    """A hand led along a circle, each tick from the last pose; centimetres move degrees."""
    figure = human()
    q = np.zeros(figure.skeleton.dimension)
    q[3 * figure.index("forearm.L")] = 1.0
    goals = pinned(figure, q)
    centre = goals[0].target
    largest, missed = 0.0, 0
    for angle in np.linspace(0.0, 2.0 * np.pi, 60):
        place = centre + 0.1 * np.array([np.cos(angle) - 1.0, 0.0, np.sin(angle)])
        result = solve(Problem(figure, [replace(goals[0], target=place), *goals[1:]], q), backend, LIVE)
        largest = max(largest, float(np.abs(result.q - q).max()))
        missed += not result.met
        q = result.q
    assert missed == 0
    assert largest < np.radians(12.0)


@BACKEND
def test_out_of_reach_does_not_jitter(backend):
    """Solved again and again from its own result, the best compromise comes to rest."""
    figure = human()
    goal = PositionGoal(effector=tip(figure, "hand.R"), target=np.array([-2.0, -1.5, 1.0]))
    results = [solve(at_rest(figure, [goal]), backend)]
    for _ in range(5):
        results.append(solve(Problem(figure, [goal], results[-1].q), backend, LIVE))
    for before, after in pairwise(results):
        assert after.objective <= before.objective * (1.0 + 1e-12)
    for before, after in pairwise(results[2:]):
        assert np.abs(after.q - before.q).max() < 0.01 * DEGREE


# Sets of goals


def two_places(near, far, **settings):
    hand = Effector(2)
    members = tuple(PositionGoal(effector=hand, target=np.array(place)) for place in (near, far))
    return AnyOf(effector=hand, members=members, name="either", **settings)


@BACKEND
def test_the_nearer_member_is_taken(backend):
    goal = two_places([0.0, 1.0, 1.2], [0.3, 1.6, 0.2])
    result = solve(at_rest(hinged_arm(), [goal]), backend)
    hand = hinged_arm().forward(result.q).origins[2]
    assert result.met
    assert np.allclose(hand, [0.3, 1.6, 0.2], atol=1e-3)


@BACKEND
def test_the_member_that_can_be_reached_is_taken_in_the_end(backend):
    """The nearer one is beyond the arm's length."""
    goal = two_places([0.0, 2.5, 0.0], [0.0, 1.2, 0.9])
    result = solve(at_rest(hinged_arm(), [goal]), backend)
    assert result.met


def branches_along(backend, problem):
    return [step.point.branches.tolist() for step in BACKENDS[backend]().iterate(problem)]


@pytest.mark.parametrize(
    ("part", "settle", "changes"), [(0.95, False, False), (0.8, False, True), (0.95, True, True)]
)
def test_a_member_takes_over_only_where_it_is_clearly_better(part, settle, changes):
    """On the way; in the end, where it is better at all."""
    near = np.sqrt(part) * 0.5
    problem = at_rest(hinged_arm(), [two_places([0.0, 1.5, 0.0], [0.0, 2.0 - near, 0.0])])
    point = problem.evaluate(np.zeros(problem.space.size), np.array([0]))
    after = problem.rebranched(point, settle)
    assert after.branches.tolist() == [int(changes)]
    assert after.objective == pytest.approx(part * 0.25 if changes else 0.25)


@BACKEND
def test_branches_do_not_chatter(backend):
    """Around a box: sides change a few times on the way, and then no more."""
    taken = branches_along(backend, around_a_box())
    changes = sum(first != second for first, second in pairwise(taken))
    assert changes <= 4
    settled = taken[len(taken) // 2 :]
    assert sum(first != second for first, second in pairwise(settled)) <= 1


@BACKEND
def test_equally_good_members_do_not_chatter(backend):
    """Exactly between two half-spaces that pull apart."""
    figure = hinged_arm()
    hand = Effector(2)
    sides = tuple(
        HalfSpaceGoal(effector=hand, target=s * np.array([0.5, 0, 0]), normal=np.array([s, 0, 0]))
        for s in (-1, 1)
    )
    problem = at_rest(figure, [AnyOf(effector=hand, members=sides)])
    taken = branches_along(backend, problem)
    assert all(branch == taken[0] for branch in taken)
    assert solve(problem, backend).met


@BACKEND
def test_staying_outside_of_a_box(backend):
    figure = human()
    hand = tip(figure, "hand.L")
    place = np.array([0.4, -0.4, 1.3])
    half = np.array([0.06, 0.06, 0.06])
    sides = tuple(
        HalfSpaceGoal(effector=hand, target=place + sign * half * axis, normal=sign * axis)
        for axis in np.eye(3)
        for sign in (-1.0, 1.0)
    )
    inside = solve(at_rest(figure, [PositionGoal(effector=hand, target=place)]), backend).q
    box = AnyOf(effector=hand, members=sides)
    result = solve(Problem(figure, [box], inside), backend)
    assert result.met
    assert 0 < np.abs(result.q - inside).max() < 0.6

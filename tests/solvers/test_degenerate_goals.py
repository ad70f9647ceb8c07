"""Where a formula has no answer of its own, and what cannot be asked for."""

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import (
    BACKENDS,
    CENTRE_OF_MASS,
    AimGoal,
    AnyOf,
    Effector,
    HalfSpaceGoal,
    LineGoal,
    OrientationGoal,
    PlaneGoal,
    PoseGoal,
    PositionGoal,
    Problem,
    Reach,
    build_figure,
    solve,
)

from . import naive
from .figures import hinged_arm, random_tree

X, Y, Z = np.eye(3)


def bone():
    """One bone at the origin that turns freely, from +Y."""
    return build_figure(["Bone"], [-1], np.zeros((1, 3)))


def point_and_gradient(figure, goal, q=None):
    problem = Problem(figure, [goal], np.zeros(figure.skeleton.dimension) if q is None else q)
    point = problem.evaluate(np.zeros(problem.space.size))
    return problem, point, 2.0 * problem.slope_at(point).T @ point.residual


def test_aim_at_where_the_point_is_is_met():
    """Every direction aims at it, and nothing moves."""
    _, point, gradient = point_and_gradient(bone(), AimGoal(effector=Effector(0), target=np.zeros(3)))
    assert point.objective == 0.0
    assert np.array_equal(gradient, np.zeros(3))


@pytest.mark.parametrize("distance", [1e-3, 1e-6, 1e-8])
def test_aim_at_what_is_very_near_is_as_steep_as_far_away(distance):
    """The point does not move with its own bone, so neither does the ray."""
    _, point, gradient = point_and_gradient(bone(), AimGoal(effector=Effector(0), target=distance * (X + Y)))
    _, far, far_gradient = point_and_gradient(bone(), AimGoal(effector=Effector(0), target=X + Y))
    assert point.objective == pytest.approx(far.objective)
    assert np.allclose(gradient, far_gradient)


@pytest.mark.parametrize(
    "goal",
    [
        OrientationGoal(effector=Effector(0), y=-Y),
        AimGoal(effector=Effector(0), target=-2.0 * Y),
        OrientationGoal(effector=Effector(0, x=Y), x=-Y),
    ],
    ids=["y", "aim", "x"],
)
def test_opposite_directions_are_half_a_turn_apart_and_are_left(goal):
    """A maximum, where the gradient says nothing; a backend gets away from it."""
    problem, point, gradient = point_and_gradient(bone(), goal)
    assert problem.errors(point)[0] == pytest.approx([0.0, np.pi])
    assert np.allclose(gradient, 0.0, atol=1e-12)
    for backend in BACKENDS:
        assert solve(problem, backend).met, backend


def test_half_space_on_its_boundary_is_met_and_does_not_pull():
    figure, effector = bone(), Effector(0, Y)
    for depth in (0.0, -1e-12, -1.0):
        goal = HalfSpaceGoal(effector=effector, target=(1.0 + depth) * Y, normal=Y)
        problem, point, gradient = point_and_gradient(figure, goal)
        assert problem.met(point)
        assert point.objective == 0.0
        assert np.array_equal(gradient, np.zeros(3))


def test_half_space_is_smooth_across_its_boundary():
    """The potential is a square: its gradient grows from zero."""
    figure = bone()
    q = np.array([0.4, 0.0, 0.2])
    place = naive.point_at(figure, q, 0, Y)
    for depth in (1e-9, 1e-6, 1e-3):
        goal = HalfSpaceGoal(effector=Effector(0, Y), target=place + depth * Z, normal=Z)
        _, point, gradient = point_and_gradient(figure, goal, q)
        assert point.objective == pytest.approx(depth**2, rel=1e-6)
        assert 0.0 < np.linalg.norm(gradient) < 2.1 * depth


def test_orientation_with_both_directions_free_asks_for_nothing():
    goal = OrientationGoal(effector=Effector(0), name="anything")
    result = solve(Problem(bone(), [goal], np.ones(3)))
    assert result.met
    assert np.array_equal(result.q, np.ones(3))


def test_pose_with_both_directions_free_is_a_position():
    figure = random_tree(1)
    effector, target = Effector(6, np.ones(3)), np.array([0.3, 0.2, -0.5])
    _, pose, pose_gradient = point_and_gradient(figure, PoseGoal(effector=effector, target=target))
    _, place, gradient = point_and_gradient(figure, PositionGoal(effector=effector, target=target))
    assert pose.objective == pytest.approx(place.objective)
    assert np.allclose(pose_gradient, gradient)


@pytest.mark.parametrize(
    "direction", [np.zeros(3), np.array([np.nan, 0.0, 1.0]), np.array([np.inf, 0.0, 0.0])]
)
@pytest.mark.parametrize(
    "make",
    [
        lambda v: LineGoal(effector=Effector(0), target=X, direction=v),
        lambda v: PlaneGoal(effector=Effector(0), target=X, normal=v),
        lambda v: HalfSpaceGoal(effector=Effector(0), target=X, normal=v),
        lambda v: OrientationGoal(effector=Effector(0), x=v),
        lambda v: OrientationGoal(effector=Effector(0, y=v), y=X),
        lambda v: AimGoal(effector=Effector(0, y=v), target=X),
    ],
)
def test_what_has_no_direction_is_refused(make, direction):
    with pytest.raises(ValueError, match="no direction"):
        Problem(bone(), [make(direction)], np.zeros(3))


@pytest.mark.parametrize(
    "goal",
    [
        OrientationGoal(effector=Effector(CENTRE_OF_MASS), x=X, name="Balance"),
        AimGoal(effector=Effector(CENTRE_OF_MASS), target=X, name="Balance"),
        PoseGoal(effector=Effector(CENTRE_OF_MASS), target=X, y=Y, name="Balance"),
    ],
    ids=["orientation", "aim", "pose"],
)
def test_the_centre_of_mass_has_no_direction(goal):
    with pytest.raises(ValueError, match=r"Balance.*centre of mass"):
        Problem(bone(), [goal], np.zeros(3))


def test_the_centre_of_mass_of_a_massless_figure_is_refused():
    figure = build_figure(["Bone"], [-1], np.zeros((1, 3)), masses=np.zeros(1))
    with pytest.raises(ValueError, match="mass"):
        Problem(figure, [PositionGoal(effector=Effector(CENTRE_OF_MASS), target=X)], np.zeros(3))


def test_a_set_needs_members_that_are_no_sets():
    place = PositionGoal(effector=Effector(0), target=X)
    with pytest.raises(ValueError, match="“Hand” has no goals"):
        AnyOf(effector=Effector(0), members=(), name="Hand")
    inner = AnyOf(effector=Effector(0), members=(place,))
    with pytest.raises(ValueError, match="“Hand”: a set of goals cannot hold another"):
        AnyOf(effector=Effector(0), members=(place, inner), name="Hand")


@pytest.mark.parametrize("settings", [{"enabled": False}, {"weight": 0.0}])
def test_a_member_that_does_not_count_is_not_chosen(settings):
    """It would be met anywhere."""
    figure = hinged_arm()
    hand = Effector(2)
    far = PositionGoal(effector=hand, target=np.array([0.0, 1.0, 1.0]))
    ignored = PositionGoal(effector=hand, target=np.array([0.0, 2.0, 0.0]), **settings)
    problem = Problem(figure, [AnyOf(effector=hand, members=(ignored, far))], np.zeros(9))
    point = problem.evaluate(np.zeros(problem.space.size))
    assert problem.errors(point)[0, 0] == pytest.approx(np.sqrt(2.0))
    alone = AnyOf(effector=hand, members=(ignored,))
    assert solve(Problem(figure, [alone], np.zeros(9))).met


def test_members_on_other_bones_recruit_their_own_chains():
    figure = random_tree(2, "several roots")
    members = tuple(PositionGoal(effector=Effector(bone), target=X) for bone in (8, 2))
    goal = AnyOf(effector=Effector(0), members=members, reach=Reach(count=2))
    problem = Problem(figure, [goal], np.zeros(figure.skeleton.dimension))
    bones = np.unique(np.flatnonzero(problem.moving) // 3)
    parents = figure.skeleton.parents
    assert set(bones) == {8, parents[8], 2, parents[2]}

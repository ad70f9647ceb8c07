"""What a solver may change: reach, locks, limits, polygons, couplings, groups, stiffness."""

from dataclasses import replace

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import (
    CENTRE_OF_MASS,
    Coupling,
    Effector,
    JointGroup,
    Polygon,
    PositionGoal,
    Problem,
    Reach,
    build_figure,
)

from .figures import HUMANS, human, random_tree

ORIGIN = np.zeros(3)


def goal(bone, **reach):
    return PositionGoal(effector=Effector(bone), target=ORIGIN, reach=Reach(**reach))


def everything(figure):
    """Goals that recruit the whole figure."""
    return [goal(bone) for bone in range(figure.skeleton.size)]


def moving_bones(problem):
    turning = problem.moving[: 3 * problem.figure.skeleton.size].reshape(-1, 3).any(axis=1)
    return set(np.flatnonzero(turning).tolist())


def space_of(figure, goals=None, q=None):
    q = np.zeros(figure.skeleton.dimension) if q is None else q
    return Problem(figure, everything(figure) if goals is None else goals, q).space


def chain_of(n, **settings):
    """Bones one after the other; all settings are of figures."""
    return build_figure(
        [f"Bone {i}" for i in range(n)], range(-1, n - 1), np.tile([0.0, 1.0, 0.0], (n, 1)), **settings
    )


class TestReach:
    def test_all_ancestors(self):
        figure = random_tree(1)
        problem = Problem(figure, [goal(8)], np.zeros(27))
        assert moving_bones(problem) == set(np.flatnonzero(figure.skeleton.ancestors[8]).tolist())

    @pytest.mark.parametrize("count", [1, 2, 3, 99])
    def test_a_count(self, count):
        problem = Problem(chain_of(5), [goal(4, count=count)], np.zeros(15))
        assert moving_bones(problem) == set(range(4, max(-1, 4 - count), -1))

    def test_up_to_a_bone(self):
        problem = Problem(chain_of(5), [goal(4, top=2)], np.zeros(15))
        assert moving_bones(problem) == {2, 3, 4}

    def test_up_to_a_bone_that_is_not_above_is_all(self):
        figure = random_tree(3, "several roots")
        problem = Problem(figure, [goal(3, top=8)], np.zeros(27))
        assert moving_bones(problem) == set(np.flatnonzero(figure.skeleton.ancestors[3]).tolist())

    def test_several_goals_recruit_the_union(self):
        problem = Problem(chain_of(6), [goal(5, count=1), goal(2, count=2)], np.zeros(18))
        assert moving_bones(problem) == {1, 2, 5}

    def test_the_centre_of_mass_recruits_the_figure_or_what_is_below_a_bone(self):
        figure = random_tree(2)
        whole = Problem(figure, [goal(CENTRE_OF_MASS)], np.zeros(27))
        assert moving_bones(whole) == set(range(9))
        part = Problem(figure, [goal(CENTRE_OF_MASS, top=3)], np.zeros(27))
        assert moving_bones(part) == set(np.flatnonzero(figure.skeleton.ancestors[:, 3]).tolist())

    def test_translation_goes_with_its_bone(self):
        figure = chain_of(3, translating=[1])
        assert Problem(figure, [goal(2)], np.zeros(12)).moving[9:].all()
        assert not Problem(figure, [goal(2, count=1)], np.zeros(12)).moving[9:].any()


class TestLocks:
    def test_locked_coordinates_are_no_variables(self):
        figure = human()
        space = space_of(figure)
        assert not np.abs(space.basis[figure.locked]).any()
        assert space.size == (~figure.locked).sum()

    def test_locked_coordinates_keep_a_value_outside_of_limits(self):
        figure = chain_of(2, locked=np.arange(6) == 4, lower=np.full(6, -0.1), upper=np.full(6, 0.1))
        q = np.array([0.0, 0.05, 0.0, 0.0, 0.7, 0.3])
        assert np.allclose(space_of(figure, q=q).start, [0.0, 0.05, 0.0, 0.0, 0.7, 0.1])

    def test_a_coupling_with_a_locked_coordinate_moves_the_others_alone(self):
        figure = chain_of(3, locked=np.arange(9) == 3, couplings=(Coupling([0, 3, 6], [1.0, 1.0, -1.0]),))
        q = np.zeros(9)
        q[[0, 3, 6]] = 0.1, 0.2, 0.3
        space = space_of(figure, q=q)
        assert space.start[3] == 0.2
        assert not space.basis[3].any()
        assert np.allclose(space.basis[0], space.basis[6])
        assert space.basis[0].any()

    def test_a_group_with_a_locked_coordinate_moves_the_others_alone(self):
        figure = chain_of(
            3,
            locked=np.arange(9) == 3,
            upper=np.full(9, 0.5),
            groups=(JointGroup([0, 3, 6], np.array([[0.2], [0.3], [0.5]])),),
        )
        q = np.zeros(9)
        q[3] = 0.9
        space = space_of(figure, q=q)
        assert space.start[3] == 0.9
        assert not space.basis[3].any()


def shares_of(space):
    """Coordinates that follow each variable of a group."""
    return [set(np.flatnonzero(column).tolist()) for column in space.basis.T if (column != 0.0).sum() > 1]


class TestCouplingsAndGroups:
    @pytest.mark.parametrize("name", HUMANS)
    def test_couplings_hold_for_every_u(self, name):
        figure = HUMANS[name]()
        space = space_of(figure)
        matrix, values = figure.equalities
        for u in np.random.default_rng(1).normal(size=(20, space.size)):
            assert np.allclose(matrix @ (space.start + space.basis @ u), values, rtol=0.0, atol=1e-12)

    def test_a_coupling_takes_one_variable_away(self):
        free, tied = space_of(human()), space_of(HUMANS["human with couplings"]())
        assert tied.size == free.size - 2

    def test_couplings_that_say_the_same_count_once(self):
        same = (Coupling([0, 3], [1.0, -1.0]), Coupling([0, 3], [2.0, -2.0]), Coupling([3, 6], [1.0, 1.0]))
        figure = chain_of(3, couplings=same)
        space = space_of(figure)
        assert space.size == 7
        assert np.allclose(figure.equalities[0] @ space.basis, 0.0)

    def test_a_group_moves_as_its_shares_say(self):
        figure = HUMANS["human with a grouped spine"]()
        space = space_of(figure)
        group = figure.groups[0]
        spread = [
            column[list(group.coordinates)]
            for column in space.basis.T
            if column[list(group.coordinates)].any()
        ]
        assert np.allclose(np.stack(spread, axis=1), group.shares)
        assert space.size == (~figure.locked).sum() - 9 + 3

    def test_a_group_that_is_touched_takes_part_whole(self):
        figure = chain_of(5, groups=(JointGroup([0, 3, 12], np.ones((3, 1))),))
        problem = Problem(figure, [goal(4, count=1)], np.zeros(15))
        assert problem.moving[[0, 3, 12]].all()
        assert problem.space.size == 3

    def test_a_coupling_that_is_touched_takes_part_whole(self):
        figure = chain_of(5, couplings=(Coupling([0, 12], [1.0, -1.0]),))
        problem = Problem(figure, [goal(4, count=1)], np.zeros(15))
        assert problem.moving[[0, 12]].all()
        assert problem.space.size == 3

    def test_a_coupling_within_a_group(self):
        """The group's two numbers are tied to each other and to another joint."""
        figure = chain_of(
            4,
            groups=(JointGroup([0, 3], np.array([[1.0, 0.5], [0.2, 1.0]])),),
            couplings=(Coupling([0, 6], [1.0, -1.0], 0.3),),
        )
        space = space_of(figure)
        assert np.isclose(space.start[0] - space.start[6], 0.3)
        for u in np.random.default_rng(2).normal(size=(5, space.size)):
            q = space.start + space.basis @ u
            assert np.isclose(q[0] - q[6], 0.3)


class TestBounds:
    """Within `lower`, `upper` and `rows` exactly where the figure's own limits hold."""

    @pytest.mark.parametrize("name", HUMANS)
    def test_same_as_limits_of_coordinates(self, name):
        figure = HUMANS[name]()
        rng = np.random.default_rng(3)
        goals = everything(figure)
        start = rng.normal(scale=0.3, size=figure.skeleton.dimension) * ~figure.locked
        space = space_of(figure, goals, start)
        counts = {True: 0, False: 0}
        for _ in range(300):
            u = rng.uniform(np.maximum(space.lower, -2.0), np.minimum(space.upper, 2.0))
            u *= rng.uniform(0.2, 1.0)
            u += (rng.random(len(u)) < 0.01) * rng.normal(scale=0.5, size=len(u))
            q = space.start + space.basis @ u
            inside = (u >= space.lower).all() and (u <= space.upper).all()
            inside = bool(inside and (space.rows @ u <= space.bounds).all())
            assert inside == (figure.violation(q) <= 1e-12)
            counts[inside] += 1
        assert min(counts.values()) > 10

    @pytest.mark.parametrize("name", HUMANS)
    def test_staying_is_feasible(self, name):
        figure = HUMANS[name]()
        rng = np.random.default_rng(4)
        for _ in range(5):
            start = rng.normal(scale=0.6, size=figure.skeleton.dimension) * ~figure.locked
            space = space_of(figure, q=start)
            assert (space.lower <= 0.0).all() and (space.upper >= 0.0).all() and (space.bounds >= 0.0).all()
            assert figure.violation(space.start) <= 1e-9

    def test_a_variable_may_count_backwards(self):
        """A share below zero turns the limits round."""
        figure = chain_of(
            2,
            lower=np.array([-1.0, 0, 0, -0.2, 0, 0]),
            upper=np.array([0.6, 0, 0, 2.0, 0, 0]),
            groups=(JointGroup([0, 3], np.array([[2.0], [-1.0]])),),
        )
        space = space_of(figure)
        k = int(np.argmax(np.abs(space.basis[0])))
        assert np.allclose([space.lower[k], space.upper[k]], [-0.5, 0.2])


def test_stiffness_is_the_scale():
    stiffness = np.linspace(0.0, 0.9, 9)
    assert np.allclose(space_of(chain_of(3, stiffness=stiffness)).scale, 1.0 - stiffness)


def test_a_group_is_as_stiff_as_its_joints_on_average():
    stiffness = np.array([0.2, 0, 0, 0.4, 0, 0, 0.9, 0, 0])
    figure = chain_of(3, stiffness=stiffness, groups=(JointGroup([0, 3, 6], np.ones((3, 1))),))
    space = space_of(figure)
    (k,) = np.flatnonzero((space.basis != 0.0).sum(axis=0) == 3)
    assert space.scale[k] == pytest.approx(0.5)


class TestMisuse:
    def test_limits_with_the_minimum_above_the_maximum_name_the_bone(self):
        lower = np.zeros(9)
        lower[5] = 0.5
        with pytest.raises(ValueError, match=r"“Bone 1” rotation Z.*minimum 0\.5, maximum 0\.1"):
            chain_of(3, lower=lower, upper=np.full(9, 0.1))
        with pytest.raises(ValueError, match="“Bone 2” location Y"):
            chain_of(3, translating=[2], lower=np.array([0.0] * 10 + [0.5, 0.0]), upper=np.full(12, 0.1))

    @pytest.mark.parametrize("value", [np.nan, -0.1, 1.0])
    def test_stiffness_out_of_range(self, value):
        with pytest.raises(ValueError, match="stiffness"):
            chain_of(1, stiffness=np.array([0.0, value, 0.0]))

    def test_limits_that_are_no_numbers(self):
        with pytest.raises(ValueError, match="“Bone 0” rotation X"):
            chain_of(1, lower=np.array([np.nan, 0.0, 0.0]), upper=np.ones(3))

    @pytest.mark.parametrize(
        "settings", [{"lower": np.zeros(2)}, {"locked": np.zeros(4, bool)}, {"stiffness": np.zeros(6)}]
    )
    def test_arrays_of_the_wrong_length(self, settings):
        with pytest.raises(ValueError, match=next(iter(settings))):
            chain_of(1, **settings)

    def test_parents_after_their_children(self):
        with pytest.raises(ValueError, match="parents"):
            build_figure(["a", "b"], [1, -1], np.zeros((2, 3)))

    def test_negative_mass(self):
        with pytest.raises(ValueError, match="mass"):
            chain_of(1, masses=np.array([-1.0]))

    @pytest.mark.parametrize(
        "corners",
        [
            [[0.0, 0.0], [1.0, 0.0]],
            [[0.0, 0.0], [2.0, 0.0], [0.5, 0.5], [0.0, 2.0]],
            [[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]],
            [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]],
            [[np.cos(a), np.sin(a)] for a in 0.8 * np.pi * np.arange(5)],
        ],
        ids=["two corners", "dented", "crossed", "flat", "star"],
    )
    def test_polygons_that_are_not_convex(self, corners):
        figure = chain_of(1)
        with pytest.raises(ValueError, match=f"“{figure.names[0]}” needs the corners of a convex polygon"):
            space_of(replace(figure, polygons=(Polygon(0, np.array(corners)),)))

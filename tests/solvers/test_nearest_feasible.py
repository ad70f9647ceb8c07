"""A posture outside of what bounds it: the nearest inside."""

from dataclasses import replace

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import Coupling, Polygon, build_figure

from .figures import HUMANS, human
from .independent import box_rows, quadratic_program


def nearest_by_quadratic_program(figure, q, movable):
    """The same, with only the movable coordinates as unknowns."""
    rows, bounds = box_rows(figure.lower[movable], figure.upper[movable])
    a, b = figure.inequalities
    c, d = figure.equalities
    all_rows = [rows, a[:, movable], c[:, movable], -c[:, movable]]
    still = np.where(movable, 0.0, q)
    all_bounds = [bounds, b - a @ still, d - c @ still, c @ still - d]
    result = q.copy()
    size = int(movable.sum())
    result[movable] = quadratic_program(
        np.eye(size), -q[movable], np.concatenate(all_rows), np.concatenate(all_bounds)
    )
    return result


def two_bones(**settings):
    return build_figure(["Upper", "Lower"], [-1, 0], np.zeros((2, 3)), **settings)


@pytest.mark.parametrize("name", HUMANS)
@pytest.mark.parametrize("spread", [0.3, 1.0, 3.0])
def test_nearest(name, spread):
    figure = HUMANS[name]()
    rng = np.random.default_rng(1)
    for _ in range(5):
        q = rng.normal(scale=spread, size=figure.skeleton.dimension)
        movable = ~figure.locked
        found = figure.nearest_feasible(q, movable)
        assert np.array_equal(found[~movable], q[~movable])
        inside = np.where(movable, found, 0.0)
        assert figure.violation(inside) <= 1e-9
        best = nearest_by_quadratic_program(figure, q, movable)
        assert np.linalg.norm(found - q) <= np.linalg.norm(best - q) * (1.0 + 1e-6) + 1e-9


@pytest.mark.parametrize("name", HUMANS)
def test_what_is_inside_stays(name):
    figure = HUMANS[name]()
    q = np.zeros(figure.skeleton.dimension)
    assert np.array_equal(figure.nearest_feasible(q, ~figure.locked), q)


def test_the_input_is_not_changed():
    figure = human()
    q = np.full(figure.skeleton.dimension, 9.0)
    figure.nearest_feasible(q, ~figure.locked)
    assert (q == 9.0).all()


def test_limits_are_met_to_the_last_digit():
    figure = human()
    q = np.random.default_rng(2).normal(scale=5.0, size=figure.skeleton.dimension)
    found = figure.nearest_feasible(q, np.ones(len(q), dtype=bool))
    assert (found >= figure.lower).all() and (found <= figure.upper).all()


def test_the_corner_of_a_polygon():
    square = np.array([[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])
    figure = two_bones(polygons=(Polygon(1, square),))
    q = np.array([0.0, 0.0, 0.0, 3.0, 5.0, -4.0])
    assert np.allclose(figure.nearest_feasible(q, np.ones(6, dtype=bool)), [0.0, 0.0, 0.0, 1.0, 5.0, -1.0])


def test_clockwise_corners_are_the_same_polygon():
    corners = np.array([[0.0, 0.0], [1.0, 0.2], [0.7, 0.9]])
    there, back = (two_bones(polygons=(Polygon(0, c),)) for c in (corners, corners[::-1]))
    for q in np.random.default_rng(3).normal(size=(20, 6)):
        assert there.violation(q) == pytest.approx(back.violation(q), abs=1e-14)


def test_a_sharp_wedge():
    """Two edges that nearly meet: alternating projections creep along them."""
    corners = np.array([[0.0, 0.0], [2.0, 0.02], [2.0, -0.02]])
    figure = two_bones(polygons=(Polygon(0, corners),))
    q = np.array([-1.0, 0.0, 0.3, 0.0, 0.0, 0.0])
    found = figure.nearest_feasible(q, np.ones(6, dtype=bool))
    assert figure.violation(found) <= 1e-9
    assert np.allclose(found, np.zeros(6), atol=1e-9)


def test_a_coupling_with_a_value_against_a_limit():
    figure = two_bones(
        upper=np.array([0.5, 9, 9, 9, 9, 9]),
        couplings=(Coupling([0, 3], [1.0, 1.0], 2.0),),
    )
    found = figure.nearest_feasible(np.array([0.6, 0, 0, 0.6, 0, 0]), np.ones(6, dtype=bool))
    assert np.allclose(found[[0, 3]], [0.5, 1.5], atol=1e-9)


def test_coordinates_that_may_not_move_do_not():
    figure = two_bones(couplings=(Coupling([0, 3], [1.0, -1.0]),), upper=np.full(6, 0.5))
    movable = np.arange(6) < 3
    q = np.array([0.9, 0.9, 0.0, 0.2, 0.8, 0.0])
    assert np.allclose(figure.nearest_feasible(q, movable), [0.2, 0.5, 0.0, 0.2, 0.8, 0.0], atol=1e-9)


def test_what_nothing_can_satisfy_is_refused():
    """A coupling that the limits do not leave room for."""
    figure = two_bones(
        lower=np.full(6, -0.5), upper=np.full(6, 0.5), couplings=(Coupling([0, 3], [1.0, 1.0], 2.0),)
    )
    with pytest.raises(ValueError, match="Upper"):
        figure.nearest_feasible(np.zeros(6), np.ones(6, dtype=bool))
    outside = np.array([[1.0, 0.0], [2.0, 0.0], [1.5, 1.0]])
    figure = replace(figure, couplings=(), polygons=(Polygon(1, outside),))
    with pytest.raises(ValueError, match="Lower"):
        figure.nearest_feasible(np.zeros(6), np.ones(6, dtype=bool))

"""A rotation that a joint cannot do: the nearest it can, and how far that is off."""

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import EULER_ORDERS, SWING_TWIST, build_figure

from .figures import random_rotation
from .naive import angle_of, rotation_of

KINDS = (SWING_TWIST, *EULER_ORDERS)


def joint(kind, lower=-np.inf, upper=np.inf, locked=False):
    """A figure of one bone."""
    settings = {"lower": lower, "upper": upper, "locked": locked}
    arrays = {key: np.broadcast_to(value, 3).copy() for key, value in settings.items()}
    return build_figure(["Bone"], [-1], np.zeros((1, 3)), kinds=(kind,), **arrays)


def nearest(figure, rotation, near=(0.0, 0.0, 0.0)):
    q, angle = figure.nearest_coordinates(rotation[None], np.array([near]))
    return q[0], float(angle[0])


def nearest_on_grid(figure, rotation, steps):
    """The smallest angle left by any point of a grid over the range of the joint."""
    ranges = [
        np.linspace(low, high, steps if high > low else 1)
        for low, high in zip(figure.lower, figure.upper, strict=True)
    ]
    grid = np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, 3)
    turned, _ = figure.skeleton.rotations(grid)
    trace = np.einsum("...ij,ij->...", turned, rotation)
    return float(np.arccos(np.clip(0.5 * (trace.max() - 1.0), -1.0, 1.0)))


def assert_nearest(figure, rotation, steps):
    kind = figure.skeleton.kinds[0]
    q, angle = nearest(figure, rotation, np.clip(0.0, figure.lower, figure.upper))
    assert (q >= figure.lower).all() and (q <= figure.upper).all()
    left = angle_of(rotation_of(kind, q).T @ rotation)
    assert angle == pytest.approx(left, abs=1e-7)
    assert angle <= nearest_on_grid(figure, rotation, steps) + 1e-7


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_joint_can_do_is_not_off(kind):
    rng = np.random.default_rng(1)
    figure = joint(kind, -1.2, 1.2)
    for _ in range(50):
        wanted = rng.uniform(-1.2, 1.2, 3)
        q, angle = nearest(figure, rotation_of(kind, wanted))
        assert np.allclose(q, wanted, rtol=0.0, atol=1e-12)
        assert angle < 1e-14


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("axis", range(3))
def test_hinge(kind, axis):
    """Asked for anything, within 2 rad of rest and any of all rotations."""
    rng = np.random.default_rng(2)
    lower, upper = np.zeros(3), np.zeros(3)
    lower[axis], upper[axis] = -0.3, 2.4
    figure = joint(kind, lower, upper)
    for _ in range(7):
        assert_nearest(figure, random_rotation(rng), 2001)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("flat", [*range(3), None])
def test_limits(kind, flat):
    """A box of limits, one side of which may have no width."""
    rng = np.random.default_rng(3)
    lower, upper = np.array([-0.7, -0.9, -0.2]), np.array([0.8, 0.4, 1.1])
    if flat is not None:
        lower[flat] = upper[flat] = 0.1
    figure = joint(kind, lower, upper)
    for _ in range(4):
        wanted = rng.uniform(-1.5, 1.5, 3)
        assert_nearest(figure, rotation_of(kind, wanted), 20)


@pytest.mark.parametrize("kind", KINDS)
def test_locked_coordinates_keep_the_value_they_have(kind):
    rng = np.random.default_rng(4)
    figure = joint(kind, locked=[False, True, True])
    for _ in range(7):
        held = rng.uniform(-1.0, 1.0, 3)
        q, angle = nearest(figure, random_rotation(rng), held)
        assert np.array_equal(q[1:], held[1:])
        bent = np.array([rng.uniform(-1.0, 1.0), *held[1:]])
        q, angle = nearest(figure, rotation_of(kind, bent), held)
        assert np.allclose(q, bent, rtol=0.0, atol=1e-9)
        assert angle < 1e-9


def test_a_hinge_says_how_far_it_was_off():
    """Turned about another axis, it stays; turned too far, the rest is missing."""
    figure = joint(SWING_TWIST, [0.0, 0.0, 0.0], [2.0, 0.0, 0.0])
    q, angle = nearest(figure, rotation_of(SWING_TWIST, np.array([0.0, 0.0, 0.8])))
    assert np.allclose(q, 0.0, atol=1e-9)
    assert angle == pytest.approx(0.8)
    q, angle = nearest(figure, rotation_of(SWING_TWIST, np.array([2.7, 0.0, 0.0])))
    assert np.allclose(q, [2.0, 0.0, 0.0])
    assert angle == pytest.approx(0.7)


def test_the_way_round_is_taken_where_it_is_shorter():
    """−2 rad of a hinge with the range 0 … 2.5 is nearer to 2.5, a turn less 4.5, than to 0."""
    figure = joint(SWING_TWIST, [0.0, 0.0, 0.0], [2.5, 0.0, 0.0])
    q, angle = nearest(figure, rotation_of(SWING_TWIST, np.array([-2.0, 0.0, 0.0])))
    assert np.allclose(q, [2.5, 0.0, 0.0])
    assert angle == pytest.approx(2.0 * np.pi - 4.5)


def test_joints_do_not_mix():
    """Many bones at once are each as if alone."""
    rng = np.random.default_rng(5)
    n = 12
    kinds = tuple(str(kind) for kind in rng.choice(KINDS, n))
    lower, upper = -rng.uniform(0.0, 1.0, (n, 3)), rng.uniform(0.0, 1.0, (n, 3))
    names, parents = [f"Bone {i}" for i in range(n)], range(-1, n - 1)
    limits = {"lower": lower.ravel(), "upper": upper.ravel()}
    figure = build_figure(names, parents, np.zeros((n, 3)), kinds=kinds, **limits)
    rotations = np.stack([random_rotation(rng) for _ in range(n)])
    q, angles = figure.nearest_coordinates(rotations, np.zeros((n, 3)))
    for i in range(n):
        alone, angle = nearest(joint(kinds[i], lower[i], upper[i]), rotations[i])
        assert np.allclose(q[i], alone, rtol=0.0, atol=1e-9)
        assert np.isclose(angles[i], angle, rtol=0.0, atol=1e-9)

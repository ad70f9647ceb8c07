"""Joint coordinates: to rotations and back, exactly, everywhere and continuously."""

import mathutils
import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import EULER_ORDERS, SWING_TWIST
from bl_ext.user_default.contrapposto.solvers.rotations import (
    angle_between,
    euler,
    from_quaternion,
    swing_twist,
    to_euler,
    to_quaternion,
    to_swing_twist,
)

from .figures import random_rotation
from .naive import derivative, rodrigues, rotation_of

KINDS = (SWING_TWIST, *EULER_ORDERS)
EXACT = {"rtol": 0.0, "atol": 1e-14}
TINY = 10.0 ** np.arange(-12, -2)


def forward(kind, q):
    return swing_twist(q) if kind == SWING_TWIST else euler(q, kind)


def back(kind, rotation, near=None):
    return to_swing_twist(rotation, near) if kind == SWING_TWIST else to_euler(rotation, kind, near)


def assert_rotations(rotation):
    assert np.allclose(rotation @ np.swapaxes(rotation, -1, -2), np.eye(3), **EXACT)
    assert np.allclose(np.linalg.det(rotation), 1.0, **EXACT)


@pytest.mark.parametrize("kind", KINDS)
def test_rotations_are_those_of_the_formula(kind):
    angles = np.random.default_rng(1).uniform(-7.0, 7.0, (200, 3))
    rotation, _ = forward(kind, angles)
    assert np.allclose(rotation, [rotation_of(kind, q) for q in angles], **EXACT)
    assert_rotations(rotation)


@pytest.mark.parametrize("order", EULER_ORDERS)
def test_euler_orders_are_those_of_blender(order):
    angles = np.random.default_rng(2).uniform(-4.0, 4.0, (100, 3))
    theirs = [mathutils.Euler(q, order).to_matrix() for q in angles]
    assert np.allclose(euler(angles, order)[0], theirs, rtol=0.0, atol=2e-6)


def test_quaternions_are_those_of_blender():
    rng = np.random.default_rng(3)
    rotation = np.stack([random_rotation(rng) for _ in range(100)])
    ours = to_quaternion(rotation)
    theirs = np.array([mathutils.Matrix(matrix).to_quaternion() for matrix in rotation])
    assert np.allclose(ours * np.sign(ours[:, :1]), theirs * np.sign(theirs[:, :1]), rtol=0.0, atol=2e-6)
    assert np.allclose(from_quaternion(3.0 * ours), rotation, **EXACT)


def test_swing_twist_is_blenders_twist_after_a_swing_across_it():
    rng = np.random.default_rng(4)
    for _ in range(100):
        rotation = random_rotation(rng)
        x, y, z = to_swing_twist(rotation)
        swing, twist = mathutils.Matrix(rotation).to_quaternion().to_swing_twist("Y")
        assert np.isclose(np.cos(y - twist), 1.0, atol=1e-5)
        assert np.allclose(swing.to_matrix(), rodrigues(np.array([x, 0.0, z])), rtol=0.0, atol=5e-6)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [0.0, 1e-9, 1e-4, 1.0, 3.0])
def test_axes_are_the_derivative(kind, size):
    for q in size * np.random.default_rng(5).uniform(-1.0, 1.0, (20, 3)):
        rotation, axes = forward(kind, q)
        slopes = derivative(lambda q: forward(kind, q)[0], q)
        for k, axis in enumerate(axes.T):
            turning = rotation.T @ slopes[..., k]
            cross = np.cross(axis, np.eye(3)).T
            assert np.allclose(turning, cross, rtol=0.0, atol=1e-8)


@pytest.mark.parametrize("kind", KINDS)
def test_axes_of_tiny_angles_keep_all_digits(kind):
    for size in TINY:
        _, axes = forward(kind, np.array([size, -size, 0.5 * size]))
        assert np.allclose(axes, np.eye(3), rtol=0.0, atol=2.0 * size)


@pytest.mark.parametrize("kind", KINDS)
def test_round_trip(kind):
    rng = np.random.default_rng(6)
    rotation = np.stack([random_rotation(rng) for _ in range(300)])
    assert np.allclose(forward(kind, back(kind, rotation))[0], rotation, **EXACT)


@pytest.mark.parametrize("kind", KINDS)
def test_zero_is_zero(kind):
    assert np.array_equal(forward(kind, np.zeros(3))[0], np.eye(3))
    assert np.array_equal(back(kind, np.eye(3)), np.zeros(3))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", TINY)
def test_tiny_angles_come_back(kind, size):
    q = size * np.array([[0.3, -0.5, 0.9], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    assert np.allclose(back(kind, forward(kind, q)[0]), q, rtol=1e-9, atol=1e-16)


@pytest.mark.parametrize("short", [1e-3, 1e-6, 1e-9, 1e-12])
def test_a_swing_of_almost_half_a_turn_comes_back(short):
    for heading in np.linspace(0.0, 6.0, 7):
        for twist in (0.0, 1.0, -2.0):
            swing = np.pi - short
            q = np.array([swing * np.cos(heading), twist, swing * np.sin(heading)])
            rotation, _ = swing_twist(q)
            # Within a billionth of half a turn the twist is taken for lost: it no longer matters.
            lost = short <= 1e-9
            again, _ = swing_twist(to_swing_twist(rotation))
            assert np.allclose(again, rotation, rtol=0.0, atol=2.0 * short if lost else 1e-14)
            # The less is left, the less the matrix knows of the twist.
            tolerance = 2e-3 if lost else 1e-14 / short
            assert np.allclose(to_swing_twist(rotation, q + 1e-3), q, rtol=0.0, atol=tolerance)


def test_a_swing_of_half_a_turn_keeps_the_twist_there_was():
    for heading in np.linspace(0.0, 6.0, 7):
        q = np.array([np.pi * np.cos(heading), 0.7, np.pi * np.sin(heading)])
        rotation, _ = swing_twist(q)
        for near in (None, q, np.array([0.1, -2.0, 0.3])):
            again = to_swing_twist(rotation, near)
            assert np.allclose(swing_twist(again)[0], rotation, **EXACT)
        assert np.allclose(to_swing_twist(rotation, q), q, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("order", EULER_ORDERS)
@pytest.mark.parametrize("short", [0.0, 1e-12, 1e-9, 1e-7, 1e-4])
def test_gimbal_lock_comes_back(order, short):
    for sign in (-1.0, 1.0):
        angles = np.array([0.4, -0.9, 1.3])
        angles["XYZ".index(order[1])] = sign * (0.5 * np.pi - short)
        rotation, _ = euler(angles, order)
        for near in (None, angles):
            assert np.allclose(
                euler(to_euler(rotation, order, near), order)[0], rotation, rtol=0.0, atol=1e-8
            )
        assert np.allclose(to_euler(rotation, order, angles), angles, rtol=0.0, atol=1e-7)


@pytest.mark.parametrize("kind", KINDS)
def test_coordinates_are_those_nearest_to_the_last_ones(kind):
    """Beyond half a turn, and several turns away."""
    rng = np.random.default_rng(7)
    for _ in range(200):
        q = rng.uniform(-9.0, 9.0, 3)
        if kind == SWING_TWIST:  # a swing of a whole turn is none: no direction to come back to
            q[[0, 2]] *= rng.uniform(0.1, 5.8) / np.hypot(q[0], q[2])
        near = q + rng.uniform(-0.05, 0.05, 3)
        assert np.allclose(back(kind, forward(kind, q)[0], near), q, rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("kind", KINDS)
def test_a_path_has_no_jumps(kind):
    """Turning on and on about a wandering axis, each step converted next to the one before."""
    rng = np.random.default_rng(8)
    axis, rotation, q = np.array([0.2, 1.0, 0.1]), np.eye(3), np.zeros(3)
    highest = 0.0
    for _ in range(1500):
        axis = axis + rng.normal(scale=0.02, size=3)
        axis[[0, 2]] *= 0.97  # keeps away from half a turn of swing, from gimbal lock
        rotation = rodrigues(0.02 * axis / np.linalg.norm(axis)) @ rotation
        after = back(kind, rotation, q)
        assert np.allclose(forward(kind, after)[0], rotation, rtol=0.0, atol=1e-12)
        margin = _margin(kind, after)
        assert np.linalg.norm(after - q) < 0.03 / margin
        highest = max(highest, float(np.abs(after).max()))
        q = after
    assert highest > 2.0 * np.pi  # more than a whole turn


def _margin(kind, q):
    """How far from where a small turn takes large coordinates, between 0 and 1."""
    if kind == SWING_TWIST:
        return np.cos(0.5 * np.hypot(q[0], q[2]))
    return abs(np.cos(q["XYZ".index(kind[1])]))


def test_angle_between_is_exact_at_both_ends():
    for angle in (0.0, 1e-12, 1e-6, 1.0, np.pi - 1e-6, np.pi - 1e-12, np.pi):
        first = rodrigues(np.array([0.4, -1.2, 0.3]))
        second = first @ rodrigues(angle * np.array([0.6, 0.0, 0.8]))
        assert np.isclose(angle_between(first, second), angle, rtol=0.0, atol=1e-15)

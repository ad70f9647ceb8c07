"""How points, directions and the centre of mass move with the joints, by finite differences."""

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import (
    CENTRE_OF_MASS,
    Effector,
    OrientationGoal,
    PlaneGoal,
    PoseGoal,
    PositionGoal,
    Problem,
)
from bl_ext.user_default.contrapposto.solvers.effectors import EffectorSet

from . import naive
from .figures import TREES, random_coordinates, random_tree


def carried_things(figure, rng):
    """Points and directions on every bone, and every mass."""
    points = [(bone, rng.normal(size=3)) for bone in range(figure.skeleton.size)]
    directions = [(bone, rng.normal(size=3)) for bone in range(figure.skeleton.size)]
    if not figure.skeleton.uneven:
        directions = [(bone, v / np.linalg.norm(v)) for bone, v in directions]
    lumps = list(zip(range(figure.skeleton.size), figure.mass_points, figure.masses, strict=True))
    return points, directions, [lump for lump in lumps if lump[2] > 0.0]


def naive_points(figure, q, points):
    placed = [naive.point_at(figure, q, bone, point) for bone, point in points]
    return np.array([*placed, naive.centre_of_mass(figure, q)])


def naive_directions(figure, q, directions):
    return np.array([naive.direction_at(figure, q, bone, direction) for bone, direction in directions])


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("seed", range(2))
def test_places_and_slopes(tree, seed):
    figure = random_tree(seed, tree, size=7)
    rng = np.random.default_rng(seed)
    q = random_coordinates(figure, rng)
    points, directions, lumps = carried_things(figure, rng)
    # Any order of any coordinates may be asked for.
    columns = rng.permutation(figure.skeleton.dimension)[: figure.skeleton.dimension - 2]
    effectors = EffectorSet(figure.skeleton, columns, points, directions, lumps)
    placed = effectors.place(figure.forward(q))
    assert np.allclose(placed.points, naive_points(figure, q, points), rtol=0.0, atol=1e-12)
    assert np.allclose(placed.directions, naive_directions(figure, q, directions), rtol=0.0, atol=1e-12)

    d_points, d_directions = effectors.slopes(placed)
    true_points = naive.derivative(lambda q: naive_points(figure, q, points), q)[..., columns]
    true_directions = naive.derivative(lambda q: naive_directions(figure, q, directions), q)[..., columns]
    assert np.allclose(d_points, true_points, rtol=0.0, atol=1e-7)
    assert np.allclose(d_directions, true_directions, rtol=0.0, atol=1e-7)


@pytest.mark.parametrize("tree", TREES)
def test_slopes_of_a_batch_are_those_of_its_members(tree):
    figure = random_tree(4, tree)
    rng = np.random.default_rng(4)
    columns = np.arange(figure.skeleton.dimension)
    effectors = EffectorSet(figure.skeleton, columns, *carried_things(figure, rng))
    batch = rng.normal(size=(3, figure.skeleton.dimension))
    together = effectors.slopes(effectors.place(figure.forward(batch)))
    for i, q in enumerate(batch):
        alone = effectors.slopes(effectors.place(figure.forward(q)))
        for many, one in zip(together, alone, strict=True):
            assert np.allclose(many[i], one, rtol=0.0, atol=1e-12)


ROTATING = ["plain", "several roots", "loose rotations", "mirrored", "scaled", "Euler angles"]

# The second derivative. `Problem.curvature` leaves out how one joint's own axes turn into each other,
# how lengths and angles change along a stretched bone or a ray, and what a bone's translation adds.


def goals_of_chains(figure, rng):
    """Goals whose residual is linear in points and directions."""
    bones = rng.choice(figure.skeleton.size, 4, replace=False)
    hand, foot, head, hip = (Effector(int(bone), rng.normal(size=3)) for bone in bones)
    target, x, y = rng.normal(size=(3, 3))
    return [
        PositionGoal(effector=hand, target=target, weight=2.0),
        PoseGoal(effector=foot, target=target, x=x, y=y),
        OrientationGoal(effector=head, y=y, weight=0.5),
        PlaneGoal(effector=hip, target=target, normal=x),
        PositionGoal(effector=Effector(CENTRE_OF_MASS), target=target),
    ]


def true_curvature(problem, u):
    """``Σ rᵢ ∇²rᵢ``: the derivative of ``Jᵀr`` for a fixed r."""
    residual = problem.evaluate(u).residual
    return naive.derivative(lambda u: problem.slope_at(problem.evaluate(u)).T @ residual, u)


@pytest.mark.parametrize("tree", ROTATING)
@pytest.mark.parametrize("seed", range(3))
def test_curvature_is_exact_for_joints_with_one_coordinate(tree, seed):
    figure = random_tree(seed, tree)
    rng = np.random.default_rng(seed)
    free = 3 * np.arange(figure.skeleton.size) + rng.integers(0, 3, figure.skeleton.size)
    figure.locked[:] = True
    figure.locked[free] = False
    # All others are zero: an axis that other coordinates have turned is not fixed to the bone.
    q = np.zeros(figure.skeleton.dimension)
    q[free] = rng.normal(size=len(free))
    problem = Problem(figure, goals_of_chains(figure, rng), q)
    u = np.zeros(problem.space.size)
    assert np.allclose(
        problem.curvature(problem.evaluate(u)), true_curvature(problem, u), rtol=0.0, atol=2e-7
    )


@pytest.mark.parametrize("tree", ROTATING)
def test_curvature_is_exact_between_joints(tree):
    """Where joints have three coordinates, all but the 3×3 blocks along the diagonal."""
    figure = random_tree(5, tree)
    rng = np.random.default_rng(5)
    problem = Problem(figure, goals_of_chains(figure, rng), random_coordinates(figure, rng))
    u = rng.normal(size=problem.space.size)
    joints = np.argmax(problem.space.basis, axis=0) // 3
    apart = joints[:, None] != joints
    found = problem.curvature(problem.evaluate(u))
    assert apart.any()
    assert np.allclose(found[apart], true_curvature(problem, u)[apart], rtol=0.0, atol=2e-7)
    assert np.allclose(found, found.T, rtol=0.0, atol=1e-12)

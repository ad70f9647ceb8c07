"""Forward kinematics: every bone where a plain loop over 4×4 matrices puts it."""

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import build_figure

from . import naive
from .figures import TREES, hinged_arm, human, random_coordinates, random_tree

SEEDS = range(4)


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("seed", SEEDS)
def test_bones_are_where_their_parents_put_them(tree, seed):
    figure = random_tree(seed, tree)
    q = random_coordinates(figure, np.random.default_rng(seed))
    frames = figure.forward(q)
    placed = np.stack(naive.matrices(figure, q))
    assert np.allclose(frames.linear, placed[:, :3, :3], rtol=0.0, atol=1e-12)
    assert np.allclose(frames.origins, placed[:, :3, 3], rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("size", [1, 2, 3, 17, 64, 100])
def test_chains_of_any_length(size):
    figure = build_figure(
        [f"Bone {i}" for i in range(size)], range(-1, size - 1), np.eye(3)[np.arange(size) % 3]
    )
    q = random_coordinates(figure, np.random.default_rng(size))
    placed = np.stack(naive.matrices(figure, q))
    frames = figure.forward(q)
    assert np.allclose(frames.linear, placed[:, :3, :3], rtol=0.0, atol=1e-12)
    assert np.allclose(frames.origins, placed[:, :3, 3], rtol=0.0, atol=1e-11)


@pytest.mark.parametrize("tree", TREES)
def test_a_batch_is_its_members_one_by_one(tree):
    figure = random_tree(5, tree)
    batch = np.random.default_rng(5).normal(size=(2, 3, figure.skeleton.dimension))
    together = figure.forward(batch)
    centres = figure.centre_of_mass(batch)
    for index in np.ndindex(2, 3):
        alone = figure.forward(batch[index])
        assert np.allclose(together.linear[index], alone.linear, rtol=0.0, atol=1e-14)
        assert np.allclose(together.origins[index], alone.origins, rtol=0.0, atol=1e-13)
        assert np.allclose(together.axes[index], alone.axes, rtol=0.0, atol=1e-14)
        assert np.allclose(centres[index], figure.centre_of_mass(batch[index]), rtol=0.0, atol=1e-13)


@pytest.mark.parametrize("tree", TREES)
def test_centre_of_mass(tree):
    figure = random_tree(6, tree)
    q = random_coordinates(figure, np.random.default_rng(6))
    assert np.allclose(figure.centre_of_mass(q), naive.centre_of_mass(figure, q), rtol=0.0, atol=1e-12)


def test_the_centre_of_a_massless_figure_is_the_origin():
    figure = build_figure(["Bone"], [-1], np.ones((1, 3)), masses=np.zeros(1))
    assert np.array_equal(figure.centre_of_mass(np.zeros(3)), np.zeros(3))


def test_forward_does_not_change_its_input():
    figure = random_tree(7, "everything")
    q = random_coordinates(figure, np.random.default_rng(7))
    before, offsets = q.copy(), figure.skeleton.offsets.copy()
    figure.forward(q)
    assert np.array_equal(q, before)
    assert np.array_equal(figure.skeleton.offsets, offsets)


@pytest.mark.parametrize("tree", TREES)
def test_who_carries_whom(tree):
    """Turning a joint turns the frames that `carries` names, and moves no bone that is not below it."""
    figure = random_tree(8, tree)
    skeleton = figure.skeleton
    rest = figure.forward(np.zeros(skeleton.dimension))
    for bone in range(skeleton.size):
        q = np.zeros(skeleton.dimension)
        q[3 * bone : 3 * bone + 3] = 0.3, 0.4, 0.5
        turned = figure.forward(q)
        changed = np.abs(turned.linear - rest.linear).max(axis=(1, 2)) > 1e-9
        assert np.array_equal(changed, skeleton.carries[bone])
        moved = np.abs(turned.origins - rest.origins).max(axis=1) > 1e-9
        assert (skeleton.ancestors[moved, bone] == 1.0).all()


@pytest.mark.parametrize(
    ("tree", "conformal", "uneven"),
    [("plain", True, False), ("mirrored", True, True), ("scaled", True, True), ("stretched", False, True)],
)
def test_which_frames_keep_angles_and_lengths(tree, conformal, uneven):
    skeleton = random_tree(9, tree).skeleton
    assert skeleton.conformal == conformal
    assert skeleton.uneven == uneven


def test_size_is_the_length_of_the_longest_chain():
    assert hinged_arm(5).size == pytest.approx(4.0)
    figure = human()
    frames = figure.forward(np.zeros(figure.skeleton.dimension))
    chain = ["pelvis", "spine", "chest", "clavicle.L", "upper arm.L", "forearm.L", "hand.L"]
    places = frames.origins[[figure.index(name) for name in chain]]
    assert figure.size == pytest.approx(np.linalg.norm(np.diff(places, axis=0), axis=1).sum())


def test_the_human_stands_as_it_was_drawn():
    """The tests that use it rely on where its ends are, and on knees that bend backwards."""
    figure = human()
    q = np.zeros(figure.skeleton.dimension)
    hand, foot = figure.index("hand.R"), figure.index("foot.L")
    assert np.allclose(figure.forward(q).origins[hand], [-0.72, 0.0, 1.5])
    assert np.allclose(figure.forward(q).origins[foot], [0.1, 0.0, 0.08])
    q[3 * figure.index("shin.L")] = q[3 * figure.index("forearm.R")] = 1.0
    assert figure.forward(q).origins[foot][1] > 0.3
    assert figure.forward(q).origins[hand][1] < -0.2

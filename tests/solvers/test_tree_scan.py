"""Products and sums along the branches of random trees, and many postures at once, against one by one."""

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers.tree_scan import TreeScan

from .figures import TREES, random_coordinates, random_tree


@pytest.mark.parametrize("size", [1, 2, 3, 17, 64])
@pytest.mark.parametrize("reach", [1, 3, 64])
def test_against_walking_from_the_root(size, reach):
    rng = np.random.default_rng(size)
    parents = np.array([-1, *(int(rng.integers(max(-1, i - reach), i)) for i in range(1, size))])
    matrices, vectors = rng.normal(size=(3, 3, size, 5)), rng.normal(size=(3, size, 5))
    products, sums = matrices.copy(), vectors.copy()
    for i, parent in enumerate(parents):
        if parent >= 0:
            products[:, :, i] = np.einsum("ijk,jlk->ilk", products[:, :, parent], matrices[:, :, i])
            sums[:, i] += sums[:, parent]
    scan = TreeScan(parents)
    scale = np.abs(products).max(axis=(0, 1))
    assert (np.abs(scan.products(matrices) - products) <= 1e-12 * scale).all()
    assert np.allclose(scan.sums(vectors), sums)


def test_a_chain_needs_twice_as_many_products_as_it_has_bones():
    work = sum(len(nodes) for nodes, _ in TreeScan(np.arange(-1, 999))._rounds)
    assert work < 2000


@pytest.mark.parametrize("tree", TREES)
def test_many_postures_are_placed_like_each_alone(tree):
    figure = random_tree(3, tree)
    q = np.stack([random_coordinates(figure, np.random.default_rng(i)) for i in range(12)])
    many, shaped = figure.forward(q), figure.forward(q.reshape(3, 4, -1))
    for i, each in enumerate(q):
        one = figure.forward(each)
        for name in ("linear", "origins", "axes"):
            assert np.allclose(getattr(many, name)[i], getattr(one, name), atol=1e-12)
            assert np.array_equal(getattr(shaped, name)[i // 4, i % 4], getattr(many, name)[i])

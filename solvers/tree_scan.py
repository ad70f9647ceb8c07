"""Products and sums along the way from its root to every node of a tree, in linear work.

A node at an odd depth takes its parent along; the nodes at odd depths then make a tree of half the
depth, which is done the same way; afterwards each node at an even depth takes what its parent has
become. A chain of n nodes needs about 2n products in 2·log₂ n calls, where pointer jumping needs
n·log₂ n. Components come first and the batch last, so that a call works on long rows of numbers.
"""

from __future__ import annotations

import numpy as np

from .arrays import Array, Ints


class TreeScan:
    """The plan for a tree given by its ``parents`` (n,), −1 for a root."""

    def __init__(self, parents: Ints) -> None:
        ups: list[tuple[Ints, Ints]] = []
        downs: list[tuple[Ints, Ints]] = []
        nodes, above, depths = np.arange(len(parents)), parents.copy(), _depths(parents)
        while depths.max(initial=0) > 0:
            odd = depths % 2 == 1
            even = ~odd & (depths > 0)
            ups.append((nodes[odd], above[nodes[odd]]))
            downs.append((nodes[even], above[nodes[even]]))
            nodes, depths = nodes[odd], (depths[odd] - 1) // 2
            over = above[above[nodes]]
            above = above.copy()
            above[nodes] = np.where(above[nodes] < 0, -1, over)
        self._rounds = [pair for pair in (*ups, *reversed(downs)) if len(pair[0])]

    def products(self, local: Array) -> Array:
        """Of matrices (3, 3, n, k), each times all those below it on the way: (3, 3, n, k)."""
        result = local.copy()
        for nodes, above in self._rounds:
            outer = result[:, :, above]
            result[:, :, nodes] = np.einsum("ijnk,jlnk->ilnk", outer, result[:, :, nodes])
        return result

    def sums(self, steps: Array) -> Array:
        """Of vectors (3, n, k): (3, n, k)."""
        result = steps.copy()
        for nodes, above in self._rounds:
            result[:, nodes] += result[:, above]
        return result


def _depths(parents: Ints) -> Ints:
    depths = np.zeros(len(parents), dtype=np.intp)
    for i, parent in enumerate(parents):
        depths[i] = 0 if parent < 0 else depths[parent] + 1
    return depths

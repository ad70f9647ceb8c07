"""What levels of higher priority leave free: the recursion of Baerlocher & Boulic.

Tasks ``A_p z = b_p``, most important first. Each is solved as far as those before it allow:

    z_p = z_{p−1} + Ã_p^{+λ} (b_p − A_p z_{p−1}),    Ã_p = A_p (1 − QᵀQ)

where the rows of ``Q`` are an orthonormal basis of all rows before p. Of the projected task only the
small matrix ``Ã Ãᵀ`` is decomposed: its size is that of the task, not of the joints. Damping follows
the smallest singular value of the *projected* task, so that a singular one moves nothing far, and
``Q`` takes in all its rows that matter, so that it never disturbs those before it.
(Baerlocher & Boulic, *An inverse kinematics architecture enforcing an arbitrary number of strict
priority levels*, 2004; Li et al. 2011, §5.)
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..arrays import Array
from .active_set import Bounds

Task = tuple[Array, Array]  # rows (m, n) and what they should come to (m,)
_SINGULAR = 1e-6  # of the largest squared singular value: below, a direction counts as free
_LONGEST = 0.5  # radians, over all variables: how far one task may go in one step
_ROUNDS = 8


class NullSpace:
    """The orthonormal rows (q, n) that are held; they grow task by task."""

    def __init__(self, size: int) -> None:
        self.held = np.zeros((0, size))

    def left_of(self, rows: Array) -> Array:
        """``rows`` without what is held."""
        return np.asarray(rows - (rows @ self.held.T) @ self.held)

    def solve(self, rows: Array, wanted: Array) -> Array:
        """The damped step (n,) towards ``rows·z = wanted`` in what is free; then the rows are held."""
        if not len(rows):
            return np.zeros(rows.shape[1])
        projected = self.left_of(rows)
        squares, vectors = np.linalg.eigh(projected @ projected.T)
        matter = squares > _SINGULAR * max(float((rows * rows).sum(axis=1).max()), 1e-300)
        squares, across = squares[matter], vectors[:, matter].T @ projected
        along = vectors[:, matter].T @ wanted
        damping = _damping(float(squares[0]) if len(squares) else 1.0, float(np.linalg.norm(along)))
        step = (along / (squares + damping)) @ across
        self.held = np.concatenate([self.held, across / np.sqrt(squares)[:, None]])
        return np.asarray(step)


def _damping(square: float, size: float) -> float:
    """λ² with which no step to a target ``size`` away is longer than it may be.

    ``square`` is the smallest squared singular value; where it is large enough, nothing is damped.
    """
    smallest, enough = float(np.sqrt(square)), size / _LONGEST
    if smallest >= enough:
        return 0.0
    return smallest * (enough - smallest) if smallest >= 0.5 * enough else 0.25 * enough * enough


def prioritized_step(tasks: Sequence[Task], bounds: Bounds) -> Array:
    """The step (n,) for all tasks, most important first, within bounds.

    Whatever passes its bound is clamped there and its column taken out of every task; what the
    clamped motion achieves is taken off, and all are solved again.
    """
    fixed, free = np.zeros(len(bounds.low)), np.ones(len(bounds.low), dtype=bool)
    for _ in range(_ROUNDS):
        space, z = NullSpace(len(free)), fixed
        for rows, wanted in tasks:
            z = z + space.solve(rows * free, wanted - rows @ z)
        inside = bounds.clipped(z)
        outside = inside != z
        if not outside.any():
            break
        fixed, free = np.where(outside, inside, fixed), free & ~outside
    return bounds.kept(z)

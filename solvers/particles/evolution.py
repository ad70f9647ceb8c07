"""How particles move: a Gaussian in the tangent space of each joint, within the limits.

A joint whose three coordinates are free turns by a rotation vector in its own frame,
``R' = R·exp(δ)``, by quaternions, and is then described by its coordinates again. Hinges, groups,
couplings and translations are moved in ``u``, where a hinge stays a hinge and what is coupled stays so.

Limits hold by rejection, joint by joint: what falls outside is drawn again a few times, and a joint
that keeps falling outside stays where it is. So a move costs at most a fixed number of draws.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Ints, Mask
from ..figure import Figure
from ..rotations import (
    SWING_TWIST,
    euler,
    from_quaternion,
    quaternion_between,
    quaternion_of_swing_twist,
    quaternion_to_swing_twist,
    to_euler,
    to_quaternion,
    turned,
)
from ..space import Space

_TRIES = 4  # draws for a joint that falls outside of its limits
_OF_RANGE = 0.3  # the widest spread, as a part of the range between limits
_NO_TURN = np.array([1.0, 0.0, 0.0, 0.0])


class Evolution:
    """Moves of particles ``us`` (k, u) by tangent vectors (k, u)."""

    def __init__(self, figure: Figure, space: Space) -> None:
        self._space = space
        self._widest = _OF_RANGE * (space.upper - space.lower)
        self._turning = _turning_joints(figure, space)
        self._limited = bool(
            np.isfinite(space.lower).any() or np.isfinite(space.upper).any() or len(space.bounds)
        )
        if self._limited:
            blocks = _blocks(figure, space)
            self._order = np.argsort(blocks, kind="stable")
            self._starts = np.flatnonzero(np.diff(blocks[self._order], prepend=-1))
            self._blocks = blocks
            self._row_blocks = np.array([blocks[np.argmax(np.abs(row))] for row in space.rows], dtype=np.intp)

    def moved(self, us: Array, tangents: Array) -> Array:
        """Where tangent vectors lead; limits do not count here."""
        result = us + tangents
        for kind, columns, start in self._turning:
            before = start + us[:, columns]
            if kind == SWING_TWIST:
                turn = turned(quaternion_of_swing_twist(before), tangents[:, columns])
                after = quaternion_to_swing_twist(turn, before)
            else:
                turn = turned(np.broadcast_to(_NO_TURN, (*before.shape[:-1], 4)), tangents[:, columns])
                after = to_euler(euler(before, kind)[0] @ from_quaternion(turn), kind, before)
            result[:, columns] = after - start
        return result

    def between(self, us: Array, others: Array) -> Array:
        """The tangents (k, u) that lead from ``us`` to ``others``, the short way."""
        result = others - us
        for kind, columns, start in self._turning:
            quaternions = []
            for each in (us, others):
                angles = start + each[:, columns]
                swings = kind == SWING_TWIST
                quaternions.append(
                    quaternion_of_swing_twist(angles) if swings else to_quaternion(euler(angles, kind)[0])
                )
            result[:, columns] = quaternion_between(*quaternions)
        return result

    def interpolated(self, us: Array, others: Array, part: float) -> Array:
        """A part of the way on the rotations; where that leaves the limits, which are convex, in ``u``."""
        result = self.moved(us, part * self.between(us, others))
        if not self._limited:
            return result
        return np.where(self.outside(result), us + part * (others - us), result)

    def outside(self, us: Array) -> Mask:
        """(k, u): the variables of every joint that is out of its limits."""
        space = self._space
        beyond = (us < space.lower) | (us > space.upper)
        bad = np.logical_or.reduceat(beyond[:, self._order], self._starts, axis=1)
        if len(space.bounds):
            broken = us @ space.rows.T > space.bounds
            for row, block in enumerate(self._row_blocks):
                bad[:, block] |= broken[:, row]
        return np.asarray(bad[:, self._blocks])

    def drawn(self, us: Array, means: Array, spreads: Array, rng: np.random.Generator) -> tuple[Array, Array]:
        """Particles moved by Gaussian tangents with these means and spreads, and the tangents.

        A spread is cut to a part of its variable's range: a joint with hardly any play about one axis
        is nearly a hinge, and would otherwise be rejected for that axis alone.
        """
        spreads = np.minimum(spreads, self._widest)
        if self._limited:
            means = np.clip(us + means, self._space.lower, self._space.upper) - us
        tangents = means + spreads * rng.standard_normal(us.shape)
        after = self.moved(us, tangents)
        if not self._limited:
            return after, tangents
        for attempt in range(_TRIES):
            bad = self.outside(after)
            if not bad.any():
                return after, tangents
            if attempt == _TRIES // 2:
                means = np.zeros_like(us)  # the mean itself may be outside
            tangents = np.where(bad, means + spreads * rng.standard_normal(us.shape), tangents)
            after = self.moved(us, tangents)
        bad = self.outside(after)
        return np.where(bad, us, after), np.where(bad, 0.0, tangents)


def _turning_joints(figure: Figure, space: Space) -> list[tuple[str, Ints, Array]]:
    """For every kind of coordinates: the variables (j, 3) of joints that turn freely, and their start."""
    basis = space.basis
    alone = (np.abs(basis) > 0.0).sum(axis=0) == 1
    single = (np.abs(basis) > 0.0).sum(axis=1) == 1
    variables = np.argmax(np.abs(basis), axis=1)
    plain = single & alone[variables] & (basis[np.arange(len(basis)), variables] == 1.0)
    plain &= (space.upper - space.lower)[variables] > 0.0
    joints = np.flatnonzero(plain[: 3 * figure.skeleton.size].reshape(-1, 3).all(axis=1))
    kinds = np.array(figure.skeleton.kinds)
    result = []
    for kind in np.unique(kinds[joints]) if len(joints) else ():
        coordinates = 3 * joints[kinds[joints] == kind][:, None] + np.arange(3)
        result.append((str(kind), variables[coordinates], space.start[coordinates]))
    return result


def _blocks(figure: Figure, space: Space) -> Ints:
    """(u,): numbers of the sets of variables that must be judged together.

    Those of one joint, and those that a row of the limits ties.
    """
    ties = [np.flatnonzero(row) for row in space.rows]
    for bone in range(figure.skeleton.size):
        ties.append(np.flatnonzero(np.abs(space.basis[3 * bone : 3 * bone + 3]).max(axis=0)))
    blocks = np.arange(space.size)
    for tie in ties:
        if len(tie):
            blocks[np.isin(blocks, blocks[tie])] = blocks[tie].min()
    return np.unique(blocks, return_inverse=True)[1].astype(np.intp)

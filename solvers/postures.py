"""Many postures of a figure at once, as constraints see them."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from .arrays import Array
from .figure import Figure
from .rotations import SWING_TWIST, quaternion_of_swing_twist, to_quaternion
from .skeleton import Frames


class Postures:
    """k postures; what is asked for is worked out when it is asked for, for all at once.

    World space, lengths in the unit of the figure (metres in Blender), angles in radians.
    """

    def __init__(self, figure: Figure, q: Array) -> None:
        self.figure = figure
        self.q = q  # (k, d)

    def __len__(self) -> int:
        return len(self.q)

    @cached_property
    def frames(self) -> Frames:
        """Every bone, placed."""
        return self.figure.forward(self.q)

    @cached_property
    def centre_of_mass(self) -> Array:
        """(k, 3)."""
        return self.figure.centre_of_mass(self.q)

    def point(self, bone: str, point: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Array:
        """Where a point of a bone's frame is, (k, 3); a bone's head by default."""
        i = self._index(bone)
        arm = self.frames.linear[:, i] @ np.asarray(point, dtype=float)
        return np.asarray(self.frames.origins[:, i] + arm)

    def direction(self, bone: str, direction: tuple[float, float, float] = (0.0, 1.0, 0.0)) -> Array:
        """Where a direction of a bone's frame points, (k, 3) unit vectors; along the bone by default."""
        vectors = self.frames.linear[:, self._index(bone)] @ np.asarray(direction, dtype=float)
        return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))

    def angles(self, bone: str) -> Array:
        """The joint coordinates of a bone, (k, 3): swing x, twist y, swing z, or its Euler angles."""
        i = 3 * self._index(bone)
        return self.q[:, i : i + 3]

    def turns(self, bones: tuple[str, ...]) -> Array:
        """The quaternions (k, bones, 4) by which bones turn from their rest."""
        indices = [self._index(bone) for bone in bones]
        angles = self.q[:, : 3 * self.figure.skeleton.size].reshape(len(self.q), -1, 3)
        if all(self.figure.skeleton.kinds[i] == SWING_TWIST for i in indices):
            return quaternion_of_swing_twist(angles[:, indices])
        return to_quaternion(self.figure.skeleton.rotations(self.q)[0][:, indices])

    def _index(self, bone: str) -> int:
        try:
            return self.figure.index(bone)
        except KeyError:
            raise ValueError(f"a constraint asks for “{bone}”, which the figure does not have") from None

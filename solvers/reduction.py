"""The part of a figure that matters: bones that move, and are above something we look at.

What cannot move relative to the bone above it is folded into that bone, so the work of a solve
depends on the joints that the goals recruit, not on the size of the rig.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from .arrays import Array, Ints, Mask
from .figure import Figure
from .skeleton import Frames, Skeleton


@dataclass(frozen=True, eq=False)
class Reduction:
    """A smaller skeleton that places the same things.

    ``coordinates`` are the numbers of its coordinates in the figure, ``holders`` (n,) the reduced
    bone that each bone of the figure is fixed to, ``frames`` the figure's at the start.
    """

    skeleton: Skeleton
    coordinates: Ints
    holders: Ints
    frames: Frames
    _holding: Frames

    def vector(self, bone: int, vector: Array) -> tuple[int, Array]:
        """A direction of a bone as one of its holder."""
        holder = int(self.holders[bone])
        world = self.frames.linear[bone] @ vector
        return holder, np.linalg.solve(self._holding.linear[holder], world)

    def point(self, bone: int, point: Array) -> tuple[int, Array]:
        """A point of a bone as one of its holder."""
        holder = int(self.holders[bone])
        world = self.frames.linear[bone] @ point + self.frames.origins[bone]
        gap = world - self._holding.origins[holder]
        return holder, np.linalg.solve(self._holding.linear[holder], gap)


def reduce(figure: Figure, moving: Mask, start: Array, watched: Iterable[int]) -> Reduction:
    """Keep the bones with a moving coordinate (d,) that are at or above a watched bone."""
    whole = figure.skeleton
    above = np.zeros(whole.size, dtype=bool)
    for bone in watched:
        above |= whole.ancestors[bone] > 0.0
    kept = above & (_moves(whole, moving) | ((whole.rotation_parents < 0) & (whole.parents >= 0)))
    frames = whole.forward(start)
    bones = np.flatnonzero(kept)
    holders = _holders(whole, kept)
    skeleton = _folded(whole, frames, bones, holders)
    sliding = bones[skeleton.translating - 1]
    translating = [int(np.flatnonzero(whole.translating == bone)[0]) for bone in sliding]
    firsts = [-3, *(3 * bones), *(3 * (whole.size + i) for i in translating)]
    coordinates = np.add.outer(np.array(firsts, dtype=np.intp), np.arange(3)).ravel()
    holding = Frames(
        np.concatenate([np.eye(3)[None], frames.linear[bones]]),
        np.concatenate([np.zeros((1, 3)), frames.origins[bones]]),
        frames.axes,
    )
    return Reduction(skeleton, coordinates, holders, frames, holding)


def _moves(skeleton: Skeleton, moving: Mask) -> Mask:
    bones = moving.reshape(-1, 3).max(axis=1)
    result = bones[: skeleton.size].copy()
    result[skeleton.translating] |= bones[skeleton.size :]
    return np.asarray(result)


def _holders(skeleton: Skeleton, kept: Mask) -> Ints:
    """Reduced numbers: 0 is the world, kept bones follow in their order."""
    numbers = np.cumsum(kept)
    holders = np.zeros(skeleton.size, dtype=np.intp)
    for i, parent in enumerate(skeleton.parents):
        holders[i] = numbers[i] if kept[i] else (0 if parent < 0 else holders[parent])
    return holders


def _folded(whole: Skeleton, frames: Frames, bones: Ints, holders: Ints) -> Skeleton:
    """Bone 0 is the world, a fixed root that holds whatever nothing moves."""
    size = len(bones) + 1
    parents = np.full(size, -1, dtype=np.intp)
    rotation_parents = np.full(size, -1, dtype=np.intp)
    offsets = np.zeros((size, 3))
    rest = np.broadcast_to(np.eye(3), (size, 3, 3)).copy()
    slide, scale = rest.copy(), rest.copy()
    for i, bone in enumerate(bones, start=1):
        parent = int(whole.parents[bone])
        scale[i] = whole.scale[bone]
        if parent < 0:
            offsets[i], rest[i], slide[i] = whole.offsets[bone], whole.rest[bone], whole.slide[bone]
            continue
        linear, origin, holder = frames.linear[parent], frames.origins[parent], int(holders[parent])
        held = np.eye(3) if holder == 0 else frames.linear[bones[holder - 1]]
        place = np.zeros(3) if holder == 0 else frames.origins[bones[holder - 1]]
        parents[i] = holder
        # Where the parent is, in the frame of what holds it: fixed, so any posture tells.
        inner = np.linalg.solve(held, linear)
        shift = np.linalg.solve(held, origin - place)
        offsets[i] = inner @ whole.offsets[bone] + shift
        slide[i] = inner @ whole.slide[bone]
        if whole.rotation_parents[bone] < 0:
            rest[i] = whole.rest[bone]
        else:
            rotation_parents[i] = holder
            rest[i] = inner @ whole.rest[bone]
    translating = [i for i, bone in enumerate(bones, start=1) if bone in whole.translating]
    kinds = (whole.kinds[0] if not len(bones) else "SWING_TWIST", *(whole.kinds[b] for b in bones))
    return Skeleton(
        parents,
        rotation_parents,
        offsets,
        rest,
        scale,
        slide,
        np.array(translating, dtype=np.intp),
        kinds,
    )

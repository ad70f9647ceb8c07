"""What all benchmarks work on: Rigify's people as figures, seeded postures, and goals at their effectors.

Lengths in metres, angles in radians; armature space is world space.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass

import addon_utils
import bpy
import numpy as np
from bl_ext.user_default.contrapposto.bridge.goals import goal_objects
from bl_ext.user_default.contrapposto.solvers import (
    Effector,
    Figure,
    Goal,
    OrientationGoal,
    PoseGoal,
    PositionGoal,
    build_figure,
)

from .human import limits

LIMBS = ("hand.L", "hand.R", "foot.L", "foot.R")
BODY = (*LIMBS, "spine.006", "spine.003")  # the head and the chest as well
KINDS = ("position", "orientation", "both")
_FINGERS = ("thumb", "f_index", "f_middle", "f_ring", "f_pinky")
FINGERTIPS = tuple(f"{finger}.03.{side}" for side in "LR" for finger in _FINGERS)
MILLIMETRE = 1e-3
TENTH_OF_DEGREE = np.radians(0.1)


@dataclass(frozen=True, eq=False)
class Person:
    """A metarig as a figure; ``tails`` (n, 3) are the bones' tails in their own frames."""

    figure: Figure
    tails: np.ndarray

    @property
    def rest(self) -> np.ndarray:
        return np.zeros(self.figure.skeleton.dimension)

    def tail_of(self, name: str) -> Effector:
        """The effector at the tail of a bone."""
        bone = self.figure.index(name)
        return Effector(bone, self.tails[bone])


def add_metarig(kind: str) -> bpy.types.Object:
    """Rigify's metarig (``basic_human`` or ``human``) in the present scene."""
    with contextlib.redirect_stdout(None):
        addon_utils.enable("rigify", default_set=True)
    getattr(bpy.ops.object, f"armature_{kind}_metarig_add")()
    return bpy.context.object


def read_person(armature: bpy.types.Object) -> Person:
    """The rest pose of a metarig, with human-like limits, none of its roots translating."""
    bones = list(armature.data.bones)
    names = [bone.name for bone in bones]
    parents = [-1 if bone.parent is None else names.index(bone.parent.name) for bone in bones]
    frames = np.array([bone.matrix_local for bone in bones], dtype=float)
    outer = np.where((np.array(parents) < 0)[:, None, None], np.eye(4), frames[parents])
    local = np.linalg.solve(outer, frames)
    lower, upper = limits(names, frames[:, :3, :3])
    figure = build_figure(
        names,
        parents,
        local[:, :3, 3],
        local[:, :3, :3],
        lower=lower.ravel(),
        upper=upper.ravel(),
        locked=(lower == upper).ravel(),
    )
    tails = np.array([(0.0, bone.length, 0.0) for bone in bones])
    return Person(figure, tails)


def set_limits(armature: bpy.types.Object) -> None:
    """Give a metarig's bones the human-like limits, as IK limits and locks."""
    figure = read_person(armature).figure
    lower, upper = (ends.reshape(-1, 3) for ends in (figure.lower, figure.upper))
    for bone, low, high in zip(armature.pose.bones, lower, upper, strict=True):
        for axis, a, b in zip("xyz", low, high, strict=True):
            setattr(bone, f"lock_ik_{axis}", bool(a == b))
            setattr(bone, f"use_ik_limit_{axis}", True)
            setattr(bone, f"ik_min_{axis}", min(a, 0.0))
            setattr(bone, f"ik_max_{axis}", max(b, 0.0))


def add_goals(armature: bpy.types.Object, effectors: Sequence[str]) -> list[bpy.types.Object]:
    """An empty as position goal for the tail of each bone."""
    bpy.context.view_layer.objects.active = armature
    for bone in effectors:
        bpy.ops.contrapposto.goal_add(bone=bone, type="POSITION", effector="TAIL")
        bpy.context.view_layer.objects.active = armature
    goals = {goal.contrapposto_goal.bone: goal for goal in goal_objects(armature)}
    return [goals[bone] for bone in effectors]


def person(kind: str) -> Person:
    """One of Rigify's people, alone in a new file."""
    bpy.ops.wm.read_homefile(use_empty=True)
    return read_person(add_metarig(kind))


def postures(figure: Figure, count: int, rng: np.random.Generator) -> np.ndarray:
    """Random postures (count, d) anywhere within the limits."""
    return rng.uniform(figure.lower, figure.upper, (count, len(figure.lower)))


def rounded(figure: Figure, qs: np.ndarray) -> np.ndarray:
    """``qs`` (count, d) with swings pulled into the ellipses that are Blender's idea of the same limits.

    Blender bounds ``sin(angle/2)`` of a swing by the ellipse through the limits of both its axes.
    A box's posture goes to the same part of the way from rest to the ellipse's edge.
    """
    swings = [qs.reshape(len(qs), -1, 3)[..., k] for k in (0, 2)]
    ends = [np.where(swing < 0.0, *_ends(figure, k)) for swing, k in zip(swings, (0, 2), strict=True)]
    parts = [np.divide(s, e, out=np.zeros_like(s), where=e != 0.0) for s, e in zip(swings, ends, strict=True)]
    # Keep the larger of both parts as the distance from the centre: the box's edge becomes the ellipse's.
    distance = np.maximum(*parts)
    parts = np.array(parts) * distance / np.maximum(np.hypot(*parts), 1e-12)
    sines = parts * np.sin(0.5 * np.array(ends))
    half = np.hypot(*sines)
    turns = sines * 2.0 * np.arcsin(half) / np.maximum(half, 1e-12)
    result = qs.reshape(len(qs), -1, 3).copy()
    result[..., 0], result[..., 2] = turns
    return result.reshape(qs.shape)


def _ends(figure: Figure, k: int) -> tuple[np.ndarray, np.ndarray]:
    return figure.lower.reshape(-1, 3)[:, k], figure.upper.reshape(-1, 3)[:, k]


def effector_points(someone: Person, names: Sequence[str], qs: np.ndarray) -> np.ndarray:
    """Where the tails of bones are (count, names, 3) in postures ``qs`` (count, d)."""
    bones = [someone.figure.index(name) for name in names]
    frames = someone.figure.forward(qs)
    arms = frames.linear[..., bones, :, :] @ someone.tails[bones, :, None]
    return frames.origins[..., bones, :] + arms[..., 0]


def position_goals(someone: Person, names: Sequence[str], targets: np.ndarray) -> list[Goal]:
    """The tails of bones at ``targets`` (names, 3)."""
    return [
        PositionGoal(effector=someone.tail_of(name), target=target, name=name)
        for name, target in zip(names, targets, strict=True)
    ]


def goal_at(someone: Person, name: str, q: np.ndarray, kind: str) -> Goal:
    """A goal that posture ``q`` meets: its ``kind`` is position, orientation or both."""
    effector = someone.tail_of(name)
    frames = someone.figure.forward(q)
    linear = frames.linear[effector.bone]
    target = frames.origins[effector.bone] + linear @ effector.point
    if kind == "position":
        return PositionGoal(effector=effector, target=target, name=name)
    if kind == "orientation":
        return OrientationGoal(effector=effector, x=linear[:, 0], y=linear[:, 1], name=name)
    return PoseGoal(effector=effector, target=target, x=linear[:, 0], y=linear[:, 1], name=name)


def missed_by(someone: Person, goal: Goal, q: np.ndarray) -> tuple[float, float]:
    """How far and by what angle posture ``q`` misses a goal of `goal_at`, by forward kinematics alone."""
    effector = goal.effector
    frames = someone.figure.forward(q)
    linear = frames.linear[effector.bone]
    distance = angle = 0.0
    if isinstance(goal, PositionGoal | PoseGoal):
        place = frames.origins[effector.bone] + linear @ effector.point
        distance = float(np.linalg.norm(place - goal.target))
    if isinstance(goal, OrientationGoal):
        chords = [np.linalg.norm(linear[:, k] - axis) for k, axis in ((0, goal.x), (1, goal.y))]
        angle = float(2.0 * np.arcsin(min(1.0, 0.5 * max(chords))))
    return distance, angle


def reached(someone: Person, goals: Sequence[Goal], q: np.ndarray) -> bool:
    """Whether every goal is within a millimetre and a tenth of a degree."""
    misses = [missed_by(someone, goal, q) for goal in goals]
    return all(distance <= MILLIMETRE and angle <= TENTH_OF_DEGREE for distance, angle in misses)

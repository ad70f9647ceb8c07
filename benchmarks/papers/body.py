"""The upper body of Zhao & Badler's experiments: a spine of 17 joints or fewer, neck, head and arms.

Metres; the person faces −Y, its left is +X. Frames are those of a T-pose: a spine's y points up
and z forwards, an arm's y outwards and z up. So x of a spinal joint bends forwards, y turns, z
bends sideways. Limits are in degrees, of the size that textbooks of anatomy give.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from bl_ext.user_default.contrapposto.solvers import Effector, Figure, JointGroup, build_figure

# Top down: joint, forward and backward together, to each side, turning to each side, length.
VERTEBRAE = (
    ("T1", 4, 5, 9, 0.0235),
    ("T2", 4, 6, 8, 0.0235),
    ("T3", 4, 5, 8, 0.0235),
    ("T4", 4, 6, 8, 0.0235),
    ("T5", 4, 6, 8, 0.0235),
    ("T6", 5, 6, 7, 0.0235),
    ("T7", 6, 6, 7, 0.0235),
    ("T8", 6, 6, 6, 0.0235),
    ("T9", 6, 6, 4, 0.0235),
    ("T10", 9, 7, 2, 0.0235),
    ("T11", 12, 9, 2, 0.0235),
    ("T12", 12, 8, 2, 0.0235),
    ("L1", 12, 6, 2, 0.036),
    ("L2", 14, 6, 2, 0.036),
    ("L3", 15, 8, 2, 0.036),
    ("L4", 16, 6, 2, 0.036),
    ("L5", 17, 3, 1, 0.036),
)
LEFT, UP = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.0, 1.0])
FORWARDS = 0.75  # the part of a vertebra's range that is forwards
WAIST = np.array([0.0, 0.03, 1.02])  # the joint on the sacrum
UPPER_ARM, FOREARM = 0.29, 0.25
PALM = 0.09  # from the wrist
_SPINE_FRAME = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
_ARM_FRAMES = {
    "L": np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
    "R": np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
}
_FIXED = ((0.0, 0.0), (0.0, 0.0), (0.0, 0.0))
_CLAVICLE_SHARE = 0.2  # of the shoulder's swing


@dataclass(frozen=True, eq=False)
class Body:
    """The figure, its spinal joints from the top down, and how it stands at ease."""

    figure: Figure
    spine: tuple[str, ...]
    neutral: np.ndarray

    def coordinate(self, bone: str, axis: str) -> int:
        """The number of a joint coordinate."""
        return 3 * self.figure.index(bone) + "xyz".index(axis)

    def palm(self, side: str) -> Effector:
        """The palm; its x is the palm's normal."""
        normal = {"L": 1.0, "R": -1.0}[side] * np.array([1.0, 0.0, 0.0])
        return Effector(self.figure.index(f"hand.{side}"), np.array([0.0, PALM, 0.0]), x=normal)

    def elbow(self, side: str) -> Effector:
        return Effector(self.figure.index(f"upper_arm.{side}"), np.array([0.0, UPPER_ARM, 0.0]))

    def eyes(self) -> Effector:
        """Between the eyes; its y is the view."""
        forwards = np.array([0.0, 0.0, 1.0])
        return Effector(self.figure.index("head"), np.array([0.0, 0.065, 0.095]), y=forwards)


@dataclass
class _Bones:
    """Bones as they are added, in the world frame of the T-pose."""

    names: list[str] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    heads: list[np.ndarray] = field(default_factory=list)
    frames: list[np.ndarray] = field(default_factory=list)
    limits: list[np.ndarray] = field(default_factory=list)

    def add(self, name: str, parent: str, head: np.ndarray, frame: np.ndarray, limits: object) -> None:
        self.parents.append(self.names.index(parent) if parent else -1)
        self.names.append(name)
        self.heads.append(np.asarray(head, dtype=float))
        self.frames.append(frame)
        self.limits.append(np.radians(np.array(limits, dtype=float)))

    def figure(self, **settings: object) -> Figure:
        heads, frames = np.array(self.heads), np.array(self.frames)
        roots = (np.array(self.parents) < 0)[:, None, None]
        outer = np.where(roots, np.eye(3), frames[self.parents])
        above = np.where(roots[:, 0], 0.0, heads[self.parents])
        inwards = np.swapaxes(outer, 1, 2)
        lower, upper = np.array(self.limits).reshape(-1, 2).T
        return build_figure(
            self.names,
            self.parents,
            (inwards @ (heads - above)[..., None])[..., 0],
            inwards @ frames,
            lower=lower,
            upper=upper,
            locked=lower == upper,
            **settings,
        )


def build_body(segments: int = len(VERTEBRAE), grouped: bool = False) -> Body:
    """A body whose spine has so many joints, free or moving as one. Shoulders always move as one."""
    vertebrae = merged_vertebrae(segments)
    bones = _Bones()
    bones.add("pelvis", "", WAIST - 0.08 * UP, _SPINE_FRAME, _FIXED)
    top = _add_spine(bones, vertebrae)
    bones.add("neck", bones.names[-1], top, _SPINE_FRAME, ((-40, 40), (-60, 60), (-35, 35)))
    bones.add(
        "head", "neck", top + np.array([0.0, -0.02, 0.10]), _SPINE_FRAME, ((-20, 25), (-15, 15), (0, 0))
    )
    chest = bones.names[-5] if segments > 5 else bones.names[-3]
    for side in "LR":
        _add_arm(bones, chest, side)
    names = tuple(name for name, *_ in vertebrae)
    groups = [_shoulder_group(bones.names, side) for side in "LR"]
    if grouped:
        groups.append(_spine_group(bones, names))
    figure = bones.figure(groups=tuple(groups))
    return Body(figure, names, _neutral(figure))


def merged_vertebrae(segments: int) -> list[tuple[str, float, float, float, float]]:
    """The spine in so many segments, each with the joint ranges and lengths of all it stands for."""
    runs = np.array_split(np.arange(len(VERTEBRAE)), segments)
    rows = [[VERTEBRAE[i] for i in run] for run in runs]
    return [(run[-1][0], *(sum(column) for column in list(zip(*run, strict=True))[1:])) for run in rows]


def _add_spine(bones: _Bones, vertebrae: list[tuple[str, float, float, float, float]]) -> np.ndarray:
    """From the waist up; where the neck begins."""
    head, below = WAIST, "pelvis"
    for name, bend, side, turn, length in reversed(vertebrae):
        limits = ((-(1.0 - FORWARDS) * bend, FORWARDS * bend), (-turn, turn), (-side, side))
        bones.add(name, below, head, _SPINE_FRAME, limits)
        head, below = head + length * UP, name
    return head


def _add_arm(bones: _Bones, chest: str, side: str) -> None:
    out = {"L": 1.0, "R": -1.0}[side]
    frame = _ARM_FRAMES[side]
    shoulder = np.array([out * 0.18, 0.01, 1.42])

    def across(backwards: float, forwards: float) -> tuple[float, float]:
        return (-forwards, backwards) if side == "L" else (-backwards, forwards)

    clavicle = ((-10, 35), (0, 0), across(15, 30))
    bones.add(f"clavicle.{side}", chest, [out * 0.025, -0.05, 1.41], frame, clavicle)
    upper_arm = ((-88, 80), (-80, 80), across(30, 110))
    bones.add(f"upper_arm.{side}", f"clavicle.{side}", shoulder, frame, upper_arm)
    elbow = shoulder + out * UPPER_ARM * LEFT
    bones.add(f"forearm.{side}", f"upper_arm.{side}", elbow, frame, ((0, 0), (0, 0), across(0, 145)))
    wrist = elbow + out * FOREARM * LEFT
    bones.add(f"hand.{side}", f"forearm.{side}", wrist, frame, ((-30, 20), (-85, 85), (-70, 70)))


def _shoulder_group(names: list[str], side: str) -> JointGroup:
    """Raise, swing forwards and twist: the clavicle takes its share of the first two."""
    clavicle, arm = (3 * names.index(f"{bone}.{side}") for bone in ("clavicle", "upper_arm"))
    shares = np.zeros((5, 3))
    shares[[0, 1], [0, 1]] = _CLAVICLE_SHARE
    shares[[2, 3], [0, 1]] = 1.0 - _CLAVICLE_SHARE
    shares[4, 2] = 1.0
    return JointGroup((clavicle, clavicle + 2, arm, arm + 2, arm + 1), shares)


def _spine_group(bones: _Bones, names: tuple[str, ...]) -> JointGroup:
    """Bend forwards, turn and bend sideways: each joint's share is its part of the whole range."""
    numbers = [bones.names.index(name) for name in names]
    ranges = np.array([np.ptp(bones.limits[i], axis=1) for i in numbers])
    shares = np.zeros((len(names), 3, 3))
    shares[:, [0, 1, 2], [0, 1, 2]] = ranges / ranges.sum(axis=0)
    coordinates = [3 * i + axis for i in numbers for axis in range(3)]
    return JointGroup(coordinates, shares.reshape(-1, 3))


def _neutral(figure: Figure) -> np.ndarray:
    """Upright, arms hanging, elbows slightly bent."""
    q = np.zeros(figure.skeleton.dimension)
    for side, inwards in (("L", -1.0), ("R", 1.0)):
        arm, forearm = (3 * figure.index(f"{bone}.{side}") for bone in ("upper_arm", "forearm"))
        q[arm] = np.radians(-80.0)
        q[forearm + 2] = inwards * np.radians(12.0)
    return q

"""The people of Li's experiment: 40 degrees of freedom, differently proportioned, at a driver's place.

Metres; a driver faces −Y, its left is +X. Seven degrees of freedom for each limb, three for waist and back
each, six for the root. Frames are those of somebody who stands: limbs point down, z forwards.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from bl_ext.user_default.contrapposto.solvers import Effector, Figure, Goal, PositionGoal, build_figure

UP, FORWARDS = np.array([0.0, 0.0, 1.0]), np.array([0.0, -1.0, 0.0])
SIDES = {"L": 1.0, "R": -1.0}
SEAT = np.array([0.0, 0.0, 0.50])  # the hip's goal
WHEEL, WHEEL_RADIUS = np.array([0.0, -0.46, 0.98]), 0.19
PEDALS = np.array([0.0, -0.78, 0.16])
_FIXED, _FREE = (0, 0), (-180, 180)


@dataclass(frozen=True)
class Build:
    """How long the parts of a person are."""

    title: str
    torso: float = 0.50
    arm: float = 0.28
    leg: float = 0.43


AVERAGE = Build("average")
SHORT = Build("long torso, short limbs", torso=0.55, arm=0.235, leg=0.33)


def _frame(along: np.ndarray, z: np.ndarray) -> np.ndarray:
    return np.stack([np.cross(along, z), along, z], axis=1)


def build_driver(build: Build) -> Figure:
    """A person who stands upright with hanging arms at rest."""
    upright, hanging, flat = _frame(UP, FORWARDS), _frame(-UP, FORWARDS), _frame(FORWARDS, UP)
    half, hip = 0.5 * build.torso, 2.0 * build.leg + 0.08
    rows = [("hip", "", [0, 0, hip], upright, (_FREE, _FREE, _FREE))]
    rows.append(("waist", "hip", [0, 0, hip + 0.08], upright, ((-20, 45), (-30, 30), (-25, 25))))
    rows.append(("back", "waist", [0, 0, hip + 0.08 + half], upright, ((-15, 35), (-30, 30), (-25, 25))))
    for side, out in SIDES.items():
        shoulder = np.array([out * 0.18, 0.0, hip + 0.06 + build.torso])
        for name, below, parent, limits in (
            ("upper_arm", 0.0, "back", ((-40, 150), (-80, 80), (-60, 60))),
            ("forearm", build.arm, "upper_arm", ((0, 145), _FIXED, _FIXED)),
            ("hand", 1.9 * build.arm, "forearm", ((-60, 60), (-80, 80), (-25, 25))),
        ):
            above = parent if parent == "back" else f"{parent}.{side}"
            rows.append((f"{name}.{side}", above, shoulder - below * UP, hanging, limits))
        thigh = np.array([out * 0.10, 0.0, hip - 0.02])
        rows.append((f"thigh.{side}", "hip", thigh, hanging, ((-20, 115), (-35, 35), (-40, 40))))
        rows.append(
            (f"shin.{side}", f"thigh.{side}", thigh - build.leg * UP, hanging, ((-140, 0), _FIXED, _FIXED))
        )
        ankle = thigh - 2.0 * build.leg * UP
        rows.append((f"foot.{side}", f"shin.{side}", ankle, flat, ((-45, 25), (-20, 20), (-25, 25))))
    return _figure(rows)


def _figure(rows: list) -> Figure:
    names = [row[0] for row in rows]
    parents = [names.index(row[1]) if row[1] else -1 for row in rows]
    heads, frames = np.array([row[2] for row in rows], dtype=float), np.array([row[3] for row in rows])
    outer = np.array([np.eye(3) if p < 0 else frames[p] for p in parents])
    above = np.array([np.zeros(3) if p < 0 else heads[p] for p in parents])
    inwards = np.swapaxes(outer, 1, 2)
    lower, upper = np.radians(np.array([row[4] for row in rows], dtype=float)).reshape(-1, 2).T
    lower, upper = (np.append(ends, [sign * np.inf] * 3) for ends, sign in ((lower, -1.0), (upper, 1.0)))
    return build_figure(
        names,
        parents,
        (inwards @ (heads - above)[..., None])[..., 0],
        inwards @ frames,
        translating=[0],
        lower=lower,
        upper=upper,
        locked=lower == upper,
    )


def seated(figure: Figure) -> np.ndarray:
    """The first guess: sitting upright over the seat, hands and feet in front."""
    q = np.zeros(figure.skeleton.dimension)
    bends = {"upper_arm": 45.0, "forearm": 55.0, "thigh": 75.0, "shin": -60.0}
    for bone, bend in bends.items():
        for side in SIDES:
            q[3 * figure.index(f"{bone}.{side}")] = np.radians(bend)
    q[-3:] = figure.skeleton.slide[0].T @ (SEAT + 0.05 * UP - figure.forward(q).origins[0])
    return q


def driving_goals(figure: Figure) -> list[Goal]:
    """The hip on the seat first, then both hands on the wheel, then both feet on the pedals."""
    goals: list[Goal] = [PositionGoal(effector=Effector(0), target=SEAT, name="hip", priority=1)]
    for side, out in SIDES.items():
        hand = Effector(figure.index(f"hand.{side}"), np.array([0.0, 0.07, 0.0]))
        grip = WHEEL + np.array([out * WHEEL_RADIUS, 0.0, 0.0])
        goals.append(PositionGoal(effector=hand, target=grip, name=f"hand.{side}", priority=2))
    for side, out in SIDES.items():
        foot = Effector(figure.index(f"foot.{side}"), np.array([0.0, 0.12, 0.0]))
        pedal = PEDALS + np.array([out * 0.12, 0.0, 0.0])
        goals.append(PositionGoal(effector=foot, target=pedal, name=f"foot.{side}", priority=3))
    return goals

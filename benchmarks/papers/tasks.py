"""The two tasks of Zhao & Badler's experiments: look into a tube, and touch a box.

World space, metres; see `body` for the person.
"""

from __future__ import annotations

import numpy as np
from bl_ext.user_default.contrapposto.solvers import (
    AimGoal,
    Goal,
    LineGoal,
    PlaneGoal,
    PoseGoal,
    Reach,
)

from .body import Body

TUBE_TOP = np.array([0.16, -0.46, 1.30])
TUBE_BOTTOM = np.array([0.06, -0.88, 0.95])
TUBE_RADIUS = 0.035
GRIPS = {"L": 0.25, "R": 0.60}  # how far down the tube each hand holds it
ELBOWS = {"L": 0.31, "R": -0.09}  # x of the planes

BOX_CENTRE = np.array([0.0, -0.76, 0.80])
BOX_SIZE = np.array([0.24, 0.24, 0.24])


def tube_goals(body: Body) -> list[Goal]:
    """Six goals: the hands hold the tube, elbows are out at the sides, the eyes look down its axis."""
    axis = TUBE_BOTTOM - TUBE_TOP
    hands = [_hold(body, side, axis) for side in "LR"]
    elbows = [
        PlaneGoal(
            effector=body.elbow(side),
            target=np.array([ELBOWS[side], 0.0, 0.0]),
            normal=np.array([1.0, 0.0, 0.0]),
            name=f"elbow.{side} on plane",
        )
        for side in "LR"
    ]
    eyes = body.eyes()
    view = [
        LineGoal(effector=eyes, target=TUBE_TOP, direction=axis, name="eyes on axis"),
        AimGoal(effector=eyes, target=TUBE_BOTTOM, name="view to bottom"),
    ]
    return [*hands, *elbows, *view]


def _hold(body: Body, side: str, axis: np.ndarray) -> Goal:
    """The palm on its side of the tube, its normal towards the axis; where the fingers point is free."""
    along = axis / np.linalg.norm(axis)
    sideways = {"L": 1.0, "R": -1.0}[side] * np.array([1.0, 0.0, 0.0])
    outwards = sideways - (sideways @ along) * along
    outwards /= np.linalg.norm(outwards)
    place = TUBE_TOP + GRIPS[side] * axis + TUBE_RADIUS * outwards
    name = f"hand.{side} on tube"
    return PoseGoal(effector=body.palm(side), target=place, x=-outwards, name=name)


def box_goal(body: Body, top: str) -> Goal:
    """The right palm flat on the box's right face, recruiting the joints from ``top`` on."""
    place = BOX_CENTRE - [0.5 * BOX_SIZE[0], 0.0, 0.0]
    reach = Reach(top=body.figure.index(top))
    inwards = np.array([1.0, 0.0, 0.0])
    return PoseGoal(effector=body.palm("R"), target=place, x=inwards, name="palm on box", reach=reach)

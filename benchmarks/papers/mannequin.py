"""A body as a wooden mannequin.

The torso is a skin over ellipses, carried by the bones of the spine, so that it shows how the spine
bends; limbs are rods with round ends. Legs only stand.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from mathutils import Matrix

from .body import FOREARM, UPPER_ARM, Body
from .studio import add_rod, add_round, add_skin, ellipse, frame_between

WOOD, DARK_WOOD = (0.46, 0.27, 0.13), (0.27, 0.14, 0.06)
# The torso by height: half-widths sideways and front to back, and how far it is in front of the spine.
HEIGHTS = (0.88, 0.95, 1.02, 1.12, 1.22, 1.34, 1.41, 1.45, 1.485)
WIDTHS = (0.100, 0.165, 0.160, 0.130, 0.135, 0.155, 0.150, 0.100, 0.060)
DEPTHS = (0.080, 0.105, 0.105, 0.092, 0.100, 0.115, 0.098, 0.075, 0.050)
FRONTS = (0.020, 0.025, 0.030, 0.040, 0.050, 0.050, 0.040, 0.025, 0.010)


class Mannequin:
    """Stands a body in posture ``q`` at ``shift`` (3,) in the present scene."""

    def __init__(self, body: Body, q: np.ndarray, shift: np.ndarray) -> None:
        self._body, self._shift = body, shift
        self._frames = body.figure.forward(q)
        self._add_torso()
        self._add_head()
        for side, out in (("L", 1.0), ("R", -1.0)):
            self._add_arm(side, out)
            self._add_leg(out)

    def _place(self, bone: str) -> np.ndarray:
        """The frame (4, 4) of a bone."""
        matrix, index = np.eye(4), self._body.figure.index(bone)
        matrix[:3, :3] = self._frames.linear[index]
        matrix[:3, 3] = self._frames.origins[index] + self._shift
        return matrix

    def _add_torso(self) -> None:
        figure = self._body.figure
        rest = figure.forward(np.zeros(figure.skeleton.dimension)).origins[:, 2]
        bones = ["pelvis", *reversed(self._body.spine), "neck"]
        rings = []
        for bone, above in pairwise(bones):
            bottom, top = rest[figure.index(bone)], rest[figure.index(above)]
            first = HEIGHTS[0] if bone == "pelvis" else bottom
            for height in np.linspace(first, top, 4)[:-1]:
                sizes = (np.interp(height, HEIGHTS, column) for column in (WIDTHS, DEPTHS, FRONTS))
                rings.append(ellipse(self._place(bone), height - bottom, *sizes))
        add_skin(np.array(rings), DARK_WOOD)

    def _add_head(self) -> None:
        head, neck = self._place("head"), self._place("neck")
        base = (neck @ _shifted(0.0, -0.03, 0.01))[:3, 3]
        length = float(np.linalg.norm(head[:3, 3] - base))
        add_rod(frame_between(base, head[:3, 3]), length + 0.02, 0.052, 0.046, WOOD)
        turns = np.linspace(0.0, np.pi, 17)
        skull = [(0.065 - 0.118 * np.cos(t), 0.078 * np.sin(t), 0.098 * np.sin(t)) for t in turns]
        add_round(head @ _shifted(0.0, 0.0, 0.015), skull, WOOD)
        nose = [(-0.02, 0.0, 0.0), (-0.015, 0.012, 0.022), (0.02, 0.008, 0.01), (0.035, 0.0, 0.0)]
        add_round(head @ _shifted(0.0, 0.045, 0.105), nose, WOOD)

    def _add_arm(self, side: str, out: float) -> None:
        bones = ("clavicle", "upper_arm", "forearm", "hand")
        clavicle, upper_arm, forearm, hand = (self._place(f"{bone}.{side}") for bone in bones)
        across = frame_between(clavicle[:3, 3], upper_arm[:3, 3])
        add_rod(across, float(np.linalg.norm(upper_arm[:3, 3] - clavicle[:3, 3])), 0.040, 0.055, WOOD)
        add_rod(upper_arm, UPPER_ARM, 0.050, 0.038, WOOD)
        add_rod(forearm, FOREARM, 0.038, 0.026, WOOD)
        palm = [(-0.01, 0.018, 0.022), (0.03, 0.018, 0.036), (0.09, 0.016, 0.042), (0.14, 0.012, 0.036)]
        add_round(hand, [*palm, (0.185, 0.007, 0.018), (0.19, 0.0, 0.0)], WOOD)
        thumb = hand @ _shifted(out * 0.012, 0.03, 0.03) @ np.array(Matrix.Rotation(0.6, 4, "X"))
        add_rod(thumb, 0.06, 0.012, 0.010, WOOD)

    def _add_leg(self, out: float) -> None:
        places = ((0.09, 0.0, 0.90), (0.10, -0.02, 0.49), (0.11, 0.03, 0.08), (0.11, 0.07, 0.04))
        places = (*places, (0.14, -0.17, 0.03))
        hip, knee, ankle, heel, toes = (np.array(p) * [out, 1.0, 1.0] + self._shift for p in places)
        add_rod(frame_between(hip, knee), 0.41, 0.082, 0.055, WOOD)
        add_rod(frame_between(knee, ankle), 0.41, 0.055, 0.036, WOOD)
        add_rod(frame_between(heel, toes), 0.22, 0.042, 0.030, WOOD)


def _shifted(x: float, y: float, z: float) -> np.ndarray:
    return np.array(Matrix.Translation((x, y, z)))

"""Human-like joint limits for Rigify's metarigs, as every benchmark uses them.

Angles in radians about a bone's own axes, from its rest pose. Knees and elbows are hinges that
are straight, and on their limit, at rest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

# name stem → (minimum, maximum) of swing x, twist y, swing z; a hinge's x is flexion, so that
# zero is its end: the side it bends to comes from the rest pose.
RANGES = {
    "spine": ((-0.4, 0.4), (-0.4, 0.4), (-0.3, 0.3)),
    "spine.001": ((-0.3, 0.5), (-0.3, 0.3), (-0.3, 0.3)),
    "spine.002": ((-0.3, 0.5), (-0.3, 0.3), (-0.3, 0.3)),
    "spine.003": ((-0.3, 0.4), (-0.3, 0.3), (-0.3, 0.3)),
    "spine.004": ((-0.5, 0.5), (-0.5, 0.5), (-0.4, 0.4)),
    "spine.005": ((-0.4, 0.4), (-0.5, 0.5), (-0.4, 0.4)),
    "spine.006": ((-0.5, 0.5), (-0.5, 0.5), (-0.4, 0.4)),
    "shoulder": ((-0.3, 0.3), (-0.2, 0.2), (-0.3, 0.3)),
    "upper_arm": ((-1.6, 1.6), (-1.2, 1.2), (-1.6, 1.6)),
    "hand": ((-1.2, 1.2), (-1.2, 1.2), (-0.6, 0.6)),
    "thigh": ((-1.9, 0.6), (-0.7, 0.7), (-0.8, 0.8)),
    "foot": ((-0.7, 0.7), (-0.3, 0.3), (-0.4, 0.4)),
    "toe": ((-0.6, 0.8), (0.0, 0.0), (0.0, 0.0)),
    "palm": ((-0.1, 0.2), (-0.1, 0.1), (-0.1, 0.1)),
    "thumb.01": ((-0.5, 0.8), (-0.5, 0.5), (-0.6, 0.6)),
    "finger.01": ((-0.4, 1.5), (-0.1, 0.1), (-0.3, 0.3)),
}
HINGES = {"forearm": 2.5, "shin": 2.5, "finger": 1.7}  # how far they bend
# The world direction in which the far end of a hinge moves when it bends: Rigify's people face −Y.
BENDS = {"forearm": (0.0, -1.0, 0.0), "shin": (0.0, 1.0, 0.0), "finger": None}


def stem(name: str) -> str:
    """The entry of the tables for a bone's name; "" where there is none."""
    plain = name.removesuffix(".L").removesuffix(".R")
    if plain.startswith(("f_", "thumb")):
        if plain == "thumb.01":
            return plain
        return "finger.01" if plain.endswith(".01") else "finger"
    if plain.startswith("palm"):
        return "palm"
    return plain if plain in RANGES or plain in HINGES else ""


def limits(names: Sequence[str], frames: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Lower and upper limits (n, 3) for bones with rest frames (n, 3, 3) in armature space.

    Bones without an entry (face, breasts, heels) do not move.
    """
    lower, upper = np.zeros((len(names), 3)), np.zeros((len(names), 3))
    for i, name in enumerate(names):
        key = stem(name)
        if key in HINGES:
            bend = BENDS[key]
            # Turning by +x moves the tail, along +Y, towards the bone's +Z.
            sign = 1.0 if bend is None else float(np.sign(frames[i][:, 2] @ np.array(bend)))
            ends = sorted((0.0, sign * HINGES[key]))
            lower[i, 0], upper[i, 0] = ends
        elif key:
            lower[i], upper[i] = np.transpose(RANGES[key])
    return lower, upper

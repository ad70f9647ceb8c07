"""Figures for the tests: random trees of every kind, an arm and a human."""

from dataclasses import replace

import numpy as np
from bl_ext.user_default.contrapposto.solvers import (
    EULER_ORDERS,
    SWING_TWIST,
    Coupling,
    Figure,
    Goal,
    JointGroup,
    Polygon,
    Problem,
    build_figure,
)

# What a random tree may have beside bones that turn.
TREES: dict[str, tuple[str, ...]] = {
    "plain": (),
    "several roots": ("roots",),
    "loose rotations": ("loose",),
    "translating": ("translating",),
    "scaled": ("scaled",),
    "stretched": ("stretched",),
    "mirrored": ("mirrored",),
    "Euler angles": ("euler",),
    "everything even": ("roots", "loose", "translating", "scaled", "mirrored", "euler"),
    "everything": ("roots", "loose", "translating", "stretched", "mirrored", "euler"),
}


def random_rotation(rng: np.random.Generator) -> np.ndarray:
    q, r = np.linalg.qr(rng.normal(size=(3, 3)))
    q = q * np.sign(np.diag(r))
    return q * np.linalg.det(q)


def random_tree(seed: int, tree: str = "plain", size: int = 9) -> Figure:
    """Bones with random parents, frames and masses, with the features of ``TREES[tree]``."""
    rng = np.random.default_rng(seed)
    features = TREES[tree]
    parents = [-1, *(int(rng.integers(max(0, i - 3), i)) for i in range(1, size))]
    if "roots" in features:
        parents[size // 2] = -1
    above = np.array(parents)
    loose = rng.random(size) < 0.4
    rest = np.stack([random_rotation(rng) for _ in range(size)])
    scale = np.broadcast_to(np.eye(3), (size, 3, 3)).copy()
    if "mirrored" in features:
        rest[::3] = rest[::3] @ np.diag([-1.0, 1.0, 1.0])
    if "scaled" in features:
        scale *= rng.uniform(0.6, 1.5, (size, 1, 1))
        rest[0] *= 1.7
    if "stretched" in features:
        scale = scale * rng.uniform(0.6, 1.5, (size, 1, 3))
        rest[0] = np.diag([1.0, 2.0, 0.7]) @ rest[0]
    translating = np.sort(rng.choice(size, 3, replace=False)) if "translating" in features else []
    masses = rng.uniform(0.0, 2.0, size)
    masses[1] = 0.0
    return build_figure(
        [f"Bone {i}" for i in range(size)],
        parents,
        rng.normal(size=(size, 3)),
        rest,
        rotation_parents=np.where(loose & ("loose" in features), -1, above),
        scale=scale,
        slide=rng.normal(size=(size, 3, 3)),
        translating=translating,
        kinds=tuple(rng.choice([SWING_TWIST, *EULER_ORDERS], size))
        if "euler" in features
        else (SWING_TWIST,) * size,
        masses=masses,
        mass_points=rng.normal(size=(size, 3)),
    )


def random_coordinates(figure: Figure, rng: np.random.Generator, spread: float = 0.8) -> np.ndarray:
    return rng.normal(scale=spread, size=figure.skeleton.dimension)


def hinged_arm(bones: int = 3, bend: float = 2.6) -> Figure:
    """Bones of length 1, straight up along Y; the first turns freely, all others are hinges about x.

    At rest the hinges are straight and on their limit. The last bone has no length: its head is
    the hand.
    """
    d = 3 * bones
    lower, upper = np.zeros(d), np.zeros(d)
    lower[:3], upper[:3] = -np.pi, np.pi
    upper[3 : 3 * (bones - 1) : 3] = bend
    locked = np.zeros(d, dtype=bool)
    locked[4::3] = locked[5::3] = True
    locked[-3:] = True
    offsets = np.array([[0.0, 0.0, 0.0]] + [[0.0, 1.0, 0.0]] * (bones - 1))
    names = ["shoulder", *(f"elbow {i}" for i in range(bones - 2)), "hand"]
    return build_figure(names, range(-1, bones - 1), offsets, lower=lower, upper=upper, locked=locked)


# name, parent, head, direction, the direction of its own z, limits of x, y and z
_RIGHT = (-1.0, 1.0, 1.0)
_SPINE = ((-0.4, 0.5), (-0.4, 0.4), (-0.3, 0.3))
_HUMAN = [
    ("pelvis", None, (0, 0, 1.0), (0, 0, 1), (0, -1, 0), _SPINE),
    ("spine", "pelvis", (0, 0, 1.15), (0, 0, 1), (0, -1, 0), _SPINE),
    ("chest", "spine", (0, 0, 1.3), (0, 0, 1), (0, -1, 0), _SPINE),
    ("head", "chest", (0, 0, 1.55), (0, 0, 1), (0, -1, 0), ((-0.7, 0.7), (-1.0, 1.0), (-0.5, 0.5))),
]
_SIDE = [
    ("clavicle", "chest", (0.03, 0, 1.5), (1, 0, 0), (0, -1, 0), ((-0.3, 0.3), (-0.2, 0.2), (-0.3, 0.3))),
    ("upper arm", "clavicle", (0.18, 0, 1.5), (1, 0, 0), (0, -1, 0), ((-1.6, 1.6), (-1.2, 1.2), (-1.6, 1.6))),
    ("forearm", "upper arm", (0.46, 0, 1.5), (1, 0, 0), (0, -1, 0), ((0.0, 2.5), (-0.8, 0.8), (0.0, 0.0))),
    ("hand", "forearm", (0.72, 0, 1.5), (1, 0, 0), (0, -1, 0), ((-1.2, 1.2), (-0.3, 0.3), (-0.6, 0.6))),
    ("thigh", "pelvis", (0.1, 0, 0.95), (0, 0, -1), (0, 1, 0), ((-1.9, 0.6), (-0.7, 0.7), (-0.8, 0.8))),
    ("shin", "thigh", (0.1, 0, 0.5), (0, 0, -1), (0, 1, 0), ((0.0, 2.5), (0.0, 0.0), (0.0, 0.0))),
    ("foot", "shin", (0.1, 0, 0.08), (0, -1, 0), (0, 0, -1), ((-0.7, 0.7), (-0.3, 0.3), (-0.4, 0.4))),
]


def human() -> Figure:
    """A person 1.7 m high, arms out, facing −Y; knees and elbows are straight and on their limit.

    The upper arms swing within a hexagon, the pelvis may translate.
    """
    bones = list(_HUMAN)
    for side, mirror in ((".L", (1.0, 1.0, 1.0)), (".R", _RIGHT)):
        for name, parent, head, along, z, limits in _SIDE:
            above = parent if parent in ("chest", "pelvis") else parent + side
            bones.append(
                (name + side, above, np.multiply(head, mirror), np.multiply(along, mirror), z, limits)
            )
    names = [bone[0] for bone in bones]
    parents = [-1 if bone[1] is None else names.index(bone[1]) for bone in bones]
    heads = np.array([bone[2] for bone in bones], dtype=float)
    frames = np.stack([np.stack([np.cross(y, z), y, z], axis=1) for _, _, _, y, z, _ in bones]).astype(float)
    rest, offsets = frames.copy(), heads.copy()
    for i, parent in enumerate(parents):
        if parent >= 0:
            rest[i] = frames[parent].T @ frames[i]
            offsets[i] = frames[parent].T @ (heads[i] - heads[parent])
    limits = np.array([bone[5] for bone in bones]).reshape(-1, 2)
    lower, upper = np.concatenate([limits, [[-0.5, 0.5]] * 3]).T
    d = len(lower)
    locked = np.zeros(d, dtype=bool)
    for name in ("shin.L", "shin.R"):
        locked[3 * names.index(name) + 1 : 3 * names.index(name) + 3] = True
    hexagon = np.array([[-1.5, 0.0], [-0.8, -1.2], [0.8, -1.2], [1.5, 0.0], [0.8, 1.2], [-0.8, 1.2]])
    masses = np.array([11.0, 9.0, 14.0, 5.0, *[1.0, 2.0, 1.2, 0.5, 8.0, 3.5, 1.0] * 2])
    return build_figure(
        names,
        parents,
        offsets,
        rest,
        translating=[0],
        lower=lower,
        upper=upper,
        locked=locked,
        masses=masses,
        mass_points=np.tile([0.0, 0.1, 0.0], (len(names), 1)),
        polygons=tuple(Polygon(names.index(f"upper arm{side}"), hexagon) for side in (".L", ".R")),
    )


def grouped(figure: Figure) -> Figure:
    """The human's spine bends, twists and side-bends as one."""
    bones = [figure.index(name) for name in ("pelvis", "spine", "chest")]
    coordinates = [3 * bone + k for bone in bones for k in range(3)]
    shares = np.concatenate([0.2 * np.eye(3), 0.3 * np.eye(3), 0.5 * np.eye(3)])
    return replace(figure, groups=(JointGroup(coordinates, shares),))


def coupled(figure: Figure) -> Figure:
    """The human's head turns twice as far as the chest, and both clavicles lift together."""
    head, chest = 3 * figure.index("head") + 1, 3 * figure.index("chest") + 1
    left, right = (3 * figure.index(f"clavicle{side}") for side in (".L", ".R"))
    couplings = (Coupling([head, chest], [1.0, -2.0]), Coupling([left, right], [1.0, 1.0]))
    return replace(figure, couplings=couplings)


def mixed(figure: Figure) -> Figure:
    """The human's spine bends along two curves that share its joints, and three lifts add up to nothing."""
    bones = [figure.index(name) for name in ("pelvis", "spine", "chest")]
    shares = np.array([[0.5, 0.5], [0.3, -0.4], [0.2, -0.7]])
    lifts = [3 * figure.index(name) for name in ("clavicle.L", "clavicle.R", "head")]
    return replace(
        figure,
        groups=(JointGroup([3 * bone for bone in bones], shares),),
        couplings=(Coupling(lifts, [1.0, 1.0, -0.5]),),
    )


HUMANS = {
    "human": lambda: human(),
    "human with a grouped spine": lambda: grouped(human()),
    "human with couplings": lambda: coupled(human()),
    "human with both": lambda: coupled(grouped(human())),
    "human with mixed shares": lambda: mixed(human()),
}


def random_posture(
    figure: Figure, goals: list[Goal], rng: np.random.Generator, part: float = 1.0
) -> np.ndarray:
    """Coordinates that the goals may recruit at random, all others zero, within everything that bounds them.

    ``part`` of the way from rest to the end of the range.
    """
    space = Problem(figure, goals, np.zeros(figure.skeleton.dimension)).space
    low, high = np.clip(space.lower, -1.5, 0.0), np.clip(space.upper, 0.0, 1.5)
    u = part * rng.uniform(low, high)
    while figure.violation(space.start + space.basis @ u) > 1e-12:
        u = 0.9 * u
    return space.start + space.basis @ u

"""A figure: the skeleton, and how far, how willingly and how heavily each joint moves.

A figure is plain arrays and never changes. Lengths are in the unit of its skeleton (the bridge
gives metres in world space), angles in radians. Coordinates are numbered as in `skeleton`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from .arrays import Array, Mask
from .limits import Coupling, JointGroup, Polygon, project
from .rotations import SWING_TWIST, angle_between, to_euler, to_quaternion, to_swing_twist
from .skeleton import Frames, Skeleton


@dataclass(frozen=True, eq=False)
class Figure:
    """Bones with limits. ``d`` is the number of coordinates, ``n`` that of bones."""

    names: tuple[str, ...]
    skeleton: Skeleton
    lower: Array  # (d,) −inf where there is no limit
    upper: Array  # (d,)
    locked: Mask  # (d,) coordinates that keep the value they have
    stiffness: Array  # (d,) from 0, moves freely, towards 1, hardly moves
    masses: Array  # (n,) any unit
    mass_points: Array  # (n, 3) where each bone's mass is, in its frame
    polygons: tuple[Polygon, ...] = ()
    couplings: tuple[Coupling, ...] = ()
    groups: tuple[JointGroup, ...] = ()

    def __post_init__(self) -> None:
        d, n = self.skeleton.dimension, self.skeleton.size
        _expect(len(self.names) == n, f"{n} bones need {n} names, not {len(self.names)}")
        parents = self.skeleton.parents
        _expect(bool((parents < np.arange(n)).all()), "parents must come before their children")
        for name, shape in (("lower", d), ("upper", d), ("locked", d), ("stiffness", d)):
            _expect(len(getattr(self, name)) == shape, f"{name} needs one value per coordinate")
        empty = np.flatnonzero(~(self.lower <= self.upper))
        if len(empty):
            k = int(empty[0])
            raise ValueError(
                f"the limits of {self.coordinate_name(k)} are empty: "
                f"minimum {self.lower[k]:.4g}, maximum {self.upper[k]:.4g}"
            )
        _expect(
            bool(((self.stiffness >= 0.0) & (self.stiffness < 1.0)).all()),
            "stiffness must be at least 0 and below 1",
        )
        _expect(bool((self.masses >= 0.0).all()), "masses must not be negative")

    def coordinate_name(self, k: int) -> str:
        """What to call coordinate ``k`` in a sentence."""
        rotational = 3 * self.skeleton.size
        if k < rotational:
            return f"“{self.names[k // 3]}” rotation {'XYZ'[k % 3]}"
        bone = self.skeleton.translating[(k - rotational) // 3]
        return f"“{self.names[bone]}” location {'XYZ'[k % 3]}"

    def index(self, name: str) -> int:
        """The number of the bone called ``name``; KeyError where there is none."""
        return self._indices[name]

    @cached_property
    def _indices(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self.names)}

    def forward(self, q: Array) -> Frames:
        """Place every bone at coordinates ``q`` (…, d)."""
        return self.skeleton.forward(q)

    def centre_of_mass(self, q: Array) -> Array:
        """The centre of mass (…, 3) at coordinates ``q``; the origin for a massless figure."""
        frames = self.forward(q)
        points = frames.origins + (frames.linear @ self.mass_points[:, :, None])[..., 0]
        total = self.masses.sum() or 1.0
        return np.asarray((points * self.masses[:, None]).sum(axis=-2) / total)

    @cached_property
    def size(self) -> float:
        """A length that says how large the figure is: its longest chain at rest."""
        frames = self.forward(np.zeros(self.skeleton.dimension))
        parents = self.skeleton.parents
        above = np.where(parents[:, None] < 0, frames.origins, frames.origins[parents])
        lengths = np.linalg.norm(frames.origins - above, axis=-1)
        return float((self.skeleton.ancestors @ lengths).max()) or 1.0

    @cached_property
    def inequalities(self) -> tuple[Array, Array]:
        """Rows ``A q ≤ b`` of all polygons: (r, d) and (r,)."""
        blocks = [
            polygon.rows(self.skeleton.dimension, self.names[polygon.bone]) for polygon in self.polygons
        ]
        if not blocks:
            return np.zeros((0, self.skeleton.dimension)), np.zeros(0)
        return np.concatenate([a for a, _ in blocks]), np.concatenate([b for _, b in blocks])

    @cached_property
    def equalities(self) -> tuple[Array, Array]:
        """Rows ``A q = b`` of all couplings: (r, d) and (r,)."""
        matrix = np.zeros((len(self.couplings), self.skeleton.dimension))
        for row, coupling in zip(matrix, self.couplings, strict=True):
            row[list(coupling.coordinates)] = coupling.coefficients
        return matrix, np.array([coupling.value for coupling in self.couplings])

    def violation(self, q: Array) -> float:
        """By how much ``q`` breaks the worst of all limits, polygons and couplings; 0 if none."""
        a, b = self.inequalities
        c, d = self.equalities
        amounts = (self.lower - q, q - self.upper, a @ q - b, np.abs(c @ q - d))
        return max([0.0, *(float(amount.max()) for amount in amounts if len(amount))])

    def nearest_feasible(self, q: Array, movable: Mask) -> Array:
        """``q`` with its movable coordinates brought within limits, polygons and couplings."""
        return project(self, q, movable)

    def coordinates_of(self, rotations: Array, near: Array | None = None) -> Array:
        """Joint coordinates (n, 3) of joint rotations (n, 3, 3), continuous with ``near``."""
        near = np.zeros((self.skeleton.size, 3)) if near is None else near
        result = np.empty((self.skeleton.size, 3))
        for kind in sorted(set(self.skeleton.kinds)):
            bones = [i for i, other in enumerate(self.skeleton.kinds) if other == kind]
            if kind == SWING_TWIST:
                result[bones] = to_swing_twist(rotations[bones], near[bones])
            else:
                result[bones] = to_euler(rotations[bones], kind, near[bones])
        return result

    def nearest_coordinates(self, rotations: Array, near: Array) -> tuple[Array, Array]:
        """Coordinates (n, 3) within limits and locks closest to given rotations, and how far off.

        ``near`` (n, 3) says where locked coordinates are. The distance is the angle (n,) in
        radians left between what was asked for and what the joint can do.
        """
        near = np.asarray(near, dtype=float)
        rotational = 3 * self.skeleton.size
        fixed = self.locked[:rotational].reshape(-1, 3)
        lower = np.where(fixed, near, self.lower[:rotational].reshape(-1, 3))
        upper = np.where(fixed, near, self.upper[:rotational].reshape(-1, 3))
        best = self._refined(self.coordinates_of(rotations, near), rotations, lower, upper)
        if (best[1] < 1e-9).all():
            return best
        # The angle has several minima where a joint cannot follow: try the ends of its ranges.
        for start in _starts(near, lower, upper):
            q, off = self._refined(start, rotations, lower, upper)
            better = off < best[1] - 1e-9
            best = np.where(better[:, None], q, best[0]), np.where(better, off, best[1])
        return best

    def _refined(self, q: Array, rotations: Array, lower: Array, upper: Array) -> tuple[Array, Array]:
        """Coordinates (n, 3) moved towards given rotations within bounds, and the angles left."""
        q = np.clip(q, lower, upper)
        for _ in range(50):
            turned, axes = self.skeleton.rotations(self._padded(q))
            off = _rotation_vector(np.swapaxes(turned, -1, -2) @ rotations)
            step = _bounded_step(axes, off, q, lower, upper)
            if np.abs(step).max(initial=0.0) < 1e-12:
                break
            q = np.clip(q + step, lower, upper)
        turned, _ = self.skeleton.rotations(self._padded(q))
        return q, angle_between(turned, rotations)

    def _padded(self, angles: Array) -> Array:
        return np.concatenate([angles.ravel(), np.zeros(3 * len(self.skeleton.translating))])


def build_figure(
    names: Sequence[str],
    parents: Sequence[int],
    offsets: Array,
    rest: Array | None = None,
    *,
    translating: Sequence[int] = (),
    **settings: object,
) -> Figure:
    """A figure from its tree alone, everything else at its default, for scripts and tests.

    ``settings`` are fields of `Figure` or of `Skeleton`, given whole.
    """
    n = len(names)
    identity = np.broadcast_to(np.eye(3), (n, 3, 3)).copy()
    above = np.asarray(parents, dtype=np.intp)
    tree: dict[str, object] = {
        "parents": above,
        "rotation_parents": above,
        "offsets": np.asarray(offsets, dtype=float),
        "rest": identity if rest is None else np.asarray(rest, dtype=float),
        "scale": identity,
        "slide": identity if rest is None else np.asarray(rest, dtype=float),
        "translating": np.asarray(translating, dtype=np.intp),
        "kinds": (SWING_TWIST,) * n,
    }
    tree.update({key: settings.pop(key) for key in list(settings) if key in tree})
    skeleton = Skeleton(**tree)  # type: ignore[arg-type]
    d = skeleton.dimension
    rest_of_it: dict[str, object] = {
        "lower": np.full(d, -np.inf),
        "upper": np.full(d, np.inf),
        "locked": np.zeros(d, dtype=bool),
        "stiffness": np.zeros(d),
        "masses": np.ones(n),
        "mass_points": np.zeros((n, 3)),
    }
    return Figure(tuple(names), skeleton, **{**rest_of_it, **settings})  # type: ignore[arg-type]


def _starts(near: Array, lower: Array, upper: Array) -> list[Array]:
    """Where else to look for the nearest coordinates: where they were, and the ends of ranges."""
    starts = [near]
    for ends in (lower, upper):
        for k in range(3):
            start = near.copy()
            start[:, k] = np.where(np.isfinite(ends[:, k]), ends[:, k], near[:, k])
            starts.append(start)
    return starts


def _rotation_vector(rotation: Array) -> Array:
    """The vector along whose direction, by whose length, each rotation turns."""
    quaternion = to_quaternion(rotation)
    quaternion = quaternion * np.where(quaternion[..., :1] < 0.0, -1.0, 1.0)
    sine = np.linalg.norm(quaternion[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, quaternion[..., :1])
    scale = np.where(sine < 1e-12, 2.0, angle / np.where(sine < 1e-12, 1.0, sine))
    return np.asarray(quaternion[..., 1:] * scale)


def _bounded_step(axes: Array, off: Array, q: Array, lower: Array, upper: Array) -> Array:
    """A Gauss–Newton step of every joint at once, coordinates held by a bound left out."""
    slope = (np.swapaxes(axes, -1, -2) @ off[..., None])[..., 0]
    free = ~(((q <= lower) & (slope < 0.0)) | ((q >= upper) & (slope > 0.0)))
    kept = axes * free[:, None, :]
    normal = np.swapaxes(kept, -1, -2) @ kept + 1e-9 * np.eye(3)
    return np.asarray(np.linalg.solve(normal, (slope * free)[..., None])[..., 0])


def _expect(condition: bool, sentence: str) -> None:
    if not condition:
        raise ValueError(sentence)

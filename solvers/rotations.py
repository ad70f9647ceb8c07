"""Joint coordinates: three numbers that turn a bone, and the way back.

Swing–twist (the default): ``R = exp(x, 0, z) · R_y(y)``. The swing ``(x, 0, z)`` is a rotation
vector across the bone, the twist ``y`` an angle along it (a bone points along +Y). The map is
regular while the swing stays short of 180°.

Euler angles, in any order, serve the bones whose limits or locks are given in Euler angles, so
that these too are linear in the coordinates. ``XYZ`` means X first: ``R = R_z · R_y · R_x``.

Angles are in radians, matrices act on columns, quaternions are ``(w, x, y, z)``. Every function
takes any number of leading dimensions.
"""

from __future__ import annotations

import numpy as np

from .arrays import Array

EULER_ORDERS = ("XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
SWING_TWIST = "SWING_TWIST"


# Every entry of a rotation and of its axes is a sum of products of a few numbers, so one matrix
# product makes them all. The numbers: cos y and sin y times nine, then six more.
_NINE = ("1", "bxx", "bzz", "bxz", "ax", "az", "dxx", "dzz", "dxz")
_MORE = ("ax", "az", "cos", "bx", "bz", "1")
_FEATURES = [f"c {k}" for k in _NINE] + [f"s {k}" for k in _NINE] + list(_MORE)
_ENTRIES = (
    # rotation, row by row: exp(x, 0, z) · R_y(y)
    "c 1 - c bzz - s bxz",
    "- az",
    "s 1 - s bzz + c bxz",
    "c az + s ax",
    "cos",
    "s az - c ax",
    "c bxz - s 1 + s bxx",
    "ax",
    "s bxz + c 1 - c bxx",
    # axes, row by row: R_y(−y) times the derivative of the swing, and the twist's own
    "c 1 - c dzz - s dxz",
    "",
    "c dxz - s 1 + s dxx",
    "- bz",
    "1",
    "bx",
    "s 1 - s dzz + c dxz",
    "",
    "s dxz + c 1 - c dxx",
)


def _mixing() -> Array:
    """(features, 18): how much of each number goes into each entry."""
    matrix = np.zeros((len(_FEATURES), len(_ENTRIES)))
    for column, entry in enumerate(_ENTRIES):
        signed = entry if entry.startswith("-") else f"+ {entry}"
        for part in signed.replace("- ", "|-").replace("+ ", "|+").split("|")[1:]:
            if part.strip("+ "):
                matrix[_FEATURES.index(part[1:].strip()), column] = 1.0 if part[0] == "+" else -1.0
    return matrix


_MIXING = _mixing()
_TINY = 1e-30


def _last_first(array: Array) -> Array:
    """``np.moveaxis(array, -1, 0)``, without its cost where there is no batch."""
    return array.T if array.ndim <= 2 else np.moveaxis(array, -1, 0)


def _first_last(array: Array) -> Array:
    return array.T if array.ndim <= 2 else np.moveaxis(array, 0, -1)


def swing_twist(coordinates: Array) -> tuple[Array, Array]:
    """Rotations (…, 3, 3) of swing–twist coordinates (…, 3), and their axes in the bone's frame.

    Column k of the axes (…, 3, 3) is ``b_k`` with ``∂R/∂q_k = R [b_k]×``.
    """
    entries = _first_last(_features(_last_first(coordinates))) @ _MIXING
    shape = (*coordinates.shape, 3)
    return entries[..., :9].reshape(shape), entries[..., 9:].reshape(shape)


def swing_twist_rows(components: Array) -> tuple[Array, Array]:
    """The same with components first: (3, …) to rotations and axes (3, 3, …), for large batches."""
    features = _features(components)
    entries = (_MIXING.T @ features.reshape(len(features), -1)).reshape(2, 3, *components.shape)
    return entries[0], entries[1]


def _features(components: Array) -> Array:
    """The numbers (features, …) that all entries are made of.

    With ``θ = |(x, z)|``: ``a = sin θ/θ``, ``b = (1 − cos θ)/θ²``, ``d = (θ − sin θ)/θ³``. What cancels
    in ``d`` near zero is only ever multiplied by squares of x and z, so no series is needed.
    """
    swing = components[::2]
    squares = swing * swing
    square = squares[0] + squares[1]
    halves = np.empty((2, *square.shape))
    halves[0] = 0.5 * np.sqrt(square) + _TINY
    halves[1] = components[1]
    sines, cosines = np.sin(halves), np.cos(halves)
    ratio = sines[0] / halves[0]
    a = ratio * cosines[0]
    b = 0.5 * ratio * ratio
    d = (1.0 - a) / (square + _TINY)
    features = np.empty((len(_FEATURES), *square.shape))
    products = np.empty((3, *square.shape))
    products[:2] = squares
    np.multiply(swing[0], swing[1], out=products[2, ...])
    nine = np.empty((9, *square.shape))
    nine[0] = 1.0
    np.multiply(products, b, out=nine[1:4])
    np.multiply(swing, a, out=nine[4:6])
    np.multiply(products, d, out=nine[6:9])
    np.multiply(nine, cosines[1], out=features[:9])
    np.multiply(nine, sines[1], out=features[9:18])
    features[18:20] = nine[4:6]
    features[20] = 1.0 - b * square
    np.multiply(swing, b, out=features[21:23])
    features[23] = 1.0
    return features


def euler(angles: Array, order: str) -> tuple[Array, Array]:
    """Rotations of Euler angles (…, 3), always given as (x, y, z), and their axes as above."""
    turns = {name: _turn(angles[..., k], k) for k, name in enumerate("XYZ")}
    first, second, third = (turns[name] for name in order)
    rotation = third @ second @ first
    axes = np.zeros_like(rotation)
    columns = ["XYZ".index(name) for name in order]
    axes[..., columns[0], columns[0]] = 1.0
    axes[..., columns[1]] = first[..., columns[1], :]
    axes[..., columns[2]] = (second @ first)[..., columns[2], :]
    return rotation, axes


def _turn(angle: Array, axis: int) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    turn = np.zeros((*angle.shape, 3, 3))
    i, j = (axis + 1) % 3, (axis + 2) % 3
    turn[..., axis, axis] = 1.0
    turn[..., i, i] = turn[..., j, j] = c
    turn[..., j, i] = s
    turn[..., i, j] = -s
    return turn


def to_swing_twist(rotation: Array, near: Array | None = None) -> Array:
    """Swing–twist coordinates (…, 3) of rotations, of all equal ones those closest to ``near``."""
    quaternion = to_quaternion(rotation)
    near = np.zeros(rotation.shape[:-1]) if near is None else near
    return quaternion_to_swing_twist(quaternion, near)


def quaternion_of_swing_twist(coordinates: Array) -> Array:
    """Unit quaternions (…, 4) of swing–twist coordinates (…, 3)."""
    x, y, z = np.moveaxis(coordinates, -1, 0)
    half = 0.5 * np.hypot(x, z) + _TINY
    ratio, cosine = 0.5 * np.sin(half) / half, np.cos(half)
    c, s = np.cos(0.5 * y), np.sin(0.5 * y)
    x, z = ratio * x, ratio * z
    return np.stack([cosine * c, x * c - z * s, cosine * s, z * c + x * s], axis=-1)


def quaternion_to_swing_twist(quaternion: Array, near: Array) -> Array:
    """Swing–twist coordinates (…, 3) of unit quaternions (…, 4), the closest to ``near`` (…, 3)."""
    w, x, y, z = np.moveaxis(quaternion, -1, 0)
    swing_w = np.hypot(w, y)
    # A half-turn swing leaves the twist undetermined: keep the one we had.
    lost = swing_w < 1e-9
    twist = np.where(lost, near[..., 1], 2.0 * np.arctan2(y, w))
    c, s = np.cos(0.5 * twist), np.sin(0.5 * twist)
    swing_x, swing_z = x * c + z * s, z * c - x * s
    sine = np.hypot(swing_x, swing_z)
    angle = 2.0 * np.arctan2(sine, swing_w)
    scale = np.where(sine < 1e-12, 2.0, angle / np.where(sine < 1e-12, 1.0, sine))
    result = np.stack([swing_x * scale, twist, swing_z * scale], axis=-1)
    return _nearest_swing_twist(result, angle, near)


def _nearest_swing_twist(result: Array, angle: Array, near: Array) -> Array:
    """Swing may also go the long way round, and twist may be a whole turn away."""
    longer = 1.0 - 2.0 * np.pi / np.where(angle < 1e-9, 1.0, angle)
    around = result * np.stack([longer, np.ones_like(longer), longer], axis=-1)
    swing = [0, 2]
    gain = np.linalg.norm((result - near)[..., swing], axis=-1)
    gain = gain - np.linalg.norm((around - near)[..., swing], axis=-1)
    result = np.where(((gain > 1e-9) & (angle > 1e-9))[..., None], around, result)
    turns = np.round((near[..., 1] - result[..., 1]) / (2.0 * np.pi))
    result[..., 1] += 2.0 * np.pi * turns
    return result


def to_euler(rotation: Array, order: str, near: Array | None = None) -> Array:
    """Euler angles (…, 3) as (x, y, z), of all equal triples the one closest to ``near``."""
    i, j, k = ("XYZ".index(name) for name in order)
    sign = 1.0 if (j - i) % 3 == 1 else -1.0
    near = np.zeros(rotation.shape[:-1]) if near is None else near
    sine = np.clip(-sign * rotation[..., k, i], -1.0, 1.0)
    cosine = np.hypot(rotation[..., i, i], rotation[..., j, i])
    locked = cosine < 1e-8  # gimbal lock: keep the last angle we had, the first takes the rest
    last = np.arctan2(sign * rotation[..., j, i], rotation[..., i, i])
    last = np.where(locked, near[..., k], last)
    c, s = np.cos(last), np.sin(last)
    first = np.arctan2(
        s * rotation[..., i, k] - sign * c * rotation[..., j, k],
        c * rotation[..., j, j] - sign * s * rotation[..., i, j],
    )
    middle = np.arctan2(sine, cosine)
    one = np.empty(rotation.shape[:-1])
    one[..., i], one[..., j], one[..., k] = first, middle, last
    two = np.empty_like(one)
    two[..., i], two[..., j], two[..., k] = first + np.pi, np.pi - middle, last + np.pi
    one, two = (a + 2.0 * np.pi * np.round((near - a) / (2.0 * np.pi)) for a in (one, two))
    better = np.abs(one - near).sum(axis=-1) <= np.abs(two - near).sum(axis=-1) + 1e-9
    return np.where(better[..., None], one, two)


def to_quaternion(rotation: Array) -> Array:
    """Unit quaternions (…, 4) of rotation matrices, exact at every angle.

    Each row of the symmetric matrix below is a multiple of the quaternion; the longest loses
    the fewest digits.
    """
    m = rotation
    xx, yy, zz = m[..., 0, 0], m[..., 1, 1], m[..., 2, 2]
    wx, wy, wz = m[..., 2, 1] - m[..., 1, 2], m[..., 0, 2] - m[..., 2, 0], m[..., 1, 0] - m[..., 0, 1]
    xy, xz, yz = m[..., 0, 1] + m[..., 1, 0], m[..., 0, 2] + m[..., 2, 0], m[..., 1, 2] + m[..., 2, 1]
    rows = np.stack(
        [
            np.stack([1.0 + xx + yy + zz, wx, wy, wz], axis=-1),
            np.stack([wx, 1.0 + xx - yy - zz, xy, xz], axis=-1),
            np.stack([wy, xy, 1.0 - xx + yy - zz, yz], axis=-1),
            np.stack([wz, xz, yz, 1.0 - xx - yy + zz], axis=-1),
        ],
        axis=-2,
    )
    norms = np.linalg.norm(rows, axis=-1)
    best = np.argmax(norms, axis=-1)[..., None]
    longest = np.take_along_axis(rows, best[..., None], axis=-2)[..., 0, :]
    return longest / np.take_along_axis(norms, best, axis=-1)


def turned(quaternion: Array, vector: Array) -> Array:
    """Unit quaternions (…, 4), each followed by the turn along a rotation vector (…, 3) of its frame."""
    half = 0.5 * np.sqrt((vector * vector).sum(axis=-1)) + _TINY
    c = np.cos(half)
    a, b, d = np.moveaxis(vector, -1, 0) * (0.5 * np.sin(half) / half)
    w, x, y, z = np.moveaxis(quaternion, -1, 0)
    return np.stack(
        [
            w * c - x * a - y * b - z * d,
            w * a + x * c + y * d - z * b,
            w * b - x * d + y * c + z * a,
            w * d + x * b - y * a + z * c,
        ],
        axis=-1,
    )


def quaternion_between(one: Array, other: Array) -> Array:
    """Rotation vectors (…, 3) in the frame of ``one`` that turn it into ``other``, the short way."""
    w, x, y, z = np.moveaxis(one, -1, 0) * np.array([1.0, -1.0, -1.0, -1.0]).reshape(4, *[1] * (one.ndim - 1))
    a, b, c, d = np.moveaxis(other, -1, 0)
    real = w * a - x * b - y * c - z * d
    vector = np.stack(
        [w * b + x * a + y * d - z * c, w * c - x * d + y * a + z * b, w * d + x * c - y * b + z * a], axis=-1
    )
    vector = vector * np.where(real < 0.0, -1.0, 1.0)[..., None]
    sine = np.linalg.norm(vector, axis=-1) + _TINY
    return np.asarray(vector * (2.0 * np.arctan2(sine, np.abs(real)) / sine)[..., None])


def from_quaternion(quaternion: Array) -> Array:
    """Rotation matrices (…, 3, 3) of quaternions (…, 4) of any length but zero."""
    w, x, y, z = np.moveaxis(quaternion / np.linalg.norm(quaternion, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def angle_between(first: Array, second: Array) -> Array:
    """The angle in radians that turns one rotation matrix into the other, exact near 0 and π."""
    quaternion = to_quaternion(np.swapaxes(first, -1, -2) @ second)
    return 2.0 * np.arctan2(np.linalg.norm(quaternion[..., 1:], axis=-1), np.abs(quaternion[..., 0]))

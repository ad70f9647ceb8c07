"""The same mathematics written slowly, straight from the formulas, for the tests to compare with."""

from collections.abc import Callable

import numpy as np
from bl_ext.user_default.contrapposto.solvers import SWING_TWIST, Figure


def rodrigues(vector: np.ndarray) -> np.ndarray:
    """The rotation about a vector (3,) by its length."""
    angle = np.linalg.norm(vector)
    if angle == 0.0:
        return np.eye(3)
    x, y, z = vector / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    # 1 − cos without the loss of digits at small angles
    return np.eye(3) + np.sin(angle) * cross + 2.0 * np.sin(0.5 * angle) ** 2 * cross @ cross


def rotation_of(kind: str, angles: np.ndarray) -> np.ndarray:
    """The rotation of one joint from its three coordinates."""
    x, y, z = angles
    if kind == SWING_TWIST:
        return rodrigues(np.array([x, 0.0, z])) @ rodrigues(np.array([0.0, y, 0.0]))
    result = np.eye(3)
    for axis in kind:
        k = "XYZ".index(axis)
        result = rodrigues(angles[k] * np.eye(3)[k]) @ result
    return result


def angle_of(rotation: np.ndarray) -> float:
    """By how much a rotation turns; exact but near half a turn."""
    sine = np.linalg.norm(rotation - rotation.T) / np.sqrt(8.0)
    return float(np.arctan2(sine, 0.5 * (np.trace(rotation) - 1.0)))


def matrices(figure: Figure, q: np.ndarray) -> list[np.ndarray]:
    """Where every bone is, as 4×4 matrices, bone by bone from its parent."""
    tree = figure.skeleton
    slides = dict(zip(tree.translating.tolist(), q[3 * tree.size :].reshape(-1, 3), strict=True))
    placed: list[np.ndarray] = []
    for i, parent in enumerate(tree.parents):
        above = np.eye(4) if parent < 0 else placed[parent]
        turned = np.eye(3) if tree.rotation_parents[i] < 0 else above[:3, :3]
        offset = tree.offsets[i] + tree.slide[i] @ slides.get(i, np.zeros(3))
        matrix = np.eye(4)
        matrix[:3, :3] = (
            turned @ tree.rest[i] @ rotation_of(tree.kinds[i], q[3 * i : 3 * i + 3]) @ tree.scale[i]
        )
        matrix[:3, 3] = above[:3, :3] @ offset + above[:3, 3]
        placed.append(matrix)
    return placed


def point_at(figure: Figure, q: np.ndarray, bone: int, point: np.ndarray) -> np.ndarray:
    matrix = matrices(figure, q)[bone]
    return matrix[:3, :3] @ point + matrix[:3, 3]


def direction_at(figure: Figure, q: np.ndarray, bone: int, direction: np.ndarray) -> np.ndarray:
    vector = matrices(figure, q)[bone][:3, :3] @ direction
    return vector / np.linalg.norm(vector)


def centre_of_mass(figure: Figure, q: np.ndarray) -> np.ndarray:
    placed = matrices(figure, q)
    total = np.zeros(3)
    for matrix, mass, point in zip(placed, figure.masses, figure.mass_points, strict=True):
        total += mass * (matrix[:3, :3] @ point + matrix[:3, 3])
    return total / figure.masses.sum()


def derivative(
    function: Callable[[np.ndarray], np.ndarray], at: np.ndarray, step: float = 1e-6
) -> np.ndarray:
    """(…, k): the derivative of a function by each of the k numbers ``at``, by central differences."""
    columns = []
    for nudge in step * np.eye(len(at)):
        columns.append((np.asarray(function(at + nudge)) - np.asarray(function(at - nudge))) / (2.0 * step))
    return np.stack(columns, axis=-1)

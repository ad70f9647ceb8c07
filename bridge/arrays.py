"""Blender's collections as numpy arrays, in bulk.

Blender stores floats of 32 bits; handing it the same is ten times faster than any other type.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]
Mask: TypeAlias = NDArray[np.bool_]

_HUGE = 1e12


def read_numbers(collection: Any, name: str, width: int = 1) -> Array:
    """Property ``name`` of every item: (n, width), or (n,) for a single number."""
    values = np.empty(len(collection) * width, dtype=np.float32)
    collection.foreach_get(name, values)
    return values.astype(float).reshape((-1, width) if width > 1 else -1)


def read_flags(collection: Any, name: str, width: int = 1) -> Mask:
    """Like `read_numbers`, for booleans."""
    values = np.empty(len(collection) * width, dtype=bool)
    collection.foreach_get(name, values)
    return values.reshape((-1, width) if width > 1 else -1)


def read_matrices(collection: Any, name: str, size: int = 4) -> Array:
    """Property ``name`` of every item, matrices (n, size, size) that act on columns."""
    flat = read_numbers(collection, name, size * size)
    return np.ascontiguousarray(np.swapaxes(flat.reshape(-1, size, size), -1, -2))


def usable(values: Any) -> Mask:
    """Where numbers are neither NaN nor beyond all use; Blender makes its largest of an infinite one."""
    return np.abs(values) < _HUGE  # false for NaN

"""Where a particle should move, learnt from how all moved: the gain of an ensemble Kalman filter.

With the tangents ``D`` (k, u) of a step and the changes ``Y`` (k, m) of the residual that came of them, both
less their means, ``−r (YᵀY + λ)⁻¹ Yᵀ D`` is the combination of moves seen that should take a residual ``r``
away. Nothing is differentiated, and the cost is linear in the number of joints.
"""

from __future__ import annotations

import numpy as np

from ..arrays import Array

_DAMPING = 1e-3  # times the mean squared change of a row
_LONGEST = 0.5  # radians: beyond, what was learnt nearby means nothing


class EnsembleGain:
    """What a step of the cloud taught."""

    def __init__(self, tangents: Array, changes: Array) -> None:
        self._tangents = tangents - tangents.mean(axis=0)
        changes = changes - changes.mean(axis=0)
        square = changes.T @ changes
        rows = len(square)
        square[np.diag_indices(rows)] += _DAMPING * np.trace(square) / max(1, rows) + 1e-300
        self._weights = np.linalg.solve(square, changes.T)

    def drift(self, residuals: Array) -> Array:
        """Tangents (k, u) that should bring residuals (k, m) to zero, cut to a sensible length."""
        drift = -(residuals @ self._weights) @ self._tangents
        longest = np.abs(drift).max(axis=1, keepdims=True, initial=0.0)
        return np.asarray(drift * np.minimum(1.0, _LONGEST / np.maximum(longest, 1e-300)))

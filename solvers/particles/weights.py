"""Weights of particles, kept as logarithms, and how to draw particles by them."""

from __future__ import annotations

import numpy as np

from ..arrays import Array, Ints


def normalised(log_weights: Array) -> Array:
    """Log-weights (k,) whose weights sum to one; equal ones where none counts."""
    highest = log_weights.max()
    if not np.isfinite(highest):
        return np.full(len(log_weights), -np.log(len(log_weights)))
    shifted = log_weights - highest
    return np.asarray(shifted - np.log(np.exp(shifted).sum()))


def effective_size(log_weights: Array) -> float:
    """``1/Σw²``: how many equal particles tell as much as these normalised log-weights (k,)."""
    return float(1.0 / np.exp(2.0 * log_weights).sum())


def systematic(log_weights: Array, rng: np.random.Generator) -> Ints:
    """Numbers (k,) drawn by one comb of equal gaps: each comes ⌊kw⌋ or ⌈kw⌉ times."""
    count = len(log_weights)
    return _combed(np.exp(log_weights), (rng.random() + np.arange(count)) / count)


def residual(log_weights: Array, rng: np.random.Generator) -> Ints:
    """Numbers (k,): each ⌊kw⌋ times for certain, the rest drawn by what is left of the weights."""
    count = len(log_weights)
    shares = count * np.exp(log_weights)
    certain = np.floor(shares + 1e-9).astype(np.intp)
    left = np.maximum(shares - certain, 0.0)
    drawn = _combed(left / max(left.sum(), 1e-300), np.sort(rng.random(count - int(certain.sum()))))
    return np.sort(np.concatenate([np.repeat(np.arange(count), certain), drawn]))


def _combed(weights: Array, teeth: Array) -> Ints:
    """The particle whose stretch of the cumulated weights each tooth falls on."""
    ends = np.cumsum(weights)
    return np.minimum(np.searchsorted(ends, teeth * ends[-1], side="right"), len(weights) - 1)

"""Several different postures that meet the same goals.

Particles are scattered from the start, some near and some as far as limits allow; of those that come nearest
to the goals, ones far apart stand for the clusters of the cloud. A backend brings each of them onto
the goals, and of what meets them, ones that are visibly different are kept.
"""

from __future__ import annotations

import numpy as np

from .arrays import Array, Ints
from .backends import BACKENDS, Budget
from .particles import scattered
from .problem import Problem

_PARTICLES = 256
_NEAREST = 64  # of them, by objective
_WIDTHS = np.array([0.25, 0.5, 1.0])  # of the range between limits, in turn
_TRIALS = 4  # clusters for each posture that is wanted
_DISTINCT = 0.02  # in sizes of the figure, the mean distance between the same bones


def variations(problem: Problem, count: int, backend: str = "NONLINEAR", seed: int = 0) -> list[Array]:
    """Up to ``count`` coordinates (d,) that meet all goals, the nearest to the start first."""
    rng = np.random.default_rng(seed)
    us = scattered(problem, rng, _PARTICLES) * _WIDTHS[np.arange(_PARTICLES) % len(_WIDTHS), None]
    us = us[np.argsort((problem.residuals(us) ** 2).sum(axis=-1), kind="stable")[:_NEAREST]]
    clusters = us[_spread_out(_looks(problem, problem.coordinates(us)), _TRIALS * count)]
    solver = BACKENDS[backend]()
    starts = [problem.retargeted(problem.goals, q) for q in problem.coordinates(clusters)]
    results = [solver.solve(start, Budget(restarts=0)) for start in starts]
    found = np.array([result.q for result in results if result.met])
    if not len(found):
        return []
    start = _looks(problem, problem.space.start[None])
    looks = _looks(problem, found)
    kept = _spread_out(looks, count, _DISTINCT * problem.figure.size)
    return [found[i] for i in kept[np.argsort(_distances(looks[kept], start[0]), kind="stable")]]


def _looks(problem: Problem, qs: Array) -> Array:
    """Where the bones are, (k, n, 3)."""
    return np.array([problem.figure.forward(q).origins for q in qs])


def _distances(looks: Array, look: Array) -> Array:
    """The mean distance (k,) of the same bones."""
    return np.asarray(np.linalg.norm(looks - look, axis=-1).mean(axis=-1))


def _spread_out(looks: Array, count: int, least: float = 0.0) -> Ints:
    """Numbers of up to ``count`` postures, each as far as can be from those before; from the first on."""
    chosen = [0]
    gaps = _distances(looks, looks[0])
    while len(chosen) < min(count, len(looks)) and gaps.max() > least:
        chosen.append(int(np.argmax(gaps)))
        gaps = np.minimum(gaps, _distances(looks, looks[chosen[-1]]))
    return np.array(chosen, dtype=np.intp)

"""Inverse kinematics by a particle filter, after Courty & Arnaud (2008).

The posture is the hidden state of a Markov model, the goals are what is measured. Each step

1. moves every particle by the evolution prior, which keeps joint limits and hard constraints by rejection;
2. weighs it by the likelihood ``exp(−E/s)``, with the energy ``E = g·‖residual‖² + costs``. The noise ``s``
   shrinks with the cloud's spread of energies, and that of the goals faster, as their share ``g`` grows;
3. takes the particle of greatest weight as the estimate, and draws the cloud anew when too few count.

The paper leaves open how far to move. Here the spread of the evolution follows from the cloud: in the mean,
an unguided move changes the residual by a part of what is left of it; and it becomes smaller
while too few moves help. Every other particle is *guided*: its prior has the mean that an ensemble Kalman
gain foretells (see `kalman`), instead of the place where it is. One particle keeps the estimate.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Array, Ints, Mask
from ..constraints import Constraint
from ..postures import Postures
from ..problem import Problem
from .evolution import Evolution
from .kalman import EnsembleGain
from .weights import effective_size, normalised, systematic

_FIRST_SPREAD = 0.02  # radians; one step tells how far it should be
_WIDEST = 0.5
_WIDENING = 4.0  # at most, in a step
_PART = {True: 0.5, False: 1.0}  # of the residual, that a move changes; guided or not
_HELPFUL = 0.15  # of the unguided moves should lower the energy
_SHARPNESS = 0.3  # the noise as a part of the mean excess of energy
_GROWTH = 1.05  # of the goals' share, per step
_FEW = 0.5  # of the particles, as effective size, call for new ones
_LENGTHS = np.array([1.0, 0.5, 0.25, 0.12])  # of the way that the gain foretells, in turn
_TRIES = 3  # shorter moves, for particles that hard constraints forbid


@dataclass(frozen=True, eq=False)
class Cloud:
    """Particles ``us`` (k, u), how they fare, and their normalised log-weights (k,).

    ``residuals`` (k, m) are those of the goals, ``costs`` (k, c) those of soft constraints; ``allowed`` (k,)
    says where hard constraints hold.
    """

    us: Array
    residuals: Array
    costs: Array
    allowed: Mask
    log_weights: Array

    @property
    def objectives(self) -> Array:
        """(k,): what goals alone add up to."""
        return np.asarray((self.residuals * self.residuals).sum(axis=-1))

    @property
    def estimate(self) -> int:
        """The number of the maximum a posteriori particle."""
        return int(np.argmax(self.log_weights))

    def drawn(self, numbers: Ints) -> Cloud:
        """The particles of these numbers, with equal weights."""
        even = np.full(len(numbers), -np.log(len(numbers)))
        costs, allowed = self.costs[numbers], self.allowed[numbers]
        return Cloud(self.us[numbers], self.residuals[numbers], costs, allowed, even)


class ParticleFilter:
    """An iterator over clouds, each before it is drawn anew; it never ends by itself."""

    def __init__(
        self,
        problem: Problem,
        rng: np.random.Generator,
        particles: int = 30,
        constraints: Sequence[Constraint] = (),
        guided: bool = True,
        start: Array | None = None,
    ) -> None:
        """``start`` (k, u), feasible, is where the particles begin: all at ``u = 0`` where not given."""
        self._problem = problem
        self._rng = rng
        self._soft = [each for each in constraints if not each.hard]
        self._hard = [each for each in constraints if each.hard]
        self._evolution = Evolution(problem.figure, problem.space)
        self._willingness = problem.space.scale / problem.space.scale.max(initial=1e-12)
        self._guided = (np.arange(particles) % 2 == 1) & guided
        self._part = _PART[guided]
        self._spread, self._boldness = _FIRST_SPREAD, 1.0
        self._noise, self._share = np.inf, 1.0
        self._gain: EnsembleGain | None = None
        if start is None:
            start = np.zeros((particles, problem.space.size))
        cloud = self._weighed(start, np.full(particles, -np.log(particles)))
        self._cloud = self._reweighed(cloud) if np.ptp(start, axis=0).any() else cloud

    def __iter__(self) -> ParticleFilter:
        return self

    def __next__(self) -> Cloud:
        before, kept = self._cloud, self._cloud.estimate
        us, tangents = self._evolved(before, kept)
        after = self._weighed(us, before.log_weights)
        self._learn(before, after, tangents, kept)
        after = self._reweighed(after)
        few = effective_size(after.log_weights) < _FEW * len(us)
        self._cloud = after.drawn(systematic(after.log_weights, self._rng)) if few else after
        return after

    # Evolution

    def _evolved(self, cloud: Cloud, kept: int) -> tuple[Array, Array]:
        """Where the particles move, and by what tangents (k, u)."""
        means = np.zeros_like(cloud.us)
        if self._gain is not None:
            drift = self._gain.drift(self._rows(cloud)[self._guided])
            means[self._guided] = drift * _LENGTHS[np.arange(len(drift)) % len(_LENGTHS), None]
        spreads = np.broadcast_to(self._spread * self._willingness, cloud.us.shape).copy()
        means[kept] = spreads[kept] = 0.0
        us, tangents = self._evolution.drawn(cloud.us, means, spreads, self._rng)
        for attempt in range(1, _TRIES + 1) if self._hard else ():
            bad = cloud.allowed & ~self._allowed(us)
            if not bad.any():
                return us, tangents
            shorter = 0.25**attempt
            again = self._evolution.drawn(cloud.us, shorter * means, shorter * spreads, self._rng)
            us, tangents = np.where(bad[:, None], again, (us, tangents))
        bad = cloud.allowed & ~self._allowed(us) if self._hard else np.zeros(len(us), dtype=bool)
        return np.where(bad[:, None], cloud.us, us), np.where(bad[:, None], 0.0, tangents)

    # Likelihood

    def _weighed(self, us: Array, log_weights: Array) -> Cloud:
        residuals = self._problem.residuals(us)
        if not self._soft and not self._hard:
            return Cloud(us, residuals, np.zeros((len(us), 0)), np.ones(len(us), dtype=bool), log_weights)
        postures = Postures(self._problem.figure, self._problem.coordinates(us))
        costs = np.array([each.costs(postures) for each in self._soft]).reshape(-1, len(us)).T
        return Cloud(us, residuals, costs, self._allowed(us, postures), log_weights)

    def _allowed(self, us: Array, postures: Postures | None = None) -> Mask:
        postures = postures or Postures(self._problem.figure, self._problem.coordinates(us))
        allowed = np.ones(len(us), dtype=bool)
        for each in self._hard:
            allowed &= each.allows(postures)
        return allowed

    def _reweighed(self, cloud: Cloud) -> Cloud:
        """The cloud with weights by its energies; the forbidden only count where nothing else is there."""
        energies = self._energies(cloud)
        if cloud.allowed.any():
            energies = np.where(cloud.allowed, energies, np.inf)
        finite = np.isfinite(energies)
        excess = energies - energies[finite].min() if finite.any() else energies
        mean = float(excess[finite].mean()) if finite.any() else np.inf
        self._noise = min(self._noise, max(_SHARPNESS * mean, 1e-300))
        weights = normalised(cloud.log_weights - excess / self._noise)
        self._share *= _GROWTH if self._soft else 1.0
        return Cloud(cloud.us, cloud.residuals, cloud.costs, cloud.allowed, weights)

    def _energies(self, cloud: Cloud) -> Array:
        return np.asarray(self._share * cloud.objectives + cloud.costs.sum(axis=-1))

    def _rows(self, cloud: Cloud) -> Array:
        """What the guided want to be zero: residuals and roots of costs, (k, m + c)."""
        if not self._soft:
            return cloud.residuals
        roots = np.sqrt(np.minimum(cloud.costs, 1e12) / self._share)
        return np.concatenate([cloud.residuals, roots], axis=-1)

    # Learning

    def _learn(self, before: Cloud, after: Cloud, tangents: Array, kept: int) -> None:
        """How far to move next, from what this step's moves did."""
        changes = self._rows(after) - self._rows(before)
        plain = ~self._guided if self._gain is not None else np.ones(len(changes), dtype=bool)
        plain[kept] = False
        if self._guided.any():
            self._gain = EnsembleGain(tangents, changes)
        if not plain.any():
            return
        helped = (self._energies(after) < self._energies(before))[plain].mean()
        self._boldness = min(1.0, self._boldness * float(np.exp(helped - _HELPFUL) ** 0.3))
        changed = changes[plain] - changes[plain].mean(axis=0)
        spread = self._spread_of(tangents[plain])
        effect = float(np.sqrt((changed * changed).sum(axis=-1).mean())) / spread
        left = float(np.sqrt((self._rows(after) ** 2).sum(axis=-1).min()))
        wanted = self._boldness * self._part * left / max(effect, 1e-12)
        self._spread = max(min(wanted, _WIDEST, _WIDENING * spread), 1e-9)

    def _spread_of(self, tangents: Array) -> float:
        """The spread that moves (k, u) really had: hard constraints may have left only short ones."""
        if not self._hard:
            return self._spread
        size, wanted = (float(np.sqrt((each * each).mean())) for each in (tangents, self._willingness))
        return max(size / max(wanted, 1e-12), 1e-9)


def scattered(problem: Problem, rng: np.random.Generator, count: int) -> Array:
    """Random postures (count, u) within all limits; without limits, within a radian or unit of length."""
    space = problem.space
    low = np.where(np.isfinite(space.lower), space.lower, -1.0)
    high = np.where(np.isfinite(space.upper), space.upper, 1.0)
    us = rng.uniform(low, high, (count, space.size))
    if not len(space.bounds):
        return us
    # The way from the start, which is feasible, as far as it keeps every row.
    motion = us @ space.rows.T
    parts = np.where(motion > space.bounds, space.bounds / np.maximum(motion, 1e-300), 1.0)
    return np.asarray(us * parts.min(axis=1, keepdims=True))

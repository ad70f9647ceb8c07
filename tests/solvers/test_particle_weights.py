"""Resampling by its frequencies, weights by closed forms."""

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers.particles.weights import (
    effective_size,
    normalised,
    residual,
    systematic,
)

WEIGHTS = np.array([0.42, 0.0, 0.03, 0.25, 0.3])
DRAWS = 20_000


@pytest.mark.parametrize("scheme", [systematic, residual])
def test_every_particle_is_drawn_as_often_as_it_weighs(scheme):
    rng = np.random.default_rng(0)
    with np.errstate(divide="ignore"):
        logs = np.log(WEIGHTS)
    counts = np.array([np.bincount(scheme(logs, rng), minlength=5) for _ in range(DRAWS)])
    assert (counts.sum(axis=1) == 5).all()
    error = counts.std(axis=0) / np.sqrt(DRAWS)
    assert (np.abs(counts.mean(axis=0) - 5 * WEIGHTS) <= 4.0 * error + 1e-12).all()
    assert (counts >= np.floor(5 * WEIGHTS + 1e-9)).all()  # what is certain comes for certain
    if scheme is systematic:
        assert (counts <= np.ceil(5 * WEIGHTS - 1e-9)).all()


@pytest.mark.parametrize("scheme", [systematic, residual])
def test_whole_shares_leave_nothing_to_chance(scheme):
    logs = np.log([0.5, 0.25, 0.25, 1e-300])
    for seed in range(20):
        assert scheme(logs, np.random.default_rng(seed)).tolist() == [0, 0, 1, 2]


def test_effective_size():
    assert effective_size(normalised(np.zeros(8))) == pytest.approx(8.0)
    assert effective_size(normalised(np.array([0.0, -np.inf, -np.inf]))) == pytest.approx(1.0)
    assert effective_size(np.log([0.5, 0.25, 0.25])) == pytest.approx(1.0 / 0.375)


def test_weights_far_below_what_a_float_can_hold():
    logs = normalised(np.array([-1e6, -1e6 + np.log(3.0), -2e6]))
    assert np.allclose(np.exp(logs), [0.25, 0.75, 0.0])
    assert np.allclose(np.exp(normalised(np.full(4, -np.inf))), 0.25)

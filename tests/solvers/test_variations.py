"""Different postures for the same goals."""

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import BACKENDS, Problem, variations

from .scenes import REACHABLE, too_far

SCENES = ["hands and feet", "an arm", "groups and couplings"]


def looks(problem, q):
    return problem.figure.forward(q).origins


@pytest.mark.parametrize("backend", BACKENDS)
def test_all_meet_the_goals_within_limits(backend):
    problem = REACHABLE["hands and feet"]()
    found = variations(problem, 4, backend)
    assert len(found) >= 2
    for q in found:
        here = Problem(problem.figure, problem.goals, q)
        assert here.met(here.evaluate(np.zeros(here.space.size)))
        assert problem.figure.violation(q) <= 1e-9


@pytest.mark.parametrize("scene", SCENES)
def test_they_look_different_and_the_nearest_comes_first(scene):
    problem = REACHABLE[scene]()
    found = [looks(problem, q) for q in variations(problem, 6)]
    start = looks(problem, problem.space.start)
    away = [np.linalg.norm(each - start, axis=-1).mean() for each in found]
    assert away == sorted(away)
    for i, each in enumerate(found):
        for other in found[:i]:
            assert np.linalg.norm(each - other, axis=-1).mean() > 0.02 * problem.figure.size


def test_seeds():
    problem = REACHABLE["hands and feet"]()
    first, again, other = (variations(problem, 3, seed=seed) for seed in (0, 0, 1))
    assert all(np.array_equal(one, two) for one, two in zip(first, again, strict=True))
    assert not np.array_equal(first[0], other[0])


def test_none_where_goals_cannot_be_met():
    assert variations(too_far(), 3) == []

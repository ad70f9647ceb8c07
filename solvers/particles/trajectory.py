"""The way that estimates take, smoothed as in the paper: each moves the last a part of the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from ..arrays import Array
from ..constraints import broken_constraints
from ..postures import Postures
from ..problem import Problem
from .evolution import Evolution


def smoothed(problem: Problem, estimates: Iterable[Array], part: float = 0.3) -> Iterator[Array]:
    """Postures (u,) that follow ``estimates`` (u,) from the start, a ``part`` of the way at each.

    Limits hold; where a hard constraint forbids what is between, the estimate itself is taken.
    """
    evolution = Evolution(problem.figure, problem.space)
    last = np.zeros(problem.space.size)
    for estimate in estimates:
        between = evolution.interpolated(last[None], estimate[None], part)
        postures = Postures(problem.figure, problem.coordinates(between))
        last = estimate if broken_constraints(problem.constraints, postures) else between[0]
        yield last

"""Levels of priority: which goals are in each, and which of two points is the better one."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Array, Mask
from ..problem import Point, Problem, Reference

_ALIKE = 0.01  # radians, or units of length: what differs less from a reference is like it


@dataclass(frozen=True, eq=False)
class Level:
    """The goals of one priority, by their numbers."""

    problem: Problem
    goals: tuple[int, ...]

    @cached_property
    def rows(self) -> Mask:
        """(m,): the rows of the residual that are this level's."""
        return np.isin(self.problem.row_owners, self.goals)

    @cached_property
    def terms(self) -> Mask:
        return np.isin(self.problem.terms.owners, self.goals)

    @cached_property
    def tolerance(self) -> float:
        """The finest tolerance of its terms, in the residual's unit."""
        return float(np.sqrt(self.problem.terms.limits[self.terms].min()))

    @cached_property
    def leeway(self) -> float:
        """How much its residual may grow in length while no term grows by more than its tolerance."""
        return float(np.sqrt(self.problem.terms.limits[self.terms].sum()))

    def objective(self, point: Point) -> float:
        residual = point.residual[self.rows]
        return float(residual @ residual)

    def met(self, point: Point) -> bool:
        terms = self.problem.terms
        return bool((terms.squares(point.residual) <= terms.limits)[self.terms].all())

    def slope(self, point: Point) -> Array:
        """The derivative (rows, u) by scaled variables."""
        return np.asarray(self.problem.slope_at(point)[self.rows] * self.problem.space.scale)

    def signed(self, point: Point) -> Array:
        """The residual (rows,) of the branches that count, one-sided rows with their sign."""
        return np.asarray(self.problem.branch(point)[self.rows])

    @cached_property
    def one_sided(self) -> Mask | None:
        """(rows,): those that count only while positive."""
        sides = self.problem.terms.one_sided
        return None if sides is None else sides[self.rows]

    def alone(self, values: Array) -> Array:
        """``values`` (m,) with zeros for all other rows."""
        return np.asarray(np.where(self.rows, values, 0.0))


@dataclass(frozen=True, eq=False)
class PostureLevel:
    """The last level of all: coordinates are as in a reference. ``P = Σ (w (q − q_r))²``."""

    problem: Problem
    reference: Reference
    tolerance: float = _ALIKE

    @cached_property
    def _weights(self) -> Array:
        moving, weights = self.problem.moving, self.reference.weights
        return np.ones(int(moving.sum())) if weights is None else weights[moving]

    def signed(self, point: Point) -> Array:
        """(moving coordinates,): how far each is from its reference, times its weight."""
        away = self.problem.coordinates(point.u) - self.reference.q
        return np.asarray(self._weights * away[self.problem.moving])

    def slope(self, point: Point) -> Array:
        space = self.problem.space
        return np.asarray(self._weights[:, None] * space.basis[self.problem.moving] * space.scale)

    one_sided = None

    def objective(self, point: Point) -> float:
        away = self.signed(point)
        return float(away @ away)

    def met(self, point: Point) -> bool:
        return bool(np.abs(self.signed(point)).max(initial=0.0) <= self.tolerance)

    def alone(self, values: Array) -> Array:
        return np.zeros(len(values))


def levels_of(problem: Problem) -> list[Level]:
    """The levels, most important first."""
    return [
        Level(problem, tuple(g for g, goal in enumerate(problem.goals) if goal.priority == priority))
        for priority in problem.priorities
    ]


class Ranking:
    """Keeps the best point: one that is better at a level counts for more than all levels below.

    A level may get worse by its leeway, measured from the best it ever was, not from the last.
    """

    def __init__(self, levels: list[Level], first: Point) -> None:
        self._levels = levels
        self._sizes = self._measure(first)
        self._lowest = self._sizes.copy()
        self.best = first

    def _measure(self, point: Point) -> Array:
        """(levels,): the length of each level's residual; zero where it is met and not the last."""
        sizes = [np.sqrt(level.objective(point)) for level in self._levels]
        for i, level in enumerate(self._levels[:-1]):
            if sizes[i] > 0.0 and level.met(point):
                sizes[i] = 0.0
        return np.array(sizes)

    def offer(self, point: Point) -> None:
        sizes = self._measure(point)
        for i, level in enumerate(self._levels[:-1]):
            bar = min(self._lowest[i], sizes[i]) + level.leeway
            if max(sizes[i], self._sizes[i]) > bar:
                if sizes[i] < self._sizes[i]:
                    self._take(point, sizes, i)
                return
            # As good as each other here: what is below decides.
        if sizes[-1] < self._sizes[-1]:
            self._take(point, sizes, len(sizes) - 1)

    def _take(self, point: Point, sizes: Array, decided: int) -> None:
        """Levels below the one that decided start anew: what they were before does not bind."""
        self.best, self._sizes = point, sizes
        self._lowest[: decided + 1] = np.minimum(self._lowest, sizes)[: decided + 1]
        self._lowest[decided + 1 :] = sizes[decided + 1 :]

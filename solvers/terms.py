"""The terms of all goals, stacked by formula: the residual, its derivative and who owns what.

Rows of the residual are grouped by term, terms by formula. ``owners`` (t,) says which goal a term is
of, ``members`` (t,) which member of a set of goals, −1 outside sets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import chain

import numpy as np

from .arrays import Array, Ints
from .effectors import Placed
from .goals import AnyOf, Goal
from .goals.base import Formula, Term

Number = Callable[[Term], tuple[int, int]]  # which point and which direction a term is about


@dataclass(frozen=True, eq=False)
class _Stack:
    """All terms of one formula."""

    formula: type[Formula]
    rows: slice
    points: Ints
    directions: Ints
    targets: Array
    axes: Array
    gains: Array


@dataclass(frozen=True, eq=False)
class _Listed:
    """A term with where it comes from; its gain includes the goal's weight."""

    term: Term
    gain: float
    owner: int
    member: int
    tolerance: float


def _listed(goals: Sequence[Goal]) -> list[_Listed]:
    """Every term of every goal, those of one formula together."""
    result = []
    for g, goal in enumerate(goals):
        is_set = isinstance(goal, AnyOf)
        for b, part in enumerate(goal.members if isinstance(goal, AnyOf) else (goal,)):
            weight = goal.weight * part.weight if is_set else goal.weight
            chord = 2.0 * float(np.sin(0.5 * min(part.angle_tolerance, np.pi)))
            for term in part.terms():
                tolerance = chord if term.formula.angular else part.tolerance
                gain = term.gain * weight**0.5
                result.append(_Listed(term, gain, g, b if is_set else -1, tolerance))
    return sorted(result, key=lambda listed: listed.term.formula.__name__)


class Terms:
    """The terms of goals, ready to be evaluated on placed effectors."""

    def __init__(self, goals: Sequence[Goal]) -> None:
        listed = _listed(goals)
        self.terms = [entry.term for entry in listed]
        self.owners = np.array([entry.owner for entry in listed], dtype=np.intp)
        self.members = np.array([entry.member for entry in listed], dtype=np.intp)
        self.angular = np.array([term.formula.angular for term in self.terms], dtype=bool)
        counts = [term.formula.rows for term in self.terms]
        self.row_terms = np.repeat(np.arange(len(self.terms)), counts)
        self.rows = len(self.row_terms)
        self._starts = np.flatnonzero(np.diff(self.row_terms, prepend=-1))
        one_sided = np.array([term.formula.one_sided for term in self.terms], dtype=bool)
        self.one_sided = one_sided[self.row_terms] if one_sided.any() else None
        self._stacks: list[_Stack] = []
        self._weigh(listed)

    def _weigh(self, listed: list[_Listed]) -> None:
        gains = np.array([entry.gain for entry in listed])
        self.squared_gains = gains * gains
        self.limits = (gains * np.array([entry.tolerance for entry in listed])) ** 2

    def number(self, number: Number) -> None:
        """Take note of which point and direction each term is about."""
        numbers = np.array([number(term) for term in self.terms], dtype=np.intp).reshape(-1, 2)
        gains = np.sqrt(self.squared_gains)[:, None]
        row = start = 0
        while start < len(self.terms):
            formula = self.terms[start].formula
            stop = start
            while stop < len(self.terms) and self.terms[stop].formula is formula:
                stop += 1
            rows = slice(row, row + formula.rows * (stop - start))
            points, directions = numbers[start:stop].T.copy()
            targets = np.array([term.target for term in self.terms[start:stop]], dtype=float)
            axes = np.array([term.axis for term in self.terms[start:stop]], dtype=float)
            stack = _Stack(formula, rows, points, directions, targets, axes, gains[start:stop])
            self._stacks.append(stack)
            row, start = rows.stop, stop

    def retargeted(self, goals: Sequence[Goal]) -> Terms | None:
        """The same terms of goals that differ only in numbers; None where they differ in kind."""
        listed = _listed(goals)
        terms = [entry.term for entry in listed]
        if len(terms) != len(self.terms) or not all(map(_alike, self.terms, terms)):
            return None
        other = copy(self)
        other.terms, other._stacks = terms, []
        other._weigh(listed)
        numbers = chain.from_iterable(
            zip(stack.points, stack.directions, strict=True) for stack in self._stacks
        )
        other.number(lambda term: next(numbers))
        return other

    # Evaluating

    def signed(self, placed: Placed, batch: tuple[int, ...]) -> Array:
        """The residual (…, m) before one-sided rows and branches are counted out."""
        result = np.empty((*batch, self.rows))
        for stack in self._stacks:
            point, direction = _gather(stack, placed)
            value = stack.formula.value(point, direction, stack.targets, stack.axes)
            result[..., stack.rows] = (stack.gains * value).reshape(*batch, -1)
        return result

    def slope(self, placed: Placed, d_points: Array, d_directions: Array) -> Array:
        """The derivative (…, m, K) of the signed residual."""
        batch, width = d_points.shape[:-3], d_points.shape[-1]
        result = np.empty((*batch, self.rows, width))
        for stack in self._stacks:
            point, direction = _gather(stack, placed)
            d_point = d_points[..., stack.points, :, :] if d_points.shape[-3] else d_points
            d_direction = d_directions
            if d_directions.shape[-3]:
                d_direction = d_directions[..., stack.directions, :, :]
            constants = (point, direction, stack.targets, stack.axes)
            slope = stack.formula.slope(*constants, d_point, d_direction)
            height = stack.rows.stop - stack.rows.start
            result[..., stack.rows, :] = (stack.gains[..., None] * slope).reshape(*batch, height, width)
        return result

    def pulls(self, placed: Placed, residual: Array) -> tuple[Array, Array]:
        """How the residual pulls at each point (p, 3) and direction (d, 3): half the gradient."""
        on_points, on_directions = np.zeros(placed.points.shape), np.zeros(placed.directions.shape)
        for stack in self._stacks:
            point, direction = _gather(stack, placed)
            zero = np.zeros((len(stack.points), 3, 3))
            identity = zero + np.eye(3)
            rows = residual[stack.rows].reshape(len(stack.points), 1, -1) * stack.gains[..., None]
            constants = (point, direction, stack.targets, stack.axes)
            if len(on_points):
                pull = rows @ stack.formula.slope(*constants, identity, zero)
                np.add.at(on_points, stack.points, pull[:, 0])
            if len(on_directions):
                pull = rows @ stack.formula.slope(*constants, zero, identity)
                np.add.at(on_directions, stack.directions, pull[:, 0])
        return on_points, on_directions

    def squares(self, residual: Array) -> Array:
        """The squared, weighted residual (…, t) of every term."""
        if not self.rows:
            return np.zeros((*residual.shape[:-1], 0))
        return np.asarray(np.add.reduceat(residual * residual, self._starts, axis=-1))

    def counted(self, signed: Array) -> Array:
        """The residual with one-sided rows at zero where they are met."""
        if self.one_sided is None:
            return signed
        return np.asarray(np.where(self.one_sided & (signed < 0.0), 0.0, signed))


def _gather(stack: _Stack, placed: Placed) -> tuple[Array, Array]:
    """Points and directions (…, k, 3) of a stack; anything of that shape where it has none."""
    points, directions = placed.points, placed.directions
    point = points[..., stack.points, :] if points.shape[-2] else stack.targets
    direction = directions[..., stack.directions, :] if directions.shape[-2] else stack.axes
    return point, direction


def _alike(one: Term, other: Term) -> bool:
    """Whether two terms differ only in what they ask for."""
    same = one.formula is other.formula and one.bone == other.bone
    return same and _equal(one.point, other.point) and _equal(one.direction, other.direction)


def _equal(one: Array | None, other: Array | None) -> bool:
    if one is other:
        return True
    return one is not None and other is not None and bool((one == other).all())

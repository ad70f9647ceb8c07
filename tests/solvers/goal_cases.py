"""Every type of goal by the paper's table: its potential, its errors, and where it is met."""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from bl_ext.user_default.contrapposto.solvers import (
    CENTRE_OF_MASS,
    AimGoal,
    AnyOf,
    Effector,
    Figure,
    Goal,
    HalfSpaceGoal,
    LineGoal,
    OrientationGoal,
    PlaneGoal,
    PoseGoal,
    PositionGoal,
)

from . import naive

DEGREES = 60.0  # degrees as important as one unit of length
GAIN = 360.0 / (2.0 * np.pi * DEGREES)
ANGULAR = {"degrees_per_length": DEGREES}


@dataclass(frozen=True)
class Seen:
    """An effector as a plain loop over the bones places it."""

    r: np.ndarray
    x: np.ndarray
    y: np.ndarray


def see(figure: Figure, effector: Effector, q: np.ndarray) -> Seen:
    if effector.bone == CENTRE_OF_MASS:
        return Seen(naive.centre_of_mass(figure, q), *np.eye(3)[:2])
    directions = (naive.direction_at(figure, q, effector.bone, v) for v in (effector.x, effector.y))
    return Seen(naive.point_at(figure, q, effector.bone, effector.point), *directions)


@dataclass(frozen=True)
class Case:
    """How to make a goal, and what is true of it, from the formulas alone."""

    name: str
    # of an effector, a target p, directions v and w, and settings
    make: Callable[..., Goal]
    potential: Callable[[Goal, Seen], float]
    errors: Callable[[Goal, Seen], tuple[float, float]]  # length and angle
    met: Callable[[Goal, Seen], Goal]  # the same goal moved to where the effector is
    on_centre: bool = True  # whether the centre of mass can have it


def unit(vector: np.ndarray) -> np.ndarray:
    return vector / np.linalg.norm(vector)


def _angle(first, second):
    return float(np.arccos(np.clip(unit(first) @ second, -1.0, 1.0)))


def _chord(wanted, own):
    return GAIN**2 * float(np.sum((unit(wanted) - own) ** 2))


def _depth(goal, e):
    """How far below the plane."""
    return float((goal.target - e.r) @ unit(goal.normal))


def _across(goal, e):
    return float(np.linalg.norm(np.cross(goal.target - e.r, unit(goal.direction))))


POSITION = Case(
    "position",
    lambda effector, p, v, w, **s: PositionGoal(effector=effector, target=p, **s),
    lambda goal, e: float(np.sum((goal.target - e.r) ** 2)),
    lambda goal, e: (float(np.linalg.norm(goal.target - e.r)), 0.0),
    lambda goal, e: replace(goal, target=e.r),
)
ORIENTATION = Case(
    "orientation",
    lambda effector, p, v, w, **s: OrientationGoal(effector=effector, x=v, y=w, **ANGULAR, **s),
    lambda goal, e: _chord(goal.x, e.x) + _chord(goal.y, e.y),
    lambda goal, e: (0.0, max(_angle(goal.x, e.x), _angle(goal.y, e.y))),
    lambda goal, e: replace(goal, x=3.0 * e.x, y=e.y),
    on_centre=False,
)
X_ALONE = Case(
    "orientation with y free",
    lambda effector, p, v, w, **s: OrientationGoal(effector=effector, x=v, **ANGULAR, **s),
    lambda goal, e: _chord(goal.x, e.x),
    lambda goal, e: (0.0, _angle(goal.x, e.x)),
    lambda goal, e: replace(goal, x=e.x),
    on_centre=False,
)
Y_ALONE = Case(
    "orientation with x free",
    lambda effector, p, v, w, **s: OrientationGoal(effector=effector, y=w, **ANGULAR, **s),
    lambda goal, e: _chord(goal.y, e.y),
    lambda goal, e: (0.0, _angle(goal.y, e.y)),
    lambda goal, e: replace(goal, y=e.y),
    on_centre=False,
)
POSE = Case(
    "pose",
    lambda effector, p, v, w, **s: PoseGoal(effector=effector, target=p, x=v, y=w, **ANGULAR, **s),
    lambda goal, e: POSITION.potential(goal, e) + ORIENTATION.potential(goal, e),
    lambda goal, e: (POSITION.errors(goal, e)[0], ORIENTATION.errors(goal, e)[1]),
    lambda goal, e: replace(goal, target=e.r, x=e.x, y=e.y),
    on_centre=False,
)
AIM = Case(
    "aim",
    lambda effector, p, v, w, **s: AimGoal(effector=effector, target=p, **ANGULAR, **s),
    lambda goal, e: _chord(goal.target - e.r, e.y),
    lambda goal, e: (0.0, _angle(goal.target - e.r, e.y)),
    lambda goal, e: replace(goal, target=e.r + 0.7 * e.y),
    on_centre=False,
)
LINE = Case(
    "line",
    lambda effector, p, v, w, **s: LineGoal(effector=effector, target=p, direction=v, **s),
    lambda goal, e: _across(goal, e) ** 2,
    lambda goal, e: (_across(goal, e), 0.0),
    lambda goal, e: replace(goal, target=e.r - 2.0 * goal.direction),
)
PLANE = Case(
    "plane",
    lambda effector, p, v, w, **s: PlaneGoal(effector=effector, target=p, normal=v, **s),
    lambda goal, e: _depth(goal, e) ** 2,
    lambda goal, e: (abs(_depth(goal, e)), 0.0),
    lambda goal, e: replace(goal, target=e.r + np.cross(goal.normal, [0.3, 0.8, -0.2])),
)
HALF_SPACE = Case(
    "half-space",
    lambda effector, p, v, w, **s: HalfSpaceGoal(effector=effector, target=p, normal=v, **s),
    lambda goal, e: max(0.0, _depth(goal, e)) ** 2,
    lambda goal, e: (max(0.0, _depth(goal, e)), 0.0),
    lambda goal, e: replace(goal, target=e.r - 0.5 * goal.normal),
)


def _members(effector, p, v, w):
    """A point, a plane that weighs more, or another point."""
    plane = PlaneGoal(effector=effector, target=p, normal=v, weight=3.0)
    return *(PositionGoal(effector=effector, target=place) for place in (p, w)), plane


def _member_potentials(goal, e):
    first, second, plane = goal.members
    return [POSITION.potential(first, e), POSITION.potential(second, e), 3.0 * PLANE.potential(plane, e)]


def _best_errors(goal, e):
    best = int(np.argmin(_member_potentials(goal, e)))
    return (PLANE if best == 2 else POSITION).errors(goal.members[best], e)


ANY_OF = Case(
    "any of",
    lambda effector, p, v, w, **s: AnyOf(effector=effector, members=_members(effector, p, v, w), **s),
    lambda goal, e: min(_member_potentials(goal, e)),
    _best_errors,
    lambda goal, e: replace(goal, members=(POSITION.met(goal.members[0], e), *goal.members[1:])),
)

CASES = (POSITION, ORIENTATION, X_ALONE, Y_ALONE, POSE, AIM, LINE, PLANE, HALF_SPACE, ANY_OF)

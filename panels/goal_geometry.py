"""What goals look like, and how far the figure is from one. World space, Blender units, radians."""

from typing import NamedTuple

from mathutils import Matrix, Vector

from ..properties import GoalSettings

Lines = tuple[tuple[Vector, Vector], ...]

_AXES = {"X": 0, "Y": 1, "Z": 2}
_X, _Y, _Z, _O = Vector((1, 0, 0)), Vector((0, 1, 0)), Vector((0, 0, 1)), Vector((0, 0, 0))


def _square(half: float) -> Lines:
    corners = [Vector((x * half, y * half, 0.0)) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    return tuple(zip(corners, corners[1:] + corners[:1], strict=True))


def _hatched(half: float, depth: float) -> Lines:
    """Short strokes on the side that is not allowed, as in technical drawings."""
    starts = [Vector((0.8 * half * x, 0.8 * half * y, 0.0)) for x, y in ((1, 1), (-1, 1), (-1, -1), (1, -1))]
    return tuple((start, start + Vector((depth, 0.0, -depth))) for start in starts)


# In display sizes of the empty, along its axes.
_CROSS: Lines = ((-_X, _X), (-_Y, _Y), (-_Z, _Z))
_FRAME: Lines = ((_O, 2.0 * _X), (_O, 2.0 * _Y))
SHAPES: dict[str, Lines] = {
    "POSITION": _CROSS,
    "ORIENTATION": _FRAME,
    "POSE": _FRAME,
    "AIM": _CROSS,
    "LINE": ((-20.0 * _Z, 20.0 * _Z),),
    "PLANE": (*_square(6.0), (-6.0 * _X, 6.0 * _X), (-6.0 * _Y, 6.0 * _Y)),
    "HALF_SPACE": (*_square(6.0), *_hatched(6.0, 0.8), (_O, 3.0 * _Z)),
    "OUTSIDE_BOX": (),  # its empty shows all of it
}


class Gap(NamedTuple):
    """What lacks: a line from the effector, the distance, and the angle where something is to be turned."""

    start: Vector
    end: Vector
    distance: float
    angle: float


def gap(settings: GoalSettings, goal: Matrix, effector: Matrix) -> Gap | None:
    """From an effector to where its goal is met; None where nothing lacks that could be shown."""
    kind, start, place = settings.type, effector.translation, goal.translation
    if kind == "AIM":
        return Gap(start, place, 0.0, (place - start).angle(_aim(effector, settings.aim_axis), 0.0))
    if kind == "ORIENTATION":
        return Gap(start, start, 0.0, _turn(settings, goal, effector))
    if kind == "OUTSIDE_BOX":
        return None
    end = _nearest(kind, goal, start)
    angle = _turn(settings, goal, effector) if kind == "POSE" else 0.0
    return Gap(start, end, (end - start).length, angle)


def _nearest(kind: str, goal: Matrix, effector: Vector) -> Vector:
    place, axis = goal.translation, goal.col[2].xyz.normalized()
    along = (effector - place).dot(axis)
    if kind == "LINE":
        return place + along * axis
    if kind == "PLANE" or (kind == "HALF_SPACE" and along < 0.0):
        return effector - along * axis
    return effector.copy() if kind == "HALF_SPACE" else place


def _aim(effector: Matrix, axis: str) -> Vector:
    direction = effector.col[_AXES[axis[-1]]].xyz
    return -direction if axis.startswith("NEG") else direction


def _turn(settings: GoalSettings, goal: Matrix, effector: Matrix) -> float:
    axes = [i for i, used in enumerate((settings.use_x, settings.use_y)) if used]
    return max((goal.col[i].xyz.angle(effector.col[i].xyz, 0.0) for i in axes), default=0.0)

"""What the overlay shows of a figure, as coloured lines in world space; `overlay` draws them."""

from collections.abc import Iterable, Iterator
from math import radians
from typing import NamedTuple

import bpy
from mathutils import Matrix, Vector

from ..properties import GoalSettings, LiveFigure, figure_settings, goal_settings, is_goal_of
from .goal_geometry import SHAPES, Gap, gap
from .palette import RGBA, Palette
from .support import support_polygon

_FAR = 0.05  # of the figure's size: an error of this, or of the angle below, is as red as it gets
_TURNED = radians(30.0)
_CONTACT = 0.06  # of the figure's size above the lowest: ankles stand on the same floor as toes
_LARGE = {"LINE", "PLANE", "HALF_SPACE"}
_STANDING = {"POSITION", "POSE", "PLANE", "HALF_SPACE"}
_AT_LIMIT = 0.02  # of the figure's size, from the middle of the mark to its corners


class Line(NamedTuple):
    """`what` it belongs to: a SHAPE of a goal, an ERROR, a joint at its LIMIT, or the BALANCE."""

    what: str
    start: Vector
    end: Vector
    colour: RGBA


def shown_goals(armature: bpy.types.Object) -> list[bpy.types.Object]:
    """The goals that count and that the user has not hidden."""
    collection = figure_settings(armature).goals_collection
    goals = collection.all_objects if collection else ()
    return [
        each
        for each in goals
        if is_goal_of(each, armature) and goal_settings(each).enabled and each.visible_get()
    ]


def figure_marks(
    armature: bpy.types.Object,
    goals: Iterable[bpy.types.Object],
    depsgraph: bpy.types.Depsgraph,
    palette: Palette,
    live: LiveFigure,
) -> list[Line]:
    """All lines for a figure; what only live posing knows is shown while it lasts."""
    evaluated = armature.evaluated_get(depsgraph)
    size = armature.dimensions.length or 1.0
    lines: list[Line] = []
    contacts: list[Vector] = []
    for goal in goals:
        settings, matrix = goal_settings(goal), goal.evaluated_get(depsgraph).matrix_world
        effector = _effector(settings, evaluated, live)
        lacks = None if effector is None else gap(settings, matrix, effector)
        colour = palette.goal if lacks is None else palette.of_error(_share(settings, lacks, size))
        lines += _shape(settings, matrix, goal.empty_display_size, palette, colour)
        if lacks is not None:
            lines += _error(settings, matrix, lacks, size, colour)
        if live.name and settings.type in _STANDING and settings.bone in evaluated.pose.bones:
            contacts += _ends(evaluated, settings.bone)
    if live.name == armature.name:
        lines += _at_limit(evaluated, live.at_limit, _AT_LIMIT * size, palette)
        lines += _balance(live, contacts, size, palette)
    return lines


def _shape(
    settings: GoalSettings, matrix: Matrix, display_size: float, palette: Palette, error: RGBA
) -> Iterator[Line]:
    """Small shapes have the colour of the error, so that what is met is seen as well."""
    colour = palette.pin if settings.is_pin else palette.goal if settings.type in _LARGE else error
    for start, end in SHAPES[settings.type]:
        yield Line("SHAPE", matrix @ (display_size * start), matrix @ (display_size * end), colour)


def _effector(settings: GoalSettings, armature: bpy.types.Object, live: LiveFigure) -> Matrix | None:
    """Its place and the bone's axes; None where it is not known."""
    if settings.effector == "CENTRE_OF_MASS":
        known = live.name == armature.name and live.centre_of_mass
        return Matrix.Translation(Vector(known)) if known else None
    bone: bpy.types.PoseBone | None = armature.pose.bones.get(settings.bone)
    if bone is None:
        return None
    frame = armature.matrix_world @ bone.matrix
    if settings.effector == "TAIL":
        frame.translation = armature.matrix_world @ bone.tail
    elif settings.effector == "POINT":
        frame.translation = frame @ settings.point
    return frame


def _share(settings: GoalSettings, lacks: Gap, size: float) -> float:
    """How red an error is, from 0 to 1 and beyond."""
    too_far = max(lacks.distance - settings.tolerance, 0.0) / (_FAR * size)
    return max(too_far, max(lacks.angle - settings.angle_tolerance, 0.0) / _TURNED)


def _error(settings: GoalSettings, matrix: Matrix, lacks: Gap, size: float, colour: RGBA) -> Iterator[Line]:
    if settings.type != "ORIENTATION":
        yield Line("ERROR", lacks.start, lacks.end, colour)
        return
    # Where its axes ought to point, from where the bone is.
    for i, used in enumerate((settings.use_x, settings.use_y)):
        if used:
            yield Line(
                "ERROR", lacks.start, lacks.start + _FAR * size * matrix.col[i].xyz.normalized(), colour
            )


def _ends(armature: bpy.types.Object, bone: str) -> list[Vector]:
    posed = armature.pose.bones[bone]
    return [armature.matrix_world @ posed.head, armature.matrix_world @ posed.tail]


def _at_limit(
    armature: bpy.types.Object, bones: Iterable[str], size: float, palette: Palette
) -> Iterator[Line]:
    """A diamond about the joint, across the bone."""
    for name in bones:
        bone: bpy.types.PoseBone | None = armature.pose.bones.get(name)
        if bone is None:
            continue
        frame = armature.matrix_world @ bone.matrix
        x, z = (size * frame.col[i].xyz.normalized() for i in (0, 2))
        corners = [frame.translation + offset for offset in (x, z, -x, -z)]
        for i in range(4):
            yield Line("LIMIT", corners[i - 1], corners[i], palette.missed)


def _balance(live: LiveFigure, contacts: list[Vector], size: float, palette: Palette) -> Iterator[Line]:
    """The centre of mass, its plumb line, and what the figure stands on."""
    if live.centre_of_mass is None:
        return
    centre = Vector(live.centre_of_mass)
    for axis in ((1, 0, 0), (0, 1, 0), (0, 0, 1)):
        arm = 0.03 * size * Vector(axis)
        yield Line("BALANCE", centre - arm, centre + arm, palette.balance)
    corners, inside = support_polygon(contacts, centre, _CONTACT * size)
    if not corners:
        return
    colour = palette.met if inside else palette.missed
    for i in range(len(corners)):
        yield Line("BALANCE", corners[i - 1], corners[i], palette.balance)
    foot = Vector((centre.x, centre.y, corners[0].z))
    yield Line("BALANCE", centre, foot, palette.balance)
    for axis in ((1, 0, 0), (0, 1, 0)):
        arm = 0.02 * size * Vector(axis)
        yield Line("BALANCE", foot - arm, foot + arm, colour)

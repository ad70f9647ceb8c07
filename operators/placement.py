"""Where a goal has to be so that the figure meets it as it is. World matrices throughout."""

from collections.abc import Callable

import bpy
from mathutils import Matrix, Vector

from ..properties import goal_settings

_AXES = {"X": 0, "Y": 1, "Z": 2}


def upright(location: Vector) -> Matrix:
    return Matrix.Translation(location)


def frame(effector: Matrix) -> Matrix:
    """The effector's place and its X and Y axes without scale, right-handed also where it is mirrored."""
    y = effector.col[1].xyz.normalized()
    x = effector.col[0].xyz
    x = (x - x.dot(y) * y).normalized()
    rotation = Matrix((x, y, x.cross(y))).transposed()
    return Matrix.Translation(effector.translation) @ rotation.to_4x4()


def aim_direction(effector: Matrix, aim_axis: str) -> Vector:
    """Where an axis such as `NEG_Z` of the effector points."""
    direction = effector.col[_AXES[aim_axis[-1]]].xyz.normalized()
    return -direction if aim_axis.startswith("NEG") else direction


def first_placement(goal: bpy.types.Object, effector: Matrix, distance: float) -> Matrix:
    """Where a new goal goes; `distance` is how far one aims. Lines, planes and boxes stand upright."""
    settings = goal_settings(goal)
    location = effector.translation
    if settings.type in {"POSITION", "ORIENTATION", "POSE"}:
        return frame(effector)
    if settings.type == "AIM":
        return upright(location + distance * aim_direction(effector, settings.aim_axis))
    if settings.type == "OUTSIDE_BOX":
        # The effector touches its top.
        return upright(location - Vector((0.0, 0.0, goal.empty_display_size)))
    return upright(location)


def nearest_placement(goal: bpy.types.Object, effector: Matrix) -> Matrix:
    """Where the goal is met after the least move of it."""
    return _NEAREST[goal_settings(goal).type](goal, effector)


def _moved(goal: bpy.types.Object, by: Vector) -> Matrix:
    return Matrix.Translation(by) @ goal.matrix_world


def _nearest_position(goal: bpy.types.Object, effector: Matrix) -> Matrix:
    return _moved(goal, effector.translation - goal.matrix_world.translation)


def _nearest_orientation(goal: bpy.types.Object, effector: Matrix) -> Matrix:
    location, _, scale = goal.matrix_world.decompose()
    return Matrix.LocRotScale(location, frame(effector).to_quaternion(), scale)


def _nearest_pose(goal: bpy.types.Object, effector: Matrix) -> Matrix:
    turned = _nearest_orientation(goal, effector)
    turned.translation = effector.translation
    return turned


def _nearest_aim(goal: bpy.types.Object, effector: Matrix) -> Matrix:
    gap = goal.matrix_world.translation - effector.translation
    direction = aim_direction(effector, goal_settings(goal).aim_axis)
    return _moved(goal, gap.length * direction - gap)


def _nearest_line(goal: bpy.types.Object, effector: Matrix) -> Matrix:
    gap = effector.translation - goal.matrix_world.translation
    along = goal.matrix_world.col[2].xyz.normalized()
    return _moved(goal, gap - gap.dot(along) * along)


def _height(goal: bpy.types.Object, effector: Matrix) -> tuple[float, Vector]:
    normal = goal.matrix_world.col[2].xyz.normalized()
    return (effector.translation - goal.matrix_world.translation).dot(normal), normal


def _nearest_plane(goal: bpy.types.Object, effector: Matrix) -> Matrix:
    height, normal = _height(goal, effector)
    return _moved(goal, height * normal)


def _nearest_half_space(goal: bpy.types.Object, effector: Matrix) -> Matrix:
    height, normal = _height(goal, effector)
    return _moved(goal, min(height, 0.0) * normal)


def _nearest_box(goal: bpy.types.Object, effector: Matrix) -> Matrix:
    half = goal.empty_display_size
    inverse = goal.matrix_world.inverted_safe()
    inside = inverse @ effector.translation
    # Across each pair of faces, and how deep below the nearer one; also where the box is sheared.
    normals = [inverse[i].xyz for i in range(3)]
    depths = [(half - abs(inside[i])) / normals[i].length for i in range(3)]
    if min(depths) <= 0.0:
        return goal.matrix_world.copy()
    axis = depths.index(min(depths))
    away = -1.0 if inside[axis] >= 0.0 else 1.0
    return _moved(goal, away * depths[axis] * normals[axis].normalized())


_NEAREST: dict[str, Callable[[bpy.types.Object, Matrix], Matrix]] = {
    "POSITION": _nearest_position,
    "ORIENTATION": _nearest_orientation,
    "POSE": _nearest_pose,
    "AIM": _nearest_aim,
    "LINE": _nearest_line,
    "PLANE": _nearest_plane,
    "HALF_SPACE": _nearest_half_space,
    "OUTSIDE_BOX": _nearest_box,
}


def put(goal: bpy.types.Object, world: Matrix, view_layer: bpy.types.ViewLayer) -> bool:
    """Bring a goal to a world matrix, through its parent and constraints; False where they hold it back."""
    goal.matrix_world = world
    view_layer.update()
    if goal.constraints:
        # What the constraints add to a place, such as a moving parent, they add to any.
        goal.matrix_world = world @ goal.matrix_world.inverted_safe() @ world
        view_layer.update()
    return _near(goal.matrix_world, world)


def _near(a: Matrix, b: Matrix) -> bool:
    size = max(column.length for column in b.col)
    return all((a.col[i] - b.col[i]).length <= 1e-4 * size for i in range(4))

"""What the overlay shows, without drawing it."""

from math import radians

import bpy
import pytest
from biped import add_goal, select_bones, tail, world_matrices
from bl_ext.user_default.contrapposto.panels.marks import figure_marks, shown_goals
from bl_ext.user_default.contrapposto.panels.palette import Palette, theme_palette
from bl_ext.user_default.contrapposto.panels.support import support_polygon
from bl_ext.user_default.contrapposto.properties import LiveFigure
from mathutils import Matrix, Vector

MET, MISSED, GOAL, PIN, BALANCE = ((float(i), i * 0.5, 0.0, 1.0) for i in range(5))
PALETTE = Palette(MET, MISSED, GOAL, PIN, BALANCE)


def marks(armature, live=LiveFigure()):
    bpy.context.view_layer.update()
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return figure_marks(armature, shown_goals(armature), depsgraph, PALETTE, live)


def errors(armature, live=LiveFigure()):
    return [line for line in marks(armature, live) if line.what == "ERROR"]


def near(a, b):
    return (Vector(a) - Vector(b)).length < 1e-5


@pytest.mark.parametrize("effector", ["HEAD", "TAIL"])
def test_a_line_from_the_effector_to_the_goal_goes_from_green_to_red(biped, effector):
    goal = add_goal(biped, "hand.L", effector=effector)
    place = goal.location.copy()
    (line,) = errors(biped)
    assert near(line.start, place) and near(line.end, place) and line.colour == MET
    reds = []
    for distance in (0.0003, 0.01, 0.05, 0.5):
        goal.location = place + Vector((0, -distance, 0))
        (line,) = errors(biped)
        assert near(line.start, place) and near(line.end, goal.location)
        reds.append(line.colour[0])
    assert reds[0] == 0.0, "within tolerance"
    assert 0.0 < reds[1] < reds[2] < reds[3]
    assert line.colour == MISSED


def test_it_follows_a_point_of_the_bone(biped):
    goal = add_goal(biped, "hand.L")
    goal.contrapposto_goal.effector, goal.contrapposto_goal.point = "POINT", (0.1, 0.2, 0.3)
    (line,) = errors(biped)
    assert near(line.start, world_matrices(biped)["hand.L"] @ Vector((0.1, 0.2, 0.3)))


@pytest.mark.parametrize("kind", ["ORIENTATION", "POSE", "AIM"])
def test_what_is_turned_away_is_red(biped, kind):
    goal = add_goal(biped, "hand.L", kind)
    assert {line.colour for line in errors(biped)} == {MET}
    if kind == "AIM":
        goal.location = tail(biped, "hand.L") + Vector((0, 0, 9))
    else:
        goal.matrix_world = goal.matrix_world @ Matrix.Rotation(radians(40), 4, "Z")
    assert {line.colour for line in errors(biped)} == {MISSED}


def test_an_orientation_shows_where_the_axes_ought_to_point(biped):
    goal = add_goal(biped, "hand.L", "ORIENTATION")
    goal.contrapposto_goal.use_x = False
    (line,) = errors(biped)
    wanted = goal.matrix_world.col[1].xyz.normalized()
    assert near(line.start, world_matrices(biped)["hand.L"].translation)
    assert near((line.end - line.start).normalized(), wanted)


@pytest.mark.parametrize(
    ("kind", "to"), [("LINE", (0.05, 0.1, 0.0)), ("PLANE", (0.0, 0.0, 0.2)), ("HALF_SPACE", (0.0, 0.0, 0.2))]
)
def test_lines_and_planes_are_reached_where_they_are_nearest(biped, kind, to):
    goal = add_goal(biped, "hand.L", kind)
    effector = goal.location.copy()
    goal.location += Vector((0.05, 0.1, 0.2))
    (line,) = errors(biped)
    assert near(line.start, effector) and near(line.end, effector + Vector(to))


def test_the_right_side_of_a_half_space_lacks_nothing(biped):
    goal = add_goal(biped, "hand.L", "HALF_SPACE")
    goal.location.z -= 0.3
    (line,) = errors(biped)
    assert near(line.start, line.end) and line.colour == MET


@pytest.mark.parametrize(
    ("kind", "count"),
    [
        ("POSITION", 3),
        ("POSE", 2),
        ("AIM", 3),
        ("LINE", 1),
        ("PLANE", 6),
        ("HALF_SPACE", 9),
        ("OUTSIDE_BOX", 0),
    ],
)
def test_each_type_has_a_shape_at_its_place(biped, kind, count):
    goal = add_goal(biped, "hand.L", kind)
    goal.matrix_world = Matrix.Translation((1, 2, 3)) @ Matrix.Rotation(0.7, 4, (1, 2, 3))
    shape = [line for line in marks(biped) if line.what == "SHAPE"]
    assert len(shape) == count
    inverse = goal.matrix_world.inverted()
    for line in shape:
        local = [inverse @ end for end in (line.start, line.end)]
        if kind == "LINE":
            assert all(near(end * Vector((1, 1, 0)), (0, 0, 0)) for end in local)
        if kind == "PLANE":
            assert all(abs(end.z) < 1e-5 for end in local)
        if kind == "HALF_SPACE" and max(abs(end.z) for end in local) > 1e-5:
            allowed = near(local[1] * Vector((1, 1, 0)), (0, 0, 0))
            assert local[1].z > 0.0 if allowed else local[1].z < 0.0


def test_pins_have_their_own_colour(biped):
    select_bones(biped, "foot.L")
    bpy.ops.contrapposto.pin()
    assert [line.colour for line in marks(biped)] == [PIN, PIN, MET]


@pytest.mark.parametrize(("kind", "colour"), [("POSITION", MISSED), ("AIM", MISSED), ("PLANE", GOAL)])
def test_small_shapes_have_the_colour_of_the_error_and_large_ones_do_not(biped, kind, colour):
    add_goal(biped, "hand.L", kind).location.z += 1.0
    assert {line.colour for line in errors(biped)} == {MISSED}
    assert {line.colour for line in marks(biped) if line.what == "SHAPE"} == {colour}


@pytest.mark.parametrize(
    "change",
    [
        lambda goal: goal.hide_set(True),
        lambda goal: setattr(goal.contrapposto_goal, "enabled", False),
        lambda goal: setattr(goal.contrapposto_goal, "is_goal", False),
    ],
)
def test_hidden_and_disabled_goals_are_not_shown(biped, change):
    goal = add_goal(biped, "hand.L")
    assert shown_goals(biped) == [goal]
    change(goal)
    bpy.context.view_layer.update()
    assert shown_goals(biped) == []
    assert marks(biped) == []


def test_a_goal_for_a_bone_that_is_gone_shows_its_shape(biped):
    add_goal(biped, "hand.L").contrapposto_goal.bone = "gone"
    assert errors(biped) == []
    assert len(marks(biped)) == 3


def test_joints_at_their_limit_have_a_mark_while_live(biped):
    add_goal(biped, "hand.L").hide_set(True)
    live = LiveFigure("Biped", at_limit=("forearm.L", "gone"))
    lines = marks(biped, live)
    assert len(lines) == 4 and {line.colour for line in lines} == {MISSED}
    joint = world_matrices(biped)["forearm.L"].translation
    assert near(sum((line.start for line in lines), Vector()) / 4, joint)
    assert marks(biped, live._replace(name="Another")) == []


@pytest.mark.parametrize(("x", "balanced"), [(0.0, True), (0.5, False)])
def test_the_balance_while_live(biped, x, balanced):
    for foot in ("foot.L", "foot.R"):
        add_goal(biped, foot)
    live = LiveFigure("Biped", centre_of_mass=(x, -0.05, 1.0))
    lines = [line for line in marks(biped, live) if line.what == "BALANCE"]
    plumb = [line for line in lines if near(line.start, (x, -0.05, 1.0))]
    assert len(plumb) == 1 and near(plumb[0].end, (x, -0.05, 0.0))
    foot = [line for line in lines if near(line.start + line.end, (2 * x, -0.1, 0.0))]
    assert [line.colour for line in foot] == 2 * [MET if balanced else MISSED]


def test_a_goal_for_the_centre_of_mass_is_measured_while_live(biped):
    bpy.ops.contrapposto.goal_add(type="POSITION", effector="CENTRE_OF_MASS")
    assert errors(biped) == []
    live = LiveFigure("Biped", centre_of_mass=(0.1, 0.2, 0.3))
    assert any(near(line.start, (0.1, 0.2, 0.3)) for line in errors(biped, live))


class TestSupport:
    def test_of_a_square(self):
        points = [Vector((x, y, 0.01 * x)) for x in (0, 1, 0.5) for y in (0, 1, 0.5)]
        corners, inside = support_polygon(points, Vector((0.3, 0.7, 9)), 0.1)
        assert [(c.x, c.y, c.z) for c in corners] == [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
        assert inside
        assert not support_polygon(points, Vector((1.1, 0.5, 9)), 0.1)[1]

    def test_what_is_higher_does_not_carry(self):
        points = [Vector((0, 0, 0)), Vector((1, 0, 0)), Vector((0, 1, 0)), Vector((5, 5, 0.3))]
        assert len(support_polygon(points, Vector(), 0.1)[0]) == 3

    def test_a_line_carries_nothing_surely(self):
        corners, inside = support_polygon([Vector((0, 0, 0)), Vector((1, 0, 0))], Vector((0.5, 0, 1)), 0.1)
        assert len(corners) == 2 and not inside

    @pytest.mark.parametrize("count", [0, 1])
    def test_too_few(self, count):
        assert support_polygon([Vector()] * count, Vector(), 0.1) == ([], False)


def test_colours_are_the_themes():
    axes = bpy.context.preferences.themes[0].user_interface
    green = axes.axis_y.copy()
    try:
        axes.axis_y = (0.25, 0.5, 0.75)
        assert theme_palette(bpy.context.preferences).met[:3] == pytest.approx((0.25, 0.5, 0.75), abs=1 / 255)
    finally:
        axes.axis_y = green

"""contrapposto.goals_mirror: the other side gets the same goals, and takes the mirrored pose."""

import bpy
import pytest
from biped import add_goal, goals_of, select_bones, world_matrices
from mathutils import Matrix, Vector

ACROSS = Matrix.Diagonal((-1, 1, 1, 1))


def mirror(goal):
    bpy.ops.object.select_all(action="DESELECT")
    bpy.context.view_layer.objects.active = goal
    goal.select_set(True)
    assert bpy.ops.contrapposto.goals_mirror() == {"FINISHED"}


@pytest.fixture
def crooked(biped):
    """Where the armature itself is not at the origin; the right hand is rolled."""
    bpy.ops.object.mode_set(mode="EDIT")
    biped.data.edit_bones["hand.R"].roll += 0.7
    bpy.ops.object.mode_set(mode="OBJECT")
    biped.matrix_world = Matrix.Translation((1, 2, 3)) @ Matrix.Rotation(0.6, 4, (1, 2, 3))
    bpy.context.view_layer.update()
    return biped


def place(armature, goal, by=(-0.1, -0.2, 0.1), turn=0.8):
    """Move a goal in the armature's space."""
    local = armature.matrix_world.inverted() @ goal.matrix_world
    moved = Matrix.Translation(local.translation + Vector(by)) @ Matrix.Rotation(turn, 4, (3, 2, 1))
    goal.matrix_world = armature.matrix_world @ moved @ local.to_3x3().to_4x4()
    bpy.context.view_layer.update()


@pytest.mark.parametrize("kind", ["POSITION", "POSE", "AIM", "LINE", "PLANE", "HALF_SPACE"])
def test_both_sides_take_the_mirrored_pose(crooked, kind):
    goal = add_goal(crooked, "hand.L", kind)
    goal.contrapposto_goal.reach, goal.contrapposto_goal.reach_count = "COUNT", 3
    place(crooked, goal, turn=0.3)
    mirror(goal)
    (name,) = set(goals_of(crooked)) - {goal.name}
    assert name == goal.name.replace("hand.L", "hand.R")
    bpy.ops.contrapposto.solve()
    states = {each.contrapposto_goal.state for each in goals_of(crooked).values()}
    assert states == {"MET"}
    world = crooked.matrix_world.inverted()
    left, right = (world @ world_matrices(crooked)[f"hand.{side}"] for side in "LR")
    assert (ACROSS @ left.translation - right.translation).length < 5e-3
    assert ((ACROSS @ left).col[1] - right.col[1]).length < 2e-2


def test_a_turned_hand_is_turned_on_the_other_side(crooked):
    """Its palm, not its axes: these are as the bone is rolled."""
    goal = add_goal(crooked, "hand.L", "ORIENTATION")
    rest = [crooked.data.bones[f"hand.{side}"].matrix_local.to_3x3() for side in "LR"]
    place(crooked, goal)
    mirror(goal)
    other = goals_of(crooked)["hand.R Orientation"]
    turned = [
        (crooked.matrix_world.inverted() @ each.matrix_world).to_3x3() @ lies.inverted()
        for each, lies in zip((goal, other), rest, strict=True)
    ]
    across = ACROSS.to_3x3()
    difference = across @ turned[0] @ across - turned[1]
    assert max(abs(value) for row in difference for value in row) < 1e-5


def test_settings_go_along(biped):
    goal = add_goal(biped, "hand.L", "AIM", aim_axis="POS_X")
    settings = goal.contrapposto_goal
    settings.weight, settings.priority, settings.tolerance = 2.0, 3, 0.01
    settings.reach, settings.reach_bone = "BONE", "upper_arm.L"
    settings.effector, settings.point, settings.any_of = "POINT", (0.1, 0.2, 0.3), "Handle.L"
    mirror(goal)
    other = goals_of(biped)["hand.R Aim"].contrapposto_goal
    assert (other.bone, other.aim_axis, other.reach_bone) == ("hand.R", "NEG_X", "upper_arm.R")
    assert (other.weight, other.priority, other.tolerance) == pytest.approx((2.0, 3, 0.01))
    assert tuple(other.point) == pytest.approx((-0.1, 0.2, 0.3))
    assert (other.effector, other.any_of) == ("POINT", "Handle.R")


def test_a_goal_of_the_other_side_is_moved(biped):
    left, right = add_goal(biped, "hand.L"), add_goal(biped, "hand.R")
    left.location += Vector((-0.1, -0.2, 0.1))
    bpy.context.view_layer.update()
    mirror(left)
    assert len(goals_of(biped)) == 2
    assert (ACROSS @ left.matrix_world.translation - right.matrix_world.translation).length < 1e-6


def test_pins_are_mirrored_as_pins(biped):
    select_bones(biped, "foot.L")
    bpy.ops.contrapposto.pin()
    bpy.ops.object.mode_set(mode="OBJECT")
    mirror(goals_of(biped)["foot.L Pin"])
    other = goals_of(biped)["foot.R Pin"]
    assert other.contrapposto_goal.is_pin and other.empty_display_type == "CUBE"


@pytest.mark.parametrize(
    ("bone", "options", "said"),
    [("head", {}, "“head”, which has no other side"), ("", {"effector": "CENTRE_OF_MASS"}, "centre of mass")],
)
def test_what_has_no_other_side(biped, bone, options, said):
    bpy.ops.contrapposto.goal_add(bone=bone, **options)
    with pytest.raises(RuntimeError, match=said):
        bpy.ops.contrapposto.goals_mirror()
    assert len(goals_of(biped)) == 1

"""contrapposto.pin: selected bones are held where they are, and let go again."""

import bpy
import pytest
from biped import add_goal, goals_of, select_bones, world_matrices
from mathutils import Vector


def pin(kind="POSE"):
    assert bpy.ops.contrapposto.pin(type=kind) == {"FINISHED"}


@pytest.fixture
def posed(biped):
    biped.pose.bones["thigh.L"].rotation_quaternion = (0.9, 0.3, 0.1, 0.2)
    biped.pose.bones["hips"].location = (0.1, 0.0, -0.1)
    return biped


@pytest.mark.parametrize("kind", ["POSE", "POSITION", "ORIENTATION"])
def test_pins_are_where_the_bones_are(posed, kind):
    select_bones(posed, "foot.L", "foot.R")
    before = world_matrices(posed)
    pin(kind)
    assert set(goals_of(posed)) == {"foot.L Pin", "foot.R Pin"}
    for bone in ("foot.L", "foot.R"):
        goal = goals_of(posed)[f"{bone} Pin"]
        settings = goal.contrapposto_goal
        assert (settings.bone, settings.effector, settings.type) == (bone, "HEAD", kind)
        assert settings.is_pin and goal.empty_display_type == "CUBE"
        assert all((goal.matrix_world.col[i] - before[bone].col[i]).length < 1e-5 for i in range(4))
    bpy.ops.contrapposto.solve()
    after = world_matrices(posed)
    assert all((after[bone].translation - before[bone].translation).length < 1e-5 for bone in before)


@pytest.mark.parametrize("kind", ["POSE", "POSITION", "ORIENTATION"])
def test_what_is_pinned_stays_while_the_rest_moves(posed, kind):
    select_bones(posed, "foot.L", "foot.R")
    pin(kind)
    before = world_matrices(posed)
    add_goal(posed, "hips").location += Vector((0.05, -0.1, -0.1))
    bpy.ops.contrapposto.solve()
    after = world_matrices(posed)
    assert (after["hips"].translation - before["hips"].translation).length > 0.1
    for bone in ("foot.L", "foot.R"):
        if kind != "ORIENTATION":
            assert (after[bone].translation - before[bone].translation).length < 1e-3
        if kind != "POSITION":
            assert before[bone].to_quaternion().rotation_difference(after[bone].to_quaternion()).angle < 3e-3


def test_a_second_time_unpins(biped):
    add_goal(biped, "hand.L")
    select_bones(biped, "foot.L", "foot.R")
    pin()
    pin()
    assert set(goals_of(biped)) == {"hand.L Position"}
    pin()
    assert set(goals_of(biped)) == {"hand.L Position", "foot.L Pin", "foot.R Pin"}


def test_the_last_pin_takes_the_collection_along(biped):
    select_bones(biped, "foot.L")
    pin()
    pin()
    assert biped.contrapposto_figure.goals_collection is None
    assert len(bpy.data.collections) == 0


def test_another_kind_changes_the_pin(biped):
    select_bones(biped, "foot.L")
    pin("POSE")
    pin("POSITION")
    (goal,) = goals_of(biped).values()
    assert goal.contrapposto_goal.type == "POSITION"
    assert goal.empty_display_type == "CUBE"
    pin("POSITION")
    assert goals_of(biped) == {}


def test_some_pinned_and_some_not_are_all_pinned_where_they_are_now(biped):
    select_bones(biped, "foot.L")
    pin()
    biped.pose.bones["thigh.L"].rotation_quaternion = (0.9, 0.3, 0.1, 0.2)
    select_bones(biped, "foot.L", "foot.R")
    pin()
    place = world_matrices(biped)["foot.L"].translation
    assert len(goals_of(biped)) == 2
    assert (goals_of(biped)["foot.L Pin"].location - place).length < 1e-5


def test_a_goal_is_no_pin(biped):
    add_goal(biped, "foot.L", "POSE")
    select_bones(biped, "foot.L")
    pin()
    pin()
    assert set(goals_of(biped)) == {"foot.L Pose"}


def test_needs_selected_bones(biped):
    with pytest.raises(RuntimeError, match="Select bones in Pose Mode"):
        bpy.ops.contrapposto.pin()
    select_bones(biped)
    with pytest.raises(RuntimeError, match="Select bones in Pose Mode"):
        bpy.ops.contrapposto.pin()


def test_not_in_rest_position(biped):
    select_bones(biped, "foot.L")
    biped.data.pose_position = "REST"
    with pytest.raises(RuntimeError, match="“Biped” is shown in its rest position"):
        bpy.ops.contrapposto.pin()
    assert goals_of(biped) == {}

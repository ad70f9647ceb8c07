"""What is saved in the .blend: names, defaults, keyframes, duplicates, files."""

from math import degrees

import bpy
import pytest
from biped import add_biped, add_goal, goals_of, select_bones


def test_a_new_goal_has_sensible_settings(biped):
    settings = bpy.data.objects.new("Goal", None).contrapposto_goal
    assert not settings.is_goal
    assert settings.enabled
    assert (settings.type, settings.effector, settings.reach) == ("POSITION", "HEAD", "ALL")
    assert (settings.weight, settings.priority) == (1.0, 1)
    assert settings.tolerance == pytest.approx(0.0005)
    assert degrees(settings.angle_tolerance) == pytest.approx(0.1)
    assert (settings.state, settings.any_of) == ("", "")
    assert biped.contrapposto_figure.solver == "NONLINEAR"
    assert biped.contrapposto_figure.use_root_location
    assert biped.data.bones["hips"].contrapposto.mass == 0.0


@pytest.mark.parametrize("name", ["weight", "tolerance", "angle_tolerance"])
def test_numbers_cannot_be_negative(empty_file, name):
    settings = bpy.data.objects.new("Goal", None).contrapposto_goal
    setattr(settings, name, -1.0)
    assert getattr(settings, name) == 0.0


@pytest.mark.parametrize(
    ("name", "first", "second"),
    [("weight", 0.25, 4.0), ("enabled", False, True), ("tolerance", 0.01, 0.1), ("priority", 1, 3)],
)
def test_settings_can_be_keyframed(biped, name, first, second):
    goal = add_goal(biped, "hand.L")
    settings = goal.contrapposto_goal
    for frame, value in ((1, first), (10, second)):
        setattr(settings, name, value)
        goal.keyframe_insert(f"contrapposto_goal.{name}", frame=frame)
    seen = []
    for frame in (1, 10):
        bpy.context.scene.frame_set(frame)
        seen.append(getattr(settings, name))
    assert seen == pytest.approx([first, second])


@pytest.mark.parametrize("name", ["type", "bone", "effector", "is_goal", "state", "error_distance"])
def test_what_a_goal_is_cannot_be_keyframed(biped, name):
    goal = add_goal(biped, "hand.L")
    with pytest.raises(TypeError, match="not animatable"):
        goal.keyframe_insert(f"contrapposto_goal.{name}")


def test_a_change_by_a_script_reaches_blenders_evaluation(biped):
    goal = add_goal(biped, "hand.L")
    depsgraph = bpy.context.evaluated_depsgraph_get()
    assert goal.evaluated_get(depsgraph).contrapposto_goal.reach == "ALL"
    goal.contrapposto_goal.reach = "COUNT"
    depsgraph = bpy.context.evaluated_depsgraph_get()
    assert goal.evaluated_get(depsgraph).contrapposto_goal.reach == "COUNT"


def test_an_empty_shows_its_type(empty_file):
    goal = bpy.data.objects.new("Goal", None)
    kinds = goal.contrapposto_goal.bl_rna.properties["type"].enum_items.keys()
    shown = {}
    for kind in kinds:
        goal.contrapposto_goal.type = kind
        shown[kind] = goal.empty_display_type
    assert shown["OUTSIDE_BOX"] == "CUBE"
    assert shown["HALF_SPACE"] == "SINGLE_ARROW"
    assert shown["POSITION"] != shown["AIM"] != shown["POSE"]


def test_a_duplicated_goal_is_a_goal_of_the_same_armature(biped):
    goal = add_goal(biped, "hand.L")
    bpy.ops.object.select_all(action="DESELECT")
    goal.select_set(True)
    bpy.context.view_layer.objects.active = goal
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert copy != goal
    assert set(goals_of(biped)) == {goal.name, copy.name}
    assert copy.name in biped.contrapposto_figure.goals_collection.objects


def test_a_figure_duplicated_with_its_goals_is_posed_by_the_copies(biped):
    goal = add_goal(biped, "hand.L")
    for each in (biped, goal):
        each.select_set(True)
    bpy.context.view_layer.objects.active = biped
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    assert copy != biped
    assert list(goals_of(biped)) == ["hand.L Position"]
    assert list(goals_of(copy)) == ["hand.L Position.001"]


def test_a_deleted_empty_is_no_goal(biped):
    goal = add_goal(biped, "hand.L")
    add_goal(biped, "hand.R")
    bpy.ops.object.select_all(action="DESELECT")
    goal.select_set(True)
    bpy.ops.object.delete()
    assert list(goals_of(biped)) == ["hand.R Position"]


def test_goals_survive_a_file_and_renames(biped, tmp_path):
    goal = add_goal(biped, "hand.L", "POSE")
    goal.contrapposto_goal.weight = 3.0
    biped.name, goal.name = "Тело", "左手"
    biped.contrapposto_figure.goals_collection.name = "Ziele"
    path = tmp_path / "figure.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=str(path))
    armature = bpy.data.objects["Тело"]
    settings = goals_of(armature)["左手"].contrapposto_goal
    assert (settings.type, settings.bone, settings.weight) == ("POSE", "hand.L", 3.0)
    assert armature.contrapposto_figure.goals_collection == bpy.data.collections["Ziele"]


def test_in_object_mode_the_list_selects_the_goal(biped):
    goals = [add_goal(biped, "hand.L"), add_goal(biped, "hand.R")]
    biped.contrapposto_figure.active_goal = 1
    assert bpy.context.object == goals[1]
    assert bpy.context.selected_objects == [goals[1]]


def test_in_pose_mode_the_list_leaves_the_bones_at_hand(biped):
    add_goal(biped, "hand.L")
    add_goal(biped, "hand.R")
    select_bones(biped, "head")
    biped.contrapposto_figure.active_goal = 0
    assert biped.contrapposto_figure.active_goal == 0
    assert (bpy.context.mode, bpy.context.object) == ("POSE", biped)


def test_the_list_follows_the_goal_that_is_active_in_the_viewport(biped):
    goals = [add_goal(biped, "hand.L"), add_goal(biped, "hand.R")]
    for i in (0, 1):
        bpy.context.view_layer.objects.active = goals[i]
        assert biped.contrapposto_figure.active_goal == i
    other = add_biped("Other")
    assert bpy.context.object == other
    assert biped.contrapposto_figure.active_goal == 1

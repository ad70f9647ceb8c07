"""Bad input gets one clear sentence, and everything stays as it was."""

import math

import bpy
import pytest
from biped import add_biped, add_goal, channels, goals_of

GOAL = "hand.L Position"


def refused() -> str:
    """The sentence that a solve is refused with."""
    with pytest.raises(RuntimeError) as error:
        bpy.ops.contrapposto.solve()
    (sentence,) = str(error.value).strip().splitlines()
    return sentence


@pytest.fixture
def posed(biped):
    """A figure with a goal that it does not meet yet, so that a solve would move it."""
    biped.pose.bones["forearm.L"].rotation_quaternion = (0.9, 0.1, 0.3, 0.2)
    add_goal(biped, "hand.L").location = (0.5, -0.4, 1.5)
    return biped


@pytest.fixture(autouse=True)
def untouched(request):
    """After every test here, the pose of every armature is as the test began to ask for a solve."""
    yield
    if "posed" not in request.fixturenames:
        return
    rotation = tuple(bpy.data.objects["Biped"].pose.bones["forearm.L"].rotation_quaternion)
    assert rotation == pytest.approx((0.9, 0.1, 0.3, 0.2))
    others = [bone for name, bone in channels(bpy.data.objects["Biped"]).items() if name != "forearm.L"]
    assert len(set(others)) == 1, "a bone has moved"


def test_a_solve_would_move_it(biped):
    add_goal(biped, "hand.L").location = (0.5, -0.4, 1.5)
    before = channels(biped)
    bpy.ops.contrapposto.solve()
    assert channels(biped) != before


def test_no_goals(biped):
    before = channels(biped)
    assert "“Biped” has no goals" in refused()
    assert channels(biped) == before
    assert biped.contrapposto_figure.goals_collection is None


def test_no_enabled_goals(posed):
    bpy.data.objects[GOAL].contrapposto_goal.enabled = False
    assert "Biped" in refused()


def test_weights_of_zero(posed):
    bpy.data.objects[GOAL].contrapposto_goal.weight = 0.0
    assert "“Biped” has no goals that count" in refused()


def test_a_bone_that_was_renamed(posed):
    posed.data.bones["hand.L"].name = "paw.L"
    sentence = refused()
    assert GOAL in sentence
    assert "“hand.L”" in sentence


def test_a_bone_that_was_deleted(posed):
    bpy.ops.object.mode_set(mode="EDIT")
    posed.data.edit_bones.remove(posed.data.edit_bones["hand.L"])
    bpy.ops.object.mode_set(mode="OBJECT")
    sentence = refused()
    assert GOAL in sentence
    assert "“hand.L”" in sentence


def test_no_bone_at_all(posed):
    bpy.data.objects[GOAL].contrapposto_goal.bone = ""
    assert GOAL in refused()


def test_a_reach_up_to_a_bone_that_is_not_there(posed):
    settings = bpy.data.objects[GOAL].contrapposto_goal
    settings.reach, settings.reach_bone = "BONE", "tentacle"
    sentence = refused()
    assert GOAL in sentence
    assert "“tentacle”" in sentence


def test_a_goal_of_another_armature(posed):
    other = add_biped("Other")
    bpy.context.view_layer.objects.active = other
    assert "“Other” has no goals" in refused()


@pytest.mark.parametrize("other", ["nothing", "an empty"])
def test_a_goal_without_an_armature(posed, other):
    goal = bpy.data.objects[GOAL]
    goal.contrapposto_goal.armature = None if other == "nothing" else goal
    bpy.context.view_layer.objects.active = goal
    assert "Select an armature or one of its goals" in refused()


@pytest.mark.parametrize("place", [math.nan, math.inf, -math.inf, 1e31, 1e13])
def test_a_target_that_is_no_place(posed, place):
    """Blender makes its largest number of an infinite one."""
    bpy.data.objects[GOAL].location.y = place
    assert f"Goal “{GOAL}” is at a place that is infinite or not a number" in refused()


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_target_that_is_infinitely_far_away(posed, sign):
    """Blender keeps a location itself finite, but not what a parent makes of it."""
    parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(parent)
    parent.scale = (1e30, 1e30, 1e30)
    goal = bpy.data.objects[GOAL]
    goal.parent = parent
    goal.location.y = sign * 1e30
    assert GOAL in refused()


def test_an_armature_of_scale_zero(posed):
    posed.scale = (0, 0, 0)
    assert "“Biped”" in refused()


def test_a_box_of_scale_zero(posed):
    goal = bpy.data.objects[GOAL]
    goal.contrapposto_goal.type = "OUTSIDE_BOX"
    goal.scale = (1, 0, 1)
    assert GOAL in refused()


def test_limits_with_min_above_max(posed):
    """Blender keeps IK limits in order itself, but not those of a constraint."""
    limit = posed.pose.bones["forearm.L"].constraints.new("LIMIT_ROTATION")
    limit.owner_space = "LOCAL"
    limit.use_limit_x, limit.min_x, limit.max_x = True, 1.0, -1.0
    assert "“forearm.L”" in refused()


@pytest.mark.parametrize("number", [math.nan, math.inf])
@pytest.mark.parametrize("name", ["point", "weight", "tolerance"])
def test_a_setting_that_is_no_number(posed, name, number):
    settings = bpy.data.objects[GOAL].contrapposto_goal
    settings.effector = "POINT"
    setattr(settings, name, (number, 0, 0) if name == "point" else number)
    assert f"Goal “{GOAL}” has a setting that is infinite or not a number" in refused()


@pytest.mark.parametrize("number", [math.nan, math.inf])
def test_a_mass_that_is_no_number(posed, number):
    posed.data.bones["spine"].contrapposto.mass = number
    assert "The mass of bone “spine” is infinite or not a number" in refused()


def test_an_armature_in_rest_position(posed):
    posed.data.pose_position = "REST"
    assert "“Biped”" in refused()


def test_unicode_names_are_welcome(biped):
    biped.name = "Фигура 人形"
    biped.data.bones["hand.L"].name = "Łapa 手"
    goal = add_goal(biped, "Łapa 手")
    assert goal.name == "Łapa 手 Position"
    goal.location = (0.5, -0.4, 1.5)
    assert bpy.ops.contrapposto.solve() == {"FINISHED"}
    assert goal.contrapposto_goal.state == "MET"
    biped.data.bones["Łapa 手"].name = "Ψ"
    assert "“Łapa 手”" in refused()


@pytest.fixture
def linked(biped, tmp_path):
    """The figure with its goal, linked from a library into a new file."""
    add_goal(biped, "hand.L").location = (0.5, -0.4, 1.5)
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=True) as (there, here):
        here.objects = list(there.objects)
    for each in here.objects:
        bpy.context.scene.collection.objects.link(each)
    armature = bpy.data.objects["Biped"]
    bpy.context.view_layer.objects.active = armature
    return armature


def test_an_armature_linked_from_a_library(linked):
    before = channels(linked)
    sentence = refused()
    assert "“Biped” is linked from a library" in sentence
    assert channels(linked) == before
    with pytest.raises(RuntimeError, match="“Biped” is linked from a library"):
        bpy.ops.contrapposto.goal_add(bone="hand.R")
    with pytest.raises(RuntimeError, match="linked from a library"):
        bpy.ops.contrapposto.goal_remove(name=GOAL)
    assert list(goals_of(linked)) == [GOAL]


def test_a_library_override_can_be_posed(linked):
    override = linked.override_create(remap_local_usages=True)
    bpy.context.view_layer.objects.active = override
    goal = add_goal(override, "hand.R")
    goal.location = (-0.5, -0.4, 1.5)
    assert bpy.ops.contrapposto.solve() == {"FINISHED"}
    assert goal.contrapposto_goal.state == "MET"

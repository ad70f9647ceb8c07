"""contrapposto.solve: the figure follows its goals; the goals say how they came out."""

import bpy
import pytest
from biped import add_goal, channels, goals_of, select_bones, tail, world_matrices
from mathutils import Vector


@pytest.mark.parametrize("solver", ["NONLINEAR", "VARIABLE_METRIC", "PRIORITIZED", "PARTICLES", "FIGURE"])
@pytest.mark.parametrize("mode", ["OBJECT", "POSE"])
def test_hands_and_feet_go_where_the_goals_are(biped, solver, mode, capfd):
    biped.contrapposto_figure.solver = "VARIABLE_METRIC"
    wanted = {
        "hand.L": Vector((0.5, -0.4, 1.5)),
        "hand.R": Vector((-0.4, -0.4, 1.1)),
        "foot.L": tail(biped, "foot.L"),
        "foot.R": tail(biped, "foot.R"),
    }
    for bone, place in wanted.items():
        add_goal(biped, bone).location = place
    bpy.ops.object.mode_set(mode=mode)
    assert bpy.ops.contrapposto.solve(solver=solver) == {"FINISHED"}
    for bone, place in wanted.items():
        assert (tail(biped, bone) - place).length < 6e-4
    assert {goal.contrapposto_goal.state for goal in goals_of(biped).values()} == {"MET"}
    assert "All 4 goals met in " in capfd.readouterr().out


def test_a_goal_out_of_reach_says_so(biped, capfd):
    far, near = add_goal(biped, "hand.L"), add_goal(biped, "foot.R")
    far.location = (1.2, 0, 1.4)
    for each in (far, near):  # arm and leg alone, so that neither draws the other away
        each.contrapposto_goal.reach, each.contrapposto_goal.reach_count = "COUNT", 3
    assert bpy.ops.contrapposto.solve() == {"FINISHED"}
    assert "1 of 2 goals met: “hand.L Position” is out of reach" in capfd.readouterr().out
    assert near.contrapposto_goal.state == "MET"
    settings = far.contrapposto_goal
    assert settings.state == "out of reach"
    assert settings.error_distance == pytest.approx((tail(biped, "hand.L") - far.location).length, rel=1e-4)


def test_disabled_goals_and_those_of_no_weight_are_left_out(biped):
    goal, off, weightless = (add_goal(biped, bone) for bone in ("hand.L", "hand.R", "head"))
    off.contrapposto_goal.enabled = False
    weightless.contrapposto_goal.weight = 0.0
    for each in (goal, off, weightless):
        each.location += Vector((0, -0.1, 0))
    off.contrapposto_goal.note(1.0, 1.0, "out of reach")
    bpy.ops.contrapposto.solve()
    assert (tail(biped, "hand.L") - goal.location).length < 6e-4
    assert (off.contrapposto_goal.state, off.contrapposto_goal.error_distance) == ("", 0.0)
    assert weightless.contrapposto_goal.state == ""


def test_goals_of_a_set_share_its_result(biped):
    biped.contrapposto_figure.use_root_location = False
    near, far = add_goal(biped, "hand.L"), add_goal(biped, "hand.R")
    near.location, far.location = (0.5, -0.4, 1.5), (-9, 0, 1)
    for each in (near, far):
        each.contrapposto_goal.any_of = "Either hand"
    bpy.ops.contrapposto.solve()
    assert [each.contrapposto_goal.state for each in (near, far)] == ["MET", "MET"]
    near.location = (9, 0, 1)
    bpy.ops.contrapposto.solve()
    settings = [each.contrapposto_goal for each in (near, far)]
    assert len({(each.state, each.error_distance) for each in settings}) == 1
    missed = min((tail(biped, bone) - goal.location).length for bone, goal in
                 (("hand.L", near), ("hand.R", far)))  # fmt: skip
    assert settings[0].state == "out of reach"
    assert settings[0].error_distance == pytest.approx(missed, rel=1e-4)


@pytest.mark.parametrize("hide", [lambda goal: goal.hide_set(True), lambda goal: goal.__setattr__(
    "hide_viewport", True)], ids=["hidden", "disabled in viewports"])  # fmt: skip
@pytest.mark.parametrize("gathered", [True, False])
def test_a_goal_that_is_not_shown_still_counts(biped, hide, gathered):
    """As a target of Blender's own constraints does."""
    goal = add_goal(biped, "hand.L")
    if not gathered:
        bpy.context.scene.collection.objects.link(goal)
        bpy.data.collections.remove(biped.contrapposto_figure.goals_collection)
    hide(goal)
    bpy.context.view_layer.update()
    for _ in range(2):
        goal.location += Vector((-0.02, -0.1, 0.02))
        bpy.ops.contrapposto.solve()
        assert (tail(biped, "hand.L") - goal.location).length < 6e-4
        assert goal.contrapposto_goal.state == "MET"


def test_a_goal_of_a_higher_priority_overrules(biped, capfd):
    first, second = add_goal(biped, "hand.L"), add_goal(biped, "hand.L")
    first.location, second.location = (0.5, -0.4, 1.5), (0.5, -0.3, 1.3)
    second.contrapposto_goal.priority = 2
    bpy.ops.contrapposto.solve(solver="PRIORITIZED")
    assert first.contrapposto_goal.state == "MET"
    sentence = "overruled by “hand.L Position”, of a higher priority"
    assert second.contrapposto_goal.state == sentence
    assert f"1 of 2 goals met: “{second.name}” is {sentence}" in capfd.readouterr().out


def test_bones_that_are_not_posed_are_reported(biped, capfd):
    add_goal(biped, "hand.L").location += Vector((0, -0.2, 0))
    biped.pose.bones["spine"].driver_add("location", 0)
    for bone, target in (("hand.L", "hand.R"), ("shin.L", "shin.R")):
        constraint = biped.pose.bones[bone].constraints.new("COPY_ROTATION")
        constraint.target, constraint.subtarget = biped, target
    bpy.ops.contrapposto.solve()
    assert "; 2 bones in reach are not posed: “spine”, “hand.L”" in capfd.readouterr().out
    assert biped.contrapposto_figure.not_posed.splitlines() == [
        "Bone “spine” is moved by a driver and is not posed.",
        "Bone “hand.L” is moved by the constraint “Copy Rotation” and is not posed.",
    ]
    biped.animation_data.drivers.remove(biped.animation_data.drivers[0])
    biped.pose.bones["hand.L"].constraints[0].mute = True
    bpy.ops.contrapposto.solve()
    assert "not posed" not in capfd.readouterr().out
    assert biped.contrapposto_figure.not_posed == ""


def test_many_that_are_not_posed_are_counted(biped, capfd):
    bpy.ops.contrapposto.goal_add(type="POSITION", effector="CENTRE_OF_MASS")
    for bone in list(biped.pose.bones)[:5]:
        bone.driver_add("location", 0)
    bpy.ops.contrapposto.solve()
    assert "; 5 bones in reach are not posed: “hips”, “spine”, “head”, and 2 more" in capfd.readouterr().out


def test_the_active_goal_poses_its_armature(biped):
    goal = add_goal(biped, "hand.L")
    goal.location += Vector((0, -0.2, 0))
    bpy.context.view_layer.objects.active = goal
    assert bpy.ops.contrapposto.solve() == {"FINISHED"}
    assert (tail(biped, "hand.L") - goal.location).length < 6e-4
    assert bpy.context.object == goal


def test_goals_follow_their_parent_and_their_animation(biped):
    wheel = bpy.data.objects.new("Wheel", None)
    bpy.context.scene.collection.objects.link(wheel)
    goal = add_goal(biped, "hand.L")
    goal.parent = wheel
    wheel.keyframe_insert("location", frame=1)
    wheel.location = (-0.1, -0.2, 0.1)
    wheel.keyframe_insert("location", frame=10)
    bpy.context.scene.frame_set(10)
    bpy.ops.contrapposto.solve()
    assert (tail(biped, "hand.L") - goal.matrix_world.translation).length < 6e-4
    assert (goal.matrix_world.translation - goal.location - Vector((-0.1, -0.2, 0.1))).length < 1e-5


def test_a_goal_made_by_a_script_joins_the_others(biped):
    goal = bpy.data.objects.new("From a script", None)
    bpy.context.scene.collection.objects.link(goal)
    settings = goal.contrapposto_goal
    settings.is_goal, settings.armature, settings.bone, settings.effector = True, biped, "hand.L", "TAIL"
    goal.location = (0.5, -0.4, 1.5)
    bpy.ops.contrapposto.solve()
    assert (tail(biped, "hand.L") - goal.location).length < 6e-4
    assert biped.contrapposto_figure.goals_collection.objects.keys() == ["From a script"]


def test_without_auto_keying_nothing_is_keyed(biped):
    add_goal(biped, "hand.L").location += Vector((0, -0.2, 0))
    bpy.ops.contrapposto.solve()
    assert biped.animation_data is None


@pytest.mark.parametrize("rotation_mode", ["QUATERNION", "XYZ", "AXIS_ANGLE"])
def test_auto_keying_keys_what_has_moved(biped, rotation_mode):
    goal = add_goal(biped, "hand.L")
    goal.contrapposto_goal.reach, goal.contrapposto_goal.reach_count = "COUNT", 3
    goal.location += Vector((-0.1, -0.2, 0))
    for bone in biped.pose.bones:
        bone.rotation_mode = rotation_mode
    scene = bpy.context.scene
    scene.tool_settings.use_keyframe_insert_auto = True
    bpy.context.preferences.edit.use_keyframe_insert_available = False
    scene.frame_set(7)
    bpy.ops.contrapposto.solve()
    scene.tool_settings.use_keyframe_insert_auto = False
    posed = channels(biped)
    for bone in biped.pose.bones:
        bone.matrix_basis.identity()
    scene.frame_set(8)
    moved = {name for name, values in channels(biped).items() if values == posed[name]}
    assert {"upper_arm.L", "forearm.L"} <= moved
    keyed = {curve.group.name for curve in _curves(biped)}
    assert keyed <= {"upper_arm.L", "forearm.L", "hand.L"}


def test_auto_keying_of_available_curves_alone(biped, capfd):
    add_goal(biped, "hand.L").location += Vector((-0.1, -0.2, 0))
    scene = bpy.context.scene
    scene.tool_settings.use_keyframe_insert_auto = True
    bpy.context.preferences.edit.use_keyframe_insert_available = True
    bpy.ops.contrapposto.solve()
    scene.tool_settings.use_keyframe_insert_auto = False
    assert biped.animation_data is None
    assert "F-Curve" not in capfd.readouterr().out


def _curves(armature):
    action = armature.animation_data.action
    return [curve for bag in action.layers[0].strips[0].channelbags for curve in bag.fcurves]


def test_the_same_twice(biped):
    """A solve is deterministic, and a second one of a pose that is met does nothing."""
    for bone in ("hand.L", "head"):
        add_goal(biped, bone).location += Vector((0.05, -0.2, 0))
    start = channels(biped)
    bpy.ops.contrapposto.solve()
    first = channels(biped)
    for bone in biped.pose.bones:
        bone.matrix_basis.identity()
    assert channels(biped) == start
    bpy.ops.contrapposto.solve()
    assert channels(biped) == first
    before = world_matrices(biped)
    bpy.ops.contrapposto.solve()
    after = world_matrices(biped)
    assert max((before[bone].translation - after[bone].translation).length for bone in before) < 1e-6


def test_needs_an_armature_or_a_goal(empty_file):
    with pytest.raises(RuntimeError, match="Select an armature or one of its goals"):
        bpy.ops.contrapposto.solve()


def test_not_in_edit_mode(biped):
    add_goal(biped, "hand.L")
    bpy.ops.object.mode_set(mode="EDIT")
    with pytest.raises(RuntimeError, match="Only in Object Mode and Pose Mode"):
        bpy.ops.contrapposto.solve()


def test_a_selected_bone_of_another_armature_changes_nothing(biped):
    goal = add_goal(biped, "hand.L")
    goal.location += Vector((0, -0.2, 0))
    select_bones(biped, "foot.R")
    bpy.ops.contrapposto.solve()
    assert goal.contrapposto_goal.state == "MET"
    assert [bone.name for bone in bpy.context.selected_pose_bones] == ["foot.R"]

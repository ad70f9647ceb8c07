"""contrapposto.goals_snap: goals go to the figure, the figure stays."""

import bpy
import pytest
from biped import add_goal, channels, largest_change, select_bones, tail, world_matrices
from mathutils import Euler, Matrix, Vector

TYPES = ["POSITION", "ORIENTATION", "POSE", "AIM", "LINE", "PLANE", "HALF_SPACE", "OUTSIDE_BOX"]
BEND = Euler((0.5, 0.3, -0.8)).to_quaternion()
ELSEWHERE = Matrix.LocRotScale(Vector((0.6, 0.3, 1.7)), Euler((0.4, -0.3, 0.9)), Vector((1.2, 0.8, 1.1)))


def bend_arm(biped):
    biped.pose.bones["upper_arm.L"].rotation_quaternion = BEND


@pytest.mark.parametrize("kind", TYPES)
def test_a_snapped_goal_is_met_by_the_figure_as_it_is(biped, kind):
    goal = add_goal(biped, "forearm.L", kind)
    bend_arm(biped)
    goal.matrix_world = ELSEWHERE
    if kind == "OUTSIDE_BOX":  # around the elbow, not in its middle
        place = ELSEWHERE.copy()
        place.translation = world_matrices(biped)["forearm.L"].translation + Vector((0.01, 0.02, 0.03))
        goal.matrix_world = place
    before, values = world_matrices(biped), channels(biped)
    assert bpy.ops.contrapposto.goals_snap() == {"FINISHED"}
    assert channels(biped) == values
    assert (goal.scale - ELSEWHERE.to_scale()).length < 1e-5
    bpy.ops.contrapposto.solve()
    assert goal.contrapposto_goal.state == "MET"
    assert goal.contrapposto_goal.error_distance < 1e-5
    assert largest_change(before, world_matrices(biped)) < 1e-5


def test_each_goal_makes_its_least_move(biped):
    bend_arm(biped)
    elbow = world_matrices(biped)["forearm.L"].translation
    plane = add_goal(biped, "forearm.L", "PLANE")
    line = add_goal(biped, "forearm.L", "LINE")
    below = add_goal(biped, "forearm.L", "HALF_SPACE")
    box = add_goal(biped, "forearm.L", "OUTSIDE_BOX")
    plane.location = elbow + Vector((1, 2, 3))
    line.location = elbow + Vector((1, 2, 3))
    below.location = elbow + Vector((1, 2, -3))
    box.location = elbow + Vector((1, 2, 3))
    bpy.ops.contrapposto.goals_snap()
    assert (plane.location - elbow - Vector((1, 2, 0))).length < 1e-5
    assert (line.location - elbow - Vector((0, 0, 3))).length < 1e-5
    assert (below.location - elbow - Vector((1, 2, -3))).length < 1e-5, "was met already"
    assert (box.location - elbow - Vector((1, 2, 3))).length < 1e-5, "was met already"


def test_a_parented_goal(biped):
    wheel = bpy.data.objects.new("Wheel", None)
    bpy.context.scene.collection.objects.link(wheel)
    wheel.matrix_world = ELSEWHERE
    goal = add_goal(biped, "hand.L")
    goal.parent = wheel
    bpy.context.view_layer.update()
    assert (goal.matrix_world.translation - tail(biped, "hand.L")).length > 0.1
    bpy.ops.contrapposto.goals_snap()
    assert (goal.matrix_world.translation - tail(biped, "hand.L")).length < 1e-5
    assert goal.parent == wheel


def test_a_goal_held_by_child_of(biped):
    wheel = bpy.data.objects.new("Wheel", None)
    bpy.context.scene.collection.objects.link(wheel)
    wheel.matrix_world = Matrix.LocRotScale(Vector((1, 0, 1)), Euler((0.4, -0.3, 0.9)), None)
    goal = add_goal(biped, "hand.L")
    goal.constraints.new("CHILD_OF").target = wheel
    bpy.ops.contrapposto.goals_snap()
    bpy.context.view_layer.update()
    assert (goal.matrix_world.translation - tail(biped, "hand.L")).length < 1e-5


def test_a_goal_that_its_constraint_holds_is_named(biped, capfd):
    wheel = bpy.data.objects.new("Wheel", None)
    bpy.context.scene.collection.objects.link(wheel)
    goal = add_goal(biped, "hand.L")
    goal.constraints.new("COPY_LOCATION").target = wheel
    bpy.ops.contrapposto.goals_snap()
    assert "Held back by their constraints: hand.L Position" in capfd.readouterr().out
    assert goal.matrix_world.translation.length < 1e-6


def test_only_enabled_goals_or_only_the_active_one(biped):
    goals = [add_goal(biped, bone) for bone in ("hand.L", "hand.R", "head")]
    goals[0].contrapposto_goal.enabled = False
    for goal in goals:
        goal.location = (5, 5, 5)
    select_bones(biped, "hips")
    biped.contrapposto_figure.active_goal = biped.contrapposto_figure.goals_collection.all_objects.find(
        "hand.R Position"
    )
    bpy.ops.contrapposto.goals_snap(use_active=True)
    assert [goal.location.length > 5 for goal in goals] == [True, False, True]
    bpy.ops.contrapposto.goals_snap()
    assert [goal.location.length > 5 for goal in goals] == [True, False, False]


def test_keys_with_auto_keying(biped):
    goal = add_goal(biped, "hand.L")
    goal.location = (5, 5, 5)
    goal.keyframe_insert("location", frame=1)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    bpy.context.scene.frame_set(20)
    bpy.ops.contrapposto.goals_snap()
    here = goal.location.copy()
    bpy.context.scene.frame_set(1)
    assert goal.location.length > 5
    bpy.context.scene.frame_set(20)
    assert (goal.location - here).length < 1e-6
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = False


def test_nothing_to_snap(biped):
    with pytest.raises(RuntimeError, match="“Biped” has no enabled goals"):
        bpy.ops.contrapposto.goals_snap()
    with pytest.raises(RuntimeError, match="“Biped” has no active goal"):
        bpy.ops.contrapposto.goals_snap(use_active=True)

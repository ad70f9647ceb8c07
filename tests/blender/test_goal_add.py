"""contrapposto.goal_add: goals where the effectors are, so that nothing has to move."""

import itertools

import bpy
import pytest
from biped import (
    add_biped,
    add_goal,
    goals_of,
    largest_change,
    select_bones,
    tail,
    world_matrices,
)
from mathutils import Euler, Matrix, Vector

TYPES = ["POSITION", "ORIENTATION", "POSE", "AIM", "LINE", "PLANE", "HALF_SPACE", "OUTSIDE_BOX"]


def test_one_goal_per_selected_bone(biped):
    select_bones(biped, "hand.L", "hand.R", "foot.L")
    assert bpy.ops.contrapposto.goal_add() == {"FINISHED"}
    assert set(goals_of(biped)) == {"hand.L Position", "hand.R Position", "foot.L Position"}
    assert {goal.contrapposto_goal.bone for goal in goals_of(biped).values()} == {
        "hand.L",
        "hand.R",
        "foot.L",
    }


def test_mode_and_selection_stay(biped):
    select_bones(biped, "hand.L", "hand.R")
    bpy.ops.contrapposto.goal_add()
    assert (bpy.context.mode, bpy.context.object) == ("POSE", biped)
    assert [bone.name for bone in bpy.context.selected_pose_bones] == ["hand.L", "hand.R"]


def test_the_active_bone_where_none_is_selected(biped):
    select_bones(biped)
    biped.data.bones.active = biped.data.bones["head"]
    if bpy.app.version >= (5, 0):
        biped.pose.bones["head"].select = False
    bpy.ops.contrapposto.goal_add()
    assert list(goals_of(biped)) == ["head Position"]


def test_each_armature_in_pose_mode_gets_its_own(biped):
    other = add_biped("Other")
    for each in (biped, other):
        each.select_set(True)
    select_bones(biped, "hand.L")
    select_bones(other, "head")
    bpy.ops.contrapposto.goal_add()
    assert list(goals_of(biped)) == ["hand.L Position"]
    assert list(goals_of(other)) == ["head Position"]
    assert biped.contrapposto_figure.goals_collection.name == "Biped Goals"
    assert other.contrapposto_figure.goals_collection.name == "Other Goals"


@pytest.mark.parametrize(
    ("bone", "kind", "effector"),
    [
        ("hand.L", "POSITION", "TAIL"),
        ("forearm.L", "POSITION", "HEAD"),
        ("hand.L", "POSE", "HEAD"),
        ("head", "AIM", "HEAD"),
    ],
)
def test_automatic_effector(biped, bone, kind, effector):
    goal = add_goal(biped, bone, kind)
    assert goal.contrapposto_goal.effector == effector


def test_at_head_and_tail_of_a_posed_bone(biped):
    biped.matrix_world = Matrix.LocRotScale(Vector((1, 2, 3)), Euler((0.3, 0.2, 0.1)), Vector((2, 2, 2)))
    biped.pose.bones["upper_arm.L"].rotation_quaternion = Euler((0.5, 0.3, -0.8)).to_quaternion()
    world = world_matrices(biped)["hand.L"]
    at_head = add_goal(biped, "hand.L", effector="HEAD")
    at_tail = add_goal(biped, "hand.L", effector="TAIL")
    assert (at_head.matrix_world.translation - world.translation).length < 1e-6
    assert (at_tail.matrix_world.translation - tail(biped, "hand.L")).length < 1e-6
    assert at_head.scale == Vector((1, 1, 1))
    for axis in (0, 1):
        assert at_head.matrix_world.col[axis].xyz.angle(world.col[axis].xyz) < 1e-3


@pytest.mark.parametrize(
    ("kind", "mirrored"),
    [*itertools.product(TYPES, [False]), ("ORIENTATION", True), ("POSE", True), ("AIM", True)],
)
def test_nothing_jumps(biped, kind, mirrored):
    biped.pose.bones["upper_arm.L"].rotation_quaternion = Euler((0.5, 0.3, -0.8)).to_quaternion()
    biped.scale = (-1.5, 1.5, 1.5) if mirrored else (1.5, 1.5, 1.5)
    before = world_matrices(biped)
    goal = add_goal(biped, "forearm.L", kind)
    assert bpy.ops.contrapposto.solve() == {"FINISHED"}
    assert goal.contrapposto_goal.state == "MET"
    assert largest_change(before, world_matrices(biped)) < 1e-5


@pytest.mark.parametrize("kind", ["POSITION", "LINE", "PLANE", "HALF_SPACE"])
def test_centre_of_mass(biped, kind):
    before = world_matrices(biped)
    bpy.ops.contrapposto.goal_add(type=kind, effector="CENTRE_OF_MASS")
    ((name, goal),) = goals_of(biped).items()
    assert name.startswith("Centre of Mass ")
    centre = goal.matrix_world.translation
    assert abs(centre.x) < 1e-5
    assert 0.7 < centre.z < 1.4
    bpy.ops.contrapposto.solve()
    assert largest_change(before, world_matrices(biped)) < 1e-5


@pytest.mark.parametrize("axis", ["POS_X", "NEG_X", "POS_Y", "NEG_Y", "POS_Z", "NEG_Z"])
def test_aim_is_in_front(biped, axis):
    goal = add_goal(biped, "head", "AIM", aim_axis=axis)
    head = world_matrices(biped)["head"]
    along = head.col["XYZ".index(axis[-1])].xyz * (-1 if axis.startswith("NEG") else 1)
    ray = goal.matrix_world.translation - head.translation
    assert ray.angle(along) < 1e-3
    assert 0.5 < ray.length < 1.5


def test_goals_are_kept_together(biped):
    add_goal(biped, "hand.L")
    collection = biped.contrapposto_figure.goals_collection
    assert collection.name == "Biped Goals"
    assert collection in bpy.context.scene.collection.children_recursive
    collection.name = "Hands"
    add_goal(biped, "hand.R")
    assert set(collection.objects.keys()) == {"hand.L Position", "hand.R Position"}
    bpy.data.collections.remove(collection)
    add_goal(biped, "head")
    assert biped.contrapposto_figure.goals_collection.objects.keys() == ["head Position"]


def test_a_duplicated_armature_gets_a_collection_of_its_own(biped):
    add_goal(biped, "hand.L")
    copy = biped.copy()
    bpy.context.scene.collection.objects.link(copy)
    add_goal(copy, "hand.L")
    assert copy.contrapposto_figure.goals_collection != biped.contrapposto_figure.goals_collection
    assert len(biped.contrapposto_figure.goals_collection.objects) == 1


def test_the_new_goal_is_the_active_one_of_the_list(biped):
    for bone in ("hand.R", "foot.R", "hand.L"):
        goal = add_goal(biped, bone)
        figure = biped.contrapposto_figure
        assert figure.goals_collection.all_objects[figure.active_goal] == goal


def test_from_a_script_with_another_object_active(biped):
    lamp = bpy.data.objects.new("Lamp", None)
    bpy.context.scene.collection.objects.link(lamp)
    bpy.context.view_layer.objects.active = lamp
    for name in ("object", "active_object"):
        with bpy.context.temp_override(**{name: biped}):
            assert bpy.ops.contrapposto.goal_add(bone="hand.L") == {"FINISHED"}
    assert len(goals_of(biped)) == 2
    assert bpy.context.object == lamp


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"bone": "tentacle"}, "“Biped” has no bone “tentacle”"),
        ({"effector": "CENTRE_OF_MASS", "type": "POSE"}, "centre of mass is a point"),
        ({}, "Select bones"),
    ],
)
def test_refused_without_a_trace(biped, options, said):
    biped.data.bones.active = None
    with pytest.raises(RuntimeError, match=said):
        bpy.ops.contrapposto.goal_add(**options)
    assert not goals_of(biped)
    assert len(bpy.data.objects) == 1
    assert not bpy.data.collections

"""Empties as goals: evaluated places, settings of every kind, and bad ones by name."""

from math import inf, nan

import bpy
import numpy as np
import pytest
from bl_ext.user_default.contrapposto.bridge.errors import BridgeError
from bl_ext.user_default.contrapposto.bridge.goals import effector_matrix, goal_objects, read_goals
from bl_ext.user_default.contrapposto.solvers import (
    CENTRE_OF_MASS,
    AimGoal,
    AnyOf,
    HalfSpaceGoal,
    LineGoal,
    OrientationGoal,
    PlaneGoal,
    PoseGoal,
    PositionGoal,
    Problem,
)
from evaluated import read
from goal_empties import add_goal
from mathutils import Euler, Vector
from random_armatures import build_tree, random_armature

KINDS = {
    "POSITION": PositionGoal,
    "ORIENTATION": OrientationGoal,
    "POSE": PoseGoal,
    "AIM": AimGoal,
    "LINE": LineGoal,
    "PLANE": PlaneGoal,
    "HALF_SPACE": HalfSpaceGoal,
    "OUTSIDE_BOX": AnyOf,
}


@pytest.fixture
def armature(empty_file):
    return build_tree(np.random.default_rng(11), 6)


def goals_of(armature):
    bpy.context.view_layer.update()
    return read_goals(armature, read(armature), bpy.context.evaluated_depsgraph_get())


def errors_of(armature):
    """Distance and angle of each goal in the present pose."""
    reading = read(armature)
    problem = Problem(reading.figure, goals_of(armature), reading.q)
    return problem.errors(problem.evaluate(np.zeros(problem.space.size)))


@pytest.mark.parametrize("kind", KINDS)
def test_every_type(armature, kind):
    goal = add_goal(armature, armature.pose.bones[2].name, type=kind)
    (read_goal,) = goals_of(armature)
    assert type(read_goal) is KINDS[kind]
    assert read_goal.name == goal.name


@pytest.mark.parametrize("kind", ["POSITION", "ORIENTATION", "POSE", "LINE", "PLANE", "HALF_SPACE"])
@pytest.mark.parametrize("effector", ["HEAD", "TAIL", "POINT"])
@pytest.mark.parametrize("seed", range(4))
def test_a_goal_at_its_effector_is_met(empty_file, kind, effector, seed):
    """Also in an armature that is turned, mirrored and scaled, so that nothing jumps."""
    armature = random_armature(np.random.default_rng(seed), "EVEN", size=5)
    armature.scale = np.sign(armature.scale) * abs(armature.scale.x)  # uneven ones shear the bones
    armature.parent = None
    add_goal(armature, armature.pose.bones[-1].name, type=kind, effector=effector, point=(0.1, 0.2, 0.3))
    ((distance, angle),) = errors_of(armature)
    assert distance == pytest.approx(0.0, abs=1e-5)
    assert angle == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("axis", ["POS_X", "NEG_X", "POS_Y", "NEG_Y", "POS_Z", "NEG_Z"])
def test_the_axis_that_aims(armature, axis):
    bone = armature.pose.bones[1]
    goal = add_goal(armature, bone.name, type="AIM", aim_axis=axis)
    column = armature.matrix_world.to_3x3() @ bone.matrix.col["XYZ".index(axis[-1])].xyz
    goal.location += column * (2.0 if axis.startswith("POS") else -2.0)
    ((_, angle),) = errors_of(armature)
    assert angle == pytest.approx(0.0, abs=1e-3)
    goal.location -= 2.0 * (goal.location - armature.matrix_world @ bone.head)
    ((_, angle),) = errors_of(armature)
    assert angle == pytest.approx(np.pi, abs=1e-3)


def test_targets_of_each_type(armature):
    bone = armature.pose.bones[0].name
    for kind in KINDS:
        goal = add_goal(armature, bone, name=kind, type=kind)
        goal.matrix_world = Euler((0.3, -0.4, 0.5)).to_matrix().to_4x4()
        goal.location = (1.0, 2.0, 3.0)
    goals = {goal.name: goal for goal in goals_of(armature)}
    x, y, z = (np.array(Euler((0.3, -0.4, 0.5)).to_matrix().col[k]) for k in range(3))
    for kind in set(KINDS) - {"ORIENTATION", "OUTSIDE_BOX"}:
        assert goals[kind].target == pytest.approx([1.0, 2.0, 3.0])
    assert goals["LINE"].direction == pytest.approx(z, abs=1e-6)
    assert goals["PLANE"].normal == pytest.approx(z, abs=1e-6)
    assert goals["HALF_SPACE"].normal == pytest.approx(z, abs=1e-6)
    assert goals["POSE"].x == pytest.approx(x, abs=1e-6)
    assert goals["ORIENTATION"].y == pytest.approx(y, abs=1e-6)


@pytest.mark.parametrize("mirrored", [1.0, -1.0])
def test_a_box_is_the_cube_that_the_empty_shows(armature, mirrored):
    goal = add_goal(armature, armature.pose.bones[0].name, type="OUTSIDE_BOX")
    goal.empty_display_size = 0.5
    goal.rotation_euler, goal.scale = (0.2, 0.6, -0.3), (mirrored, 2.0, 0.4)
    bpy.context.view_layer.update()
    (box,) = goals_of(armature)
    rng = np.random.default_rng(0)
    for point in rng.uniform(-2.0, 2.0, size=(200, 3)):
        inside = bool((np.abs(point) < 0.5).all())
        world = np.array(goal.matrix_world @ Vector(point))
        depths = [(side.target - world) @ side.normal for side in box.members]
        assert (min(depths) > 0.0) == inside


def test_free_directions(armature):
    goal = add_goal(armature, armature.pose.bones[0].name, type="POSE", use_x=False)
    assert goals_of(armature)[0].x is None and goals_of(armature)[0].y is not None
    goal.contrapposto_goal.use_y = False
    assert len(goals_of(armature)[0].terms()) == 1
    goal.contrapposto_goal.type = "ORIENTATION"
    with pytest.raises(BridgeError, match=f"“{goal.name}” asks for nothing"):
        goals_of(armature)


def test_settings_are_handed_on(armature):
    bones = [bone for bone in armature.pose.bones if bone.parent]
    add_goal(
        armature, bones[0].name, weight=2.5, priority=3, tolerance=0.25, angle_tolerance=0.5, reach="COUNT",
        reach_count=4,
    )  # fmt: skip
    add_goal(armature, bones[1].name, name="z", reach="BONE", reach_bone=bones[1].parent.name)
    first, second = goals_of(armature)
    assert (first.weight, first.priority, first.tolerance, first.angle_tolerance) == (2.5, 3, 0.25, 0.5)
    assert first.reach.count == 4
    assert armature.pose.bones[second.reach.top] == bones[1].parent


def test_an_angle_weighs_the_same_whatever_the_size(armature):
    add_goal(armature, armature.pose.bones[0].name, type="ORIENTATION")
    gain = goals_of(armature)[0].angular_gain / read(armature).figure.size
    armature.scale *= 100.0
    bpy.context.view_layer.update()
    assert goals_of(armature)[0].angular_gain / read(armature).figure.size == pytest.approx(gain)


def test_goals_are_found_by_figure_and_view_layer(armature):
    other = build_tree(np.random.default_rng(1), 2)
    name = armature.pose.bones[0].name
    one, two = add_goal(armature, name, name="b"), add_goal(armature, name, name="a")
    add_goal(other, other.pose.bones[0].name, name="c")
    unlinked = bpy.data.objects.new("d", None)
    unlinked.contrapposto_goal.is_goal, unlinked.contrapposto_goal.armature = True, armature
    assert goal_objects(armature) == [two, one]
    copy = one.copy()
    bpy.context.scene.collection.objects.link(copy)
    bpy.context.view_layer.update()
    assert goal_objects(armature) == [two, one, copy]
    bpy.data.objects.remove(one)
    assert goal_objects(armature) == [two, copy]


@pytest.mark.parametrize("setting", [("enabled", False), ("weight", 0.0)])
def test_goals_that_are_off_do_not_count(armature, setting):
    goal = add_goal(armature, armature.pose.bones[0].name)
    goal.contrapposto_goal.bone = "gone"
    setattr(goal.contrapposto_goal, *setting)
    assert goals_of(armature) == []


def test_a_goal_counts_while_hidden_but_not_while_disabled_in_viewports(armature):
    goal = add_goal(armature, armature.pose.bones[0].name)
    goal.hide_set(True)
    goal.location.x = 5.0
    assert goals_of(armature)[0].target[0] == 5.0
    goal.hide_set(False)
    goal.hide_viewport = True
    assert goals_of(armature) == []


def test_parents_constraints_animation_and_drivers_count(armature):
    goal = add_goal(armature, armature.pose.bones[0].name)
    goal.matrix_world.identity()
    wheel = bpy.data.objects.new("Wheel", None)
    bpy.context.scene.collection.objects.link(wheel)
    goal.parent, goal.location = wheel, (0.0, 0.0, 1.0)
    goal.constraints.new("LIMIT_LOCATION").use_max_y = True  # at most 0
    wheel.location = (3.0, 4.0, 0.0)
    for frame, weight in ((1, 1.0), (11, 3.0)):
        goal.contrapposto_goal.weight = weight
        goal.contrapposto_goal.keyframe_insert("weight", frame=frame)
    goal.contrapposto_goal.driver_add("tolerance").driver.expression = "0.125"
    bpy.context.scene.frame_set(6)
    (read_goal,) = goals_of(armature)
    assert read_goal.target == pytest.approx([3.0, 0.0, 1.0])
    assert read_goal.weight == pytest.approx(2.0)
    assert read_goal.tolerance == pytest.approx(0.125)


def test_any_of(armature):
    bones = armature.pose.bones
    add_goal(armature, bones[0].name, name="a", any_of="somewhere", weight=2.0)
    add_goal(armature, bones[1].name, name="b", any_of="somewhere", priority=2, type="LINE")
    add_goal(armature, bones[2].name, name="c", any_of="somewhere", type="OUTSIDE_BOX")
    add_goal(armature, bones[3].name, name="d")
    alone, some = goals_of(armature)
    assert alone.name == "d"
    assert isinstance(some, AnyOf) and some.name == "somewhere" and some.priority == 1
    assert [type(member) for member in some.members] == [PositionGoal, LineGoal] + [HalfSpaceGoal] * 6
    assert some.members[0].weight == 2.0


def test_the_centre_of_mass(armature):
    rng = np.random.default_rng(5)
    for bone in armature.pose.bones:
        bone.rotation_quaternion = rng.normal(size=4)
        bone.bone.contrapposto.mass = rng.uniform(0.5, 3.0)
    goal = add_goal(armature, effector="CENTRE_OF_MASS", name="balance")
    total = sum(bone.bone.contrapposto.mass for bone in armature.pose.bones)
    middles = [0.5 * (bone.head + bone.tail) * bone.bone.contrapposto.mass for bone in armature.pose.bones]
    centre = armature.matrix_world @ (sum(middles, Vector()) / total)
    assert (goal.matrix_world.translation - centre).length < 1e-5
    assert goals_of(armature)[0].effector.bone == CENTRE_OF_MASS
    goal.contrapposto_goal.type = "POSE"
    with pytest.raises(BridgeError, match="“balance”: the centre of mass is a point"):
        goals_of(armature)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda goal: setattr(goal.contrapposto_goal, "bone", "Ghost"),
            "is for bone “Ghost”, which “Random”",
        ),
        (lambda goal: setattr(goal.contrapposto_goal, "bone", ""), "does not say which bone"),
        (
            lambda goal: setattr(goal, "location", (nan, 0.0, 0.0)),
            "is at a place that is infinite",
        ),
        (
            lambda goal: setattr(goal, "location", (0.0, inf, 0.0)),
            "is at a place that is infinite",
        ),
        (
            lambda goal: setattr(goal.contrapposto_goal, "weight", nan),
            "has a setting that is infinite",
        ),
        (lambda goal: setattr(goal, "scale", (1.0, 0.0, 1.0)), "has a scale of zero"),
    ],
)
def test_bad_goals_are_refused_by_name(armature, change, sentence):
    goal = add_goal(armature, armature.pose.bones[0].name, name="goal", type="POSE")
    change(goal)
    with pytest.raises(BridgeError, match=f"Goal “goal” {sentence}"):
        goals_of(armature)


def test_a_reach_beside_the_chain_is_refused(armature):
    child = next(bone for bone in armature.pose.bones if bone.parent)
    goal = add_goal(armature, child.parent.name, reach="BONE", reach_bone=child.name)
    with pytest.raises(BridgeError, match=f"“{goal.name}” reaches up to bone “{child.name}”"):
        goals_of(armature)
    goal.contrapposto_goal.reach_bone = "Ghost"
    with pytest.raises(BridgeError, match="“Ghost”"):
        goals_of(armature)


def test_an_effector_whose_bone_is_gone(armature):
    goal = add_goal(armature, armature.pose.bones[0].name, name="goal")
    goal.contrapposto_goal.bone = "Ghost"
    with pytest.raises(BridgeError, match="“goal” is for bone “Ghost”"):
        effector_matrix(armature, goal.contrapposto_goal, bpy.context.evaluated_depsgraph_get())

"""Solving in Blender: goals met by Blender's own evaluation, constraints respected, errors undone."""

import bpy
import numpy as np
import pytest
from bl_ext.user_default.contrapposto.bridge import solve as solving
from bl_ext.user_default.contrapposto.bridge.errors import BridgeError
from bl_ext.user_default.contrapposto.bridge.pose import write_pose
from bl_ext.user_default.contrapposto.bridge.solve import solve_armature
from bl_ext.user_default.contrapposto.solvers import BACKENDS
from evaluated import FLOAT32, channels, deviation, read
from goal_empties import add_goal
from random_armatures import build_tree, random_armature
from test_influences import chain, constrain, empty
from test_joints import limit_rotation


@pytest.fixture(autouse=True)
def _empty(empty_file):
    pass


def solve(armature, **options):
    return solve_armature(bpy.context, armature, **options)


def tail(armature, bone):
    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return evaluated.matrix_world @ evaluated.pose.bones[bone].tail


@pytest.mark.parametrize("solver", BACKENDS)
@pytest.mark.parametrize("seed", range(15))
def test_blender_agrees_with_the_result(seed, solver):
    """Whatever the armature; a goal where the random pose once had its effector is met."""
    rng = np.random.default_rng(seed)
    armature = random_armature(rng, "EVEN", size=8)
    reading = read(armature)
    goals = [add_goal(armature, bone.name, effector="TAIL") for bone in armature.pose.bones[-2:]]
    write_pose(armature, reading, reading.q + rng.uniform(-0.3, 0.3, size=reading.q.shape))
    result, reading = solve(armature, solver=solver)
    assert result.met or solver == "VARIABLE_METRIC"  # which may stop a little before
    assert deviation(armature, reading, reading.q) < FLOAT32
    for goal in goals:
        gap = tail(armature, goal.contrapposto_goal.bone) - goal.matrix_world.translation
        assert gap.length < 5e-3


def test_goals_that_are_met_move_nothing():
    armature = build_tree(np.random.default_rng(1), 6)
    add_goal(armature, armature.pose.bones[4].name, effector="TAIL")
    before = channels(armature)
    result, _ = solve(armature)
    assert result.met and channels(armature) == before


def test_an_unreachable_goal_is_a_compromise():
    armature = chain(3)
    armature.contrapposto_figure.use_root_location = False
    add_goal(armature, "Bone 2", effector="TAIL", by=(4.0, 0.0, 0.0))
    result, reading = solve(armature)
    assert not result.met
    assert deviation(armature, reading, reading.q) < FLOAT32
    goal = result.goals[0]
    assert goal.distance == pytest.approx((np.hypot(4.0, 3.0) - 3.0), abs=0.05)
    before = channels(armature)
    again, _ = solve(armature)
    assert np.abs(np.array(channels(armature)) - before).max() < 1e-3
    assert again.goals[0].distance == pytest.approx(goal.distance, rel=1e-3)


def test_a_solved_pose_is_within_a_limit_rotation():
    armature = chain(4)
    armature.contrapposto_figure.use_root_location = False
    for bone in armature.pose.bones:
        limit_rotation(bone, (-0.4, -0.1, -0.3), (0.5, 0.1, 0.2))
    add_goal(armature, "Bone 3", effector="TAIL", by=(1.0, 2.0, -1.0))
    _, reading = solve(armature)
    assert deviation(armature, reading, reading.q) < FLOAT32
    for bone in armature.pose.bones:
        angles = np.array(bone.matrix_basis.to_euler())
        assert (angles > np.array([-0.4, -0.1, -0.3]) - 1e-5).all()
        assert (angles < np.array([0.5, 0.1, 0.2]) + 1e-5).all()


def test_bones_that_follow_by_constraints_are_met_where_they_went():
    """The second bone copies the first's rotation, as Blender's own twist bones do."""
    armature = chain(4)
    armature.contrapposto_figure.use_root_location = False
    constrain(
        armature.pose.bones[1], "COPY_ROTATION", target=armature, subtarget="Bone 0",
        owner_space="LOCAL", target_space="LOCAL",
    )  # fmt: skip
    goal = add_goal(armature, "Bone 3", effector="TAIL", by=(1.0, 0.5, -0.5))
    result, reading = solve(armature)
    assert len(reading.notes) == 1
    assert (tail(armature, "Bone 3") - goal.matrix_world.translation).length < 1e-3
    assert result.met
    assert deviation(armature, reading, reading.q) < 10 * FLOAT32


def test_a_goal_that_rides_on_the_figure_is_met_where_it_went():
    """A hand on the hip: the goal moves with a bone that the goal itself may move."""
    armature = chain(5)
    armature.contrapposto_figure.use_root_location = False
    goal = add_goal(armature, "Bone 4", effector="TAIL", by=(0.5, 0.0, -2.5))
    world = goal.matrix_world.copy()
    goal.parent, goal.parent_type, goal.parent_bone = armature, "BONE", "Bone 1"
    goal.matrix_world = world
    bpy.context.view_layer.update()
    result, _ = solve(armature)
    gap = (
        tail(armature, "Bone 4")
        - goal.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation
    )
    assert gap.length == pytest.approx(result.goals[0].distance, abs=1e-3)
    assert result.met


def test_the_end_of_an_ik_chain_stays_at_its_target():
    armature = chain(5)
    target = empty(at=(0.5, 0.5, 2.0))
    constrain(armature.pose.bones[3], "IK", target=target, chain_count=2)
    goal = add_goal(armature, "Bone 1", effector="TAIL", by=(0.3, 0.0, 0.0))
    before = [channels(armature)[i] for i in (2, 3)]
    result, reading = solve(armature)
    assert result.met
    assert [channels(armature)[i] for i in (2, 3)] == before
    assert (tail(armature, "Bone 3") - target.location).length < 1e-2
    assert (tail(armature, "Bone 1") - goal.matrix_world.translation).length < 1e-3
    assert deviation(armature, reading, reading.q) < 10 * FLOAT32


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, BridgeError])
def test_an_error_in_the_middle_leaves_the_pose_as_it_was(monkeypatch, error):
    armature = random_armature(np.random.default_rng(3), size=5)
    bone = armature.pose.bones[0]
    add_goal(armature, bone.name, effector="TAIL", by=(0.3, 0.1, 0.0))
    before = channels(armature)

    def fail(*_):
        assert channels(armature) != before
        raise error("after writing")

    monkeypatch.setattr(solving, "agrees", fail)
    with pytest.raises(error):
        solve(armature)
    assert channels(armature) == before
    reading = read(armature)
    assert deviation(armature, reading, reading.q) < FLOAT32


def test_keyframed_bones_are_posed():
    armature = chain(3)
    for bone in armature.pose.bones:
        bone.keyframe_insert("rotation_quaternion", frame=1)
    goal = add_goal(armature, "Bone 2", effector="TAIL", by=(0.5, 0.0, -0.5))
    result, _ = solve(armature)
    assert result.met
    assert (tail(armature, "Bone 2") - goal.matrix_world.translation).length < 1e-3


def test_the_centre_of_mass_is_brought_over_a_point():
    armature = chain(4)
    armature.contrapposto_figure.use_root_location = False
    goal = add_goal(armature, effector="CENTRE_OF_MASS", name="balance", by=(0.4, 0.2, -0.3))
    result, reading = solve(armature)
    assert result.met
    assert reading.figure.centre_of_mass(reading.q) == pytest.approx(
        list(goal.matrix_world.translation), abs=1e-3
    )

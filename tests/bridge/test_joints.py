"""Locks, limits and stiffness: Blender's settings hold, and Blender's own constraint finds nothing to do."""

from math import pi, radians

import bpy
import numpy as np
import pytest
from bl_ext.user_default.contrapposto.bridge.errors import BridgeError
from bl_ext.user_default.contrapposto.bridge.pose import write_pose
from bl_ext.user_default.contrapposto.solvers import SWING_TWIST
from evaluated import FLOAT32, deviation, read, world_matrices
from random_armatures import ROTATION_MODES, build_tree, random_armature

EULER_ORDERS = ROTATION_MODES[2:]
EULER_SETTINGS = ("AUTO", *EULER_ORDERS)


@pytest.fixture(autouse=True)
def _empty(empty_file):
    pass


@pytest.fixture
def armature():
    return build_tree(np.random.default_rng(0), 3)


def limit_rotation(bone, low, high, order="AUTO", axes="xyz", legacy=False):
    constraint = bone.constraints.new("LIMIT_ROTATION")
    constraint.owner_space = "LOCAL"
    constraint.euler_order = order
    constraint.use_legacy_behavior = legacy
    for axis, start, end in zip("xyz", low, high, strict=True):
        setattr(constraint, f"use_limit_{axis}", axis in axes)
        setattr(constraint, f"min_{axis}", start)
        setattr(constraint, f"max_{axis}", end)
    return constraint


def feasible(rng, reading):
    """A random posture within all limits, often at their very ends."""
    figure, q = reading.figure, reading.q
    lower = np.maximum(figure.lower, -2.0 * pi)
    upper = np.minimum(figure.upper, 2.0 * pi)
    share = np.clip(rng.uniform(-0.5, 1.5, size=len(q)), 0.0, 1.0)
    return np.where(figure.locked, q, lower + share * (upper - lower))


@pytest.mark.parametrize("legacy", [False, True])
@pytest.mark.parametrize("seed", range(80))
def test_a_pose_within_limits_is_not_changed_by_the_constraint(seed, legacy):
    rng = np.random.default_rng(seed)
    armature = random_armature(rng, "EVEN" if seed % 2 else "NONE", size=4)
    for bone in armature.pose.bones:
        bone.scale = np.abs(bone.scale)
        low = rng.uniform(-1.5 * pi, pi, size=3)
        high = low + rng.uniform(0.0, 1.8 * pi, size=3) * rng.choice([0.0, 1.0], p=[0.1, 0.9], size=3)
        axes = "".join(axis for axis in "xyz" if rng.random() < 0.7)
        limit_rotation(bone, low, high, str(rng.choice(EULER_SETTINGS)), axes, legacy)
    bpy.context.view_layer.update()
    reading = read(armature)
    assert deviation(armature, reading, reading.q) < FLOAT32
    for _ in range(4):
        q = feasible(rng, reading)
        assert deviation(armature, write_pose(armature, reading, q), q) < 5 * FLOAT32
        reading = read(armature)


@pytest.mark.parametrize("mode", ROTATION_MODES)
def test_human_limits_are_taken_whole(armature, mode):
    """Limits as people set them are no narrower in the figure."""
    bone = armature.pose.bones[0]
    bone.rotation_mode = mode
    low, high = np.radians([-90.0, -60.0, -45.0]), np.radians([130.0, 60.0, 30.0])
    order = mode if mode in EULER_ORDERS else "XYZ"
    limit_rotation(bone, low, high)
    bpy.context.view_layer.update()
    figure = read(armature).figure
    assert figure.skeleton.kinds[0] == order
    assert figure.lower[:3] == pytest.approx(low, abs=2.1e-3)  # just short of gimbal lock
    assert figure.upper[:3] == pytest.approx(high)


def test_a_pose_outside_a_limit_is_read_as_evaluated(armature):
    bone = armature.pose.bones[0]
    bone.rotation_mode = "XYZ"
    bone.rotation_euler = (2.0, 0.0, 0.0)
    limit_rotation(bone, (-0.5, 0.0, 0.0), (0.5, 0.0, 0.0))
    bpy.context.view_layer.update()
    reading = read(armature)
    assert reading.q[:3] == pytest.approx([0.5, 0.0, 0.0], abs=1e-6)
    assert bone.rotation_euler.x == pytest.approx(2.0)


def test_ik_limits_hold_together_with_a_limit_rotation(armature):
    bone = armature.pose.bones[0]
    limit_rotation(bone, (-1.0, -1.0, -1.0), (1.0, 1.0, 1.0))
    bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, -0.25, 2.0
    bpy.context.view_layer.update()
    figure = read(armature).figure
    assert (figure.lower[0], figure.upper[0]) == pytest.approx((-0.25, 1.0))


def test_ik_settings_are_swing_twist(armature):
    bone = armature.pose.bones[1]
    bone.use_ik_limit_z, bone.ik_min_z, bone.ik_max_z = True, -0.5, 1.0
    bone.lock_ik_y = True
    bone.ik_stiffness_x = 0.75
    reading = read(armature)
    figure = reading.figure
    assert figure.skeleton.kinds[1] == SWING_TWIST
    assert (figure.lower[5], figure.upper[5]) == pytest.approx((-0.5, 1.0))
    assert list(figure.locked[3:6]) == [False, True, False]
    assert figure.stiffness[3:6] == pytest.approx([0.75, 0.0, 0.0])
    assert np.isinf(figure.lower[3:5]).all()


@pytest.mark.parametrize("mode", EULER_ORDERS)
@pytest.mark.parametrize("locks", [(True, False, False), (False, True, True), (False, True, False)])
def test_locked_euler_channels_do_not_change(armature, mode, locks):
    rng = np.random.default_rng(1)
    bone = armature.pose.bones[0]
    bone.rotation_mode, bone.lock_rotation = mode, locks
    bone.rotation_euler = before = (0.3, 7.0, -0.4)
    bpy.context.view_layer.update()
    reading = read(armature)
    assert reading.figure.skeleton.kinds[0] == mode
    for _ in range(5):
        q = np.where(reading.figure.locked, reading.q, reading.q + rng.normal(size=reading.q.shape))
        reading = write_pose(armature, reading, q)
        assert deviation(armature, reading, q) < FLOAT32
        for channel, value, lock in zip(bone.rotation_euler, before, locks, strict=True):
            assert not lock or channel == np.float32(value)


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE"])
def test_locks_of_a_quaternion_mask_euler_angles(armature, mode):
    rng = np.random.default_rng(2)
    bone = armature.pose.bones[0]
    bone.lock_rotations_4d = False
    bone.rotation_mode, bone.lock_rotation = mode, (False, True, False)
    bone.rotation_quaternion = (0.9, 0.1, 0.2, -0.3)
    bone.rotation_axis_angle = (0.4, 1.0, 2.0, 3.0)
    bpy.context.view_layer.update()
    before = bone.matrix_basis.to_euler("XYZ")
    reading = read(armature)
    q = np.where(reading.figure.locked, reading.q, reading.q + 0.3 * rng.normal(size=reading.q.shape))
    write_pose(armature, reading, q)
    after = bone.matrix_basis.to_euler("XYZ")
    assert after.y == pytest.approx(before.y, abs=1e-5)
    assert after.x != pytest.approx(before.x, abs=1e-2)


def test_all_locked_is_no_joint(armature):
    for bone, mode in zip(armature.pose.bones, ("QUATERNION", "XYZ", "AXIS_ANGLE"), strict=True):
        bone.rotation_mode, bone.lock_rotation = mode, (True, True, True)
    reading = read(armature)
    assert reading.figure.locked[:9].all()
    assert reading.notes == {}


def test_some_of_four_locked_channels_keep_the_bone(armature):
    bone = armature.pose.bones[1]
    bone.lock_rotations_4d, bone.lock_rotation = True, (True, False, False)
    reading = read(armature)
    assert reading.figure.locked[3:6].all()
    assert not reading.figure.locked[:3].any()
    assert list(reading.notes) == [bone.name] and f"“{bone.name}”" in reading.notes[bone.name]


def test_orders_that_cannot_be_had_at_once_keep_the_bone(armature):
    bone = armature.pose.bones[0]
    bone.rotation_mode, bone.lock_rotation = "ZXY", (True, False, False)
    limit_rotation(bone, (-1.0, -1.0, -1.0), (1.0, 1.0, 1.0), "XYZ")
    bpy.context.view_layer.update()
    reading = read(armature)
    assert reading.figure.locked[:3].all()
    assert f"“{bone.name}”" in reading.notes[bone.name]


@pytest.mark.parametrize(
    "change",
    [
        lambda constraint: setattr(constraint, "owner_space", "WORLD"),
        lambda constraint: setattr(constraint, "influence", 0.5),
        lambda constraint: constraint.driver_add("max_x"),
    ],
)
def test_other_limit_rotations_are_constraints_like_any_other(armature, change):
    bone = armature.pose.bones[0]
    bone.rotation_mode = "XYZ"
    bone.rotation_euler = (2.0, 0.1, 0.0)
    change(limit_rotation(bone, (-0.5, -1.0, -1.0), (0.5, 1.0, 1.0)))
    bpy.context.view_layer.update()
    reading = read(armature)
    assert reading.figure.locked[:3].all()
    assert f"“{bone.name}”" in reading.notes[bone.name]
    assert deviation(armature, reading, reading.q) < FLOAT32


@pytest.mark.parametrize("change", [("mute", True), ("influence", 0.0)])
def test_limits_that_are_off_do_not_count(armature, change):
    constraint = limit_rotation(armature.pose.bones[0], (-0.5,) * 3, (0.5,) * 3)
    setattr(constraint, *change)
    assert np.isinf(read(armature).figure.lower[:3]).all()


def test_empty_limits_are_refused_by_name(armature):
    bone = armature.pose.bones[2]
    bone.name = "Ellenbogen ↯"
    limit_rotation(bone, (radians(30.0), 0.0, 0.0), (radians(10.0), 0.0, 0.0)).name = "Grenze"
    before = world_matrices(armature)
    with pytest.raises(BridgeError, match="“Grenze” of bone “Ellenbogen ↯” has a minimum X of 30°"):
        read(armature)
    assert np.array_equal(world_matrices(armature), before)


def test_limits_that_contradict_each_other_are_refused_by_name(armature):
    bone = armature.pose.bones[0]
    limit_rotation(bone, (1.0, 0.0, 0.0), (2.0, 0.0, 0.0))
    bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, -0.5, 0.5
    with pytest.raises(BridgeError, match=f"“{bone.name}” contradict"):
        read(armature)

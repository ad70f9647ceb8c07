"""Writing a pose: nothing changes that need not, and what changes does not jump."""

from dataclasses import replace

import bpy
import numpy as np
import pytest
from bl_ext.user_default.contrapposto.bridge.pose import restore, snapshot, write_pose
from evaluated import FLOAT32, channels, deviation, read
from random_armatures import ROTATION_MODES, build_tree, random_armature


@pytest.fixture(autouse=True)
def _empty(empty_file):
    pass


def own_channel(bone):
    if bone.rotation_mode == "QUATERNION":
        return np.array(bone.rotation_quaternion.normalized())
    if bone.rotation_mode == "AXIS_ANGLE":
        angle, *axis = bone.rotation_axis_angle
        return np.array([angle, *axis / np.linalg.norm(axis)])
    return np.array(bone.rotation_euler)


def condition(bone) -> float:
    """How much rounding of a rotation grows in its channel: close to gimbal lock, or with no axis."""
    if bone.rotation_mode == "QUATERNION":
        return 1.0
    if bone.rotation_mode == "AXIS_ANGLE":
        return 1.0 / abs(np.sin(0.5 * bone.rotation_axis_angle[0]))
    return 1.0 / abs(np.cos(bone.rotation_euler["XYZ".index(bone.rotation_mode[1])]))


@pytest.mark.parametrize("seed", range(30))
def test_writing_what_was_read_changes_nothing(seed):
    armature = random_armature(np.random.default_rng(seed), "EVEN")
    before = [own_channel(bone) for bone in armature.pose.bones]
    reading = read(armature)
    write_pose(armature, replace(reading, q=reading.q + 1.0), reading.q)
    for bone, channel in zip(armature.pose.bones, before, strict=True):
        assert own_channel(bone) == pytest.approx(channel, abs=1e-6 * condition(bone)), bone.rotation_mode


def test_only_bones_that_move_are_written():
    armature = random_armature(np.random.default_rng(5), size=6)
    before = channels(armature)
    reading = read(armature)
    write_pose(armature, reading, reading.q)
    assert channels(armature) == before
    q = reading.q.copy()
    q[3 * 2] += 0.5
    write_pose(armature, reading, q)
    assert [i for i, each in enumerate(channels(armature)) if each != before[i]] == [2]


@pytest.mark.parametrize("mode", ROTATION_MODES)
@pytest.mark.parametrize("axis", [0, 1, 2])
def test_two_whole_turns_are_continuous(mode, axis):
    armature = build_tree(np.random.default_rng(0), 1)
    bone = armature.pose.bones[0]
    bone.rotation_mode = mode
    bpy.context.view_layer.update()
    reading = read(armature)
    angles = np.linspace(0.0, 4.0 * np.pi, 81)
    # Swings go up to half a turn; beyond, the coordinates go on from the other side.
    paths = [angle if axis == 1 else (angle + np.pi) % (2.0 * np.pi) - np.pi for angle in angles]
    seen = [own_channel(bone)]
    for angle in paths[1:]:
        q = reading.q.copy()
        q[axis] = angle
        reading = write_pose(armature, reading, q)
        assert deviation(armature, reading, q) < FLOAT32
        seen.append(own_channel(bone))
    steps = np.abs(np.diff(seen, axis=0)).max(axis=1)
    # Leaving no rotation at all, an axis may turn to any other.
    assert (steps[1:] if mode == "AXIS_ANGLE" else steps).max() < 0.2
    if mode in ("XYZ", "ZYX") and axis == 1:
        return  # the middle angle of a continuous turn goes through gimbal lock
    if mode not in ("QUATERNION", "AXIS_ANGLE"):
        assert seen[-1][axis] == pytest.approx(4.0 * np.pi, abs=1e-5)


def test_an_angle_beyond_a_turn_stays_there():
    armature = build_tree(np.random.default_rng(0), 1)
    bone = armature.pose.bones[0]
    bone.rotation_mode = "XYZ"
    bone.rotation_euler = (0.1, 7.0, -9.0)
    bpy.context.view_layer.update()
    reading = read(armature)
    write_pose(armature, reading, reading.q + np.array([1e-3, 0, 0, 0, 0, 0]))
    assert np.array(bone.rotation_euler) == pytest.approx([0.1, 7.0, -9.0], abs=5e-3)


def test_a_snapshot_brings_back_every_bit():
    rng = np.random.default_rng(6)
    armature = random_armature(rng)
    before, saved = channels(armature), snapshot(armature)
    reading = read(armature)
    write_pose(armature, reading, reading.q + rng.normal(size=reading.q.shape))
    assert channels(armature) != before
    restore(armature, saved)
    assert channels(armature) == before
    assert deviation(armature, reading, reading.q) < FLOAT32

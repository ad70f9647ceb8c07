"""Bones that constraints or drivers move are not posed, and stand where Blender evaluates them."""

import bpy
import numpy as np
import pytest
from bl_ext.user_default.contrapposto.bridge.pose import write_pose
from evaluated import FLOAT32, channels, deviation, read
from random_armatures import build_tree, random_armature


@pytest.fixture(autouse=True)
def _empty(empty_file):
    pass


def empty(name="Target", at=(1.0, 2.0, 0.5)):
    result = bpy.data.objects.new(name, None)
    result.location = at
    bpy.context.scene.collection.objects.link(result)
    return result


def chain(count):
    """Bones on top of each other, slightly bent, each the child of the one before."""
    data = bpy.data.armatures.new("Chain")
    armature = bpy.data.objects.new("Chain", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    parent = None
    for i in range(count):
        bone = data.edit_bones.new(f"Bone {i}")
        bone.head, bone.tail = (0.0, 0.05 * (i % 2), i), (0.0, 0.05 * ((i + 1) % 2), i + 1.0)
        bone.parent, bone.use_connect = parent, parent is not None
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def held(reading):
    """The names of bones that have no free coordinate of rotation."""
    locked = reading.figure.locked[: 3 * len(reading.bones)].reshape(-1, 3).all(axis=1)
    return [name for name, lock in zip(reading.bones, locked, strict=True) if lock]


def constrain(bone, kind, **settings):
    constraint = bone.constraints.new(kind)
    for name, value in settings.items():
        setattr(constraint, name, value)
    bpy.context.view_layer.update()
    return constraint


@pytest.mark.parametrize("seed", range(20))
def test_constrained_bones_stand_where_they_are_evaluated(seed):
    rng = np.random.default_rng(seed)
    armature = random_armature(rng, "EVEN", size=8)
    target = empty()
    for bone in armature.pose.bones:
        if rng.random() < 0.3:
            kind = str(
                rng.choice(["COPY_LOCATION", "COPY_ROTATION", "DAMPED_TRACK", "COPY_TRANSFORMS", "CHILD_OF"])
            )
            constrain(bone, kind, target=target, influence=rng.uniform(0.3, 1.0))
    reading = read(armature)
    constrained = [bone.name for bone in armature.pose.bones if bone.constraints]
    assert held(reading) == constrained
    assert list(reading.notes) == constrained
    assert all(f"“{name}”" in note for name, note in reading.notes.items())
    assert deviation(armature, reading, reading.q) < FLOAT32


def test_what_follows_its_parent_is_predicted():
    """A limit on its location does not stop a bone from turning with its parent."""
    rng = np.random.default_rng(1)
    armature = build_tree(rng, 6)
    constrain(armature.pose.bones[3], "LIMIT_SCALE", use_min_x=True, min_x=2.0, owner_space="LOCAL")
    reading = read(armature)
    assert held(reading) == [armature.pose.bones[3].name]
    q = np.where(reading.figure.locked, reading.q, reading.q + rng.normal(size=reading.q.shape))
    before = channels(armature)[3]
    write_pose(armature, reading, q)
    assert deviation(armature, reading, q) < FLOAT32
    assert channels(armature)[3] == before


@pytest.mark.parametrize(
    ("kind", "settings"),
    [
        ("COPY_LOCATION", {}),  # no target
        ("IK", {}),
        ("ARMATURE", {}),
        ("LIMIT_LOCATION", {"use_min_x": True, "min_x": 9.0, "mute": True}),
        ("LIMIT_LOCATION", {"use_min_x": True, "min_x": 9.0, "influence": 0.0}),
    ],
)
def test_constraints_that_do_nothing_are_ignored(kind, settings):
    armature = build_tree(np.random.default_rng(2), 4)
    constrain(armature.pose.bones[1], kind, **settings)
    reading = read(armature)
    assert reading.notes == {}
    assert held(reading) == []


@pytest.mark.parametrize(
    ("settings", "moved"),
    [
        ({"chain_count": 2}, [2, 3]),
        ({"chain_count": 0}, [0, 1, 2, 3]),
        ({"chain_count": 2, "use_tail": False}, [1, 2, 3]),
    ],
)
def test_inverse_kinematics_holds_its_whole_chain(settings, moved):
    armature = chain(5)
    constrain(armature.pose.bones[3], "IK", target=empty(), **settings)
    reading = read(armature)
    assert held(reading) == [f"Bone {i}" for i in moved]
    assert deviation(armature, reading, reading.q) < FLOAT32
    assert "“Bone 2” is moved by the constraint “IK” of “Bone 3”" in reading.notes["Bone 2"]


def test_spline_ik_holds_its_whole_chain():
    armature = chain(4)
    bpy.ops.curve.primitive_bezier_curve_add()
    constrain(armature.pose.bones[3], "SPLINE_IK", target=bpy.context.object, chain_count=3)
    reading = read(armature)
    assert held(reading) == ["Bone 1", "Bone 2", "Bone 3"]
    assert deviation(armature, reading, reading.q) < FLOAT32


@pytest.mark.parametrize("channel", ["location", "rotation_euler", "scale"])
def test_driven_bones_keep_what_drives_them(channel):
    rng = np.random.default_rng(3)
    armature = random_armature(rng, size=6)
    bone = armature.pose.bones[2]
    bone.name = 'Odd "name" \\ ü'
    bone.rotation_mode = "XYZ"
    curve = bone.driver_add(channel, 0)
    curve.driver.expression = "0.7"
    bpy.context.view_layer.update()
    reading = read(armature)
    assert held(reading) == [bone.name]
    assert reading.notes == {bone.name: f"Bone “{bone.name}” is moved by a driver and is not posed."}
    q = np.where(reading.figure.locked, reading.q, reading.q + rng.normal(size=reading.q.shape))
    write_pose(armature, reading, q)
    assert deviation(armature, reading, q) < FLOAT32


def test_a_driven_or_constrained_root_does_not_move():
    armature = chain(3)
    constraint = constrain(armature.pose.bones[0], "COPY_LOCATION", target=empty())
    assert len(read(armature).figure.skeleton.translating) == 0
    armature.pose.bones[0].constraints.remove(constraint)
    bpy.context.view_layer.update()
    assert len(read(armature).figure.skeleton.translating) == 1
    armature.pose.bones[0].driver_add("location", 2).driver.expression = "2.0"
    bpy.context.view_layer.update()
    reading = read(armature)
    assert len(reading.figure.skeleton.translating) == 0
    assert deviation(armature, reading, reading.q) < FLOAT32


def test_a_muted_driver_or_one_of_a_custom_property_is_ignored():
    armature = chain(2)
    first, second = armature.pose.bones
    first.driver_add("location", 0).mute = True
    second["switch"] = 1.0
    second.driver_add('["switch"]').driver.expression = "0.5"
    bpy.context.view_layer.update()
    assert read(armature).notes == {}

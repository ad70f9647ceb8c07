"""The figure gives the same bones as Blender, over armatures nobody prepared."""

import bpy
import numpy as np
import pytest
from bl_ext.user_default.contrapposto.bridge.errors import BridgeError
from bl_ext.user_default.contrapposto.bridge.pose import write_pose
from evaluated import FLOAT32, deviation, read
from random_armatures import build_tree, random_armature

SEEDS = range(60)


@pytest.fixture(autouse=True)
def _empty(empty_file):
    pass


def read_or_skip_shear(armature):
    """None where the armature is refused because scale depends on the pose, as it should be then."""
    try:
        return read(armature)
    except BridgeError as error:
        assert "unevenly" in str(error)
        assert any(f"“{bone.name}”" in str(error) for bone in armature.pose.bones)
        return None


@pytest.mark.parametrize("scales", ["NONE", "EVEN", "UNEVEN"])
@pytest.mark.parametrize("seed", SEEDS)
def test_bones_are_where_blender_has_them(seed, scales):
    rng = np.random.default_rng(seed)
    armature = random_armature(rng, scales)
    reading = read_or_skip_shear(armature)
    if reading is None:
        assert scales == "UNEVEN"
        return
    assert reading.bones == tuple(bone.name for bone in armature.pose.bones)
    assert deviation(armature, reading, reading.q) < FLOAT32
    for _ in range(2):
        q = np.where(reading.figure.locked, reading.q, reading.q + rng.normal(size=reading.q.shape))
        reading = write_pose(armature, reading, q)
        assert deviation(armature, reading, q) < FLOAT32
        assert deviation(armature, read(armature), read(armature).q) < FLOAT32


def test_most_unevenly_scaled_armatures_can_be_posed():
    """So that the test above means something."""
    readings = [read_or_skip_shear(random_armature(np.random.default_rng(seed), "UNEVEN")) for seed in SEEDS]
    assert sum(reading is not None for reading in readings) > 0.6 * len(readings)


def test_a_full_inheritance_of_shear_is_exact():
    rng = np.random.default_rng(1)
    armature = build_tree(rng, 8)
    for bone in armature.pose.bones:
        bone.scale = rng.uniform(0.5, 2.0, size=3)
    bpy.context.view_layer.update()
    reading = read(armature)
    q = reading.q + rng.normal(size=reading.q.shape)
    write_pose(armature, reading, q)
    assert deviation(armature, reading, q) < FLOAT32


def test_only_roots_translate_and_only_where_wanted():
    armature = build_tree(np.random.default_rng(2), 12)
    roots = [i for i, bone in enumerate(armature.pose.bones) if bone.parent is None]
    assert len(roots) > 1
    first = armature.pose.bones[roots[0]]
    first.lock_location = (False, True, False)
    armature.pose.bones[roots[1]].lock_location = (True, True, True)
    figure = read(armature).figure
    assert list(figure.skeleton.translating) == [i for i in roots if i != roots[1]]
    assert list(figure.locked[3 * len(figure.names) :][:3]) == [False, True, False]
    armature.contrapposto_figure.use_root_location = False
    assert len(read(armature).figure.skeleton.translating) == 0


def test_mass_is_length_unless_set():
    armature = build_tree(np.random.default_rng(3), 5)
    bones = armature.data.bones
    bones[1].use_deform = False
    bones[2].contrapposto.mass = 7.0
    figure = read(armature).figure
    mass = dict(zip(figure.names, figure.masses, strict=True))
    assert mass[bones[0].name] == pytest.approx(bones[0].length)
    assert mass[bones[1].name] == 0.0
    assert mass[bones[2].name] == 7.0
    for bone in bones:
        bone.use_deform = False
    assert read(armature).figure.masses[1] == pytest.approx(bones[1].length)
    assert figure.mass_points[0] == pytest.approx([0.0, 0.5 * bones[0].length, 0.0])


def test_an_animated_pose_is_read_as_evaluated():
    armature = build_tree(np.random.default_rng(4), 3)
    bone = armature.pose.bones[0]
    bone.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (11, 1.0)):
        bone.rotation_euler = (0.0, angle, 0.0)
        bone.keyframe_insert("rotation_euler", frame=frame)
    bpy.context.scene.frame_set(6)
    reading = read(armature)
    assert reading.q[1] == pytest.approx(0.5, abs=1e-5)
    assert deviation(armature, reading, reading.q) < FLOAT32
    q = reading.q + 0.1
    write_pose(armature, reading, q)
    assert deviation(armature, reading, q) < FLOAT32

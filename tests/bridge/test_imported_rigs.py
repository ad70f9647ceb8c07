"""Rigs as they come: Rigify's metarigs, and figures imported from BVH and glTF files."""

import addon_utils
import bpy
import numpy as np
import pytest
from bl_ext.user_default.contrapposto.bridge.pose import write_pose
from evaluated import FLOAT32, deviation, read
from random_armatures import build_tree

BVH = """HIERARCHY
ROOT Hips
{
  OFFSET 0.0 90.0 0.0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation Xrotation
  JOINT Chest
  {
    OFFSET 0.0 20.0 2.0
    CHANNELS 3 Yrotation Zrotation Xrotation
    JOINT Arm
    {
      OFFSET 15.0 20.0 0.0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 30.0 0.0 0.0
      }
    }
  }
}
MOTION
Frames: 2
Frame Time: 0.04
0 90 0 10 20 30 5 0 0 40 50 60
5 91 2 15 -20 45 170 10 -5 -40 -50 160
"""


@pytest.fixture
def rigify(empty_file):
    addon_utils.enable("rigify", default_set=True)
    yield
    addon_utils.disable("rigify", default_set=True)


def check(armature, seed=0):
    """Read and written exactly, in its present pose and in a random one."""
    rng = np.random.default_rng(seed)
    bpy.context.view_layer.update()
    reading = read(armature)
    assert deviation(armature, reading, reading.q) < FLOAT32
    free = ~reading.figure.locked
    q = np.clip(
        reading.q + free * rng.normal(size=reading.q.shape), reading.figure.lower, reading.figure.upper
    )
    reading = write_pose(armature, reading, np.where(free, q, reading.q))
    assert deviation(armature, reading, reading.q) < 3 * FLOAT32
    assert deviation(armature, read(armature), read(armature).q) < FLOAT32
    return reading


def test_every_metarig_of_rigify(rigify):
    names = sorted(name for name in dir(bpy.ops.object) if name.endswith("_metarig_add"))
    assert len(names) >= 8
    for name in names:
        assert getattr(bpy.ops.object, name)() == {"FINISHED"}
        reading = check(bpy.context.object)
        assert reading.notes == {}, name


@pytest.mark.skipif(
    bpy.app.module and bpy.app.version < (5, 0), reason="Blender 4.5's wheel does not end after it"
)
def test_a_generated_rig_is_read_as_it_stands(rigify):
    """Hundreds of bones with constraints and drivers; whatever can be posed is, the rest keeps its place."""
    bpy.ops.object.armature_basic_human_metarig_add()
    assert bpy.ops.pose.rigify_generate() == {"FINISHED"}
    armature = bpy.context.object
    bpy.context.view_layer.update()
    reading = read(armature)
    assert deviation(armature, reading, reading.q) < FLOAT32
    assert reading.notes and not reading.figure.locked.all()


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # Blender's importer leaves its file open
def test_a_bvh_file(empty_file, tmp_path):
    path = tmp_path / "figure.bvh"
    path.write_text(BVH)
    for mode in ("NATIVE", "QUATERNION"):
        bpy.ops.import_anim.bvh(filepath=str(path), rotate_mode=mode, global_scale=0.01)
        for frame in (1, 2):
            bpy.context.scene.frame_set(frame)
            check(bpy.context.object, frame)


def test_a_gltf_file(empty_file, tmp_path):
    rng = np.random.default_rng(8)
    armature = build_tree(rng, 6)
    mesh = bpy.data.meshes.new("Skin")
    mesh.from_pydata([(0, 0, 0), (1, 0, 0), (0, 1, 0)], [], [(0, 1, 2)])
    skin = bpy.data.objects.new("Skin", mesh)
    bpy.context.scene.collection.objects.link(skin)
    skin.vertex_groups.new(name=armature.pose.bones[0].name).add([0, 1, 2], 1.0, "REPLACE")
    skin.parent = armature
    skin.modifiers.new("Armature", "ARMATURE").object = armature
    for bone in armature.pose.bones:
        bone.rotation_quaternion = rng.normal(size=4)
        bone.scale = [rng.uniform(0.5, 2.0)] * 3
    path = str(tmp_path / "figure.glb")
    bpy.ops.export_scene.gltf(filepath=path, export_current_frame=True)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.import_scene.gltf(filepath=path)
    check(next(each for each in bpy.data.objects if each.type == "ARMATURE"))

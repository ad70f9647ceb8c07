"""What cannot be posed is refused in one sentence that names it, and nothing is touched."""

from math import inf, nan

import bpy
import numpy as np
import pytest
from bl_ext.user_default.contrapposto.bridge.errors import BridgeError
from bl_ext.user_default.contrapposto.bridge.solve import solve_armature
from evaluated import channels, read
from goal_empties import add_goal
from random_armatures import build_tree


@pytest.fixture
def armature(empty_file):
    armature = build_tree(np.random.default_rng(7), 5)
    armature.name = "Ürsula"
    return armature


def refused(armature) -> str:
    """The sentence of both reading and solving; everything is as it was."""
    before = channels(armature)
    with pytest.raises(BridgeError) as reading:
        read(armature)
    with pytest.raises(BridgeError) as solving:
        solve_armature(bpy.context, armature)
    assert str(reading.value) == str(solving.value)
    np.testing.assert_array_equal(channels(armature), before)
    assert str(reading.value).endswith(".") and "\n" not in str(reading.value)
    return str(reading.value)


def test_an_object_without_size(armature):
    armature.scale = (1.0, 0.0, 1.0)
    bpy.context.view_layer.update()
    assert refused(armature) == "“Ürsula” has a scale of zero; give it a size to pose it."


def test_a_bone_without_size(armature):
    armature.pose.bones[2].scale = (1.0, 1.0, 0.0)
    bpy.context.view_layer.update()
    assert f"Bone “{armature.pose.bones[2].name}” of “Ürsula” has a scale of zero" in refused(armature)


@pytest.mark.parametrize(
    ("channel", "value"),
    [
        *((channel, value) for channel in ("location", "rotation_euler", "scale") for value in (nan, inf)),
        ("rotation_quaternion", nan),  # Blender normalises an infinite one
    ],
)
def test_numbers_that_are_none(armature, channel, value):
    bone = armature.pose.bones[3]
    bone.rotation_mode = "XYZ" if channel == "rotation_euler" else "QUATERNION"
    getattr(bone, channel)[1] = value
    bpy.context.view_layer.update()
    sentence = refused(armature)
    assert f"bone “{bone.name}” of “Ürsula” is infinite or not a number" in sentence


def test_an_object_that_is_nowhere(armature):
    armature.location.x = nan
    bpy.context.view_layer.update()
    assert refused(armature) == "The transform of “Ürsula” is infinite or not a number; clear it."


def test_the_rest_position(armature):
    armature.data.pose_position = "REST"
    assert "“Ürsula” is shown in its rest position" in refused(armature)


def test_edit_mode(armature):
    bpy.ops.object.mode_set(mode="EDIT")
    assert "“Ürsula” is in Edit Mode" in refused(armature)
    bpy.ops.object.mode_set(mode="OBJECT")


def test_no_bones(empty_file):
    armature = bpy.data.objects.new("Nobody", bpy.data.armatures.new("Nobody"))
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.update()
    assert refused(armature) == "“Nobody” has no bones."


def test_no_armature(empty_file):
    cube = bpy.data.objects.new("Cube", bpy.data.meshes.new("Cube"))
    with pytest.raises(BridgeError, match="“Cube” is not an armature"):
        solve_armature(bpy.context, cube)


def test_scale_that_depends_on_the_pose(armature):
    chain = [bone for bone in armature.pose.bones if len(bone.parent_recursive) >= 2]
    bone = chain[0]
    bone.parent_recursive[1].scale = (1.0, 2.0, 1.0)
    bone.bone.inherit_scale = "ALIGNED"
    bpy.context.view_layer.update()
    assert f"Bone “{bone.name}” cannot be posed" in refused(armature)


def test_no_goals(armature):
    with pytest.raises(BridgeError, match="“Ürsula” has no goals that count"):
        solve_armature(bpy.context, armature)
    other = build_tree(np.random.default_rng(1), 2)
    add_goal(other, other.pose.bones[0].name)
    with pytest.raises(BridgeError, match="“Ürsula” has no goals that count"):
        solve_armature(bpy.context, armature)


@pytest.fixture
def library(armature, tmp_path):
    path = tmp_path / "library.blend"
    bpy.data.libraries.write(str(path), {armature, bpy.context.scene.collection})
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(path), link=True) as (_, into):
        into.objects = ["Ürsula"]
    linked = bpy.data.objects["Ürsula"]
    bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.update()
    return linked


def test_a_linked_armature(library):
    assert "“Ürsula” is linked from a library" in refused(library)


def test_a_library_override_is_posed(library):
    override = library.override_create(remap_local_usages=True)
    override.override_library.is_system_override = False
    bpy.context.view_layer.update()
    tip = override.pose.bones[0]
    goal = add_goal(override, tip.name, effector="TAIL", by=(0.1, 0.2, 0.0))
    result, _ = solve_armature(bpy.context, override)
    assert result.met
    assert (override.matrix_world @ tip.tail - goal.matrix_world.translation).length < 1e-3

"""Armatures nobody prepared: random trees with random settings, the same for the same generator."""

from math import pi

import bpy
import numpy as np
from mathutils import Euler, Matrix, Vector

ROTATION_MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")
INHERIT_SCALES = ("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY")


def random_armature(
    rng: np.random.Generator, scales: str = "NONE", size: int | None = None
) -> bpy.types.Object:
    """An armature object in the scene, posed at random.

    ``scales`` of the posed bones: NONE, EVEN (one number per bone) or UNEVEN (three).
    """
    armature = build_tree(rng, size or int(rng.integers(1, 16)))
    for bone in armature.data.bones:
        bone.use_inherit_rotation = rng.random() < 0.75
        bone.inherit_scale = str(rng.choice(INHERIT_SCALES)) if rng.random() < 0.5 else "FULL"
        bone.use_local_location = rng.random() < 0.75
    for bone in armature.pose.bones:
        pose_at_random(rng, bone, scales)
    place_at_random(rng, armature)
    bpy.context.view_layer.update()
    return armature


def build_tree(rng: np.random.Generator, size: int) -> bpy.types.Object:
    """Bones with random parents, rolls and directions; some connected, several roots, no pose."""
    data = bpy.data.armatures.new("Random")
    armature = bpy.data.objects.new("Random", data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bones = []
    for i in range(size):
        bone = data.edit_bones.new(f"Bone {i}")
        bone.head = rng.normal(size=3)
        bone.tail = bone.head + Vector(rng.normal(size=3)).normalized() * rng.uniform(0.05, 1.5)
        bone.roll = rng.uniform(-pi, pi)
        if bones and rng.random() < 0.9:
            bone.parent = bones[int(rng.integers(len(bones)))]
            bone.use_connect = rng.random() < 0.5
        bones.append(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def pose_at_random(rng: np.random.Generator, bone: bpy.types.PoseBone, scales: str) -> None:
    bone.rotation_mode = str(rng.choice(ROTATION_MODES))
    bone.rotation_quaternion = rng.normal(size=4)  # Blender normalises when it evaluates
    bone.rotation_axis_angle = (rng.uniform(-2 * pi, 2 * pi), *rng.normal(size=3))
    bone.rotation_euler = rng.uniform(-2 * pi, 2 * pi, size=3)
    bone.location = rng.normal(size=3) * 0.3
    if scales == "EVEN":
        bone.scale = [rng.uniform(0.5, 2.0) * rng.choice([-1.0, 1.0], p=[0.1, 0.9])] * 3
    if scales == "UNEVEN" and rng.random() < 0.3:
        bone.scale = rng.uniform(0.5, 2.0, size=3) * rng.choice([-1.0, 1.0], p=[0.1, 0.9], size=3)


def place_at_random(rng: np.random.Generator, armature: bpy.types.Object) -> None:
    """Turned, scaled, mirrored, or below a parent that is."""
    for each in (armature, _parent_of(rng, armature)):
        if each is not None and rng.random() < 0.7:
            each.matrix_basis = _random_transform(rng)


def _parent_of(rng: np.random.Generator, armature: bpy.types.Object) -> bpy.types.Object | None:
    if rng.random() < 0.6:
        return None
    armature.parent = bpy.data.objects.new("Parent", None)
    bpy.context.scene.collection.objects.link(armature.parent)
    armature.matrix_parent_inverse = _random_transform(rng)
    return armature.parent


def _random_transform(rng: np.random.Generator) -> Matrix:
    kind = rng.choice(["one", "even", "uneven"])
    scale = {
        "one": np.ones(3),
        "even": np.full(3, rng.uniform(0.2, 3.0)),
        "uneven": rng.uniform(0.4, 2.0, 3),
    }[kind]
    scale = scale * rng.choice([-1.0, 1.0], p=[0.2, 0.8], size=3)
    turn = Euler(rng.uniform(-pi, pi, size=3))
    return Matrix.LocRotScale(Vector(rng.normal(size=3)), turn, Vector(scale))

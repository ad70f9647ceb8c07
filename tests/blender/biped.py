"""A small figure for tests: hips, spine, head, two arms with hands and two legs with feet."""

import bpy
from mathutils import Matrix, Vector

# name: (parent, head, tail); mirrored for the right side where it ends in .L
BONES = {
    "hips": (None, (0, 0, 1.0), (0, 0, 1.2)),
    "spine": ("hips", (0, 0, 1.2), (0, 0.02, 1.5)),
    "head": ("spine", (0, 0.02, 1.5), (0, 0, 1.75)),
    "upper_arm.L": ("spine", (0.2, 0, 1.45), (0.45, 0.02, 1.4)),
    "forearm.L": ("upper_arm.L", (0.45, 0.02, 1.4), (0.7, -0.02, 1.4)),
    "hand.L": ("forearm.L", (0.7, -0.02, 1.4), (0.85, -0.03, 1.4)),
    "thigh.L": ("hips", (0.1, 0, 1.0), (0.1, -0.02, 0.5)),
    "shin.L": ("thigh.L", (0.1, -0.02, 0.5), (0.1, 0.02, 0.1)),
    "foot.L": ("shin.L", (0.1, 0.02, 0.1), (0.1, -0.15, 0.0)),
}


def add_biped(name: str = "Biped") -> bpy.types.Object:
    """A new armature, active and in Object Mode."""
    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for bone, (parent, head, tail) in BONES.items():
        _add_bone(data, bone, parent, Vector(head), Vector(tail))
        if bone.endswith(".L"):
            mirror = Matrix.Diagonal((-1, 1, 1))
            _add_bone(data, _right(bone), _right(parent), mirror @ Vector(head), mirror @ Vector(tail))
    bpy.ops.object.mode_set(mode="OBJECT")
    return armature


def _right(bone: str) -> str:
    return bone.replace(".L", ".R")


def _add_bone(data, name, parent, head, tail):
    bone = data.edit_bones.new(name)
    bone.head, bone.tail = head, tail
    bone.parent = data.edit_bones[parent] if parent else None


def select_bones(armature: bpy.types.Object, *names: str) -> None:
    """Enter Pose Mode with these bones selected, the last of them active."""
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="POSE")
    for bone in armature.pose.bones:
        # Blender 5.0 moved the selection from the bone to the pose bone.
        (bone if bpy.app.version >= (5, 0) else bone.bone).select = bone.name in names
    armature.data.bones.active = armature.data.bones[names[-1]] if names else None


def goals_of(armature: bpy.types.Object) -> dict[str, bpy.types.Object]:
    return {
        each.name: each
        for each in bpy.context.scene.objects
        if each.contrapposto_goal.is_goal and each.contrapposto_goal.armature == armature
    }


def add_goal(armature: bpy.types.Object, bone: str, kind: str = "POSITION", **options) -> bpy.types.Object:
    """The new goal of a bone, by the operator."""
    bpy.context.view_layer.objects.active = armature
    there = set(goals_of(armature))
    assert bpy.ops.contrapposto.goal_add(type=kind, bone=bone, **options) == {"FINISHED"}
    (name,) = set(goals_of(armature)) - there
    return bpy.data.objects[name]


def world_matrices(armature: bpy.types.Object) -> dict[str, Matrix]:
    """Where Blender says each bone is."""
    bpy.context.view_layer.update()
    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return {bone.name: evaluated.matrix_world @ bone.matrix for bone in evaluated.pose.bones}


def tail(armature: bpy.types.Object, bone: str) -> Vector:
    return world_matrices(armature)[bone] @ Vector((0, armature.data.bones[bone].length, 0))


def channels(armature: bpy.types.Object) -> dict[str, tuple[float, ...]]:
    """All that a solver may write, to the last bit."""
    return {
        bone.name: (
            *bone.location,
            *bone.rotation_quaternion,
            *bone.rotation_euler,
            *bone.rotation_axis_angle,
            *bone.scale,
        )
        for bone in armature.pose.bones
    }


def largest_change(before: dict[str, Matrix], after: dict[str, Matrix]) -> float:
    return max((before[name].col[i] - after[name].col[i]).length for name in before for i in range(4))

"""A person to pose: MakeHuman's CC0 human as an armature and a skinned mesh in Blender.

`build_human()` is all that others need. Metres, Z up, facing -Y, the soles on the floor.
"""

import bpy
import mpfb
import numpy as np
from limits import limit_joints
from outfit import MATERIALS, dress, undressed
from shapes import material

LIMITED = ("mixamo", "game_engine", "cmu_mb")


def build_human(rig="mixamo", name="Human", limits=True):
    """Add the human to the scene: `(armature_object, mesh_object)`, the mesh a child of the armature.

    `rig` is one of MakeHuman's: mixamo (52 bones), game_engine (53), cmu_mb (31), default (163).
    `limits` gives the joints the range of a person (not in `default`, which splits limbs into several
    bones) and turns each limited bone about its own length so that its X axis is the one it bends about.
    Raises `mpfb.HumanMissing` with a sentence for the user if the files are not installed.
    """
    mesh = mpfb.read_base_mesh()
    bones = mpfb.read_rig(rig, mesh)
    armature = _add_armature(name, bones)
    if limits and rig in LIMITED:
        limit_joints(armature)
    skin = _add_skin(f"{name} skin", mesh, mpfb.read_weights(rig))
    skin.parent = armature
    skin.modifiers.new("Armature", "ARMATURE").object = armature
    skin.modifiers.new("Subdivision", "SUBSURF").levels = 0  # smooth when rendered, fast to pose
    bpy.context.view_layer.update()
    return armature, skin


def _add_armature(name, bones):
    armature = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    bpy.context.collection.objects.link(armature)
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for bone_name, bone in bones.items():
        edit_bone = armature.data.edit_bones.new(bone_name)
        edit_bone.head, edit_bone.tail, edit_bone.roll = bone.head, bone.tail, bone.roll
        if bone.parent:
            edit_bone.parent = armature.data.edit_bones[bone.parent]
            edit_bone.use_connect = bool(np.allclose(bone.head, bones[bone.parent].tail))
    bpy.ops.object.mode_set(mode="OBJECT")
    armature.show_in_front, armature.data.display_type = True, "STICK"
    return armature


def _add_skin(name, mesh, weights):
    faces, materials = undressed(mesh)
    used = np.unique(np.concatenate(faces))
    index = np.full(len(mesh.vertices), -1)
    index[used] = np.arange(len(used))

    data = bpy.data.meshes.new(name)
    data.from_pydata(mesh.vertices[used].tolist(), [], [index[list(f)].tolist() for f in faces])
    data.polygons.foreach_set("material_index", materials)
    for look in MATERIALS:
        data.materials.append(material(*look))

    skin = bpy.data.objects.new(name, data)
    bpy.context.collection.objects.link(skin)
    for bone, entries in weights.items():
        group = skin.vertex_groups.new(name=bone)
        for vertex, weight in entries:
            if index[vertex] >= 0:
                group.add((int(index[vertex]),), weight, "REPLACE")
    dress(data, mesh)
    data.shade_smooth()
    return skin

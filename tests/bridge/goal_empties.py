"""Goals made by hand, without the extension's operators."""

import bpy
from bl_ext.user_default.contrapposto.bridge.goals import effector_matrix
from mathutils import Matrix, Vector


def add_goal(armature, bone="", name=None, by=(0.0, 0.0, 0.0), **settings) -> bpy.types.Object:
    """A goal at its effector, moved ``by`` so much in world space."""
    goal = bpy.data.objects.new(name or f"{bone} goal", None)
    bpy.context.scene.collection.objects.link(goal)
    own = goal.contrapposto_goal
    own.is_goal, own.armature, own.bone = True, armature, bone
    for key, value in settings.items():
        setattr(own, key, value)
    bpy.context.view_layer.update()
    effector = effector_matrix(armature, own, bpy.context.evaluated_depsgraph_get())
    y = effector.col[1].xyz.normalized()
    x = effector.col[0].xyz
    x = (x - x.dot(y) * y).normalized()
    goal.matrix_world = Matrix.Translation(effector.translation + Vector(by)) @ (
        Matrix((x, y, x.cross(y))).transposed().to_4x4()
    )
    bpy.context.view_layer.update()
    return goal

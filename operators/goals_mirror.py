"""Goals for the other side of the body, by Blender's own flipping of names and across the armature's X."""

import bpy
from mathutils import Matrix

from ..bridge.errors import BridgeError
from ..bridge.goals import goal_objects
from ..properties import active_goal, goal_settings, is_goal_of, rest_bones
from .base import FigureOperator
from .making import keep_goal, make_goal
from .placement import put

_ACROSS = Matrix.Diagonal((-1.0, 1.0, 1.0, 1.0))
_COPIED = (
    *("enabled", "effector", "use_x", "use_y", "weight", "priority", "tolerance", "angle_tolerance"),
    *("reach", "reach_count", "is_pin"),
)
_TURNED = {"ORIENTATION", "POSE"}


class CONTRAPPOSTO_OT_goals_mirror(FigureOperator):
    """Make goals of the other side like the selected ones, or like the active goal"""

    bl_idname = "contrapposto.goals_mirror"
    bl_label = "Mirror Goals"

    def run(self, context: bpy.types.Context, armature: bpy.types.Object) -> None:
        goals = _subjects(context, armature)
        flipped = [flip(goal_settings(goal).bone) for goal in goals]
        for goal, bone in zip(goals, flipped, strict=True):
            own = goal_settings(goal).bone
            if bone == own or bone not in armature.pose.bones:
                raise BridgeError(f"Goal “{goal.name}” is for bone “{own}”, which has no other side.")
        for goal, bone in zip(goals, flipped, strict=True):
            self._mirror(context, armature, goal, bone)
        self.report(
            {"INFO"}, f"Mirrored {len(goals)} goals" if len(goals) > 1 else f"Mirrored “{goals[0].name}”"
        )

    def _mirror(
        self, context: bpy.types.Context, armature: bpy.types.Object, goal: bpy.types.Object, bone: str
    ) -> None:
        there = _like(armature, goal, bone, context.view_layer)
        settings, theirs = goal_settings(goal), goal_settings(there)
        for name in _COPIED:
            setattr(theirs, name, getattr(settings, name))
        theirs.point = (-settings.point[0], settings.point[1], settings.point[2])
        theirs.aim_axis = _other_axis(settings.aim_axis)
        theirs.reach_bone, theirs.any_of = flip(settings.reach_bone), flip(settings.any_of)
        there.empty_display_size = goal.empty_display_size
        if not there.users_collection:
            there.name = flip(goal.name).replace(settings.bone, bone)
            keep_goal(context.scene, there)
        put(there, _mirrored(armature, goal, bone), context.view_layer)


def flip(name: str) -> str:
    """Left for right; a name without a side stays."""
    return bpy.utils.flip_name(name)


def _subjects(context: bpy.types.Context, armature: bpy.types.Object) -> list[bpy.types.Object]:
    goals = [each for each in context.selected_objects if is_goal_of(each, armature)]
    goals = goals or [goal for goal in [active_goal(context)] if goal]
    if not goals:
        raise BridgeError(f"“{armature.name}” has no active goal.")
    for goal in goals:
        if goal_settings(goal).effector == "CENTRE_OF_MASS":
            raise BridgeError(f"Goal “{goal.name}” is for the centre of mass, which has no other side.")
    return goals


def _like(
    armature: bpy.types.Object, goal: bpy.types.Object, bone: str, view_layer: bpy.types.ViewLayer
) -> bpy.types.Object:
    """The goal of the other side if there is one, else a new one."""
    settings = goal_settings(goal)
    for each in goal_objects(armature, view_layer):
        theirs = goal_settings(each)
        if (theirs.bone, theirs.type, theirs.is_pin) == (bone, settings.type, settings.is_pin):
            return each
    return make_goal(armature, armature.pose.bones[bone], settings.type, settings.effector)


def _other_axis(axis: str) -> str:
    """The X axes of mirrored bones point to the same side of the body, not away from each other."""
    return {"POS_X": "NEG_X", "NEG_X": "POS_X"}.get(axis, axis)


def _mirrored(armature: bpy.types.Object, goal: bpy.types.Object, bone: str) -> Matrix:
    """The world matrix of ``goal`` across the armature's X, turned as the other bone lies at rest."""
    settings, world = goal_settings(goal), armature.matrix_world
    mirrored = _ACROSS @ world.inverted_safe() @ goal.matrix_world @ _ACROSS
    if settings.type in _TURNED:
        here, there = (rest_bones(armature)[name].matrix_local for name in (settings.bone, bone))
        roll = (_ACROSS @ here @ _ACROSS).inverted_safe() @ there
        mirrored = mirrored @ roll.to_3x3().to_4x4()
    return world @ mirrored

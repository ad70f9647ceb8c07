"""The range of a person's joints, as Blender's own IK limits, locks and stiffness of the bones.

The table speaks of anatomy: which way a part bends and which way it moves sideways. Each bone is first
rolled so that its Z axis points the way it bends. Turning about +X then always bends it, turning about Z
moves it sideways, and turning about Y, along the bone, twists it: the swing and twist of the solver.
"""

import re
from dataclasses import dataclass
from math import radians

import bpy
from mathutils import Vector

# Directions at rest, of the left side; x is mirrored on the right.
FORWARD, BACK = Vector((0, -1, 0)), Vector((0, 1, 0))
UP, OUT = Vector((0, 0, 1)), Vector((1, 0, 0))
PALM = Vector((-0.78, 0, -0.63))  # where the palm of the hanging hand faces
Range = tuple[float, float]


@dataclass(frozen=True)
class Joint:
    """Ranges in degrees from the rest pose. (0, 0) locks. Positive bends and moves the way named."""

    bends: Vector
    sideways: Vector
    bend: Range
    side: Range = (0, 0)
    twist: Range = (0, 0)
    stiffness: float = 0.0  # 0 moves gladly, 0.99 hardly


# At rest the arms hang 45 degrees out with the elbows bent by 44, and the legs stand slightly apart.
# A spine and a neck share their range among their bones.
JOINTS = {
    "spine": Joint(FORWARD, OUT, bend=(-10, 25), side=(-12, 12), twist=(-14, 14), stiffness=0.3),
    "neck": Joint(FORWARD, OUT, bend=(-25, 25), side=(-15, 15), twist=(-30, 30)),
    "head": Joint(FORWARD, OUT, bend=(-30, 25), side=(-20, 20), twist=(-40, 40)),
    "clavicle": Joint(UP, FORWARD, bend=(-8, 35), side=(-15, 20), stiffness=0.4),
    "shoulder": Joint(FORWARD, OUT, bend=(-45, 110), side=(-45, 105), twist=(-80, 80)),
    "elbow": Joint(FORWARD, OUT, bend=(-44, 100), twist=(-80, 80)),
    "wrist": Joint(PALM, FORWARD, bend=(-60, 70), side=(-30, 25)),
    "finger": Joint(PALM, FORWARD, bend=(-15, 80), side=(-8, 8), stiffness=0.5),
    "fingertip": Joint(PALM, FORWARD, bend=(-5, 80), stiffness=0.5),
    "thumb": Joint(PALM, FORWARD, bend=(-20, 50), side=(-25, 25), stiffness=0.5),
    "hip": Joint(FORWARD, OUT, bend=(-20, 120), side=(-25, 50), twist=(-40, 40)),
    "knee": Joint(BACK, OUT, bend=(-7, 140)),
    "ankle": Joint(UP, OUT, bend=(-45, 25), side=(-15, 15), twist=(-15, 15)),
    "toes": Joint(UP, OUT, bend=(-20, 55)),
    "rigid": Joint(UP, OUT, bend=(0, 0)),
}


# The bones of MakeHuman's mixamo, cmu_mb and game_engine rigs, less what says the side and the rig.
# The root of the body is in no part: it is free.
PARTS = {
    r"LowerBack|Spine\d?|spine_\d+": "spine",
    r"Neck\d?|neck_\d+": "neck",
    r"Head|head": "head",
    r"Shoulder|clavicle": "clavicle",
    r"Arm|upperarm": "shoulder",
    r"ForeArm|lowerarm": "elbow",
    r"Hand|hand": "wrist",
    r"Hand(Index|Middle|Ring|Pinky)1|(index|middle|ring|pinky)_01|HandFinger1": "finger",
    r"Hand(Index|Middle|Ring|Pinky)[23]|(index|middle|ring|pinky)_0[23]": "fingertip",
    r"HandThumb\d|thumb_\d+|Thumb": "thumb",
    r"UpLeg|thigh": "hip",
    r"Leg|calf": "knee",
    r"Foot|foot": "ankle",
    r"ToeBase|ball": "toes",
    r"Root|HipJoint|FingerBase": "rigid",
}


def limit_joints(armature):
    """Roll and limit the known bones of an armature object in its rest pose."""
    parts = {bone.name: part_of(bone.name) for bone in armature.data.bones}
    joints = {name: JOINTS[part] for name, part in parts.items() if part}
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for name, joint in joints.items():
        bone = armature.data.edit_bones[name]
        bone.align_roll(_on_side_of(bone, joint.bends))
    bpy.ops.object.mode_set(mode="OBJECT")
    for name, joint in joints.items():
        _limit(armature.pose.bones[name], joint)


def part_of(bone_name):
    """The part of the body that a bone moves, as in `PARTS`; None if it is in none."""
    plain = re.sub(r"^mixamorig:|Left|Right|^[LR](?=[A-Z])|_[lr]$", "", bone_name)
    return next((part for names, part in PARTS.items() if re.fullmatch(names, plain)), None)


def _on_side_of(bone, direction):
    return Vector((-direction.x if bone.head.x < -1e-3 else direction.x, direction.y, direction.z))


def _limit(pose_bone, joint):
    rest = pose_bone.bone.matrix_local.to_3x3()
    # A turn about +Z moves the tip of the bone to -X.
    sideways = -rest.col[0].dot(_on_side_of(pose_bone, joint.sideways))
    side = joint.side if sideways > 0 else (-joint.side[1], -joint.side[0])
    for axis, (low, high) in (("x", joint.bend), ("y", joint.twist), ("z", side)):
        setattr(pose_bone, f"lock_ik_{axis}", low == high == 0)
        setattr(pose_bone, f"use_ik_limit_{axis}", True)
        setattr(pose_bone, f"ik_min_{axis}", radians(low))
        setattr(pose_bone, f"ik_max_{axis}", radians(high))
        setattr(pose_bone, f"ik_stiffness_{axis}", joint.stiffness)

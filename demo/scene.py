"""The demo's story: a person steps on a block, picks an apple and carries a basket.

What the goals ask for, as data, and the things they are about, as plain shapes. Metres, Z up, the
person facing -Y with the left side at +x.
"""

from dataclasses import dataclass
from math import cos, pi, radians, sin

from mathutils import Matrix, Vector
from shapes import ball, box, cup, material, tube

RIG = "mixamorig:"
APPLE = Vector((-0.45, -0.72, 1.80))
HANDLE = Vector((0.46, -0.41, 0.74))  # of the basket
BLOCK = Vector((0.28, 0.38, 0.22))
BLOCK_CENTRE = Vector((-0.22, -0.62, BLOCK.z / 2))
BALANCE = Vector((0.0, -0.36, 0.0))  # where the centre of mass should be, seen from above


@dataclass(frozen=True, eq=False)
class Target:
    """What one goal asks for.

    `kind` is "pose" (place and orientation of the `end` of a bone), "aim" (the bone's Z axis points
    at the place) or "balance" (the centre of mass is above the place). `frame` has the bone's axes
    as columns.
    """

    name: str
    kind: str
    place: Vector
    bone: str = ""
    end: str = "head"
    frame: Matrix | None = None
    height: float = 0.0  # of the place above what it stands on


def targets(armature):
    """The goals of the demo, for a human in its rest pose."""
    reaching = _hand_frame(along=(-0.30, -0.35, 0.90), palm=(-0.2, -0.9, -0.3))
    carrying = _hand_frame(along=(0.25, -0.05, -1.00), palm=(-1.0, -0.1, 0.0))
    return (
        # The palm is some way from the bone, and so is what it holds.
        _hand("Right hand", "RightHand", APPLE - 0.050 * reaching.col[2], reaching),
        _hand("Left hand", "LeftHand", HANDLE - 0.025 * carrying.col[2], carrying),
        _foot("Right foot", armature, "RightFoot", Vector((-0.21, -0.55, BLOCK.z)), radians(-15)),
        _foot("Left foot", armature, "LeftFoot", Vector((0.15, -0.22, 0.0)), radians(22)),
        Target("Gaze", "aim", APPLE, RIG + "Head"),
        Target("Balance", "balance", BALANCE),
    )


def curl_fingers(armature, side, angle):
    """Bend the finger joints of the "Left" or "Right" hand by an angle (radians): a loose grip."""
    for bone in armature.pose.bones:
        if bone.name.startswith(f"{RIG}{side}Hand") and bone.name[-1].isdigit():
            share = 0.4 if "Thumb" in bone.name else 1.0
            bone.rotation_mode = "QUATERNION"
            bone.rotation_quaternion = Matrix.Rotation(share * angle, 3, "X").to_quaternion()


def add_props():
    """The block, the apple and the basket, as a list of objects."""
    wood, wicker = material("Wood", (0.42, 0.27, 0.15)), material("Wicker", (0.5, 0.31, 0.12), 0.8)
    rim = HANDLE - Vector((0, 0, 0.19))
    arch = [rim + Vector((0, 0.14 * cos(a), 0.19 * sin(a))) for a in _angles(0, pi, 24)]
    return [
        box("Block", BLOCK_CENTRE, BLOCK, wood, bevel=0.012),
        ball("Apple", APPLE, 0.042, material("Apple", (0.6, 0.02, 0.02), 0.3), squash=0.9),
        tube("Stem", [APPLE, APPLE + Vector((0.01, 0, 0.065))], 0.003, wood),
        cup("Basket", rim - Vector((0, 0, 0.15)), (0.11, 0.15), 0.15, wicker),
        tube("Handle", arch, 0.008, wicker),
    ]


def _hand_frame(along, palm):
    """The axes of a hand: Y along it, Z to where the palm faces."""
    y = Vector(along).normalized()
    z = (Vector(palm) - y.dot(Vector(palm)) * y).normalized()
    return Matrix((y.cross(z), y, z)).transposed()


def _hand(name, bone, place, frame):
    return Target(name, "pose", place, RIG + bone, "tail", frame)


def _foot(name, armature, bone, under_ankle, yaw):
    """The sole flat on the ground, turned by `yaw` (radians) from where it pointed at rest."""
    rest = armature.data.bones[RIG + bone].matrix_local
    height = rest.translation.z
    frame = Matrix.Rotation(yaw, 3, "Z") @ rest.to_3x3()
    ankle = under_ankle + Vector((0, 0, height))
    return Target(name, "pose", ankle, RIG + bone, "head", frame, height)


def _angles(start, end, count):
    return [start + (end - start) * i / (count - 1) for i in range(count)]

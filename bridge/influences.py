"""What moves bones besides their own channels: constraints, inverse kinematics, drivers.

A Limit Rotation in local space is a joint limit and is modelled as one. A bone with any other active
constraint keeps the place that Blender evaluates, a driven bone keeps its channels; neither is posed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

import bpy
import numpy as np

_CHANNEL = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\.(?:location|rotation_\w+|scale)$')
_CONSTRAINT = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]\.constraints\["((?:[^"\\]|\\.)*)"\]')
CHAINS = ("IK", "SPLINE_IK")
_TARGET_OPTIONAL = ("PIVOT",)


@dataclass(frozen=True)
class Influences:
    """By name of the bone: why it is constrained or driven, and its joint limits."""

    constrained: dict[str, str] = field(default_factory=dict)
    driven: dict[str, str] = field(default_factory=dict)
    limits: dict[str, list[bpy.types.Constraint]] = field(default_factory=dict)


def read_influences(armature: bpy.types.Object) -> Influences:
    """What Blender's constraints and drivers do to the bones of ``armature``."""
    result = Influences()
    driven = set(_driven(armature, _CONSTRAINT))
    for (name,) in _driven(armature, _CHANNEL):
        result.driven[name] = f"Bone “{name}” is moved by a driver and is not posed."
    for bone in armature.pose.bones:
        active = [constraint for constraint in bone.constraints if is_active(constraint)]
        for constraint in active:
            if _is_joint_limit(bone, constraint) and (bone.name, constraint.name) not in driven:
                result.limits.setdefault(bone.name, []).append(constraint)
            else:
                _constrain(bone, constraint, result)
    return result


def _constrain(bone: bpy.types.PoseBone, constraint: bpy.types.Constraint, result: Influences) -> None:
    for moved in (bone, *chain(bone, constraint)):
        sentence = f"Bone “{moved.name}” is moved by the constraint “{constraint.name}”"
        if moved != bone:
            sentence += f" of “{bone.name}”"
        result.constrained.setdefault(moved.name, f"{sentence} and is not posed.")


def is_active(constraint: bpy.types.Constraint) -> bool:
    """Whether Blender evaluates this constraint now."""
    if constraint.mute or constraint.influence == 0.0 or not constraint.is_valid:
        return False
    if constraint.type == "ARMATURE":
        return any(each.target for each in constraint.targets)
    if constraint.type in _TARGET_OPTIONAL:
        return True
    return getattr(constraint, "target", constraint) is not None


def chain(bone: bpy.types.PoseBone, constraint: bpy.types.Constraint) -> list[bpy.types.PoseBone]:
    """The bones that an inverse kinematics constraint of ``bone`` turns; none for others."""
    if constraint.type not in CHAINS:
        return []
    tip = bone if constraint.type == "SPLINE_IK" or constraint.use_tail else bone.parent
    bones = [] if tip is None else [tip, *tip.parent_recursive]
    return bones[: constraint.chain_count] if constraint.chain_count else bones


def _is_joint_limit(bone: bpy.types.PoseBone, constraint: bpy.types.Constraint) -> bool:
    # Blender loses the sign of a mirroring scale in this constraint.
    return (
        constraint.type == "LIMIT_ROTATION"
        and constraint.owner_space == "LOCAL"
        and constraint.influence == 1.0
        and bool((np.array(bone.scale) > 0.0).all())
    )


def _driven(armature: bpy.types.Object, path: re.Pattern[str]) -> Iterator[tuple[str, ...]]:
    """The names in the paths of all drivers that match."""
    animation = armature.animation_data
    for curve in animation.drivers if animation else ():
        match = path.match(curve.data_path)
        if match and not curve.mute:
            yield tuple(bpy.utils.unescape_identifier(name) for name in match.groups())

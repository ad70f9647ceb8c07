"""Blender's own evaluation, which is the truth that the bridge is held against."""

import bpy
import numpy as np
from bl_ext.user_default.contrapposto.bridge.figure import Reading, read_figure

FLOAT32 = 3e-5  # what a chain of fifteen bones loses in Blender, relative


def read(armature: bpy.types.Object) -> Reading:
    return read_figure(armature, bpy.context.evaluated_depsgraph_get())


def world_matrices(armature: bpy.types.Object) -> np.ndarray:
    """(n, 4, 4), bone by bone through Blender's interface."""
    bpy.context.view_layer.update()
    evaluated = armature.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return np.array([evaluated.matrix_world @ bone.matrix for bone in evaluated.pose.bones])


def deviation(armature: bpy.types.Object, reading: Reading, q: np.ndarray) -> float:
    """By how much forward kinematics at ``q`` differs from Blender, relative to the bones' own sizes."""
    truth, frames = world_matrices(armature), reading.figure.forward(q)
    spread = np.ptp(truth[:, :3, 3], axis=0).max() + reading.figure.size
    apart = np.abs(frames.origins - truth[:, :3, 3]).max() / spread
    sizes = np.linalg.norm(truth[:, :3, :3], axis=1)[:, None, :]
    return float(max(apart, (np.abs(frames.linear - truth[:, :3, :3]) / sizes).max()))


def channels(armature: bpy.types.Object) -> list[tuple[float, ...]]:
    """Everything a solve might write, to the bit."""
    return [
        (
            *bone.location,
            *bone.rotation_quaternion,
            *bone.rotation_euler,
            *bone.rotation_axis_angle,
            *bone.scale,
        )
        for bone in armature.pose.bones
    ]

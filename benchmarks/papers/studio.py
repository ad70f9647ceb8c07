"""Plain round and square shapes in an empty studio, pictured by Cycles on the processor.

Metres; colours are linear RGB.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix, Vector

SAMPLES = 12
SEGMENTS = 32  # of a circle
Colour = tuple[float, float, float]


def empty_studio() -> None:
    """A new file with a floor that rises behind without an edge, and light."""
    bpy.ops.wm.read_homefile(use_empty=True)
    profile = [(-9.0, 0.0), (3.0, 0.0), (4.0, 0.2), (4.8, 0.8), (5.3, 2.0), (5.5, 9.0)]
    corners = [(x, y, z) for y, z in profile for x in (-20.0, 20.0)]
    faces = [(2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2) for i in range(len(profile) - 1)]
    _add("Floor", corners, faces, (0.80, 0.80, 0.80)).data.shade_smooth()
    _light()


def _light() -> None:
    world = bpy.data.worlds.new("World")
    world.use_nodes = True
    background = world.node_tree.nodes["Background"].inputs
    background["Color"].default_value, background["Strength"].default_value = (0.95, 0.97, 1.0, 1.0), 0.55
    bpy.context.scene.world = world
    lamp = bpy.data.lights.new("Lamp", "AREA")
    lamp.energy, lamp.size = 260.0, 3.0
    lit = bpy.data.objects.new("Lamp", lamp)
    lit.location = (-3.0, -4.0, 5.0)
    lit.rotation_euler = (Vector((0.0, 0.0, 1.0)) - lit.location).to_track_quat("-Z", "Y").to_euler()
    bpy.context.scene.collection.objects.link(lit)


def frame_between(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """A frame (4, 4) at ``start`` whose y points to ``end``."""
    turn = Vector(end - start).to_track_quat("Y", "Z").to_matrix().to_4x4()
    return np.array(Matrix.Translation(Vector(start)) @ turn)


def ellipse(frame: np.ndarray, y: float, x: float, z: float, forwards: float = 0.0) -> np.ndarray:
    """Points (SEGMENTS, 3) of the ellipse across a frame's y with half-widths in its x and z."""
    angles = np.linspace(0.0, 2.0 * np.pi, SEGMENTS, endpoint=False)
    along, one = np.full(SEGMENTS, y), np.ones(SEGMENTS)
    ring = np.stack([x * np.cos(angles), along, forwards + z * np.sin(angles), one])
    return (frame @ ring)[:3].T


def add_round(frame: np.ndarray, profile: Sequence[Sequence[float]], colour: Colour) -> None:
    """A skin over ellipses: where along y, and the half-widths in x and z."""
    add_skin(np.array([ellipse(frame, *ring) for ring in profile]), colour)


def add_rod(frame: np.ndarray, length: float, first: float, last: float, colour: Colour) -> None:
    """A rod along y with round ends, each with its radius."""
    turns = np.linspace(0.0, 0.5 * np.pi, 7)
    start = [(-first * np.cos(t), first * np.sin(t), first * np.sin(t)) for t in turns]
    end = [(length + last * np.sin(t), last * np.cos(t), last * np.cos(t)) for t in turns]
    add_round(frame, [*start, *end], colour)


def add_tube(start: np.ndarray, end: np.ndarray, radius: float, colour: Colour) -> None:
    """An open pipe."""
    length, inner = float(np.linalg.norm(end - start)), 0.85 * radius
    profile = [(0.0, radius, radius), (length, radius, radius), (length, inner, inner), (0.0, inner, inner)]
    rings = [ellipse(frame_between(start, end), *ring) for ring in (*profile, profile[0])]
    add_skin(np.array(rings), colour, closed=False)


def add_box(centre: np.ndarray, size: np.ndarray, colour: Colour) -> None:
    corners = [np.array((x, y, z)) for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)]
    faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
    _add("Box", [centre + size * corner for corner in corners], faces, colour)


def add_skin(rings: np.ndarray, colour: Colour, closed: bool = True) -> None:
    """A smooth surface over rings (rings, points, 3), with both ends closed."""
    count, width = rings.shape[:2]
    grid = np.arange(count * width).reshape(count, width)
    after = np.roll(grid, -1, axis=1)
    sides = np.stack([grid[:-1], after[:-1], after[1:], grid[1:]], axis=-1).reshape(-1, 4)
    ends = [grid[0][::-1].tolist(), grid[-1].tolist()] if closed else []
    _add("Skin", rings.reshape(-1, 3), [*sides.tolist(), *ends], colour).data.shade_smooth()


def _add(name: str, corners: Sequence, faces: Sequence, colour: Colour) -> bpy.types.Object:
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(np.asarray(corners, dtype=float).tolist(), [], faces)
    mesh.materials.append(_material(colour))
    added = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(added)
    return added


def _material(colour: Colour) -> bpy.types.Material:
    found = bpy.data.materials.get(str(colour))
    if found is None:
        found = bpy.data.materials.new(str(colour))
        found.use_nodes = True
        inputs = found.node_tree.nodes["Principled BSDF"].inputs
        inputs["Base Color"].default_value, inputs["Roughness"].default_value = (*colour, 1.0), 0.55
    return found


def render(path: Path, towards: np.ndarray, middle: np.ndarray, width: float, size: tuple[int, int]) -> None:
    """Write a picture (.png) of what is around ``middle``, without perspective, looking ``towards``."""
    scene = bpy.context.scene
    data = bpy.data.cameras.new("Camera")
    data.type, data.ortho_scale = "ORTHO", width
    eye = bpy.data.objects.new("Camera", data)
    eye.location = Vector(middle) - 6.0 * Vector(towards).normalized()
    eye.rotation_euler = Vector(towards).to_track_quat("-Z", "Y").to_euler()
    scene.collection.objects.link(eye)
    scene.camera = eye
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", SAMPLES, True
    scene.cycles.max_bounces = 3
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x, scene.render.resolution_y = size
    image = scene.render.image_settings
    image.file_format, image.color_mode, image.compression = "PNG", "RGB", 100
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)

"""The demo's picture: the figure before and after the solve, with its goals, in one PNG.

Rendered with Cycles on the processor: it needs neither a window nor a graphics driver.
"""

from dataclasses import dataclass

import bpy
from markers import explain_goals, mark_goals
from mathutils import Matrix, Vector
from shapes import link, material, text

SIZE = 1600, 1000
SAMPLES = 16
APART = 1.9  # between the two figures, metres
CAMERA, LOOK_AT, LENS = Vector((-0.5, -7.5, 2.6)), Vector((0.0, -0.2, 0.98)), 58
INK = (0.05, 0.06, 0.08)


@dataclass(frozen=True, eq=False)
class Moment:
    """A figure as it stood at one time: its posed mesh, and the effector of each goal by its name."""

    mesh: bpy.types.Mesh
    effectors: dict[str, Vector]
    title: str
    subtitle: str


def capture(skin, effectors, title, subtitle):
    """Freeze the posed mesh of `skin`."""
    bpy.context.view_layer.update()
    posed = skin.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return Moment(bpy.data.meshes.new_from_object(posed), effectors, title, subtitle)


def render(path, before, after, targets, props):
    """Compose the picture of two moments in the open scene and write it to `path` (.png)."""
    for thing in bpy.context.scene.objects:
        thing.hide_render = True
    facing = _add_camera().matrix_world.to_3x3()
    left, right = Vector((-APART / 2, 0, 0)), Vector((APART / 2, 0, 0))
    _add_stage()
    _add_lights()
    _place(before, props, left)
    _place(after, props, right)

    things = set(bpy.context.scene.objects)
    mark_goals(targets, left, before.effectors)
    explain_goals(targets, left, before.effectors, facing)
    mark_goals(targets, right, after.effectors)
    _caption(before, left, facing)
    _caption(after, right, facing)
    for sign in set(bpy.context.scene.objects) - things:
        sign.visible_shadow = False
    _render(path)


def _caption(moment, shift, facing):
    ink = material("Ink", INK, glow=1.0)
    for words, size, height in ((moment.title, 0.13, 2.16), (moment.subtitle, 0.06, 2.03)):
        spot = Matrix.Translation(shift + Vector((0, 0, height))) @ facing.to_4x4()
        text("Caption", words, size, ink, spot)


def _place(moment, props, shift):
    figure = link(bpy.data.objects.new("Figure", moment.mesh))
    figure.location = shift
    figure.modifiers.new("Subdivision", "SUBSURF")
    for prop in props:
        double = link(prop.copy())
        double.hide_render = False
        double.matrix_world = Matrix.Translation(shift) @ prop.matrix_world


def _add_camera():
    camera = link(bpy.data.objects.new("Camera", bpy.data.cameras.new("Camera")))
    turn = (LOOK_AT - CAMERA).to_track_quat("-Z", "Y")
    camera.matrix_world = Matrix.Translation(CAMERA) @ turn.to_matrix().to_4x4()
    camera.data.lens = LENS
    bpy.context.scene.camera = camera
    return camera


def _add_stage():
    """A floor that rises behind the figures without an edge."""
    profile = [(-9.0, 0.0), (3.0, 0.0), (4.5, 0.25), (5.6, 1.0), (6.3, 2.2), (6.5, 8.0)]
    corners = [(x, y, z) for y, z in profile for x in (-15.0, 15.0)]
    faces = [(2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2) for i in range(len(profile) - 1)]
    mesh = bpy.data.meshes.new("Stage")
    mesh.from_pydata(corners, [], faces)
    mesh.shade_smooth()
    mesh.materials.append(material("Stage", (0.78, 0.77, 0.75), 0.9))
    link(bpy.data.objects.new("Stage", mesh))


def _add_lights():
    world = bpy.data.worlds.new("World")
    world.use_nodes = True
    background = world.node_tree.nodes["Background"].inputs
    background["Color"].default_value, background["Strength"].default_value = (0.92, 0.95, 1, 1), 0.7
    bpy.context.scene.world = world
    _add_lamp("Key", (-3.5, -4.5, 5.0), size=2.5, watts=280)
    _add_lamp("Fill", (4.0, -3.0, 3.0), size=2.5, watts=90)


def _add_lamp(name, place, size, watts):
    lamp = bpy.data.lights.new(name, "AREA")
    lamp.size, lamp.energy = size, watts
    made = link(bpy.data.objects.new(name, lamp))
    made.location = place
    made.rotation_euler = (LOOK_AT - Vector(place)).to_track_quat("-Z", "Y").to_euler()


def _render(path):
    scene = bpy.context.scene
    scene.render.engine = "CYCLES"
    scene.cycles.device, scene.cycles.samples, scene.cycles.use_denoising = "CPU", SAMPLES, True
    scene.cycles.max_bounces = 4
    scene.view_settings.view_transform = "Standard"
    scene.render.resolution_x, scene.render.resolution_y = SIZE
    scene.render.resolution_percentage = 100
    image = scene.render.image_settings
    image.file_format, image.color_mode, image.compression = "PNG", "RGB", 90
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)

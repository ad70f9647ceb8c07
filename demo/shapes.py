"""Plain coloured shapes for the demo's scene and picture. Metres; colours are linear RGB."""

import bmesh
import bpy
from mathutils import Matrix, Vector


def material(name, colour, roughness=0.6, glow=0.0, alpha=1.0):
    """A plain material that looks the same to the viewport and to the render engines.

    `glow` from 0 to 1 trades shading for a flat colour, for what is a sign rather than a thing.
    """
    found = bpy.data.materials.get(name) or bpy.data.materials.new(name)
    colour = (*colour, alpha)
    found.diffuse_color, found.roughness = colour, roughness
    found.use_nodes = True
    inputs = found.node_tree.nodes["Principled BSDF"].inputs
    inputs["Base Color"].default_value = (*(channel * (1 - glow) for channel in colour[:3]), 1.0)
    inputs["Roughness"].default_value = roughness
    inputs["Emission Color"].default_value, inputs["Emission Strength"].default_value = colour, glow
    found.cycles.emission_sampling = "NONE"  # a sign lights nothing, and rays to it cost time
    inputs["Alpha"].default_value = alpha
    return found


def ball(name, centre, radius, surface, squash=1.0):
    """A sphere, flattened along Z by `squash`."""
    shape = bmesh.new()
    size = Matrix.Diagonal((radius, radius, radius * squash, 1.0))
    bmesh.ops.create_uvsphere(shape, u_segments=32, v_segments=16, radius=1.0, matrix=size)
    return _add(name, shape, surface, Matrix.Translation(centre))


def box(name, centre, size, surface, bevel=0.0):
    """A box with its edges rounded by `bevel`."""
    shape = bmesh.new()
    bmesh.ops.create_cube(shape, size=1.0, matrix=Matrix.Diagonal((*size, 1.0)))
    if bevel:
        bmesh.ops.bevel(shape, geom=shape.edges[:], offset=bevel, segments=3, affect="EDGES", profile=0.5)
    return _add(name, shape, surface, Matrix.Translation(centre), smooth=False)


def cup(name, bottom, radii, depth, surface, thickness=0.01):
    """An open, round vessel: `radii` of its bottom and rim."""
    shape = bmesh.new()
    up = Matrix.Translation((0, 0, depth / 2))
    bmesh.ops.create_cone(
        shape, segments=48, radius1=radii[0], radius2=radii[1], depth=depth, cap_ends=True, matrix=up
    )
    rim = max(shape.faces, key=lambda face: face.calc_center_median().z)
    bmesh.ops.delete(shape, geom=[rim], context="FACES_ONLY")
    made = _add(name, shape, surface, Matrix.Translation(bottom))
    made.modifiers.new("Thickness", "SOLIDIFY").thickness = thickness
    return made


def patch(name, outline, surface):
    """A flat polygon with the given corners."""
    shape = bmesh.new()
    shape.faces.new([shape.verts.new(corner) for corner in outline])
    return _add(name, shape, surface, Matrix(), smooth=False)


def tube(name, points, radius, surface, closed=False):
    """A round tube through points."""
    curve = bpy.data.curves.new(name, "CURVE")
    curve.dimensions, curve.bevel_depth, curve.bevel_resolution = "3D", radius, 3
    curve.use_fill_caps = not closed
    spline = curve.splines.new("POLY")
    spline.points.add(len(points) - 1)
    spline.points.foreach_set("co", [x for point in points for x in (*point, 1.0)])
    spline.use_cyclic_u, spline.use_smooth = closed, True
    curve.materials.append(surface)
    return link(bpy.data.objects.new(name, curve))


def dashes(name, start, end, radius, surface, dash=0.03, gap=0.025):
    """A dashed line: a list of tubes."""
    start, end = Vector(start), Vector(end)
    way = end - start
    count = max(1, round((way.length + gap) / (dash + gap)))
    step = way / (count - gap / (dash + gap))
    ink = step * dash / (dash + gap)
    return [tube(name, [start + i * step, start + i * step + ink], radius, surface) for i in range(count)]


def text(name, words, size, surface, place, align="CENTER"):
    """Words standing in the frame `place` (4×4: X to the right, Y up)."""
    curve = bpy.data.curves.new(name, "FONT")
    curve.body, curve.size, curve.align_x, curve.align_y = words, size, align, "CENTER"
    curve.materials.append(surface)
    made = link(bpy.data.objects.new(name, curve))
    made.matrix_world = place
    return made


def link(made):
    bpy.context.collection.objects.link(made)
    return made


def _add(name, shape, surface, place, smooth=True):
    mesh = bpy.data.meshes.new(name)
    shape.to_mesh(mesh)
    shape.free()
    mesh.materials.append(surface)
    if smooth:
        mesh.shade_smooth()
    made = link(bpy.data.objects.new(name, mesh))
    made.matrix_world = place
    return made

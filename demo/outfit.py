"""What the human wears: a shirt, leggings and short hair, cut from MakeHuman's own geometry.

The clothes are the helper that MakeHuman fits tight clothes to. The body below them is left out, so
that it never pokes through. Everything is cut along planes of the rest pose, for clean edges.
"""

import bmesh
import numpy as np
from mathutils import Vector
from mathutils.bvhtree import BVHTree

# name, colour (linear RGB), roughness; faces refer to them by their place in this table
MATERIALS = (
    ("Skin", (0.62, 0.40, 0.29), 0.55),
    ("Hair", (0.04, 0.025, 0.02), 0.85),
    ("Shirt", (0.62, 0.20, 0.10), 0.75),
    ("Leggings", (0.05, 0.09, 0.13), 0.7),
    ("Eye", (0.80, 0.80, 0.78), 0.2),
    ("Iris", (0.03, 0.02, 0.02), 0.2),
)
SKIN, HAIR, SHIRT, LEGGINGS, EYE, IRIS = range(6)

IRIS_ANGLE = 0.42  # half opening of the iris seen from the centre of the eye, radians
HAIR_DEPTH = 0.011  # metres
TRUNK, ARM, ARM_X = 0, 1, 0.27  # at rest, what is farther out than this (metres) is arm
TUCK = 0.05  # how far skin goes on under a hem, metres


def undressed(mesh):
    """All faces the outfit may need, and the material each starts with."""
    parts = {
        SKIN: mesh.faces["body"],
        SHIRT: mesh.faces["helper-tights"],
        EYE: mesh.faces["helper-l-eye"] + mesh.faces["helper-r-eye"],
    }
    faces = [face for part in parts.values() for face in part]
    return faces, np.repeat(list(parts), [len(part) for part in parts.values()])


def dress(data, mesh):
    """Cut clothes and hair into the Blender mesh `data`, made of the faces of `undressed`."""
    hems, waist, hair = _hems(mesh), _waist(mesh), _hairlines(mesh)
    body = BVHTree.FromPolygons(mesh.vertices.tolist(), mesh.faces["body"])
    editable = bmesh.new()
    editable.from_mesh(data)
    for plane in (*hems[TRUNK], *hems[ARM], waist):
        _cut(editable, SHIRT, plane)
    for plane in hair:
        _cut(editable, SKIN, plane)

    unseen = []
    for face in editable.faces:
        centre = face.calc_center_median()
        part = ARM if abs(centre.x) > ARM_X else TRUNK
        inside = min(_height(hem, centre) for hem in hems[part])
        if face.material_index == SHIRT:
            if part == TRUNK and _height(waist, centre) < 0:
                face.material_index = LEGGINGS
            if inside < 0:
                unseen.append(face)
        elif face.material_index == SKIN and inside > TUCK:
            unseen.append(face)
        elif face.material_index == SKIN and _is_hair(hair, centre):
            face.material_index = HAIR
        elif face.material_index == EYE and _is_iris(mesh, centre):
            face.material_index = IRIS
    bmesh.ops.delete(editable, geom=unseen, context="FACES")
    _tuck_hems(editable, body)
    _raise_hair(editable)
    editable.to_mesh(data)
    editable.free()


def _hems(mesh):
    """Planes (origin, normal) that bound the clothes; the normals point into the clothes."""
    neck, ankle, wrist, elbow = (
        mesh.group_centre(f"joint-{joint}") for joint in ("neck", "l-ankle", "l-hand", "l-elbow")
    )
    up, mirror = np.array([0, 0, 1]), np.array([-1, 1, 1])
    trunk = (neck + 0.012 * up, [0, 0.45, -1]), (ankle + 0.06 * up, up)
    arm = (wrist, elbow - wrist), (mirror * wrist, mirror * (elbow - wrist))
    return [[(Vector(o), Vector(n).normalized()) for o, n in planes] for planes in (trunk, arm)]


def _waist(mesh):
    return Vector(mesh.group_centre("joint-spine-3")), Vector((0, 0, 1))


def _hairlines(mesh):
    """Planes of the hair: above the brow, behind the ears, and down to the nape."""
    eye = Vector(mesh.group_centre("joint-l-eye"))
    brow = eye + Vector((0, 0, 0.072)), Vector((0, 0.4, 1)).normalized()
    ears = eye + Vector((0, 0.108, 0)), Vector((0, 1, 0.15)).normalized()
    nape = eye + Vector((0, 0.15, -0.07)), Vector((0, 0, 1))
    return brow, ears, nape


def _is_hair(planes, point):
    brow, ears, nape = (_height(plane, point) > 0 for plane in planes)
    return brow or (ears and nape)


def _is_iris(mesh, point):
    """Whether a point of an eyeball is right ahead of the centre of its eye."""
    eye = mesh.group_centre("joint-l-eye")
    ray = Vector((abs(point.x), point.y, point.z)) - Vector(eye)
    return -ray.y > np.cos(IRIS_ANGLE) * ray.length


def _height(plane, point):
    origin, normal = plane
    return (point - origin).dot(normal)


def _cut(editable, material, plane):
    """Split the faces of a material along a plane; new vertices blend the weights of the skin."""
    faces = [face for face in editable.faces if face.material_index == material]
    parts = list({part for face in faces for part in (face, *face.edges, *face.verts)})
    origin, normal = plane
    bmesh.ops.bisect_plane(editable, geom=parts, dist=1e-4, plane_co=origin, plane_no=normal)


def _tuck_hems(editable, body):
    """Lay the open edges of the clothes on the skin, so that one cannot look into a sleeve."""
    for vertex in editable.verts:
        cloth = any(face.material_index in (SHIRT, LEGGINGS) for face in vertex.link_faces)
        if cloth and vertex.is_boundary:
            point, normal, _, _ = body.find_nearest(vertex.co)
            vertex.co = point + 0.003 * normal


def _raise_hair(editable):
    editable.normal_update()
    for vertex in editable.verts:
        if {face.material_index for face in vertex.link_faces} == {HAIR}:
            vertex.co += HAIR_DEPTH * vertex.normal

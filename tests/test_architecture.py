"""Which folder may import what: the table of docs/development.md, checked by reading the imports."""

import ast
import graphlib
import importlib
import sys
from collections.abc import Collection
from pathlib import Path
from typing import NamedTuple

import installed
import pytest

PACKAGE = Path(importlib.import_module(installed.MODULE).__path__[0])
MODULES = sorted(PACKAGE.rglob("*.py"))

BLENDER = {"bpy", "bpy_extras", "mathutils"}
MAY_IMPORT = {
    "solvers": {"numpy", "solvers"},
    "bridge": BLENDER | {"numpy", "solvers", "properties", "presets", "bridge"},
    "properties": BLENDER | {"properties"},
    "operators": BLENDER | {"solvers", "bridge", "properties", "operators"},
    "panels": BLENDER | {"blf", "gpu", "gpu_extras", "properties", "panels"},
    "presets": set(),
}
# From these packages, others take what they export and never reach into a file of theirs.
PUBLIC_ONLY = {("operators", "solvers")}


class Import(NamedTuple):
    """One imported thing; the path of `from ..solvers.figure import Figure` is (solvers, figure, Figure)."""

    top: str
    path: tuple[str, ...]
    relative: bool
    at_start: bool  # runs when the module is imported
    line: int


def read_imports(file: Path, source: str) -> list[Import]:
    """All imports of a module; `file` is relative to the package, which is `()` here."""
    folder = file.parent.parts
    tree = ast.parse(source)
    at_start = {id(node) for node in tree.body}
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            paths = [tuple(alias.name.split(".")) for alias in node.names]
            relative = False
        elif isinstance(node, ast.ImportFrom):
            above = folder[: len(folder) - node.level + 1] if node.level else ()
            module = tuple(node.module.split(".")) if node.module else ()
            paths = [(*above, *module, alias.name) for alias in node.names]
            relative = node.level > 0
        else:
            continue
        found += [Import(path[0], path, relative, id(node) in at_start, node.lineno) for path in paths]
    return found


def violations(file: Path, source: str) -> list[str]:
    """What is imported against the table, in one sentence each."""
    home = file.parts[0]
    wrong = []
    for each in read_imports(file, source):
        where = f"{file.as_posix()}:{each.line} imports {'.'.join(each.path)}"
        if file == Path("__init__.py"):
            if each.at_start:
                wrong.append(f"{where} outside of register()")
        elif not each.relative:
            if each.top in MAY_IMPORT or each.top not in MAY_IMPORT[home] | set(sys.stdlib_module_names):
                wrong.append(f"{where}, which {home} may not")
        elif each.top not in MAY_IMPORT[home]:
            wrong.append(f"{where}, which {home} may not")
        elif (home, each.top) in PUBLIC_ONLY and not is_public(each):
            wrong.append(f"{where}, which is not public")
    return wrong


def is_public(each: Import) -> bool:
    package = importlib.import_module(f"{installed.MODULE}.{each.top}")
    return len(each.path) == 2 and each.path[1] in getattr(package, "__all__", ())


@pytest.mark.parametrize("file", MODULES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_imports_follow_the_table(file):
    assert violations(file.relative_to(PACKAGE), file.read_text("utf-8")) == []


@pytest.mark.parametrize(
    ("file", "source", "said"),
    [
        ("solvers/a.py", "import bpy", "solvers may not"),
        ("solvers/a.py", "import scipy.optimize", "solvers may not"),
        ("solvers/a.py", "from solvers import figure", "solvers may not"),
        ("solvers/goals/a.py", "from ...bridge import read", "solvers may not"),
        ("solvers/a.py", "def f():\n    from mathutils import Vector", "solvers may not"),
        ("properties/a.py", "from ..bridge import read", "properties may not"),
        ("panels/a.py", "from .. import solvers", "panels may not"),
        ("operators/a.py", "from ..solvers.figure import Figure", "not public"),
        ("operators/a.py", "from ..solvers import _hidden", "not public"),
        ("presets/a.py", "from ..solvers import Figure", "presets may not"),
        ("__init__.py", "import bpy", "outside of register()"),
    ],
)
def test_a_wrong_import_would_be_seen(file, source, said):
    assert [said in sentence for sentence in violations(Path(file), source)] == [True]


def check_circles(sources: dict[Path, str]) -> None:
    """Raise graphlib.CycleError, which names the circle, if modules need each other to be imported."""
    names = {file.with_suffix("").parts: file for file in sources}
    graph = {
        name: {
            module_of(each.path, names)
            for each in read_imports(file, sources[file])
            if each.relative and each.at_start
        }
        for name, file in names.items()
    }
    graphlib.TopologicalSorter(graph).prepare()


def module_of(path: tuple[str, ...], names: Collection[tuple[str, ...]]) -> tuple[str, ...]:
    """The module an imported path is in: a module itself, a package, or a name in one of them."""
    candidates = [path, (*path, "__init__"), path[:-1], (*path[:-1], "__init__")]
    return next(candidate for candidate in candidates if candidate in names)


def test_modules_do_not_import_each_other_in_circles():
    check_circles({file.relative_to(PACKAGE): file.read_text("utf-8") for file in MODULES})


def test_a_circle_would_be_seen():
    sources = {"s/__init__.py": "from .a import A", "s/a.py": "from . import b", "s/b.py": "from .a import A"}
    with pytest.raises(graphlib.CycleError):
        check_circles({Path(file): source for file, source in sources.items()})


@pytest.mark.parametrize("package", [file.parent for file in MODULES if file.name == "__init__.py"])
def test_what_a_package_exports_exists(package):
    module = importlib.import_module(".".join([installed.MODULE, *package.relative_to(PACKAGE).parts]))
    assert [name for name in getattr(module, "__all__", []) if not hasattr(module, name)] == []

"""The extension as a user has it: the built zip, installed into a fresh Blender.

Tests, demo and benchmarks all start with

    import installed
    installed.install()
    from bl_ext.user_default.contrapposto.solvers import ...

so that none of them ever runs the source folder by accident. Needs this folder on `sys.path`.
"""

import atexit
import importlib
import os
import shutil
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REPOSITORY = "user_default"
MODULE = f"bl_ext.{REPOSITORY}.contrapposto"


def built_zip() -> Path:
    """Where `make build` puts the zip of the manifest's version."""
    manifest = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
    return ROOT / "dist" / f"{manifest['id']}-{manifest['version']}.zip"


def changed_since_build(archive: Path) -> list[str]:
    """Files of the zip that differ from the source folder's (new source files are not seen)."""
    with zipfile.ZipFile(archive) as files:
        return [
            name
            for name in files.namelist()
            if not (ROOT / name).is_file() or (ROOT / name).read_bytes() != files.read(name)
        ]


def _own_resources() -> Path:
    """A folder for Blender's settings that is not the user's."""
    if "bpy" not in sys.modules:
        folder = tempfile.mkdtemp(prefix="contrapposto-")
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        os.environ["BLENDER_USER_RESOURCES"] = folder
    elif "BLENDER_USER_RESOURCES" not in os.environ:
        raise RuntimeError("start Blender with BLENDER_USER_RESOURCES set to a new folder")
    return Path(os.environ["BLENDER_USER_RESOURCES"]).resolve()


def install(archive: Path | None = None, *, enable: bool = True) -> Path:
    """Install and enable the zip in this process's Blender; return the installed folder.

    In the `bpy` wheel this must come before the first `import bpy`: Blender looks once, at its
    start, for the folder of its settings, which is a new one for every run.
    """
    archive = archive or built_zip()
    if not archive.is_file():
        raise FileNotFoundError(f"{archive} is missing: run `make build`")
    resources = _own_resources()

    import bpy

    result = bpy.ops.extensions.package_install_files(
        repo=REPOSITORY, filepath=str(archive), enable_on_install=enable
    )
    if result != {"FINISHED"} or (MODULE in bpy.context.preferences.addons) != enable:
        raise RuntimeError(f"{archive.name} was not installed and enabled: {result}")
    if bpy.app.module:
        # Blender 4.5's wheel crashes at exit when a command-line command is still registered.
        atexit.register(_disable)
    folder = Path(importlib.import_module(MODULE).__path__[0]).resolve()
    if not folder.is_relative_to(resources):
        raise RuntimeError(f"{MODULE} comes from {folder}, not from below {resources}")
    return folder


def _disable() -> None:
    import bpy

    if MODULE in bpy.context.preferences.addons:
        bpy.ops.preferences.addon_disable(module=MODULE)

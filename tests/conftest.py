"""Every test runs against the built zip, installed and enabled in a fresh Blender."""

import os
import platform

import installed
import pytest


def pytest_configure() -> None:
    # Before collection, as test modules import the extension; and not when this file is imported,
    # as pytest-blender does that outside of Blender first.
    installed.install()

    from hypothesis import settings

    # No deadline: the first call into Blender is always slow. In CI the same examples every time.
    settings.register_profile("contrapposto", deadline=None, print_blob=True, derandomize="CI" in os.environ)
    settings.load_profile("contrapposto")


def pytest_report_header() -> list[str]:
    import bpy

    archive = installed.built_zip()
    lines = [f"Blender {bpy.app.version_string}, Python {platform.python_version()}, {archive.name}"]
    if changed := installed.changed_since_build(archive):
        lines.append(f"STALE ZIP, run `make build`; changed since: {', '.join(changed)}")
    return lines


@pytest.fixture
def empty_file():
    """An empty .blend file with Blender's factory settings; the extension stays enabled."""
    import bpy

    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    return bpy.data

"""The zip holds what a user needs, and nothing else."""

import tomllib
import zipfile

import installed
import pytest

PACKAGES = {"solvers", "bridge", "properties", "operators", "panels", "presets"}
FILES = {"__init__.py", "blender_manifest.toml", "LICENSE"}


@pytest.fixture(scope="module")
def names() -> list[str]:
    with zipfile.ZipFile(installed.built_zip()) as archive:
        return archive.namelist()


def test_nothing_but_the_extension_is_inside(names):
    assert {name.split("/")[0] for name in names} <= PACKAGES | FILES


def test_the_extension_is_complete(names):
    """Every source file of every package, so that no pattern of the manifest hides one."""
    sources = {
        path.relative_to(installed.ROOT).as_posix()
        for package in PACKAGES
        for path in (installed.ROOT / package).rglob("*.py")
    }
    assert sources | FILES <= set(names)


def test_nothing_left_by_tools_is_inside(names):
    assert not [name for name in names if "__pycache__" in name or "/." in f"/{name}"]


def test_manifest_says_what_the_extension_is():
    manifest = tomllib.loads((installed.ROOT / "blender_manifest.toml").read_text("utf-8"))
    assert manifest["id"] == "contrapposto"
    assert manifest["license"] == ["SPDX:GPL-3.0-or-later"]
    assert manifest["blender_version_min"] == "4.5.0"
    # Blender's rules, which its validation does not check: one line, 64 characters, no period.
    assert len(manifest["tagline"]) <= 64
    assert manifest["tagline"][-1].isalnum()

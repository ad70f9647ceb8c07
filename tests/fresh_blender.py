"""A second, fresh Blender for what must not happen in the Blender of all other tests."""

import subprocess
import sys
from pathlib import Path


def run_in_fresh_blender(script: Path, *arguments: str) -> str:
    """Run a Python script in a new background Blender of the same kind; return what it printed.

    The script raises to fail: then this raises too, with all output.
    """
    import bpy

    if bpy.app.module:
        command = [sys.executable, "-W", "error"]
    else:
        command = [bpy.app.binary_path, "--background", "--factory-startup"]
        command += ["--python-exit-code", "1", "--python"]
    run = subprocess.run(
        [*command, str(script), "--", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if run.returncode != 0:
        raise AssertionError(f"{script.name} ended with {run.returncode}:\n{run.stdout}")
    return run.stdout

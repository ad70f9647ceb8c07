"""Build dist/contrapposto-VERSION.zip, as `blender --command extension build` does.

The command line of Blender's extension system is a script that comes with every Blender, the
`bpy` wheel included, and runs on its own: no `blender` executable is needed.
"""

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path

from installed import ROOT, built_zip


def extension_command(*arguments: str | Path) -> None:
    """Run `extension ARGUMENTS`; its output is shown only when it fails."""
    spec = importlib.util.find_spec("bpy")
    if spec is None or spec.origin is None:
        sys.exit("build: this Python has no bpy; use `make build`")
    (script,) = Path(spec.origin).parent.glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py")
    run = subprocess.run([sys.executable, script, *arguments], capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"extension {arguments[0]} failed:\n{run.stdout}{run.stderr}")


def main() -> None:
    target = built_zip()
    target.parent.mkdir(exist_ok=True)
    extension_command("validate", ROOT)
    # Built aside and moved into place: whoever installs the zip meanwhile never sees half of it.
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".build-") as folder:
        extension_command("build", "--source-dir", ROOT, "--output-dir", folder)
        extension_command("validate", Path(folder, target.name))
        Path(folder, target.name).replace(target)
    print(f"built {target.relative_to(ROOT)}")


if __name__ == "__main__":
    main()

"""Run mypy over the extension: strict over solvers/, as far as bpy's types go over the rest.

The checkout may have any name, but is a package with relative imports up to its top: mypy sees it
through a link named `contrapposto`.
"""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINK = ROOT / ".venv" / "types" / "contrapposto"
# numpy's own types are too often Any for warn-return-any to say something about our code.
STRICT = ["--strict", "--no-warn-return-any"]


def mypy(packages: list[str], *options: str) -> int:
    names = [name for package in packages for name in ("-p", f"contrapposto.{package}")]
    return subprocess.run([sys.executable, "-m", "mypy", *options, *names], cwd=ROOT).returncode


def main() -> None:
    LINK.parent.mkdir(parents=True, exist_ok=True)
    if not LINK.is_symlink():
        LINK.symlink_to("../..", target_is_directory=True)
    strict = mypy(["solvers"], *STRICT, "--cache-dir", ".mypy_cache/strict")
    sys.exit(mypy(["bridge", "properties", "operators", "panels"]) or strict)


if __name__ == "__main__":
    main()

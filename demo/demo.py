"""Pose a human by six goals: prints a table, writes a .blend to open and a picture. See `make demo`.

The built extension is installed into a fresh Blender, as a user would have it, and must be before
anything imports bpy: the rest of the demo is in `performance`.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--output", type=Path, default=ROOT / "dist", help="folder to write to")
    parser.add_argument("--no-picture", action="store_true", help="leave out the picture, the slow part")
    options = parser.parse_args()

    sys.path.insert(0, str(ROOT / "scripts"))
    import installed

    installed.install()
    from mpfb import HumanMissing
    from performance import perform

    try:
        met = perform(options.output, with_picture=not options.no_picture)
    except HumanMissing as missing:
        sys.exit(f"demo: {missing}")
    sys.exit(0 if met else 1)


if __name__ == "__main__":
    main()

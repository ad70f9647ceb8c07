"""Run the benchmarks: `run.py [NAME]`. The last line of each is its figure, as in `native: 0.43`."""

import importlib
import os
import sys
from pathlib import Path

# One thread: numpy's libraries read this when Blender imports them; Blender's own helpers, which
# would wait for work in the time that we measure, look for processors when it starts.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ[f"{library}_NUM_THREADS"] = "1"
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})

ROOT = Path(__file__).resolve().parents[1]
sys.path += [str(ROOT), str(ROOT / "scripts")]

NAMES = ("native", "reach", "nlp", "tick", "strictness", "stability", "rescue", "papers", "particles")


def main(names: list[str]) -> None:
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        sys.exit(f"benchmarks: there is no {unknown[0]!r}; there are {', '.join(NAMES)}")
    import installed

    installed.install()
    for name in names or NAMES:
        figure = importlib.import_module(f"benchmarks.{name}").main()
        print(f"{name}: {figure:.3g}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

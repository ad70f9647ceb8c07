"""Runs the tests of this folder inside a Blender with a window; the model is Blender's own ui_simulate.

    blender --factory-startup --enable-event-simulate --python driver.py -- RESULTS [WORD]

A test is a function `test_...(window)`, most often a generator: each `yield` goes back to Blender, which
handles the simulated events and draws, and comes back afterwards. RESULTS is a file for the closing line
(`3 passed, 1 failed`); without one, Blender ended on its own. WORD selects tests by a part of their name.
"""

import faulthandler
import importlib
import inspect
import os
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "blender"), str(HERE.parents[1] / "scripts")]

import bpy  # noqa: E402
import installed  # noqa: E402
from window import Window  # noqa: E402

PAUSE = 0.05  # seconds between two steps, so that Blender's own timers get their turn
TIME_LIMIT = 120.0  # seconds for one test
Test = Callable[[Window], Iterator[None] | None]


def collect(word: str) -> list[tuple[str, Test]]:
    """All tests of this folder whose name contains the word, in the order they are written."""
    tests = []
    for file in sorted(HERE.glob("test_*.py")):
        for name, value in vars(importlib.import_module(file.stem)).items():
            if name.startswith("test_") and word in f"{file.stem}::{name}":
                tests.append((f"{file.name}::{name}", value))
    return tests


def run_all(tests: list[tuple[str, Test]], results: Path) -> Iterator[None]:
    passed = 0
    for name, test in tests:
        # A step that never comes back cannot be stopped from Python: ends the process, says where.
        faulthandler.dump_traceback_later(2 * TIME_LIMIT, exit=True, file=sys.__stderr__)
        try:
            yield from run(test)
        except (Exception, SystemExit):
            print(f"window/{name} FAILED\n{traceback.format_exc()}", flush=True)
        else:
            passed += 1
            print(f"window/{name} PASSED", flush=True)
    results.write_text(f"{passed} passed, {len(tests) - passed} failed\n", encoding="utf-8")


def run(test: Test) -> Iterator[None]:
    """One test in a new file with factory settings, ended with an error when it takes too long."""
    bpy.ops.wm.read_homefile(use_factory_startup=True)
    yield
    end = time.monotonic() + TIME_LIMIT
    steps = test(Window())
    if not inspect.isgenerator(steps):
        return
    for _ in steps:
        if time.monotonic() > end:
            steps.close()
            raise TimeoutError(f"not finished after {TIME_LIMIT:.0f} s")
        yield


def main() -> None:
    results, word, *_ = [*sys.argv[sys.argv.index("--") + 1 :], ""]
    installed.install()
    steps = run_all(collect(word), Path(results))

    def step() -> float | None:
        try:
            next(steps)
        except StopIteration:
            # Not Blender's quit, which may ask about unsaved changes.
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
        return PAUSE

    # Persistent: it goes on when a test opens another file.
    bpy.app.timers.register(step, first_interval=PAUSE, persistent=True)


if __name__ == "__main__":
    main()

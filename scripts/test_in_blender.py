"""Run the tests in a real Blender: `test_in_blender.py BLENDER [PYTEST ARGUMENTS...]`.

First all tests of `make test`, in background, through pytest-blender; then those of tests/window/,
which need Blender's window and have events simulated for them.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REQUIREMENTS = ROOT / "scripts" / "requirements.txt"
WINDOW_TIME_LIMIT = 1800  # seconds, for all tests with a window


def python_version(blender: str) -> str:
    expression = "import sys; print('python %d.%d' % sys.version_info[:2])"
    command = [blender, "--background", "--factory-startup", "--python-expr", expression]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return next(line.split()[1] for line in output.splitlines() if line.startswith("python "))


def test_packages(version: str) -> Path:
    """A folder with pytest and the like for Blender's Python, which has its own version and no pytest."""
    folder = ROOT / ".venv" / f"packages-{version}"
    if not (folder / "ready").exists():
        shutil.rmtree(folder, ignore_errors=True)
        command = [sys.executable, "-m", "pip", "install", "-qq", "--target", folder, "-r", REQUIREMENTS]
        subprocess.run([*command, "--python-version", version, "--only-binary=:all:"], check=True)
        (folder / "ready").touch()
    return folder


def run_in_background(blender: str, packages: Path, arguments: list[str]) -> bool:
    # Appended: what Blender brings itself, numpy above all, is what the tests shall run with.
    see_packages = f"import sys; sys.path.append({str(packages)!r})"
    pytest = Path(sys.executable).with_name("pytest")
    # "tests" stands right before "--", as argparse refuses a "--" that ends no list of files.
    command = [pytest, *arguments, "--blender-executable", blender, "tests"]
    command += ["--", "--factory-startup", "--python-exit-code", "1", "--python-expr", see_packages]
    return run_with_own_settings(command) == 0


def run_in_window(blender: str, word: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        results = Path(folder, "results.txt")
        command = [blender, "--factory-startup", "--enable-event-simulate", "--python-exit-code", "1"]
        command += ["--python", "tests/window/driver.py", "--", str(results), word]
        status = run_with_own_settings(command, time_limit=WINDOW_TIME_LIMIT)
        # Only the file says that all tests have run: Blender may also crash, or close without an error.
        closing = results.read_text() if results.exists() else f"Blender ended with {status} before its tests"
    print(closing.strip(), flush=True)
    passed, _, rest = closing.partition(" passed, ")
    return status == 0 and passed.isdigit() and passed != "0" and rest.strip() == "0 failed"


def run_with_own_settings(command: list[str | Path], time_limit: float | None = None) -> int:
    """Run Blender with a new folder for its settings, so that the user's are neither used nor changed."""
    with tempfile.TemporaryDirectory(prefix="contrapposto-") as folder:
        environment = {**os.environ, "BLENDER_USER_RESOURCES": folder}
        return subprocess.run(command, cwd=ROOT, env=environment, timeout=time_limit).returncode


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("blender")
    parser.add_argument("--window", metavar="WORD", help="only the tests with a window named like this")
    options, arguments = parser.parse_known_args()
    blender = shutil.which(options.blender)
    if blender is None:
        sys.exit(f"no Blender at {options.blender!r}: make test-blender BLENDER=path/to/blender")
    blender = str(Path(blender).resolve())
    background = True
    if options.window is None:
        background = run_in_background(blender, test_packages(python_version(blender)), arguments)
    window = run_in_window(blender, options.window or "")
    sys.exit(0 if background and window else 1)


if __name__ == "__main__":
    main()

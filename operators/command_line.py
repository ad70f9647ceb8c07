"""`blender --background FILE --command contrapposto solve`: pose a figure by its goals from a shell.

Exit code 0 when all goals are met within tolerance, 1 when not, 2 for misuse, with one sentence on stderr.
"""

import argparse
import io
import sys
from contextlib import redirect_stdout
from pathlib import Path

import bpy

from ..bridge.errors import BridgeError
from ..bridge.goals import goal_objects
from ..properties import SOLVER_ITEMS, figure_settings, goal_settings
from .measuring import measure_all
from .outcome import Outcome, as_json, as_table
from .solve import solve_and_record

MET, NOT_MET, MISUSE = 0, 1, 2

_SOLVERS = [item[0] for item in SOLVER_ITEMS]


def run(arguments: list[str]) -> int:
    """What Blender calls with the arguments after `contrapposto`."""
    try:
        options = _parser().parse_args(arguments)
        return _solve(options)
    except BridgeError as error:
        print(error, file=sys.stderr)
        return MISUSE
    except SystemExit as ended:
        # argparse has said what is wrong, or printed its help.
        return MISUSE if ended.code else MET


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="blender --background FILE --command contrapposto",
        description="Pose an armature by its goals.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    solve = commands.add_parser("solve", help="pose the figure so that it meets its goals")
    solve.add_argument("--armature", metavar="NAME", help="where several armatures have goals")
    solve.add_argument(
        "--solver", choices=_SOLVERS, type=_solver_name, metavar="NAME", help=", ".join(_SOLVERS)
    )
    solve.add_argument(
        "--no-rescue",
        dest="rescue",
        action="store_false",
        help="do not look elsewhere for goals that are missed",
    )
    solve.add_argument("--output", metavar="FILE", type=Path, help="save the posed .blend here")
    solve.add_argument("--json", action="store_true", help="print JSON instead of a table")
    return parser


def _solver_name(typed: str) -> str:
    return typed.upper().replace("-", "_")


def _solve(options: argparse.Namespace) -> int:
    context = bpy.context
    armature = _armature(context.scene, options.armature)
    solver = options.solver or figure_settings(armature).solver
    depsgraph = context.evaluated_depsgraph_get()
    goals = [goal for goal in goal_objects(armature) if goal_settings(goal).enabled]
    before = measure_all(armature, goals, depsgraph)
    result, unposed = solve_and_record(context, armature, solver, options.rescue)
    outcome = Outcome(armature.name, solver, before, result, unposed)
    if options.output:
        _save(options.output)
    print(as_json(outcome) if options.json else as_table(outcome))
    return MET if result.met else NOT_MET


def _armature(scene: bpy.types.Scene, name: str | None) -> bpy.types.Object:
    armatures = {each.name: each for each in scene.objects if each.type == "ARMATURE"}
    if not armatures:
        raise BridgeError("There is no armature in the scene.")
    if name is not None:
        if name not in armatures:
            raise BridgeError(f"There is no armature “{name}”, only {_listed(armatures)}.")
        return armatures[name]
    with_goals = {name: each for name, each in armatures.items() if goal_objects(each)}
    if not with_goals:
        raise BridgeError(f"No armature has goals: {_listed(armatures)}.")
    if len(with_goals) > 1:
        raise BridgeError(f"Name one with --armature, as several have goals: {_listed(with_goals)}.")
    return next(iter(with_goals.values()))


def _listed(names: dict[str, bpy.types.Object]) -> str:
    return ", ".join(f"“{name}”" for name in names)


def _save(path: Path) -> None:
    try:
        # Blender itself says on stdout that it has saved, where a program expects our JSON alone.
        with redirect_stdout(io.StringIO()):
            bpy.ops.wm.save_as_mainfile(filepath=str(path.resolve()), copy=True)
    except RuntimeError as error:
        why = str(error).strip().removeprefix("Error: ")
        raise BridgeError(f"“{path}” could not be saved: {why}.") from error

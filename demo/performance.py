"""The demo from an empty scene to a table, a .blend and a picture, by the extension's own operators."""

import os
import sys
import time
from contextlib import contextmanager
from math import radians
from pathlib import Path

import bpy
import picture
import scene
from bl_ext.user_default.contrapposto.bridge.goals import effector_matrix
from character import build_human
from masses import weigh
from mathutils import Euler, Matrix
from report import beyond_limits, errors, table

EYES = (0.0, 0.09, 0.10)  # from the joint of the head, along the bone's axes, metres
LIMIT_SLACK = 0.001  # degrees: what the single precision of Blender's bones rounds
BEFORE = "1  Place goals", "for hands, feet, gaze and balance"
AFTER = "2  Solve", "the whole body follows, within its joint limits"


def perform(folder, with_picture=True):
    """Run the demo, write its files to `folder`, and return whether goals and limits were met."""
    folder.mkdir(parents=True, exist_ok=True)
    armature, skin, props = _set_the_scene()
    targets = scene.targets(armature)
    with _quiet():
        goals = {target: _add_goal(armature, target) for target in targets}

    before = _effectors(armature, goals)
    first = picture.capture(skin, _places(before), *BEFORE)
    seconds = _solve(armature)
    after = _effectors(armature, goals)
    second = picture.capture(skin, _places(after), *AFTER)

    print(table(_rows(goals, before, after)))
    excess = beyond_limits(armature)
    print(f"\n  {len(goals)} goals, {len(armature.pose.bones)} bones, solved in {1000 * seconds:.0f} ms")
    print(f"  joint limits exceeded by at most {excess:.3f}°\n")
    _save(folder / "demo.blend")
    print(f"  {_shown(folder / 'demo.blend')}: open it in Blender, move a goal, press Solve")
    if with_picture:
        with _quiet():
            picture.render(folder / "demo.png", first, second, targets, props)
        print(f"  {_shown(folder / 'demo.png')}: before and after")
    met = all(goal.contrapposto_goal.state == "MET" for goal in goals.values())
    return met and excess < LIMIT_SLACK


def _set_the_scene():
    bpy.data.batch_remove(list(bpy.data.objects))
    armature, skin = build_human()
    weigh(armature)
    scene.curl_fingers(armature, "Right", radians(18))
    scene.curl_fingers(armature, "Left", radians(45))
    props = scene.add_props()
    _activate(armature)
    return armature, skin, props


def _add_goal(armature, target):
    """Add the goal where the figure is, as the sidebar's button does, then drag it to its target."""
    _activate(armature)
    add = bpy.ops.contrapposto.goal_add
    if target.kind == "balance":
        add(type="LINE", effector="CENTRE_OF_MASS")
    elif target.kind == "aim":
        add(type="AIM", bone=target.bone, aim_axis="POS_Z")
    else:
        add(type="POSE", bone=target.bone, effector=target.end.upper())
    figure = armature.contrapposto_figure
    goal = figure.goals_collection.all_objects[figure.list_index]
    goal.name = target.name
    if target.kind == "aim":
        goal.contrapposto_goal.effector, goal.contrapposto_goal.point = "POINT", EYES
    turn = target.frame.to_4x4() if target.frame else Matrix()
    goal.matrix_world = Matrix.Translation(target.place) @ turn
    return goal


def _solve(armature):
    """Solve by the operator; seconds that it took, reading and writing the pose included."""
    _activate(armature)
    bpy.context.view_layer.update()
    with _quiet():
        start = time.perf_counter()
        bpy.ops.contrapposto.solve()
        return time.perf_counter() - start


def _effectors(armature, goals):
    """Where what each goal moves is now: world matrices by the name of the goal."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    return {
        target.name: effector_matrix(armature, goal.contrapposto_goal, depsgraph)
        for target, goal in goals.items()
    }


def _places(effectors):
    return {name: matrix.translation for name, matrix in effectors.items()}


def _rows(goals, before, after):
    for target, goal in goals.items():
        first = errors(target, before[target.name], goal.matrix_world)
        last = errors(target, after[target.name], goal.matrix_world)
        state = goal.contrapposto_goal.state
        yield from ((target.name, unit, first[unit], last[unit], state) for unit in first)


def _save(path):
    """Write the file as one would like to find it: the figure in view and in colour."""
    for area in (area for screen in bpy.data.screens for area in screen.areas):
        if area.type == "VIEW_3D":
            view = area.spaces.active
            view.shading.color_type = "MATERIAL"
            view.region_3d.view_location, view.region_3d.view_distance = (0.0, -0.2, 0.9), 3.6
            view.region_3d.view_rotation = Euler((1.4, 0.0, -0.3)).to_quaternion()
    bpy.context.preferences.filepaths.save_version = 0  # no demo.blend1 beside it
    with _quiet():
        bpy.ops.wm.save_as_mainfile(filepath=str(path), compress=True)


def _activate(armature):
    bpy.context.view_layer.objects.active = armature


def _shown(path):
    """A path as short as can be from where the user is."""
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path


@contextmanager
def _quiet():
    """Keep off the terminal what Blender writes to it itself: reports, the progress of a render."""
    sys.stdout.flush()
    kept = [os.dup(stream) for stream in (1, 2)]
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        for stream in (1, 2):
            os.dup2(nowhere, stream)
        yield
    finally:
        for stream, saved in zip((1, 2), kept, strict=True):
            os.dup2(saved, stream)
            os.close(saved)
        os.close(nowhere)

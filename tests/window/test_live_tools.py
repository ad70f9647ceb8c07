"""Blender's own tools while a figure is posed live: each works as ever, and the figure stays calm."""

import bpy
import numpy as np
from biped import channels, select_bones, tail, world_matrices
from live_figure import figure, gap, go_live, goal, is_live, select, set_up, settled

NUMBERS = {"0": "ZERO", "2": "TWO", "3": "THREE", "4": "FOUR", ".": "PERIOD", "-": "MINUS"}


def keys(window, *names):
    """Steps of keys by name, or by what they type."""
    for name in names:
        typed = {"unicode": name} if name in NUMBERS else {}
        window.hold(NUMBERS.get(name, name), **typed)
        window.release(NUMBERS.get(name, name))
        yield


def test_rotating_a_goal_turns_the_bone(window):
    yield from set_up(window)
    goal().contrapposto_goal.type = "POSE"
    goal().contrapposto_goal.effector = "HEAD"
    with window.context():
        bpy.ops.contrapposto.goals_snap(use_active=True)
    yield from go_live(window)
    before = world_matrices(figure())["hand.L"].to_quaternion()
    yield from keys(window, "R", "3", "0", "RET")
    yield from settled()
    assert is_live(), "Enter has ended the rotation alone"
    turned = before.rotation_difference(world_matrices(figure())["hand.L"].to_quaternion()).angle
    assert abs(np.degrees(turned) - 30.0) < 0.5
    window.press("RET")
    yield
    assert not is_live()


def test_moving_by_numbers_along_an_axis(window):
    yield from set_up(window)
    yield from go_live(window)
    place = goal().location.copy()
    yield from keys(window, "G", "Z", "-", "0", ".", "2", "RET")
    yield from settled()
    assert abs(goal().location.z - place.z + 0.2) < 1e-5
    assert is_live() and gap() < 1e-3
    window.press("RET")
    yield


def test_enter_and_escape_in_a_text_field_are_for_the_field(window):
    yield from set_up(window)
    yield from go_live(window)
    yield from keys(window, "F2", "2", "3", "RET")
    yield from settled()
    assert "23" in bpy.data.objects and is_live()
    yield from keys(window, "F2", "4", "ESC")
    yield from settled()
    assert "23" in bpy.data.objects and is_live()
    bpy.data.objects["23"].location.y -= 0.2
    yield from settled()
    assert gap("23") < 1e-3
    window.press("ESC")
    yield from settled()
    assert not is_live()


def test_orbiting_and_selecting(window):
    yield from set_up(window)
    yield from go_live(window)
    view = window.area().spaces.active.region_3d.view_matrix.copy()
    window.hold("MIDDLEMOUSE")
    yield
    for _ in range(5):
        window.move(window.x + 20, window.y + 10)
        yield
    window.release("MIDDLEMOUSE")
    yield from settled()
    assert window.area().spaces.active.region_3d.view_matrix != view
    window.press("A")
    yield
    assert len(bpy.context.view_layer.objects.selected) == 5
    assert is_live() and gap() < 1e-3
    window.press("RET")
    yield
    assert not is_live()


def test_bones_can_be_turned_by_hand(window):
    """What goals hold comes back; what they leave free stays as the user turned it."""
    yield from set_up(window)
    with window.context():
        select_bones(figure(), "head")
    yield from go_live(window)
    yield from keys(window, "R", "X", "4", "0", "RET")
    yield from settled()
    head = figure().pose.bones["head"].rotation_quaternion.copy()
    assert abs(np.degrees(head.angle) - 40.0) < 0.5, "no goal reaches the head"
    with window.context():
        select_bones(figure(), "upper_arm.L")
    yield from keys(window, "R", "4", "0", "RET")
    yield from settled()
    assert is_live() and gap() < 1e-3
    assert figure().pose.bones["head"].rotation_quaternion == head
    window.press("RET")
    yield


def test_nothing_flips_along_a_circle(window):
    """As the hand goes round, no joint turns by more than a little from step to step, out of reach too."""
    yield from set_up(window)
    yield from go_live(window)
    figure().contrapposto_figure.use_root_location = False
    centre = goal().location.copy()
    turns, steps = [], 40
    last = None
    for i in range(steps + 1):
        angle = 2.0 * np.pi * i / steps
        goal().location = centre.copy()
        goal().location.x += 0.3 * np.sin(angle)
        goal().location.z += 0.3 * (np.cos(angle) - 1.0)
        yield
        yield
        pose = [bone.matrix.to_quaternion() for bone in figure().pose.bones]
        if last is not None:
            turns.append(max(a.rotation_difference(b).angle for a, b in zip(last, pose, strict=True)))
        last = pose
    print(f"the most that a bone turns in one of {steps} steps: {np.degrees(max(turns)):.1f}°")
    assert max(turns) < np.radians(30.0)
    window.press("ESC")
    yield from settled()
    assert len(set(channels(figure()).values())) == 1
    assert (tail(figure(), "hand.L") - centre).length < 1e-5


def test_another_figure_is_left_alone(window):
    yield from set_up(window)
    with window.context():
        select("Biped")
        bpy.ops.object.duplicate()
        select("Biped")
    before = channels(bpy.data.objects["Biped.001"])
    yield from go_live(window)
    goal().location = (0.5, -0.3, 1.5)
    yield from settled()
    window.press("RET")
    yield from settled()
    assert gap() < 1e-3
    assert channels(bpy.data.objects["Biped.001"]) == before

"""The overlay in the viewport: it is there, it can be switched off, and it takes no time."""

import time

import bpy
import numpy as np
from biped import add_goal
from bl_ext.user_default.contrapposto.panels import overlay
from live_figure import figure, go_live, goal, set_up, settled
from window import pixels

TYPES = ("POSITION", "ORIENTATION", "POSE", "AIM", "LINE", "PLANE", "HALF_SPACE")


def redrawn(window):
    window.region().tag_redraw()
    for _ in range(4):
        yield


def shown(window, name):
    """What the viewport shows: rows of pixels (h, w, 3) of its middle, where no buttons are."""
    region = window.region()
    picture = pixels(window.screenshot(name))
    left, right = region.x + region.width // 6, region.x + 5 * region.width // 6
    return picture[region.y + 20 : region.y + region.height - 160, left:right]


def changed(one, other):
    """How many pixels differ visibly."""
    return int((np.abs(one - other).max(axis=-1) > 0.1).sum())


def test_it_can_be_seen_and_switched_off(window):
    yield from set_up(window)
    with window.context():
        bpy.ops.view3d.view_orbit(angle=0.5, type="ORBITRIGHT")
        for kind in ("LINE", "PLANE", "HALF_SPACE"):
            add_goal(figure(), "head", kind)
    goal().location.x += 0.3
    yield from redrawn(window)
    with_it = shown(window, "overlay")
    yield from redrawn(window)
    assert changed(with_it, shown(window, "overlay-again")) == 0
    figure().contrapposto_figure.show_overlay = False
    yield from redrawn(window)
    without = shown(window, "overlay-off")
    assert changed(with_it, without) > 500
    figure().contrapposto_figure.show_overlay = True
    window.area().spaces.active.overlay.show_overlays = False
    yield from redrawn(window)
    with window.context():
        assert overlay.current_marks(bpy.context) == []


def test_limits_and_balance_are_seen_while_live(window):
    yield from set_up(window)
    for bone in ("forearm.L", "forearm.R"):
        joint = figure().pose.bones[bone]
        for axis in "xyz":
            setattr(joint, f"use_ik_limit_{axis}", True)
            setattr(joint, f"ik_min_{axis}", -0.2)
            setattr(joint, f"ik_max_{axis}", 0.2)
    with window.context():
        bpy.ops.view3d.view_orbit(angle=0.6, type="ORBITRIGHT")
        bpy.ops.view3d.view_orbit(angle=0.3, type="ORBITUP")
    yield from go_live(window)
    goal("hand.L Position").location = (0.3, -0.4, 1.5)
    goal("hand.R Position").location = (-1.6, 0.0, 1.6)
    yield from settled()
    yield from redrawn(window)
    with_it = shown(window, "overlay-live")
    figure().contrapposto_figure.show_overlay = False
    yield from redrawn(window)
    assert changed(with_it, shown(window, "overlay-live-off")) > 300
    window.press("RET")
    yield


def test_twenty_goals_take_less_than_a_millisecond(window):
    yield from set_up(window)
    with window.context():
        for i in range(16):
            add_goal(figure(), "hand.L", TYPES[i % len(TYPES)])
    yield from redrawn(window)
    seconds = []
    original = overlay._draw

    def timed():
        begin = time.perf_counter()
        original()
        seconds.append(time.perf_counter() - begin)

    overlay.unregister()
    overlay._draw = timed
    overlay.register()
    try:
        for _ in range(20):
            yield from redrawn(window)
    finally:
        overlay.unregister()
        overlay._draw = original
        overlay.register()
    milliseconds = 1000.0 * float(np.median(seconds))
    print(f"the overlay takes {milliseconds:.2f} ms per redraw, the slowest {1000.0 * max(seconds):.2f} ms")
    assert len(seconds) >= 20
    assert milliseconds < 1.0

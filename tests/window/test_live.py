"""Live posing with mouse and keys: the figure follows, Enter keeps the pose, Esc puts all back."""

import bpy
import installed
from biped import channels
from bl_ext.user_default.contrapposto.operators import live
from live_figure import figure, gap, go_live, goal, is_live, select, set_up, settled


def drag(window, x, y):
    """Steps of G, the mouse, and no end yet."""
    window.move_to(window.region())
    yield
    window.press("G")
    yield
    for _ in range(5):
        window.move(window.x + x // 5, window.y + y // 5)
        yield


def test_the_figure_follows_while_a_goal_is_dragged(window):
    yield from set_up(window)
    yield from go_live(window)
    before = goal().location.copy()
    yield from drag(window, -60, 40)
    yield from settled()
    assert (goal().location - before).length > 0.05, "the goal has moved"
    assert gap() < 1e-3, "the figure follows before the drag ends"
    window.press("LEFTMOUSE")
    yield from settled()
    assert is_live() and gap() < 1e-3
    assert goal().contrapposto_goal.state == "MET"
    window.press("RET")
    yield
    assert not is_live()
    assert gap() < 1e-3


def test_enter_is_one_undo_step(window):
    yield from set_up(window)
    before, place = channels(figure()), goal().location.copy()
    yield from go_live(window)
    goal().location = (0.5, -0.3, 1.5)
    yield from settled()
    assert gap() < 1e-3
    window.press("RET")
    yield from settled()
    after = channels(figure())
    assert not is_live() and after != before
    window.press("Z", ctrl=True)
    yield from settled()
    assert channels(figure()) == before
    assert (goal().location - place).length < 1e-6
    window.press("Z", ctrl=True, shift=True)
    yield from settled()
    assert channels(figure()) == after


def test_escape_puts_pose_and_goals_back(window):
    yield from set_up(window)
    before, place = channels(figure()), goal().location.copy()
    yield from go_live(window)
    yield from drag(window, -60, 40)
    window.press("LEFTMOUSE")
    yield from settled()
    goal().contrapposto_goal.weight = 3.0
    assert channels(figure()) != before
    window.press("ESC")
    yield from settled()
    assert not is_live()
    assert channels(figure()) == before
    assert (goal().location - place).length == 0.0
    assert goal().contrapposto_goal.weight == 1.0


def test_escape_ends_a_drag_before_it_ends_live_mode(window):
    yield from set_up(window)
    yield from go_live(window)
    place = goal().location.copy()
    yield from drag(window, -60, 40)
    window.press("ESC")
    yield from settled()
    assert is_live()
    assert (goal().location - place).length < 1e-6
    assert gap() < 1e-3
    window.press("RET")
    yield
    assert not is_live()


def test_keys_for_what_has_moved(window):
    yield from set_up(window)
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = True
    bpy.context.preferences.edit.use_keyframe_insert_available = False
    goal().contrapposto_goal.reach, goal().contrapposto_goal.reach_count = "COUNT", 3
    for other in ("hand.R", "foot.L", "foot.R"):
        goal(f"{other} Position").contrapposto_goal.enabled = False
    yield from go_live(window)
    goal().location = (0.5, -0.3, 1.5)
    yield from settled()
    assert figure().animation_data is None, "no keys before it is confirmed"
    window.press("RET")
    yield from settled()
    bpy.context.scene.tool_settings.use_keyframe_insert_auto = False
    (bag,) = figure().animation_data.action.layers[0].strips[0].channelbags
    keyed = {curve.group.name for curve in bag.fcurves}
    assert {"upper_arm.L", "forearm.L"} <= keyed <= {"upper_arm.L", "forearm.L", "hand.L"}


def test_enter_and_escape_elsewhere_are_not_for_us(window):
    """In the Outliner or the Python console they have their own meaning."""
    yield from set_up(window)
    yield from go_live(window)
    for editor in ("OUTLINER", "PROPERTIES", "DOPESHEET_EDITOR"):
        window.move_to(window.region(area=editor))
        yield
        window.press("RET")
        yield
        window.press("ESC")
        yield
        assert is_live(), editor
    window.move_to(window.region())
    yield
    window.press("RET", ctrl=True)
    yield
    assert is_live()
    window.press("NUMPAD_ENTER")
    yield
    assert not is_live()


def test_settings_changed_in_the_panel_count_at_once(window):
    yield from set_up(window)
    yield from go_live(window)
    goal().location = (0.5, -0.3, 1.5)
    yield from settled()
    goal().contrapposto_goal.enabled = False
    goal().location = (0.6, -0.3, 1.4)
    yield from settled()
    assert gap() > 0.1
    goal().contrapposto_goal.enabled = True
    yield from settled()
    assert gap() < 1e-3
    goal().contrapposto_goal.effector = "HEAD"
    yield from settled()
    assert gap() > 0.1, "its tail is no longer what is brought there"
    window.press("RET")
    yield


def test_settings_of_the_figure_and_of_bones_count_at_once(window):
    yield from set_up(window)
    yield from go_live(window)
    yield from settled()
    session = live.running()._session
    for change, seen in (
        (lambda: setattr(figure().contrapposto_figure, "solver", "VARIABLE_METRIC"),
         lambda reading: session._solver == "VARIABLE_METRIC"),
        (lambda: setattr(figure().contrapposto_figure, "use_root_location", False),
         lambda reading: len(reading.figure.skeleton.translating) == 0),
        (lambda: setattr(figure().pose.bones["upper_arm.L"], "lock_ik_x", True),
         lambda reading: reading.figure.locked[3 * reading.figure.index("upper_arm.L")]),
        (lambda: setattr(figure().data.bones["head"].contrapposto, "mass", 7.0),
         lambda reading: reading.figure.masses[reading.figure.index("head")] == 7.0),
    ):  # fmt: skip
        assert not seen(session.reading)
        change()
        yield from settled()
        assert seen(session.reading)
    window.press("RET")
    yield


def test_a_small_time_budget_only_takes_longer(window):
    yield from set_up(window)
    preferences = bpy.context.preferences.addons[installed.MODULE].preferences
    assert preferences.time_budget == 8.0
    preferences.time_budget = 0.5
    try:
        yield from go_live(window)
        goal().location = (-0.2, -0.4, 0.7)
        for _ in range(20):
            yield
    finally:
        preferences.time_budget = 8.0
    assert gap() < 1e-3
    window.press("RET")
    yield


def test_what_it_looks_like(window):
    yield from set_up(window)
    window.area().spaces.active.show_region_ui = True
    for _ in range(5):
        yield
    window.region("UI").active_panel_category = "Animation"
    select("hand.L Position")
    yield from go_live(window)
    goal().location = (0.5, -0.3, 1.6)
    yield from settled()
    window.screenshot("live")
    window.press("RET")
    yield

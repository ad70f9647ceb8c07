"""Pins by one key, while a figure is posed live."""

import bpy
from biped import add_goal, goals_of, select_bones, world_matrices
from live_figure import figure, go_live, goal, is_live, set_up, settled

FEET = ("foot.L", "foot.R")


def test_p_pins_and_unpins(window):
    yield from set_up(window)
    with window.context():
        for name in ("hand.L", "hand.R", "foot.L", "foot.R"):
            bpy.data.objects.remove(goal(f"{name} Position"))
        add_goal(figure(), "hips")
        select_bones(figure(), *FEET)
    yield from go_live(window)
    before = world_matrices(figure())
    window.press("P")
    yield from settled()
    assert set(goals_of(figure())) == {"hips Position", "foot.L Pin", "foot.R Pin"}
    goal("hips Position").location.z -= 0.2
    yield from settled()
    after = world_matrices(figure())
    assert (after["hips"].translation - before["hips"].translation).length > 0.19
    assert all((after[foot].translation - before[foot].translation).length < 1e-3 for foot in FEET)
    window.area().spaces.active.show_region_ui = True
    for _ in range(5):
        yield
    window.region("UI").active_panel_category = "Animation"
    yield from settled()
    window.screenshot("pins")
    window.press("P")
    yield from settled()
    assert set(goals_of(figure())) == {"hips Position"}
    goal("hips Position").location.z -= 0.2
    yield from settled()
    assert is_live()
    moved = world_matrices(figure())
    assert all(after[foot].translation.z - moved[foot].translation.z > 0.1 for foot in FEET)
    window.press("RET")
    yield
    assert not is_live()

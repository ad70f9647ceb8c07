"""The sidebar of the 3D view, as an animator opens it."""

import bpy


def test_sidebar_opens_in_the_animation_tab(window):
    with window.context():
        bpy.ops.object.armature_add()
        bpy.ops.object.mode_set(mode="POSE")
    assert not window.area().spaces.active.show_region_ui
    window.move_to(window.region())
    yield
    window.press("N")
    for _ in range(10):  # it slides in
        yield
    assert window.area().spaces.active.show_region_ui
    sidebar = window.region("UI")
    sidebar.active_panel_category = "Animation"
    yield
    assert window.region("UI").active_panel_category == "Animation"
    window.screenshot("sidebar")

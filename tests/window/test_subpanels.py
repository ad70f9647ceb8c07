"""The panels below the goals: priorities, the bone's mass, and what is not posed."""

from contextlib import contextmanager

import bpy
from bl_ext.user_default.contrapposto.panels import goal_list
from bl_ext.user_default.contrapposto.panels.bone import CONTRAPPOSTO_PT_bone
from bl_ext.user_default.contrapposto.panels.not_posed import CONTRAPPOSTO_PT_not_posed
from test_panel import add_biped, add_goal, open_sidebar, redrawn, select_bones, watching

CLOSED = (CONTRAPPOSTO_PT_bone, CONTRAPPOSTO_PT_not_posed)
DRAWN = {f"{panel.__name__}.draw" for panel in CLOSED}


@contextmanager
def opened():
    """The panels that are closed at first, open."""
    _register_with(set())
    try:
        yield
    finally:
        _register_with({"DEFAULT_CLOSED"})


def _register_with(options):
    for panel in CLOSED:
        bpy.utils.unregister_class(panel)
        panel.bl_options = options
        bpy.utils.register_class(panel)


@contextmanager
def sorted_list():
    """The list as after clicks on the arrow below it and on Sort by Priority."""
    kind = goal_list.CONTRAPPOSTO_UL_goals
    original = kind.filter_items

    def filter_items(self, context, data, name):
        self.use_filter_show = self.sort_by_priority = True
        return original(self, context, data, name)

    kind.filter_items = filter_items
    try:
        yield
    finally:
        kind.filter_items = original


def test_masses_and_what_is_not_posed(window):
    yield from open_sidebar(window)
    with opened(), watching(*((panel, "draw") for panel in CLOSED)) as watch, window.context():
        biped = add_biped()
        biped.contrapposto_figure.solver = "PRIORITIZED"
        for name, priority in (("hand.L", 2), ("hand.R", 2), ("foot.L", 1), ("foot.R", 1), ("head", 3)):
            add_goal(biped, name).contrapposto_goal.priority = priority
        bpy.ops.contrapposto.solve()
        yield from redrawn(window)
        assert watch.calls == {}, "no bone in Object Mode, and every bone is posed"
        biped.pose.bones["spine"].driver_add("location", 0)
        copy = biped.pose.bones["forearm.L"].constraints.new("COPY_ROTATION")
        copy.target, copy.subtarget = biped, "forearm.R"
        bpy.ops.contrapposto.solve()
        select_bones(biped, "hand.L")
        biped.contrapposto_figure.list_index = -1  # without the settings of a goal there is more room
        with sorted_list():
            yield from redrawn(window)
            window.screenshot("panel-below-the-goals")
        assert watch.errors == []
        assert set(watch.calls) == DRAWN

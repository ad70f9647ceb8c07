"""The panel in the sidebar: it draws without an error, in no time, and undo does not disturb it."""

import time
from contextlib import contextmanager

import bpy
from biped import add_biped, add_goal, channels, goals_of, select_bones
from bl_ext.user_default.contrapposto.panels import goal_list, sidebar

PANEL, GOAL_PANEL = sidebar.CONTRAPPOSTO_PT_figure, sidebar.CONTRAPPOSTO_PT_goal
LIST = goal_list.CONTRAPPOSTO_UL_goals
FUNCTIONS = ((PANEL, "draw"), (GOAL_PANEL, "draw"), (LIST, "draw_item"), (LIST, "filter_items"))
TYPES = ("POSITION", "ORIENTATION", "POSE", "AIM", "LINE", "PLANE", "HALF_SPACE", "OUTSIDE_BOX")


class Watch:
    """What was drawn, how long it took, and what went wrong: Blender only prints errors of drawing."""

    def __init__(self):
        self.calls = {}
        self.seconds = 0.0
        self.errors = []

    def around(self, function, key):
        def call(*arguments):
            begin = time.perf_counter()
            try:
                return function(*arguments)
            except Exception as error:
                self.errors.append(f"{key}: {error!r}")
                raise
            finally:
                self.seconds += time.perf_counter() - begin
                self.calls[key] = self.calls.get(key, 0) + 1

        # Blender gives a function as many arguments as it names.
        return {
            2: lambda a, b: call(a, b),
            4: lambda a, b, c, d: call(a, b, c, d),
            10: lambda a, b, c, d, e, f, g, h, i, j: call(a, b, c, d, e, f, g, h, i, j),
        }[function.__code__.co_argcount]


@contextmanager
def watching(*functions):
    """Watch some functions, or all of the panel and the list."""
    watch = Watch()
    originals = [(owner, name, getattr(owner, name)) for owner, name in functions or FUNCTIONS]
    for owner, name, function in originals:
        setattr(owner, name, watch.around(function, f"{owner.__name__}.{name}"))
    try:
        yield watch
    finally:
        for owner, name, function in originals:
            setattr(owner, name, function)


def open_sidebar(window):
    """Steps until the Animation tab is open."""
    # A click closes the splash screen, which would hide the panel on pictures.
    window.move_to(window.region())
    yield
    window.press("ESC")
    yield
    window.area().spaces.active.show_region_ui = True
    for _ in range(5):
        yield
    window.region("UI").active_panel_category = "Animation"
    for _ in range(3):
        yield


def redrawn(window):
    """Steps until everything has been drawn once more."""
    window.region("UI").tag_redraw()
    for _ in range(3):
        yield


def test_every_kind_of_goal_is_drawn(window):
    yield from open_sidebar(window)
    with watching() as watch, window.context():
        biped = add_biped()
        yield from redrawn(window)
        assert watch.calls == {"CONTRAPPOSTO_PT_figure.draw": watch.calls["CONTRAPPOSTO_PT_figure.draw"]}
        window.screenshot("panel-empty")
        for kind in TYPES:
            add_goal(biped, "hand.L", kind)
        bpy.ops.contrapposto.goal_add(type="LINE", effector="CENTRE_OF_MASS")
        bpy.data.objects["hand.L Position"].location.x += 5.0
        bpy.ops.contrapposto.solve()
        for index in range(len(TYPES) + 1):
            biped.contrapposto_figure.active_goal = index
            yield from redrawn(window)
        select_bones(biped, "head")
        biped.contrapposto_figure.active_goal = 0
        yield from redrawn(window)
        window.screenshot("panel-pose-mode")
        assert watch.errors == []
        assert watch.calls["CONTRAPPOSTO_PT_goal.draw"] > len(TYPES)
        assert watch.calls["CONTRAPPOSTO_UL_goals.draw_item"] > len(TYPES)


def test_shown_for_armatures_and_goals_alone(window):
    yield from open_sidebar(window)
    with watching() as watch, window.context():
        bpy.ops.mesh.primitive_cube_add()
        yield from redrawn(window)
        assert watch.calls == {}
        biped = add_biped()
        goal = add_goal(biped, "hand.L")
        bpy.context.view_layer.objects.active = goal
        yield from redrawn(window)
        drawn = watch.calls["CONTRAPPOSTO_PT_figure.draw"]
        bpy.context.view_layer.objects.active = biped
        bpy.ops.object.mode_set(mode="EDIT")
        yield
        watch.calls.clear()
        yield from redrawn(window)
        assert drawn
        assert watch.calls == {}


def test_a_large_scene_does_not_slow_it_down(window):
    yield from open_sidebar(window)
    with window.context():
        biped = add_biped()
        for bone in ("hand.L", "hand.R", "foot.L", "foot.R", "head"):
            add_goal(biped, bone)
        for i in range(3000):
            prop = bpy.data.objects.new(f"Prop {i}", None)
            bpy.context.scene.collection.objects.link(prop)
    yield from redrawn(window)
    with watching() as watch:
        for _ in range(10):
            yield from redrawn(window)
    redraws = watch.calls["CONTRAPPOSTO_PT_figure.draw"]
    milliseconds = 1000.0 * watch.seconds / redraws
    print(f"the panel takes {milliseconds:.2f} ms per redraw")
    assert redraws >= 10
    assert milliseconds < 2.0


def test_undo_by_hand(window):
    yield from open_sidebar(window)
    with window.context():
        biped = add_biped()
        select_bones(biped, "hand.L", "hand.R")
        bpy.ops.ed.undo_push(message="Start")
        bpy.ops.contrapposto.goal_add("EXEC_DEFAULT", True)
        bpy.data.objects["hand.L Position"].location = (0.5, -0.4, 1.5)
        bpy.ops.ed.undo_push(message="Move")
        before = channels(biped)
        bpy.ops.contrapposto.solve("EXEC_DEFAULT", True)
        after = channels(biped)
        assert after != before
    steps = [
        ({"ctrl": True}, before, 2),
        ({"ctrl": True, "shift": True}, after, 2),
        ({"ctrl": True}, before, 2),
        ({"ctrl": True}, before, 2),
        ({"ctrl": True}, before, 0),
    ]
    window.move_to(window.region())
    yield
    with watching() as watch:
        for modifiers, pose, goals in steps:
            window.press("Z", **modifiers)
            yield from redrawn(window)
            biped = bpy.data.objects["Biped"]
            assert channels(biped) == pose
            assert len(goals_of(biped)) == goals
    assert watch.errors == []
    assert watch.calls["CONTRAPPOSTO_PT_figure.draw"] >= len(steps)

"""Whatever happens while a figure is posed live: no error, no stuck state, no lost pose."""

import io
import sys
from contextlib import contextmanager, redirect_stderr

import bpy
import installed
from biped import add_biped, channels
from bl_ext.user_default.contrapposto.operators import live
from live_figure import figure, gap, go_live, goal, is_live, select, set_up, settled

STATUS_BAR = "STATUSBAR_HT_header"


@contextmanager
def no_errors():
    """Blender prints what goes wrong in handlers, timers and drawing; nothing must."""
    printed = io.StringIO()
    with redirect_stderr(printed):
        yield
    print(printed.getvalue(), end="", file=sys.stderr)
    assert "Traceback" not in printed.getvalue()


def assert_ended():
    """Nothing of live mode is left behind in Blender."""
    assert not is_live()
    left = [name for name in live._CHANGES for each in getattr(bpy.app.handlers, name)
            if getattr(each, "__self__", None).__class__ is live.Live]  # fmt: skip
    assert left == []
    header = getattr(bpy.types, STATUS_BAR)
    assert header.draw is header._draw_orig


def live_figure(window):
    """Steps to a live figure that has followed its goal already."""
    yield from set_up(window)
    yield from go_live(window)
    goal().location = (0.5, -0.3, 1.5)
    yield from settled()
    assert gap() < 1e-3


def test_undo_and_redo_again_and_again(window):
    yield from set_up(window)
    yield from go_live(window)
    with no_errors():
        places = []
        for i in range(4):
            goal().location = (0.5, -0.1 * i, 1.5)
            places.append(goal().location.copy())
            yield from settled()
            with window.context():
                bpy.ops.ed.undo_push(message=f"Move {i}")
        at = 3
        for step in (-1, -1, -1, 1, 1, 1, -1, -1):
            at += step
            window.press("Z", ctrl=True, shift=step > 0)
            yield from settled()
            assert is_live()
            assert (goal().location - places[at]).length < 1e-6
            assert gap() < 1e-3
        for _ in range(4):  # to before there was a figure
            window.press("Z", ctrl=True)
            yield
        yield from settled()
        assert "Biped" not in bpy.data.objects
        assert_ended()
        for _ in range(4):
            window.press("Z", ctrl=True, shift=True)
            yield
        yield from settled()
    assert "Biped" in bpy.data.objects
    assert_ended()


def test_deleting_and_adding_goals(window):
    yield from live_figure(window)
    with no_errors():
        window.press("DEL")
        yield from settled()
        assert "hand.L Position" not in bpy.data.objects
        assert is_live()
        other = goal("hand.R Position")
        other.location = (-0.5, -0.3, 1.5)
        yield from settled()
        assert gap("hand.R Position") < 1e-3
        with window.context():
            select("Biped")
            bpy.ops.contrapposto.goal_add("EXEC_DEFAULT", True, bone="head")
        yield from settled()
        head = goal("head Position")
        head.location.y -= 0.1
        yield from settled()
        assert gap("head Position") < 1e-3
        for name in ("hand.R", "foot.L", "foot.R", "head"):
            bpy.data.objects.remove(goal(f"{name} Position"))
        yield from settled()
        assert is_live() and "has no goals that count" in live.running().message
    window.press("RET")
    yield
    assert_ended()


def test_deleting_and_renaming_bones(window):
    yield from live_figure(window)
    with no_errors(), window.context():
        figure().data.bones["forearm.L"].name = "Unterarm"
        goal().location.y -= 0.05
        yield from settled()
        assert gap() < 1e-3
        figure().data.bones["hand.L"].name = "Hand"
        yield from settled()
        assert is_live() and "“hand.L”" in live.running().message
        goal().contrapposto_goal.bone = "Hand"
        yield from settled()
        assert gap() < 1e-3
        select("Biped")
        bpy.ops.object.mode_set(mode="EDIT")
        yield from settled()
        assert is_live() and "Edit Mode" in live.running().message
        bones = figure().data.edit_bones
        bones.remove(bones["Hand"])
        bpy.ops.object.mode_set(mode="OBJECT")
        yield from settled()
        assert is_live() and "“Hand”" in live.running().message
        goal().contrapposto_goal.bone = "Unterarm"
        goal().contrapposto_goal.effector = "TAIL"
        yield from settled()
        assert gap() < 1e-3
    window.press("RET")
    yield
    assert_ended()


def test_renaming_the_armature_and_goals(window):
    yield from live_figure(window)
    with no_errors():
        armature = figure()
        armature.name = "Someone"
        add_biped("Biped").location.x = 3.0
        goal().name = "Renamed"
        yield from settled()
        moved = bpy.data.objects["Renamed"]
        moved.location.y -= 0.1
        yield from settled()
        armature = bpy.data.objects["Someone"]
        assert is_live() and live.running().name == "Someone"
        hand = armature.matrix_world @ armature.pose.bones["hand.L"].tail
        assert (hand - moved.location).length < 1e-3
        assert len(set(channels(figure()).values())) == 1, "the other armature has not moved"
    window.press("RET")
    yield
    assert_ended()


def reported(window):
    """All that Blender has told the user, from its Info editor."""
    with window.context("DOPESHEET_EDITOR"):
        bpy.context.area.type = "INFO"
        with bpy.context.temp_override(area=bpy.context.area, region=bpy.context.area.regions[-1]):
            bpy.ops.info.select_all(action="SELECT")
            bpy.ops.info.report_copy()
        bpy.context.area.type = "DOPESHEET_EDITOR"
    return bpy.context.window_manager.clipboard


def test_deleting_the_armature(window):
    yield from live_figure(window)
    with no_errors():
        bpy.data.objects.remove(figure())
        yield from settled()
    assert_ended()
    assert "Live posing has ended: “Biped” is not in this view layer any more" in reported(window)


def test_modes_objects_and_frames(window):
    yield from live_figure(window)
    with no_errors(), window.context():
        select("Biped")
        for mode in ("POSE", "EDIT", "OBJECT", "POSE"):
            bpy.ops.object.mode_set(mode=mode)
            yield from settled()
            assert is_live()
            assert ("Edit Mode" if mode == "EDIT" else "4 of 4 goals met") in live.running().message
        bpy.ops.object.mode_set(mode="OBJECT")
        bpy.ops.mesh.primitive_cube_add()
        bpy.context.scene.frame_set(7)
        goal().location.y -= 0.05
        yield from settled()
        assert is_live() and gap() < 1e-3
    window.press("RET")
    yield
    assert_ended()


def test_frames_of_animated_goals(window):
    yield from set_up(window)
    goal().keyframe_insert("location", frame=1)
    goal().location = (0.5, -0.3, 1.5)
    goal().keyframe_insert("location", frame=20)
    figure().pose.bones["spine"].keyframe_insert("rotation_quaternion", frame=1)
    yield from go_live(window)
    with no_errors():
        for frame in (20, 5, 12):
            bpy.context.scene.frame_set(frame)
            yield from settled()
            assert is_live() and gap() < 1e-3
        with window.context():
            bpy.ops.screen.animation_play()
        for _ in range(10):
            yield
        assert bpy.context.screen.is_animation_playing and is_live()
        window.press("ESC")
        yield from settled()
        assert not bpy.context.screen.is_animation_playing
        assert is_live(), "Esc has stopped the animation, not live mode"
        yield from settled()
        assert gap() < 1e-3
    window.press("ESC")
    yield from settled()
    assert_ended()


def test_another_scene(window):
    yield from live_figure(window)
    after = channels(figure())
    with no_errors(), window.context():
        bpy.ops.scene.new(type="EMPTY")
        yield from settled()
    assert_ended()
    assert channels(figure()) == after


def test_another_workspace(window):
    yield from live_figure(window)
    with no_errors():
        first = window.blender.workspace.name
        window.blender.workspace = bpy.data.workspaces["Scripting"]
        yield from settled()
        assert is_live()
        goal().location.y -= 0.05
        yield from settled()
        assert gap() < 1e-3
        window.blender.workspace = bpy.data.workspaces[first]
        yield from settled()
        window.move_to(window.region())
        yield
        window.press("RET")
        yield from settled()
    assert_ended()


def test_another_file(window):
    yield from live_figure(window)
    with no_errors():
        bpy.ops.wm.read_homefile(use_factory_startup=True)
        yield from settled()
        assert_ended()
        yield from set_up(window)
        yield from go_live(window)
        window.press("RET")
        yield from settled()
    assert_ended()


def test_closing_the_window(window):
    yield from set_up(window)
    with no_errors():
        with window.context():
            bpy.ops.wm.window_new()
        yield from settled()
        other = bpy.context.window_manager.windows[1]
        area = next(each for each in other.screen.areas if each.type == "VIEW_3D")
        with bpy.context.temp_override(window=other, area=area, region=area.regions[-1]):
            select("Biped")
            bpy.ops.contrapposto.pose("INVOKE_DEFAULT")
        yield from settled()
        assert is_live()
        goal().location = (0.5, -0.3, 1.5)
        yield from settled()
        assert gap() < 1e-3
        with bpy.context.temp_override(window=bpy.context.window_manager.windows[1]):
            bpy.ops.wm.window_close()
        yield from settled()
        assert_ended()
        assert gap() < 1e-3
        yield from go_live(window)
        window.move_to(window.region())
        yield
        window.press("RET")
        yield from settled()
    assert_ended()


def test_started_twice(window):
    """The button is a switch: a second time confirms."""
    yield from live_figure(window)
    with no_errors(), window.context():
        assert bpy.ops.contrapposto.pose("INVOKE_DEFAULT") == {"CANCELLED"}
        yield from settled()
        assert_ended()
        assert gap() < 1e-3
        yield from go_live(window)
        window.press("RET")
        yield from settled()
    assert_ended()


def test_disabling_and_enabling_the_extension(window):
    yield from live_figure(window)
    after = channels(figure())
    with no_errors():
        bpy.ops.preferences.addon_disable(module=installed.MODULE)
        yield from settled()
        assert_ended()
        assert channels(figure()) == after
        bpy.ops.preferences.addon_enable(module=installed.MODULE)
        yield from settled()
        yield from go_live(window)
        goal().location.y -= 0.05
        yield from settled()
        assert gap() < 1e-3
        window.press("RET")
        yield from settled()
    assert_ended()


def test_nothing_is_done_while_nothing_changes(window):
    """Neither where all goals are met nor where one is out of reach."""
    yield from live_figure(window)
    for place in ((0.5, -0.3, 1.4), (9.0, 1.0, 3.0)):
        goal().location = place
        for _ in range(20):
            yield
        updates = []
        bpy.app.handlers.depsgraph_update_post.append(lambda *_, seen=updates: seen.append(1))
        try:
            for _ in range(20):
                yield
        finally:
            bpy.app.handlers.depsgraph_update_post.pop()
        assert updates == []
    window.press("RET")
    yield
    assert_ended()

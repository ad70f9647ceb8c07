"""Register and unregister, twice, without a trace."""

from pathlib import Path

import bpy
import pytest
from fresh_blender import run_in_fresh_blender
from registered import difference, snapshot


def test_enabled_and_disabled_twice_leaves_nothing_behind():
    output = run_in_fresh_blender(Path(__file__).with_name("register_twice.py"))
    assert "+ property Object.contrapposto" in output  # it was there in between
    # Blender has no list of command-line commands, but complains about one that stayed behind.
    assert "duplicate" not in output
    assert "Traceback" not in output
    assert "Warning" not in output


class LeftPanel(bpy.types.Panel):
    bl_idname = "CONTRAPPOSTO_PT_left"
    bl_label = "Left"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"

    def draw(self, context):
        pass


class LeftOperator(bpy.types.Operator):
    bl_idname = "contrapposto.left"
    bl_label = "Left"


def left_function(*_):
    pass


def leave_shortcut():
    keymap = bpy.context.window_manager.keyconfigs.addon.keymaps.new("Pose")
    item = keymap.keymap_items.new("contrapposto.left", "F19", "PRESS")
    return lambda: keymap.keymap_items.remove(item)


def leave_class(kind):
    bpy.utils.register_class(kind)
    return lambda: bpy.utils.unregister_class(kind)


def leave_property():
    bpy.types.Object.contrapposto_left = bpy.props.BoolProperty()
    return lambda: delattr(bpy.types.Object, "contrapposto_left")


def leave_handler():
    bpy.app.handlers.load_post.append(left_function)
    return lambda: bpy.app.handlers.load_post.remove(left_function)


def leave_menu_entry():
    bpy.types.VIEW3D_MT_pose.append(left_function)
    return lambda: bpy.types.VIEW3D_MT_pose.remove(left_function)


@pytest.mark.parametrize(
    ("leave", "seen"),
    [
        (lambda: leave_class(LeftPanel), "+ type CONTRAPPOSTO_PT_left"),
        (lambda: leave_class(LeftOperator), "+ operator contrapposto.left"),
        (leave_property, "+ property Object.contrapposto_left"),
        (leave_handler, f"+ handler load_post: {__name__}.left_function"),
        (leave_shortcut, "+ shortcut Pose: contrapposto.left F19"),
        (leave_menu_entry, f"+ drawn VIEW3D_MT_pose: {__name__}.left_function"),
    ],
)
def test_whatever_is_left_behind_would_be_seen(leave, seen):
    before = snapshot()
    take_away = leave()
    left = difference(before, snapshot())
    take_away()
    assert seen in left
    assert difference(before, snapshot()) == []

"""A figure that is posed live, for tests with a window."""

import bpy
from biped import add_biped, add_goal, tail
from bl_ext.user_default.contrapposto.operators import live

GOAL = "hand.L Position"
BONES = ("hand.L", "hand.R", "foot.L", "foot.R")


def set_up(window):
    """Steps until a figure with goals for hands and feet is in the middle of the view."""
    window.move_to(window.region())
    yield
    window.press("ESC")  # the splash screen
    yield
    with window.context():
        for each in list(bpy.data.objects):
            bpy.data.objects.remove(each)
        biped = add_biped()
        for bone in BONES:
            add_goal(biped, bone)
        select(GOAL)
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_all()
        bpy.ops.ed.undo_push(message="Set up")
    for _ in range(10):  # the view turns
        yield


def go_live(window):
    """Steps until live mode runs."""
    with window.context():
        assert bpy.ops.contrapposto.pose("INVOKE_DEFAULT") == {"RUNNING_MODAL"}
    yield
    assert is_live()


def settled():
    """Steps until the figure has followed."""
    for _ in range(6):
        yield


def is_live():
    return live.running() is not None


def select(name):
    bpy.ops.object.select_all(action="DESELECT")
    bpy.data.objects[name].select_set(True)
    bpy.context.view_layer.objects.active = bpy.data.objects[name]


def figure():
    return bpy.data.objects["Biped"]


def goal(name=GOAL):
    return bpy.data.objects[name]


def gap(name=GOAL):
    """How far the bone's end is from its goal."""
    return (tail(figure(), goal(name).contrapposto_goal.bone) - goal(name).matrix_world.translation).length

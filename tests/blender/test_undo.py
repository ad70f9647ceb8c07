"""Every operator undoes in one step, and redoes."""

import bpy
import pytest
from biped import add_biped, add_goal, channels, goals_of


def state():
    """What the operators change, by names: undo makes all references invalid."""
    biped = bpy.data.objects["Biped"]
    goals = {
        name: (*(tuple(row) for row in goal.matrix_basis), goal.contrapposto_goal.state)
        for name, goal in goals_of(biped).items()
    }
    return channels(biped), goals, set(bpy.data.collections.keys())


@pytest.fixture
def start(empty_file):
    biped = add_biped()
    goal = add_goal(biped, "hand.L")
    goal.location = (0.5, -0.4, 1.5)
    biped.contrapposto_figure.list_index = 0
    bpy.context.view_layer.update()
    bpy.ops.ed.undo_push(message="Start")
    return state()


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("goal_add", {"bone": "hand.R", "type": "POSE"}),
        ("goal_remove", {}),
        ("goals_snap", {}),
        ("solve", {}),
    ],
)
def test_one_step_back_and_forth(start, name, options):
    # From a script, Blender's undo step has to be asked for; its message is the operator's name.
    getattr(bpy.ops.contrapposto, name)("EXEC_DEFAULT", True, **options)
    changed = state()
    assert changed != start
    bpy.ops.ed.undo()
    assert state() == start
    bpy.ops.ed.redo()
    assert state() == changed

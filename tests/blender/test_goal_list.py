"""The list of goals, in the order that the user asks for."""

from biped import add_goal
from bl_ext.user_default.contrapposto.panels.goal_list import order


def test_by_priority_then_by_name(biped):
    goals = [add_goal(biped, bone) for bone in ("hand.L", "head", "foot.R", "foot.L")]
    for goal, priority in zip(goals, (2, 1, 2, 3), strict=True):
        goal.contrapposto_goal.priority = priority
    shown = dict(zip(order(goals, by_priority=True), (goal.name for goal in goals), strict=True))
    assert [shown[place] for place in range(4)] == [
        "head Position", "foot.R Position", "hand.L Position", "foot.L Position",
    ]  # fmt: skip


def test_by_name(biped):
    goals = [add_goal(biped, bone) for bone in ("hand.L", "head", "foot.R", "foot.L")]
    goals[1].name = "Alpha"
    assert order(goals, by_priority=False) == [3, 0, 2, 1]

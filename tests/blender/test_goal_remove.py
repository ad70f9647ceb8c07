"""contrapposto.goal_remove: the goal goes, with its empty and at last with the collection."""

import bpy
import pytest
from biped import add_biped, add_goal, goals_of, select_bones


def test_the_active_goal_of_the_list(biped):
    for bone in ("hand.L", "hand.R", "head"):
        add_goal(biped, bone)
    select_bones(biped, "hips")
    figure = biped.contrapposto_figure
    figure.active_goal = figure.goals_collection.all_objects.find("hand.R Position")
    assert bpy.ops.contrapposto.goal_remove() == {"FINISHED"}
    assert set(goals_of(biped)) == {"hand.L Position", "head Position"}
    assert "hand.R Position" not in bpy.data.objects


def test_the_goal_that_is_active_in_the_viewport(biped):
    goal = add_goal(biped, "hand.L")
    add_goal(biped, "hand.R")
    bpy.context.view_layer.objects.active = goal
    bpy.ops.contrapposto.goal_remove()
    assert list(goals_of(biped)) == ["hand.R Position"]


def test_by_name(biped):
    for bone in ("hand.L", "hand.R"):
        add_goal(biped, bone)
    bpy.ops.contrapposto.goal_remove(name="hand.L Position")
    assert list(goals_of(biped)) == ["hand.R Position"]


def test_all_selected_and_nothing_else(biped):
    goals = [add_goal(biped, bone) for bone in ("hand.L", "hand.R", "head")]
    other = add_biped("Other")
    foreign = add_goal(other, "head")
    bpy.ops.object.select_all(action="DESELECT")
    for each in (*goals[:2], foreign, biped):
        each.select_set(True)
    bpy.context.view_layer.objects.active = goals[0]
    bpy.ops.contrapposto.goal_remove(use_selected=True)
    assert list(goals_of(biped)) == ["head Position"]
    assert len(goals_of(other)) == 1
    assert biped.name in bpy.data.objects


def test_one_after_the_other_until_the_collection_goes(biped):
    for bone in ("hand.L", "hand.R", "head"):
        add_goal(biped, bone)
    for left in (2, 1, 0):
        bpy.ops.contrapposto.goal_remove()
        assert len(goals_of(biped)) == left
    assert not bpy.data.collections
    assert biped.contrapposto_figure.goals_collection is None


def test_a_collection_with_something_else_in_it_stays(biped):
    add_goal(biped, "hand.L")
    prop = bpy.data.objects.new("Prop", None)
    biped.contrapposto_figure.goals_collection.objects.link(prop)
    bpy.ops.contrapposto.goal_remove()
    assert bpy.data.collections.keys() == ["Biped Goals"]


def test_an_empty_that_carries_something_only_stops_being_a_goal(biped):
    goal = add_goal(biped, "hand.L")
    prop = bpy.data.objects.new("Cup", None)
    bpy.context.scene.collection.objects.link(prop)
    prop.parent = goal
    bpy.ops.contrapposto.goal_remove()
    assert not goals_of(biped)
    assert prop.parent == goal


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "“Biped” has no active goal"),
        ({"use_selected": True}, "“Biped” has no selected goal"),
        ({"name": "Biped"}, "“Biped” has no goal “Biped”"),
        ({"name": "no such"}, "“Biped” has no goal “no such”"),
    ],
)
def test_nothing_to_remove(biped, options, said):
    with pytest.raises(RuntimeError, match=said):
        bpy.ops.contrapposto.goal_remove(**options)
    assert biped.name in bpy.data.objects

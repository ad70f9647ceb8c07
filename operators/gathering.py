"""The goals of an armature are kept together in a collection of their own."""

from collections.abc import Iterable

import bpy

from ..properties import figure_settings, goal_settings, is_goal_of


def gather(scene: bpy.types.Scene, armature: bpy.types.Object, goals: Iterable[bpy.types.Object]) -> None:
    """Put goals into the armature's collection, which is made where it is missing."""
    goals = list(goals)
    if not goals:
        return
    collection = _ensure_collection(scene, armature)
    there = set(collection.all_objects)
    for goal in goals:
        if goal not in there:
            collection.objects.link(goal)


def remove_if_empty(armature: bpy.types.Object) -> None:
    """Remove the armature's collection when nothing is left in it."""
    collection = figure_settings(armature).goals_collection
    if collection and collection.library is None and not collection.all_objects and not collection.children:
        bpy.data.collections.remove(collection)


def _ensure_collection(scene: bpy.types.Scene, armature: bpy.types.Object) -> bpy.types.Collection:
    figure = figure_settings(armature)
    if figure.goals_collection is None or not _may_hold_goals(figure.goals_collection, armature):
        figure.goals_collection = bpy.data.collections.new(f"{armature.name} Goals")
    if figure.goals_collection not in scene.collection.children_recursive:
        scene.collection.children.link(figure.goals_collection)
    return figure.goals_collection


def _may_hold_goals(collection: bpy.types.Collection, armature: bpy.types.Object) -> bool:
    """Not so if it is linked, or came along when another armature was duplicated without its goals."""
    if collection.library is not None:
        return False
    goals = [goal for goal in collection.all_objects if goal_settings(goal).is_goal]
    return not goals or any(is_goal_of(goal, armature) for goal in goals)

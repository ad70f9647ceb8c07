"""The list of a figure's goals: the objects of its collection of goals that are goals of it."""

from typing import Any

import bpy

from ..properties import active_figure, goal_settings, is_goal_of
from .errors import is_missed, met_icon, worst_error_text


class CONTRAPPOSTO_UL_goals(bpy.types.UIList):
    """Goals of a figure with their errors at the last solve"""

    def draw_item(
        self,
        context: bpy.types.Context,
        layout: bpy.types.UILayout,
        _collection: bpy.types.Collection,
        goal: bpy.types.Object,
        _icon: int,
        _figure: bpy.types.PropertyGroup,
        _property: str,
        _index: int,
        _filtered: int,
    ) -> None:
        settings = goal_settings(goal)
        row = layout.row(align=True)
        kind = bpy.types.UILayout.enum_item_icon(settings, "type", settings.type)
        name = row.row(align=True)
        name.active = settings.enabled
        name.prop(goal, "name", text="", emboss=False, icon_value=kind)
        error = row.row(align=True)
        error.alignment = "RIGHT"
        error.active = settings.enabled
        error.alert = is_missed(settings)
        error.label(text=worst_error_text(context.scene, settings), icon=met_icon(settings))
        row.prop(settings, "enabled", text="")

    def filter_items(
        self, context: bpy.types.Context, collection: bpy.types.Collection, _property: str
    ) -> tuple[Any, Any]:
        armature = active_figure(context)
        goals = collection.all_objects
        named = [self.bitflag_filter_item] * len(goals)
        if self.filter_name:
            named = bpy.types.UI_UL_list.filter_items_by_name(
                self.filter_name, self.bitflag_filter_item, goals, reverse=self.use_filter_invert
            )
        flags = [
            flag if armature is not None and is_goal_of(goal, armature) else 0
            for flag, goal in zip(named, goals, strict=True)
        ]
        return flags, []

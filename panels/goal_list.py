"""The list of a figure's goals: the objects of its collection of goals that are goals of it."""

from collections.abc import Sequence
from typing import Any

import bpy

from ..properties import FigureSettings, active_figure, goal_settings, is_goal_of
from .errors import is_missed, met_icon, worst_error_text


class CONTRAPPOSTO_UL_goals(bpy.types.UIList):
    """Goals of a figure with their errors at the last solve"""

    sort_by_priority: bpy.props.BoolProperty(
        name="Sort by Priority", description="First the goals that come first", default=False
    )

    def draw_item(
        self,
        context: bpy.types.Context,
        layout: bpy.types.UILayout,
        _collection: bpy.types.Collection,
        goal: bpy.types.Object,
        _icon: int,
        figure: FigureSettings,
        _property: str,
        _index: int,
        _filtered: int,
    ) -> None:
        settings = goal_settings(goal)
        row = layout.row(align=True)
        name = row.row(align=True)
        name.active = settings.enabled
        if settings.is_pin:
            name.prop(goal, "name", text="", emboss=False, icon="PINNED")
        else:
            kind = bpy.types.UILayout.enum_item_icon(settings, "type", settings.type)
            name.prop(goal, "name", text="", emboss=False, icon_value=kind)
        error = row.row(align=True)
        error.alignment = "RIGHT"
        error.active = settings.enabled
        error.alert = is_missed(settings)
        error.label(text=worst_error_text(context.scene, settings), icon=met_icon(settings))
        if figure.uses_priorities:
            priority = row.row(align=True)
            priority.ui_units_x = 1.9
            priority.active = settings.enabled
            priority.prop(settings, "priority", text="")
        row.prop(settings, "enabled", text="")

    def draw_filter(self, _context: bpy.types.Context, layout: bpy.types.UILayout) -> None:
        row = layout.row(align=True)
        row.prop(self, "filter_name", text="")
        row.prop(self, "use_filter_invert", text="", icon="ARROW_LEFTRIGHT")
        row.separator()
        row.prop(self, "use_filter_sort_alpha", text="", icon="SORTALPHA")
        row.prop(self, "sort_by_priority", text="", icon="LINENUMBERS_ON")
        row.prop(self, "use_filter_sort_reverse", text="", icon="SORT_ASC")

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
        ordered = self.sort_by_priority or self.use_filter_sort_alpha
        return flags, order(list(goals), self.sort_by_priority) if ordered else []


def order(goals: Sequence[bpy.types.Object], by_priority: bool) -> list[int]:
    """The place of each goal in a list by name, or by priority and name."""

    def key(index: int) -> tuple[int, str]:
        goal = goals[index]
        return goal_settings(goal).priority if by_priority else 0, goal.name.lower()

    places = {index: place for place, index in enumerate(sorted(range(len(goals)), key=key))}
    return [places[index] for index in range(len(goals))]

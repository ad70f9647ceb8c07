"""The panel in the sidebar of the 3D viewport: figure, goals, the active goal, Solve.

Drawn at every redraw: it looks at the figure's own collection of goals, never at the whole scene.
"""

import bpy

from ..properties import (
    FigureSettings,
    GoalSettings,
    active_figure,
    active_goal,
    figure_settings,
    goal_settings,
    is_goal_of,
    live_figure,
    rest_bones,
)
from .base import SidebarPanel
from .errors import error_texts, is_missed


class CONTRAPPOSTO_PT_figure(SidebarPanel):
    """Pose an armature by goals"""

    bl_label = "Contrapposto"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.mode in {"OBJECT", "POSE"} and active_figure(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        armature = active_figure(context)
        figure = figure_settings(armature)
        self._draw_figure(armature)
        self._draw_goals(figure)
        solve = self.layout.row(align=True)
        solve.scale_y = 1.5
        solve.operator("contrapposto.solve", icon="CON_KINEMATIC")
        solve.operator("contrapposto.pose", icon="PLAY", depress=live_figure().name == armature.name)
        self.layout.operator("contrapposto.variations", icon="RENDERLAYERS")
        if context.mode == "POSE":
            _draw_pins(self.layout)
        options = self.layout.column()
        options.use_property_split = True
        options.use_property_decorate = False
        options.prop(figure, "solver")
        if figure.solver == "PARTICLES":
            options.prop(figure, "constraints")
        options.prop(figure, "use_root_location")

    def _draw_figure(self, armature: bpy.types.Object) -> None:
        row = self.layout.row()
        row.label(text=armature.name, icon="ARMATURE_DATA")
        numbers = row.row()
        numbers.alignment = "RIGHT"
        numbers.active = False
        numbers.label(text=f"{_count(len(rest_bones(armature)), 'bone')}, {_count(_goals(armature), 'goal')}")
        row.prop(figure_settings(armature), "show_overlay", text="", icon="OVERLAY")

    def _draw_goals(self, figure: FigureSettings) -> None:
        row = self.layout.row()
        if figure.goals_collection:
            collection = figure.goals_collection
            row.template_list(
                "CONTRAPPOSTO_UL_goals", "", collection, "all_objects", figure, "active_goal", rows=5
            )
        else:
            hint = row.box().column(align=True)
            hint.label(text="Select bones in Pose Mode")
            hint.label(text="to add goals for them")
        buttons = row.column(align=True)
        buttons.menu("CONTRAPPOSTO_MT_goal_add", text="", icon="ADD")
        buttons.operator("contrapposto.goal_remove", text="", icon="REMOVE")
        buttons.separator()
        buttons.operator("contrapposto.goals_snap", text="", icon="SNAP_ON")
        buttons.operator("contrapposto.goals_mirror", text="", icon="MOD_MIRROR")


class CONTRAPPOSTO_PT_goal(SidebarPanel):
    """Settings of the active goal"""

    bl_label = "Goal"
    bl_parent_id = "CONTRAPPOSTO_PT_figure"

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return active_goal(context) is not None

    def draw(self, context: bpy.types.Context) -> None:
        goal = goal_settings(active_goal(context))
        layout = self.layout
        layout.use_property_split = True
        _draw_error(layout, context.scene, goal)
        layout.prop(goal, "type")
        _draw_effector(layout, goal)
        layout.prop(goal, "weight")
        priority = layout.column()
        # Shown in any case: it is the same number for another solver.
        priority.active = figure_settings(goal.armature).uses_priorities
        priority.prop(goal, "priority")
        _draw_tolerance(layout, goal)
        _draw_reach(layout, goal)
        layout.prop(goal, "any_of")


def _draw_pins(layout: bpy.types.UILayout) -> None:
    row = layout.row(align=True)
    row.label(text="Pin", icon="PINNED")
    for kind, text in (("POSITION", "Position"), ("ORIENTATION", "Rotation"), ("POSE", "Both")):
        row.operator("contrapposto.pin", text=text).type = kind


def _draw_error(layout: bpy.types.UILayout, scene: bpy.types.Scene, goal: GoalSettings) -> None:
    if is_missed(goal):
        column = layout.column(align=True)
        column.label(text=goal.state[0].upper() + goal.state[1:], icon="ERROR")
        column.label(text=f"Off by {' and '.join(error_texts(scene, goal))}", icon="BLANK1")


def _draw_effector(layout: bpy.types.UILayout, goal: GoalSettings) -> None:
    column = layout.column()
    column.prop(goal, "effector")
    if goal.effector != "CENTRE_OF_MASS":
        column.prop_search(goal, "bone", goal.armature.data, "bones")
    if goal.effector == "POINT":
        column.prop(goal, "point")
    if goal.type == "AIM":
        column.prop(goal, "aim_axis")
    if goal.type in {"ORIENTATION", "POSE"}:
        axes = column.row(heading="Axes", align=True)
        axes.prop(goal, "use_x", toggle=True)
        axes.prop(goal, "use_y", toggle=True)


def _draw_tolerance(layout: bpy.types.UILayout, goal: GoalSettings) -> None:
    column = layout.column(align=True)
    if goal.type not in {"ORIENTATION", "AIM"}:
        column.prop(goal, "tolerance")
    if goal.type in {"ORIENTATION", "POSE", "AIM"}:
        column.prop(goal, "angle_tolerance", text="Angle" if goal.type == "POSE" else "Tolerance")


def _draw_reach(layout: bpy.types.UILayout, goal: GoalSettings) -> None:
    column = layout.column()
    column.prop(goal, "reach")
    if goal.reach == "COUNT":
        column.prop(goal, "reach_count")
    if goal.reach == "BONE":
        column.prop_search(goal, "reach_bone", goal.armature.data, "bones")


def _goals(armature: bpy.types.Object) -> int:
    collection = figure_settings(armature).goals_collection
    return sum(is_goal_of(goal, armature) for goal in collection.all_objects) if collection else 0


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"

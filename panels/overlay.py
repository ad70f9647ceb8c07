"""Draws the marks of the active figure, or of the one that is posed live, over every 3D viewport."""

import bpy
import gpu
from gpu_extras.batch import batch_for_shader

from ..properties import active_figure, figure_settings, live_figure
from .marks import Line, figure_marks, shown_goals
from .palette import theme_palette

_WIDTH = 1.5  # pixels, at a scale of 1

_handles: list[object] = []


def register() -> None:
    _handles.append(bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW"))


def unregister() -> None:
    bpy.types.SpaceView3D.draw_handler_remove(_handles.pop(), "WINDOW")


def _draw() -> None:
    context = bpy.context
    lines = current_marks(context)
    if lines:
        _draw_lines(lines, context)


def current_marks(context: bpy.types.Context) -> list[Line]:
    """What is to be drawn now; nothing where overlays, or that of the figure, are switched off."""
    armature = _figure(context)
    if armature is None or not context.space_data.overlay.show_overlays:
        return []
    if not figure_settings(armature).show_overlay or not armature.visible_get():
        return []
    palette = theme_palette(context.preferences)
    depsgraph = context.evaluated_depsgraph_get()
    return figure_marks(armature, shown_goals(armature), depsgraph, palette, live_figure())


def _figure(context: bpy.types.Context) -> bpy.types.Object | None:
    live = live_figure().name
    return context.view_layer.objects.get(live) if live else active_figure(context)


def _draw_lines(lines: list[Line], context: bpy.types.Context) -> None:
    shader = gpu.shader.from_builtin("POLYLINE_FLAT_COLOR")
    places = [place.to_tuple() for line in lines for place in (line.start, line.end)]
    colours = [line.colour for line in lines for _ in range(2)]
    batch = batch_for_shader(shader, "LINES", {"pos": places, "color": colours})
    shader.bind()
    shader.uniform_float("viewportSize", (context.region.width, context.region.height))
    shader.uniform_float("lineWidth", _WIDTH * context.preferences.system.ui_scale)
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("NONE")
    batch.draw(shader)
    gpu.state.blend_set("NONE")

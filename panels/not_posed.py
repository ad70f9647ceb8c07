"""Which bones the last solve left alone although goals reach them, and why."""

import textwrap

import bpy

from ..properties import active_figure, figure_settings
from .base import SidebarPanel

_SHOWN = 10
_LETTER = 7.5  # pixels, on average, at a scale of 1


class CONTRAPPOSTO_PT_not_posed(SidebarPanel):
    """Bones in reach of the goals that the last solve did not pose, and why"""

    bl_label = "Not Posed"
    bl_parent_id = "CONTRAPPOSTO_PT_figure"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return bool(figure_settings(active_figure(context)).not_posed)

    def draw_header_preset(self, context: bpy.types.Context) -> None:
        self.layout.label(text=str(len(_sentences(context))))

    def draw(self, context: bpy.types.Context) -> None:
        sentences = _sentences(context)
        letters = int(context.region.width / (_LETTER * context.preferences.system.ui_scale))
        for sentence in sentences[:_SHOWN]:
            lines = self.layout.column(align=True)
            lines.scale_y = 0.7
            for line in textwrap.wrap(sentence, max(letters, 20)):
                lines.label(text=line)
        if len(sentences) > _SHOWN:
            self.layout.label(text=f"And {len(sentences) - _SHOWN} more")


def _sentences(context: bpy.types.Context) -> list[str]:
    sentences: str = figure_settings(active_figure(context)).not_posed
    return sentences.splitlines()

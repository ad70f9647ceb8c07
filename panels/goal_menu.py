"""The menu that adds goals, by what they ask for."""

from typing import Any

import bpy

from ..properties import TYPE_ITEMS

_FOR_A_POINT = {"POSITION", "LINE", "PLANE", "HALF_SPACE"}


class CONTRAPPOSTO_MT_goal_add(bpy.types.Menu):
    """Add goals for the selected bones or for the balance of the figure"""

    bl_label = "Add Goal"

    def draw(self, _context: bpy.types.Context) -> None:
        self.layout.label(text="Selected Bones")
        for kind, name, _, icon, _ in TYPE_ITEMS:
            self._add(kind, name, icon, "AUTO")
        self.layout.separator()
        self.layout.label(text="Centre of Mass")
        for kind, name, _, icon, _ in TYPE_ITEMS:
            if kind in _FOR_A_POINT:
                self._add(kind, name, icon, "CENTRE_OF_MASS")

    def _add(self, kind: str, name: str, icon: Any, effector: str) -> None:
        operator = self.layout.operator("contrapposto.goal_add", text=name, icon=icon)
        operator.type = kind
        operator.effector = effector

"""What a user sets once for all files."""

from __future__ import annotations

from typing import cast

import bpy

_EXTENSION = __package__.rpartition(".")[0]


class Preferences(bpy.types.AddonPreferences):
    """Contrapposto's preferences"""

    bl_idname = _EXTENSION

    time_budget: bpy.props.FloatProperty(
        name="Time per Step",
        description="How many milliseconds live posing may compute at a time; the rest follows later",
        min=0.5,
        soft_max=30.0,
        max=1000.0,
        default=8.0,
        precision=1,
    )

    def draw(self, _context: bpy.types.Context) -> None:
        self.layout.use_property_split = True
        self.layout.prop(self, "time_budget")


def preferences(context: bpy.types.Context) -> Preferences:
    return cast(Preferences, context.preferences.addons[_EXTENSION].preferences)

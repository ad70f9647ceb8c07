"""Settings of one bone that Blender does not have itself; limits and stiffness are Blender's own."""

import bpy

from .access import tag


class BoneSettings(bpy.types.PropertyGroup):
    """Contrapposto's settings of a bone"""

    mass: bpy.props.FloatProperty(
        name="Mass",
        description="Share of the figure's mass; 0 takes the bone's length as its mass",
        min=0.0,
        soft_max=100.0,
        default=0.0,
        options=set(),
        update=tag,
        override={"LIBRARY_OVERRIDABLE"},
    )

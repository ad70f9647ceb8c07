"""What all panels of the sidebar share."""

import bpy


class SidebarPanel(bpy.types.Panel):
    """Base of a panel in the Animation tab of the 3D viewport's sidebar."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Animation"

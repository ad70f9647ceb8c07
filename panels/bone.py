"""What Contrapposto knows of the active bone and Blender does not."""

import bpy

from ..properties import bone_settings
from .base import SidebarPanel


class CONTRAPPOSTO_PT_bone(SidebarPanel):
    """Settings of the active bone; its limits, locks and stiffness are Blender's own"""

    bl_label = "Bone"
    bl_parent_id = "CONTRAPPOSTO_PT_figure"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context: bpy.types.Context) -> bool:
        return context.active_pose_bone is not None

    def draw(self, context: bpy.types.Context) -> None:
        layout, bone = self.layout, context.active_pose_bone
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.label(text=bone.name, icon="BONE_DATA")
        layout.prop(bone_settings(bone.bone), "mass")

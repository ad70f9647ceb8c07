"""What is shown in Blender's window."""

import bpy

from . import overlay
from .bone import CONTRAPPOSTO_PT_bone
from .goal_list import CONTRAPPOSTO_UL_goals
from .goal_menu import CONTRAPPOSTO_MT_goal_add
from .not_posed import CONTRAPPOSTO_PT_not_posed
from .sidebar import CONTRAPPOSTO_PT_figure, CONTRAPPOSTO_PT_goal

_CLASSES = (
    CONTRAPPOSTO_UL_goals,
    CONTRAPPOSTO_MT_goal_add,
    CONTRAPPOSTO_PT_figure,
    CONTRAPPOSTO_PT_goal,
    CONTRAPPOSTO_PT_bone,
    CONTRAPPOSTO_PT_not_posed,
)


def register() -> None:
    for kind in _CLASSES:
        bpy.utils.register_class(kind)
    overlay.register()


def unregister() -> None:
    overlay.unregister()
    for kind in reversed(_CLASSES):
        bpy.utils.unregister_class(kind)

"""One user action, one file."""

import bpy

from . import command_line, keymap, live
from .goal_add import CONTRAPPOSTO_OT_goal_add
from .goal_remove import CONTRAPPOSTO_OT_goal_remove
from .goals_mirror import CONTRAPPOSTO_OT_goals_mirror
from .goals_snap import CONTRAPPOSTO_OT_goals_snap
from .pin import CONTRAPPOSTO_OT_pin
from .pose import CONTRAPPOSTO_OT_pose
from .solve import CONTRAPPOSTO_OT_solve
from .variations import CONTRAPPOSTO_OT_variations

_CLASSES = (
    CONTRAPPOSTO_OT_goal_add,
    CONTRAPPOSTO_OT_goal_remove,
    CONTRAPPOSTO_OT_goals_mirror,
    CONTRAPPOSTO_OT_goals_snap,
    CONTRAPPOSTO_OT_pin,
    CONTRAPPOSTO_OT_pose,
    CONTRAPPOSTO_OT_solve,
    CONTRAPPOSTO_OT_variations,
)
_commands: list[object] = []  # Blender's handles of our command-line commands


def register() -> None:
    for kind in _CLASSES:
        bpy.utils.register_class(kind)
    keymap.register()
    _commands.append(bpy.utils.register_cli_command("contrapposto", command_line.run))


def unregister() -> None:
    live.stop()
    keymap.unregister()
    bpy.utils.unregister_cli_command(_commands.pop())
    for kind in reversed(_CLASSES):
        bpy.utils.unregister_class(kind)

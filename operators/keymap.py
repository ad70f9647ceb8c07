"""The extension's own keys, which the user can change in Blender's preferences."""

import bpy

_items: list[tuple[bpy.types.KeyMap, bpy.types.KeyMapItem]] = []


def register() -> None:
    keyconfig = bpy.context.window_manager.keyconfigs.addon
    if keyconfig is None:  # without a window
        return
    keymap = keyconfig.keymaps.new("Pose", space_type="EMPTY")
    item = keymap.keymap_items.new("contrapposto.pin", "P", "PRESS")
    _items.append((keymap, item))


def unregister() -> None:
    for keymap, item in reversed(_items):
        keymap.keymap_items.remove(item)
    _items.clear()

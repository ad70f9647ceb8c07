"""What an add-on can leave behind in Blender, as plain data that can be compared."""

import bpy


def snapshot() -> dict[str, set[str]]:
    """Types, properties, operators, handlers, shortcuts and menu entries there are now."""
    return {
        "type": set(dir(bpy.types)),
        "property": set(_properties()),
        "operator": set(_operators()),
        "handler": set(_handlers()),
        "shortcut": set(_shortcuts()),
        "drawn": set(_draw_functions()),
    }


def difference(before: dict[str, set[str]], after: dict[str, set[str]]) -> list[str]:
    """One line for each thing that is only in one of two snapshots."""
    return sorted(
        f"{'+' if thing in after[kind] else '-'} {kind} {thing}"
        for kind in before
        for thing in before[kind] ^ after[kind]
    )


def _types():
    return [getattr(bpy.types, name) for name in dir(bpy.types)]


def _properties():
    for kind in _types():
        if hasattr(kind, "bl_rna"):
            yield from (f"{kind.__name__}.{each.identifier}" for each in kind.bl_rna.properties)


def _operators():
    for module in dir(bpy.ops):
        yield from (f"{module}.{name}" for name in dir(getattr(bpy.ops, module)))


def _handlers():
    for event in dir(bpy.app.handlers):
        functions = getattr(bpy.app.handlers, event)
        if isinstance(functions, list):
            yield from (f"{event}: {f.__module__}.{f.__qualname__}" for f in functions)


def _shortcuts():
    for keymap in bpy.context.window_manager.keyconfigs.addon.keymaps:
        for item in keymap.keymap_items:
            yield f"{keymap.name}: {item.idname} {item.to_string()}"


def _draw_functions():
    for kind in _types():
        if draw := getattr(kind, "draw", None):
            # Blender's append() and prepend() put a list in the place of a menu's own function.
            functions = getattr(draw, "_draw_funcs", [draw])
            yield from (f"{kind.__name__}: {f.__module__}.{f.__qualname__}" for f in functions)

"""Contrapposto: pose any armature by goals."""


def register() -> None:
    # Imported here, not above: without Blender this package is still importable.
    from . import operators, panels, properties

    properties.register()
    operators.register()
    panels.register()


def unregister() -> None:
    from . import operators, panels, properties

    panels.unregister()
    operators.unregister()
    properties.unregister()

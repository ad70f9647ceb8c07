"""Armature → figure, empties → goals, result → pose: the one place that knows Blender's conventions."""

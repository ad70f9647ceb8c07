"""The colours of the overlay, taken from the user's theme."""

from typing import NamedTuple

import bpy

RGBA = tuple[float, float, float, float]

_OPACITY = 0.9


class Palette(NamedTuple):
    """What each colour says."""

    met: RGBA
    missed: RGBA
    goal: RGBA
    pin: RGBA
    balance: RGBA

    def of_error(self, share: float) -> RGBA:
        """From met, 0, to missed, 1."""
        share = min(max(share, 0.0), 1.0)
        mixed = [a + share * (b - a) for a, b in zip(self.met, self.missed, strict=True)]
        return mixed[0], mixed[1], mixed[2], mixed[3]


def theme_palette(preferences: bpy.types.Preferences) -> Palette:
    """Green, red and blue are those of the axes."""
    theme = preferences.themes[0]
    axes, view = theme.user_interface, theme.view_3d
    colours = (axes.axis_y, axes.axis_x, view.empty, view.bone_pose_active, axes.axis_z)
    return Palette(*((colour[0], colour[1], colour[2], _OPACITY) for colour in colours))

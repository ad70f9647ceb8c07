"""Blender's window as a test uses it: hands on mouse and keyboard, eyes on the screen."""

import subprocess
from contextlib import AbstractContextManager
from pathlib import Path

import bpy
import numpy as np

SCREENSHOTS = Path(__file__).resolve().parents[2] / ".venv" / "screenshots"


class Window:
    """The first window. Nothing of Blender's is kept: undo and opening a file make it invalid."""

    def __init__(self) -> None:
        self.x, self.y = 0, 0

    @property
    def blender(self) -> bpy.types.Window:
        return bpy.context.window_manager.windows[0]

    # Eyes

    def area(self, kind: str = "VIEW_3D") -> bpy.types.Area:
        """The largest editor of a kind."""
        areas = [area for area in self.blender.screen.areas if area.type == kind]
        return max(areas, key=lambda area: area.width * area.height)

    def region(self, kind: str = "WINDOW", area: str = "VIEW_3D") -> bpy.types.Region:
        return next(region for region in self.area(area).regions if region.type == kind)

    def context(self, area: str = "VIEW_3D", region: str = "WINDOW") -> AbstractContextManager:
        """`with window.context(): bpy.ops...` runs operators as if called from that editor."""
        return bpy.context.temp_override(
            window=self.blender, area=self.area(area), region=self.region(region, area)
        )

    def screenshot(self, name: str) -> Path:
        """Save what the window shows now as a PNG."""
        SCREENSHOTS.mkdir(parents=True, exist_ok=True)
        path = SCREENSHOTS / f"{name}.png"
        path.unlink(missing_ok=True)
        with bpy.context.temp_override(window=self.blender):
            bpy.ops.screen.screenshot(filepath=str(path))
        if not _shows_something(path):
            # Blender reads back the window from the graphics card; software OpenGL gives it black.
            # ImageMagick asks the X server, where a virtual screen holds nothing but Blender.
            subprocess.run(["import", "-window", "root", str(path)], check=True)
        assert _shows_something(path), f"{path.name} is of one colour only"
        return path

    # Hands; Blender handles what they do at the next `yield`

    def move(self, x: int, y: int) -> None:
        """Put the pointer to a place of the window in pixels, from the lower left."""
        self.x, self.y = int(x), int(y)
        self._event("MOUSEMOVE", "NOTHING")

    def move_to(self, region: bpy.types.Region) -> None:
        """Put the pointer into the middle of a region: keys go to what is below it."""
        self.move(region.x + region.width // 2, region.y + region.height // 2)

    def press(self, key: str, **modifiers: bool) -> None:
        """Press and release a key or a mouse button: `press("Z", ctrl=True)`, `press("LEFTMOUSE")`."""
        self.hold(key, **modifiers)
        self.release(key, **modifiers)

    def hold(self, key: str, **modifiers: bool) -> None:
        self._event(key, "PRESS", **modifiers)

    def release(self, key: str, **modifiers: bool) -> None:
        self._event(key, "RELEASE", **modifiers)

    def _event(self, kind: str, value: str, **modifiers: bool) -> None:
        self.blender.event_simulate(type=kind, value=value, x=self.x, y=self.y, **modifiers)


def pixels(path: Path) -> np.ndarray:
    """A picture as rows from below, (height, width, 3)."""
    image = bpy.data.images.load(str(path))
    width, height = image.size
    values = np.empty(len(image.pixels), np.float32)
    image.pixels.foreach_get(values)
    bpy.data.images.remove(image)
    return values.reshape(height, width, 4)[:, :, :3]


def _shows_something(path: Path) -> bool:
    return bool(np.ptp(pixels(path)) > 0.1)

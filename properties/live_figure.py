"""The figure that is being posed live, for others to show. Not saved: no file opens in the middle of it."""

from typing import NamedTuple


class LiveFigure(NamedTuple):
    """Its armature's name, empty for none; in world space."""

    name: str = ""
    at_limit: tuple[str, ...] = ()  # bones of which a joint coordinate is at its limit
    centre_of_mass: tuple[float, float, float] | None = None


_figure = LiveFigure()


def live_figure() -> LiveFigure:
    return _figure


def set_live_figure(figure: LiveFigure) -> None:
    global _figure
    _figure = figure

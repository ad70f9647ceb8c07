"""Which figure is being posed live. It is not saved: no file opens in the middle of it."""

_name = ""


def live_figure() -> str:
    """The name of the armature that is posed live; empty for none."""
    return _name


def set_live_figure(name: str) -> None:
    global _name
    _name = name

"""`particles`: Courty & Arnaud's experiments. Its figure is iterations a second of 90 degrees of freedom."""

from __future__ import annotations

from .papers import courty_arnaud

main = courty_arnaud.main

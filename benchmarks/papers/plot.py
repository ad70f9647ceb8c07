"""Joint angles along the spine, as in Zhao & Badler's figures 4 and 5."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

CURVES = (("forwards", "#1f4e8c", "o"), ("sideways", "#c8641e", "s"), ("turning", "#4a8c3c", "^"))


def plot_spines(path: Path, spines: Sequence[tuple[str, Sequence[str], np.ndarray]]) -> None:
    """One panel for each title, joints and their angles (joints, 3) in degrees."""
    figure = Figure(figsize=(11.0, 3.6), layout="constrained")
    panels = figure.subplots(1, len(spines), sharey=True)
    for panel, (title, joints, angles) in zip(panels, spines, strict=True):
        for column, (name, colour, marker) in zip(angles.T, CURVES, strict=True):
            panel.plot(joints, column, color=colour, marker=marker, markersize=4.0, linewidth=1.3, label=name)
        panel.axhline(0.0, color="0.6", linewidth=0.8, zorder=0)
        panel.set_title(title, fontsize=11)
        panel.tick_params(axis="x", labelsize=8)
        panel.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("degrees")
    panels[0].legend(frameon=False, fontsize=9)
    figure.savefig(path, dpi=130)

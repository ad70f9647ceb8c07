"""Plots of Courty & Arnaud's experiments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

COLOURS = ("#1f4e8c", "#2f8f9d", "#4a8c3c", "#c8901e", "#c8541e", "#8c2f4e")
FRAMES = (0, 2, 4, 8, 20, -1)  # iterations of the chain that are drawn


def plot_success(
    path: Path, joints: Sequence[int], particles: Sequence[int], tables: Mapping[str, np.ndarray]
) -> None:
    """Percent of success against particles, one panel a table, one curve for each number of joints."""
    figure = Figure(figsize=(11.0, 3.8), layout="constrained")
    panels = figure.subplots(1, len(tables), sharey=True)
    for panel, (title, table) in zip(panels, tables.items(), strict=True):
        for row, count, colour in zip(table, joints, COLOURS, strict=True):
            panel.plot(particles, row, color=colour, marker="o", markersize=4.0, label=f"{3 * count}")
        _tidy(panel, title, "particles")
    panels[0].set_ylabel("success, %")
    panels[0].legend(frameon=False, fontsize=9, title="degrees of freedom", ncols=2, loc="lower right")
    figure.savefig(path, dpi=130)


def plot_cost(path: Path, freedoms: Sequence[int], curves: Mapping[str, Sequence[float]]) -> None:
    """Milliseconds per iteration against degrees of freedom, both logarithmic."""
    figure = Figure(figsize=(6.4, 4.0), layout="constrained")
    panel = figure.subplots()
    for (name, seconds), colour in zip(curves.items(), COLOURS[::2] + COLOURS[1:2], strict=False):
        panel.loglog(freedoms, 1e3 * np.array(seconds), color=colour, marker="o", markersize=4.0, label=name)
    _tidy(panel, "", "degrees of freedom")
    panel.set_xticks(freedoms, [str(each) for each in freedoms])
    panel.minorticks_off()
    panel.set_ylabel("milliseconds per iteration")
    panel.legend(frameon=False, fontsize=9)
    figure.savefig(path, dpi=130)


def plot_chain(
    path: Path, places: np.ndarray, target: np.ndarray, errors: np.ndarray, costs: np.ndarray
) -> None:
    """The chain from the front at some iterations (steps, joints, 3), and how it converges."""
    figure = Figure(figsize=(11.0, 4.2), layout="constrained")
    front, side, curve = figure.subplots(1, 3, width_ratios=(1.0, 1.0, 1.6))
    for panel, axis, name in ((front, 0, "from the front"), (side, 1, "from the side")):
        for colour, frame in zip(COLOURS, FRAMES, strict=True):
            label = f"{frame + 1}" if frame >= 0 else f"{len(places)}"
            x, z = places[frame, :, axis], places[frame, :, 2]
            panel.plot(x, z, color=colour, linewidth=1.6, marker="o", markersize=1.8, label=label)
        panel.plot([target[axis]], [target[2]], "k*", markersize=11.0)
        panel.axvline(0.0, color="0.7", linewidth=0.8, zorder=0)
        panel.set_aspect("equal", adjustable="datalim")
        _tidy(panel, name, "")
    front.legend(frameon=False, fontsize=8, title="iteration")
    for column, name, colour in ((0, "tip to target", COLOURS[0]), (1, "balance", COLOURS[2])):
        curve.semilogy(np.arange(1, 1 + len(errors)), errors[:, column] + 1e-6, color=colour, label=name)
    curve.semilogy(np.arange(1, 1 + len(costs)), costs, color=COLOURS[4], label="smoothness (rad)")
    curve.axhline(1e-3, color="0.7", linewidth=0.8, zorder=0)
    _tidy(curve, "distances in units of length", "iteration")
    curve.legend(frameon=False, fontsize=9)
    figure.savefig(path, dpi=130)


def _tidy(panel: object, title: str, label: str) -> None:
    panel.set_title(title, fontsize=11)
    panel.set_xlabel(label)
    panel.spines[["top", "right"]].set_visible(False)

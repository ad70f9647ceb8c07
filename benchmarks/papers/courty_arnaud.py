"""Courty & Arnaud: success against particles, cost of an iteration, a singular chain of 90 freedoms."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from bl_ext.user_default.contrapposto.solvers import Postures

from . import chains, particle_plots, people

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
RUNS = 1000
JOINTS = (5, 10, 15, 20, 25, 30)
PARTICLES = (5, 10, 20, 30, 50)
COST_JOINTS = (5, 10, 20, 30, 50, 70, 100)
STEPS = 400  # of the long chain


def success_table(guided: bool) -> np.ndarray:
    """Percent (joints, particles) of the paper's figure 3a."""
    print(f"\n{'guided' if guided else 'as in the paper'}: success of {RUNS} runs in %, median iterations")
    table = np.zeros((len(JOINTS), len(PARTICLES)))
    for i, joints in enumerate(JOINTS):
        cells = [chains.success(joints, count, RUNS, guided) for count in PARTICLES]
        table[i] = [100.0 * share for share, _ in cells]
        row = "".join(f"{100.0 * share:8.1f} ({steps:3.0f})" for share, steps in cells)
        print(f"{joints:3d} joints{row}", flush=True)
    return table


def cost_curves() -> dict[str, list[float]]:
    """Seconds per iteration of the paper's figure 3b."""
    curves = {f"{k} particles": [chains.filter_seconds(n, k) for n in COST_JOINTS] for k in (20, 50)}
    curves["transpose"] = [chains.jacobian_seconds(n, False) for n in COST_JOINTS]
    curves["damped pseudo-inverse"] = [chains.jacobian_seconds(n, True) for n in COST_JOINTS]
    freedoms = [3 * n for n in COST_JOINTS]
    print("\nmilliseconds per iteration by degrees of freedom, and the slope at the large end")
    print(" " * 24 + "".join(f"{n:9d}" for n in freedoms))
    for name, seconds in curves.items():
        row = "".join(f"{1e3 * each:9.2f}" for each in seconds)
        print(f"{name:24}{row}{chains.slope(freedoms, seconds):8.2f}", flush=True)
    return curves


def long_chain() -> float:
    """Print how the singular chain converges; iterations a second."""
    problem, smooth = chains.singular_chain()
    us, errors, rate = chains.follow(problem, STEPS)
    costs = smooth.costs(Postures(problem.figure, problem.coordinates(us))) / smooth.weight
    print(f"\n90 degrees of freedom, 30 particles: {rate:.0f} iterations a second")
    print("iteration   tip (mm)   balance (mm)   angles between neighbours, summed (rad)")
    for step in (1, 5, 10, 20, 50, 100, 200, STEPS):
        tip, balance = 1e3 * errors[step - 1]
        print(f"{step:9d}{tip:11.2f}{balance:15.2f}{costs[step - 1]:15.2f}")
    figure = problem.figure
    places = figure.forward(problem.coordinates(us)).origins
    particle_plots.plot_chain(IMAGES / "particles-chain.png", places, problem.goals[0].target, errors, costs)
    return rate


def main() -> float:
    IMAGES.mkdir(parents=True, exist_ok=True)
    curves = cost_curves()
    rate = long_chain()
    people.picture_human(IMAGES / "particles-human.png")
    people.picture_hand(IMAGES / "particles-hand.png")
    tables = {"as in the paper": success_table(False), "guided": success_table(True)}
    particle_plots.plot_success(IMAGES / "particles-success.png", JOINTS, PARTICLES, tables)
    particle_plots.plot_cost(IMAGES / "particles-cost.png", [3 * n for n in COST_JOINTS], curves)
    return rate

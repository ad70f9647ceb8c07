"""Li et al. 2011, figure 1: two differently proportioned people take a driver's place.

Hip, hands and feet at priorities 1, 2 and 3; the first guess is the lowest level's reference, the limbs' ends
counting for more than the back, as in the paper.
"""

from __future__ import annotations

import numpy as np
from bl_ext.user_default.contrapposto.solvers import Figure, Goal, Problem, Reference, Result, solve

from .driver import (
    AVERAGE,
    PEDALS,
    SEAT,
    SHORT,
    SIDES,
    WHEEL,
    WHEEL_RADIUS,
    build_driver,
    driving_goals,
    seated,
)
from .studio import add_box, add_rod, add_tube, empty_studio, frame_between, render
from .zhao_badler import IMAGES

WOOD, DARK_WOOD = (0.46, 0.27, 0.13), (0.27, 0.14, 0.06)
GREY, BLUE, GREEN, RED = (0.30, 0.30, 0.32), (0.05, 0.16, 0.40), (0.05, 0.45, 0.10), (0.70, 0.04, 0.03)
APART = 1.75  # metres
ENDS, BACK = 3.0, 0.2  # weights of the reference: the ends of limbs, and what is near the root


def weights(figure: Figure) -> np.ndarray:
    result = np.ones(figure.skeleton.dimension)
    for name in figure.names:
        bone = 3 * figure.index(name)
        if name.startswith(("hand", "foot")):
            result[bone : bone + 3] = ENDS
        if name in ("hip", "waist", "back"):
            result[bone : bone + 3] = BACK
    result[-3:] = BACK
    return result


def take_place(figure: Figure, title: str, solver: str = "PRIORITIZED") -> Result:
    """Solve from the first guess and print how it went."""
    guess = seated(figure)
    problem = Problem(figure, driving_goals(figure), guess, reference=Reference(guess, weights(figure)))
    result = solve(problem, solver)
    print(f"\ndriver, {title}: {problem.space.size} degrees of freedom, {result.status.value}")
    for goal in result.goals:
        by = f" ({goal.overruled_by})" if goal.overruled_by else ""
        print(f"  {goal.name:10}{1e3 * goal.distance:10.3f} mm  {goal.reason.value}{by}")
    return result


def add_driver(figure: Figure, q: np.ndarray, shift: np.ndarray) -> None:
    """A person of rods."""
    frames = figure.forward(q)
    places = {name: frames.origins[figure.index(name)] + shift for name in figure.names}
    tips = {name: frames.linear[figure.index(name)][:, 1] for name in figure.names}
    shoulders = 0.5 * (places["upper_arm.L"] + places["upper_arm.R"])
    _rod(places["hip"], places["back"], 0.12, 0.12, DARK_WOOD)
    _rod(places["back"], shoulders - 0.06 * tips["back"], 0.125, 0.11, DARK_WOOD)
    _rod(shoulders, shoulders + 0.10 * tips["back"], 0.05, 0.045, WOOD)
    _rod(shoulders + 0.19 * tips["back"], shoulders + 0.25 * tips["back"], 0.085, 0.09, WOOD)
    _rod(places["upper_arm.L"], places["upper_arm.R"], 0.055, 0.055, DARK_WOOD)
    for side in SIDES:
        for chain, radii in (
            (("upper_arm", "forearm", "hand"), (0.046, 0.038, 0.03)),
            (("thigh", "shin", "foot"), (0.072, 0.052, 0.038)),
        ):
            bones = [f"{name}.{side}" for name in chain]
            _rod(places[bones[0]], places[bones[1]], radii[0], radii[1], WOOD)
            _rod(places[bones[1]], places[bones[2]], radii[1], radii[2], WOOD)
        hand, foot = f"hand.{side}", f"foot.{side}"
        _rod(places[hand], places[hand] + 0.09 * tips[hand], 0.032, 0.03, WOOD)
        _rod(places[foot], places[foot] + 0.14 * tips[foot], 0.042, 0.034, WOOD)


def _rod(start: np.ndarray, end: np.ndarray, first: float, last: float, colour: tuple) -> None:
    add_rod(frame_between(start, end), float(np.linalg.norm(end - start)), first, last, colour)


def add_place(goals: list[Goal], met: list[bool], shift: np.ndarray) -> None:
    """Seat, wheel and pedals, and a ball for each goal: green where met, red where not."""
    add_box(SEAT + np.array([0.0, 0.06, -0.20]) + shift, np.array([0.46, 0.5, 0.14]), GREY)
    add_box(SEAT + np.array([0.0, 0.33, 0.10]) + shift, np.array([0.46, 0.08, 0.72]), GREY)
    axis = np.array([0.0, -0.9, -0.4])
    add_tube(WHEEL + shift, WHEEL + 0.02 * axis + shift, WHEEL_RADIUS, BLUE)
    for side in SIDES.values():
        pedal = PEDALS + np.array([side * 0.12, -0.045, -0.02])
        add_box(pedal + shift, np.array([0.09, 0.03, 0.13]), BLUE)
    for goal, good in zip(goals, met, strict=True):
        place = goal.target + shift
        _rod(place, place + np.array([0.0, 0.0, 1e-3]), 0.036, 0.036, GREEN if good else RED)


def picture(name: str, people: list[tuple[Figure, np.ndarray, list[bool]]], size: tuple[int, int]) -> None:
    """People beside each other, each at a place of its own."""
    empty_studio()
    for i, (figure, q, met) in enumerate(people):
        shift = np.array([0.0, APART * (0.5 * (len(people) - 1) - i), 0.0])
        add_driver(figure, q, shift)
        add_place(driving_goals(figure), met, shift)
    middle = np.array([0.0, -0.18, 0.7])
    render(IMAGES / name, np.array([1.0, 0.12, -0.18]), middle, APART * len(people), size)


def main() -> float:
    """The paper's figure, and the same with weights instead; how much a hip or a hand is off, in mm."""
    people, off = [], []
    for build in (AVERAGE, SHORT):
        figure = build_driver(build)
        result = take_place(figure, build.title)
        off += [1e3 * goal.distance for goal in result.goals[:3]]
        people.append((figure, seated(figure), [False] * len(result.goals)))
        people.append((figure, result.q, [goal.met for goal in result.goals]))
    picture("paper-driver.png", people, (1400, 400))
    mixed = take_place(figure, f"{SHORT.title}, all weighted alike", "NONLINEAR")
    weighted = (figure, mixed.q, [goal.met for goal in mixed.goals])
    picture("priorities.png", [weighted, people[-1]], (900, 480))
    return max(off)

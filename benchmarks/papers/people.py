"""Courty & Arnaud's human figure and hand, solved by particles and pictured as rods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from bl_ext.user_default.contrapposto.solvers import (
    CENTRE_OF_MASS,
    Constraint,
    Coupling,
    Effector,
    Figure,
    LineGoal,
    ParticleFilter,
    PoseGoal,
    PositionGoal,
    Postures,
    Problem,
    Reach,
    on_floor,
    smoothed,
)

from ..scenes import FINGERTIPS, Person, person
from .studio import add_rod, empty_studio, render

WOOD, DARK, RED, BLUE = (0.46, 0.27, 0.13), (0.27, 0.14, 0.06), (0.75, 0.08, 0.05), (0.05, 0.16, 0.55)
HANDS = {"hand.L": np.array([0.28, -0.42, 0.55]), "hand.R": np.array([-0.28, -0.45, 0.75])}
SOLES = ((0.06, 0.05), (0.13, 0.05), (0.10, -0.11))  # x and y of three places below a left foot
TIPS = tuple(name for name in FINGERTIPS if name.endswith(".L"))
HALFWAY = 60  # the iteration that is pictured between the first and the last
TOES = np.array([0.0, -0.04, 0.0])  # metres: what is between the ankles and the middle of the feet
FIRMNESS = 20.0  # the weight of the feet's goals: rejection is for the last millimetre
CURL = 0.7  # the last joint of a finger bends by this part of the one before


@dataclass(frozen=True, eq=False)
class Followed:
    """A problem and the smoothed way of its estimates, (steps, d)."""

    problem: Problem
    way: np.ndarray


def follow(problem: Problem, steps: int, particles: int) -> Followed:
    filtering = ParticleFilter(problem, np.random.default_rng(0), particles, problem.constraints)
    clouds = [next(filtering) for _ in range(steps)]
    estimates = [cloud.us[cloud.estimate] for cloud in clouds]
    return Followed(problem, problem.coordinates(np.array(list(smoothed(problem, estimates)))))


def standing() -> tuple[Person, Problem, Constraint]:
    """Both hands somewhere, the pelvis free, the feet on the floor by rejection."""
    someone = person("basic_human")
    someone = replace(someone, figure=_translating(someone.figure))
    figure = someone.figure
    frames = figure.forward(someone.rest)
    soles, goals = [], []
    for side, out in (("L", 1.0), ("R", -1.0)):
        bone = figure.index(f"foot.{side}")
        linear, origin = frames.linear[bone], frames.origins[bone]
        soles += [(f"foot.{side}", tuple(linear.T @ ([out * x, y, 0.0] - origin))) for x, y in SOLES]
        goals.append(
            PoseGoal(
                effector=Effector(bone),
                target=origin,
                x=linear[:, 0],
                y=linear[:, 1],
                weight=FIRMNESS,
                name=f"foot.{side}",
            )
        )
    goals += [
        PositionGoal(effector=someone.tail_of(name), target=place, tolerance=1e-3, name=name)
        for name, place in HANDS.items()
    ]
    goals.append(_balance(frames.origins[[figure.index(f"foot.{side}") for side in "LR"]].mean(axis=0)))
    floor = on_floor(soles)
    return someone, Problem(figure, goals, someone.rest, constraints=[floor]), floor


def _balance(middle: np.ndarray) -> LineGoal:
    """The centre of mass over the feet."""
    above = np.array([0.0, 0.0, 1.0])
    over = Effector(CENTRE_OF_MASS)
    return LineGoal(effector=over, target=middle + TOES, direction=above, tolerance=0.01, name="balance")


def _translating(figure: Figure) -> Figure:
    """The same figure, its root free to move half a metre."""
    more = {
        "lower": np.append(figure.lower, [-0.5] * 3),
        "upper": np.append(figure.upper, [0.5] * 3),
        "locked": np.append(figure.locked, [False] * 3),
        "stiffness": np.append(figure.stiffness, [0.0] * 3),
    }
    skeleton = replace(figure.skeleton, translating=np.array([0]))
    return replace(figure, skeleton=skeleton, **more)


def grasping(bend: float, spread: float) -> tuple[Person, Problem]:
    """Five fingertips at a place each; the last two joints of a finger bend together."""
    someone = person("human")
    figure = someone.figure
    ends = [(figure.index(name), figure.index(name.replace(".03.", ".02."))) for name in TIPS]
    couplings = tuple(Coupling([3 * last, 3 * before], [1.0, -CURL]) for last, before in ends)
    figure = replace(figure, couplings=couplings)
    someone = replace(someone, figure=figure)
    q = someone.rest
    for i, (name, (last, before)) in enumerate(zip(TIPS, ends, strict=True)):
        first = figure.index(name.replace(".03.", ".01."))
        q[3 * first], q[3 * first + 2] = 0.6 * bend, spread * (i - 2) * 0.1
        q[3 * before], q[3 * last] = bend, CURL * bend
    frames = figure.forward(q)
    reach = Reach(top=figure.index("forearm.L"))
    goals = []
    for name in TIPS:
        tip = someone.tail_of(name)
        place = frames.origins[tip.bone] + frames.linear[tip.bone] @ tip.point
        goals.append(PositionGoal(effector=tip, target=place, tolerance=5e-4, name=name, reach=reach))
    return someone, Problem(figure, goals, someone.rest)


def add_figure(someone: Person, q: np.ndarray, shift: np.ndarray, bones: Sequence[int], thick: float) -> None:
    """A rod for every bone."""
    frames = someone.figure.forward(q)
    for bone in bones:
        length = float(someone.tails[bone, 1])
        matrix = np.eye(4)
        matrix[:3, :3], matrix[:3, 3] = frames.linear[bone], frames.origins[bone] + shift
        radius = max(0.006, min(0.055, thick * length))
        add_rod(matrix, length, radius, 0.8 * radius, DARK if bone % 2 else WOOD)


def add_ball(place: np.ndarray, radius: float, colour: tuple[float, float, float]) -> None:
    matrix = np.eye(4)
    matrix[:3, 3] = place
    add_rod(matrix, 1e-4, radius, radius, colour)


def picture_human(path: Path) -> None:
    """Print how far the feet were from the floor, and picture the start, the way and the end."""
    someone, problem, floor = standing()
    followed = follow(problem, 400, 60)
    names = [goal.name for goal in problem.goals]
    here = Problem(problem.figure, problem.goals, followed.way[-1])
    errors = here.errors(here.evaluate(np.zeros(here.space.size)))[:, 0]
    print("\nhuman figure, 60 particles, 400 iterations; millimetres from its goals:")
    print("  ".join(f"{name} {1e3 * error:.2f}" for name, error in zip(names, errors, strict=True)))
    knees = np.degrees([followed.way[-1][3 * someone.figure.index(f"shin.{side}")] for side in "LR"])
    print(
        f"knees bent by {knees[0]:.0f}° and {knees[1]:.0f}°; the pelvis moved by",
        followed.way[-1][-3:].round(3),
    )
    print(
        "postures on the way with the feet on the floor:",
        floor.allows(Postures(problem.figure, followed.way)).mean(),
    )
    empty_studio()
    hidden = ("heel", "breast")
    bones = [i for i, name in enumerate(problem.figure.names) if not name.startswith(hidden)]
    for step, x in ((0, -1.45), (HALFWAY, 0.0), (-1, 1.3)):
        shift = np.array([x, 0.0, 0.0])
        add_figure(someone, followed.way[step], shift, bones, 0.16)
        for (_, place), colour in zip(HANDS.items(), (RED, BLUE), strict=True):
            add_ball(place + shift, 0.035, colour)
    render(path, np.array([0.75, 1.0, -0.22]), np.array([0.0, -0.1, 0.86]), 4.3, (1200, 600))


def picture_hand(path: Path) -> None:
    """Print how near the fingertips came, and picture both sets of targets."""
    hands = []
    for bend, spread in ((0.15, 1.2), (0.8, 0.4), (1.35, 0.0)):
        someone, problem = grasping(bend, spread)
        followed = follow(problem, 150, 60)
        here = Problem(problem.figure, problem.goals, followed.way[-1])
        errors = 1e3 * here.errors(here.evaluate(np.zeros(here.space.size)))[:, 0]
        print(f"hand: fingertips {errors.max():.2f} mm from their targets at most, after 150 iterations")
        hands.append((someone, problem, followed))
    empty_studio()
    for (someone, problem, followed), x in zip(hands, (-0.2, 0.0, 0.2), strict=True):
        hand = problem.figure.index("hand.L")
        bones = np.flatnonzero(problem.figure.skeleton.ancestors[:, hand])
        shift = np.array([x, 0.0, 0.3]) - problem.figure.forward(someone.rest).origins[hand]
        add_figure(someone, followed.way[-1], shift, bones.tolist(), 0.22)
        for goal in problem.goals:
            add_ball(goal.target + shift, 0.006, RED)
    render(path, np.array([0.0, 1.0, -0.45]), np.array([0.045, 0.0, 0.235]), 0.62, (1200, 460))

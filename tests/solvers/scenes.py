"""Problems for every backend: some can be met, some cannot."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from bl_ext.user_default.contrapposto.solvers import (
    BACKENDS,
    CENTRE_OF_MASS,
    AnyOf,
    Effector,
    Figure,
    Goal,
    HalfSpaceGoal,
    PositionGoal,
    Problem,
    Reach,
)

from .figures import (
    coupled,
    grouped,
    hinged_arm,
    human,
    mixed,
    random_coordinates,
    random_posture,
    random_tree,
)
from .goal_cases import AIM, HALF_SPACE, LINE, ORIENTATION, PLANE, POSE, POSITION, Case, see

# Random moves come near a minimum, not onto it: see test_particles.py for how near.
PRECISE = [name for name in BACKENDS if name != "PARTICLES"]
ASKED = list[tuple[Case, Effector]]


def at_rest(figure: Figure, goals: list[Goal]) -> Problem:
    return Problem(figure, goals, np.zeros(figure.skeleton.dimension))


def reachable(figure: Figure, asked: ASKED, seed: int, part: float = 0.6) -> Problem:
    """From rest to goals that are all met in one random posture within limits."""
    rng = np.random.default_rng(seed)
    goals = [case.make(effector, *rng.normal(size=(3, 3)), name=case.name) for case, effector in asked]
    q = random_posture(figure, goals, rng, part)
    pairs = zip(asked, goals, strict=True)
    met = [case.met(goal, see(figure, goal.effector, q)) for (case, _), goal in pairs]
    return at_rest(figure, met)


def tip(figure: Figure, name: str) -> Effector:
    """A point a little beyond a bone's head."""
    return Effector(figure.index(name), np.array([0.0, 0.08, 0.0]))


def hands_and_feet(figure: Figure) -> ASKED:
    return [(POSITION, tip(figure, f"{name}{side}")) for name in ("hand", "foot") for side in (".L", ".R")]


def whole_body(figure: Figure) -> ASKED:
    """One goal of nearly every type."""
    return [
        (POSE, tip(figure, "hand.L")),
        (LINE, tip(figure, "hand.R")),
        (POSITION, tip(figure, "foot.L")),
        (PLANE, tip(figure, "foot.R")),
        (AIM, Effector(figure.index("head"), y=np.array([0.0, 0.0, 1.0]))),
        (ORIENTATION, Effector(figure.index("chest"))),
        (HALF_SPACE, Effector(CENTRE_OF_MASS)),
    ]


def balanced(figure: Figure) -> ASKED:
    feet = [(POSE, tip(figure, f"foot{side}")) for side in (".L", ".R")]
    return [*feet, (LINE, Effector(CENTRE_OF_MASS)), (POSITION, tip(figure, "hand.L"))]


def bounded_tree(seed: int) -> Problem:
    """A rig nobody would build, every coordinate with its range."""
    rng = np.random.default_rng(seed)
    figure = random_tree(seed, "everything even")
    width = np.abs(random_coordinates(figure, rng, 0.5)) + 0.3
    figure = replace(figure, lower=-width, upper=width)
    return reachable(figure, [(POSITION, Effector(8)), (AIM, Effector(5))], seed)


def around_a_box() -> Problem:
    """The hand reaches for something behind a box, any side of which it may be on."""
    figure = human()
    hand = tip(figure, "hand.L")
    centre, half = np.array([0.35, -0.35, 1.3]), np.array([0.1, 0.1, 0.2])
    sides = [
        HalfSpaceGoal(effector=hand, target=centre + sign * half * axis, normal=sign * axis)
        for axis in np.eye(3)
        for sign in (-1.0, 1.0)
    ]
    inside = PositionGoal(effector=hand, target=centre + np.array([0.02, -0.06, 0.0]), name="thing")
    return at_rest(figure, [inside, AnyOf(effector=hand, members=tuple(sides), weight=5.0, name="box")])


def too_far() -> Problem:
    figure = human()
    hand = tip(figure, "hand.R")
    return at_rest(figure, [PositionGoal(effector=hand, target=np.array([-2.0, -1.5, 1.0]), name="far")])


def torn() -> Problem:
    """Two hands wanted at places too far apart, both feet standing."""
    figure = human()
    standing = reachable(figure, hands_and_feet(figure), 0, 0.0).goals
    left, right, *feet = standing
    apart = np.array([1.5, 0.0, 0.0])
    goals = [replace(left, target=left.target + apart), replace(right, target=right.target - apart), *feet]
    return at_rest(figure, goals)


def conflicting_arm() -> Problem:
    """One hand, two places."""
    hand = Effector(3)
    places = np.array([[0.5, 1.8, 0.6], [-0.4, 1.0, 1.5]])
    return at_rest(
        hinged_arm(4), [PositionGoal(effector=hand, target=p, weight=1.0 + i) for i, p in enumerate(places)]
    )


def one_arm_only() -> Problem:
    """Reachable from the waist, not from the shoulder, which is all it may use."""
    figure = human()
    hand = tip(figure, "hand.L")
    reach = Reach(top=figure.index("upper arm.L"))
    return at_rest(figure, [PositionGoal(effector=hand, target=np.array([0.3, -0.75, 1.0]), reach=reach)])


REACHABLE: dict[str, Callable[[], Problem]] = {
    "an arm": lambda: reachable(hinged_arm(4), [(POSITION, Effector(3))], 1),
    "hands and feet": lambda: reachable(human(), hands_and_feet(human()), 2),
    "whole body": lambda: reachable(human(), whole_body(human()), 3),
    "balance": lambda: reachable(human(), balanced(human()), 4),
    "grouped spine": lambda: reachable(grouped(human()), hands_and_feet(human()), 5),
    "couplings": lambda: reachable(coupled(human()), hands_and_feet(human()), 6),
    "groups and couplings": lambda: reachable(coupled(grouped(human())), whole_body(human()), 7),
    "mixed shares": lambda: reachable(mixed(human()), hands_and_feet(human()), 9),
    "a strange rig": lambda: bounded_tree(8),
}
UNREACHABLE: dict[str, Callable[[], Problem]] = {
    "too far": too_far,
    "torn": torn,
    "one hand, two places": conflicting_arm,
    "one arm only": one_arm_only,
    "inside a box": around_a_box,
}
SCENES = {**REACHABLE, **UNREACHABLE}

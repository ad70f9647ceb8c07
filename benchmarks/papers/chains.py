"""Courty & Arnaud's chains: success against particles, cost of an iteration, a long singular chain."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from bl_ext.user_default.contrapposto.solvers import (
    CENTRE_OF_MASS,
    Constraint,
    Effector,
    Figure,
    LineGoal,
    ParticleFilter,
    PositionGoal,
    Problem,
    build_figure,
    smoothness,
)

LENGTH = 4.0  # of a chain, whatever the number of its joints
AWAY = 2.0  # from the tip to the target
NEAR = 0.001
ITERATIONS = 200
UP = np.array([0.0, 0.0, 1.0])


def chain(joints: int, length: float = LENGTH) -> Figure:
    """Joints that turn freely, straight along +Z; the last bone is the tip."""
    rest = np.broadcast_to(np.eye(3), (joints + 1, 3, 3)).copy()
    rest[0] = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    offsets = np.zeros((joints + 1, 3))
    offsets[1:, 1] = length / joints
    locked = np.zeros(3 * (joints + 1), dtype=bool)
    locked[-3:] = True
    names = [str(i) for i in range(joints + 1)]
    masses = np.ones(joints + 1)
    masses[-1] = 0.0
    middles = np.tile([0.0, 0.5 * length / joints, 0.0], (joints + 1, 1))
    return build_figure(
        names, range(-1, joints), offsets, rest, locked=locked, masses=masses, mass_points=middles
    )


def target(rng: np.random.Generator) -> np.ndarray:
    """At the wanted distance from the tip, in a random direction, within reach."""
    while True:
        direction = rng.normal(size=3)
        place = LENGTH * UP + AWAY * direction / np.linalg.norm(direction)
        if np.linalg.norm(place) < LENGTH - 0.1:
            return place


def positioning(figure: Figure, place: np.ndarray) -> Problem:
    tip = Effector(figure.skeleton.size - 1)
    return Problem(figure, [PositionGoal(effector=tip, target=place)], np.zeros(figure.skeleton.dimension))


def steps_to_target(problem: Problem, seed: int, particles: int, guided: bool) -> float:
    """Iterations until an estimate is near enough; infinite where there are too many."""
    rng = np.random.default_rng([seed, particles])
    filtering = ParticleFilter(problem, rng, particles, guided=guided)
    for step in range(1, ITERATIONS + 1):
        cloud = next(filtering)
        if cloud.objectives[cloud.estimate] <= NEAR**2:
            return step
    return np.inf


def success(joints: int, particles: int, runs: int, guided: bool) -> tuple[float, float]:
    """The share of runs that succeed, and the median of their iterations."""
    figure = chain(joints)
    problem = positioning(figure, LENGTH * UP)
    steps = []
    for seed in range(runs):
        place = target(np.random.default_rng([seed, joints]))
        goals = [PositionGoal(effector=problem.goals[0].effector, target=place)]
        run = problem.retargeted(goals, np.zeros(figure.skeleton.dimension))
        steps.append(steps_to_target(run, seed, particles, guided))
    return float(np.mean(np.isfinite(steps))), float(np.median(steps))


# The cost of an iteration


def filter_seconds(joints: int, particles: int) -> float:
    """A step of the filter on its way to a target."""
    problem = positioning(chain(joints), target(np.random.default_rng(joints)))
    filtering = ParticleFilter(problem, np.random.default_rng(0), particles)
    return _fastest(lambda: next(filtering))


def jacobian_seconds(joints: int, damped: bool) -> float:
    """A step by the Jacobian's transpose or its damped pseudo-inverse; differences, as in the paper."""
    problem = positioning(chain(joints), target(np.random.default_rng(joints)))
    u = np.full(problem.space.size, 0.01)
    moves = 1e-6 * np.eye(problem.space.size)

    def step() -> np.ndarray:
        residual = problem.evaluate(u).residual
        slope = np.stack([problem.evaluate(u + move).residual - residual for move in moves], axis=1) / 1e-6
        if not damped:
            return -0.01 * slope.T @ residual
        return -slope.T @ np.linalg.solve(slope @ slope.T + 1e-4 * np.eye(3), residual)

    return _fastest(step, 3)


def _fastest(step: Callable[[], object], repeats: int = 100) -> float:
    """The least of the processor's times: what else the machine does only ever adds."""
    seconds = []
    for _ in range(repeats):
        begin = time.thread_time()
        step()
        seconds.append(time.thread_time() - begin)
    return float(min(seconds))


def slope(freedoms: list[int], seconds: list[float], last: int = 3) -> float:
    """Of the line through the last points on a log-log plot."""
    return float(np.polyfit(np.log(freedoms[-last:]), np.log(seconds[-last:]), 1)[0])


# Ninety degrees of freedom


def singular_chain() -> tuple[Problem, Constraint]:
    """Thirty joints, straight, the target below the tip on their line; balanced over the root, and smooth."""
    figure = chain(30)
    goals = [
        PositionGoal(effector=Effector(30), target=0.5 * LENGTH * UP, tolerance=NEAR, name="tip"),
        LineGoal(
            effector=Effector(CENTRE_OF_MASS),
            target=np.zeros(3),
            direction=UP,
            tolerance=NEAR,
            name="balance",
        ),
    ]
    smooth = smoothness(figure.names[:-1], weight=1e-3)
    problem = Problem(figure, goals, np.zeros(figure.skeleton.dimension), constraints=[smooth])
    return problem, smooth


def follow(problem: Problem, iterations: int, particles: int = 30) -> tuple[np.ndarray, np.ndarray, float]:
    """Estimates (steps, u), their distances (steps, goals) and iterations a second."""
    filtering = ParticleFilter(problem, np.random.default_rng(0), particles, problem.constraints)
    us, begin = [], time.thread_time()
    for _ in range(iterations):
        cloud = next(filtering)
        us.append(cloud.us[cloud.estimate])
    rate = iterations / (time.thread_time() - begin)
    return np.array(us), np.array([problem.errors(problem.evaluate(u))[:, 0] for u in us]), rate

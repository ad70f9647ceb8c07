"""What every backend has to keep to, whatever it is asked."""

import time
from dataclasses import replace
from itertools import islice

import numpy as np
import pytest
from bl_ext.user_default.contrapposto.solvers import (
    BACKENDS,
    CENTRE_OF_MASS,
    Budget,
    Effector,
    HalfSpaceGoal,
    PositionGoal,
    Problem,
    Status,
    begin,
    build_figure,
    solve,
)

from .figures import hinged_arm, human
from .scenes import REACHABLE, SCENES, at_rest, too_far, torn

BACKEND = pytest.mark.parametrize("backend", BACKENDS)
SCENE = pytest.mark.parametrize("scene", SCENES)


def progress(backend, problem, restarts=0):
    return BACKENDS[backend]().iterate(problem, restarts)


@BACKEND
@SCENE
def test_every_iterate_is_feasible_and_none_is_worse(backend, scene):
    problem = SCENES[scene]()
    space, figure = problem.space, problem.figure
    last = problem.evaluate(np.zeros(space.size)).objective
    statuses = []
    for step in islice(progress(backend, problem, restarts=1), 200):
        u = step.point.u
        q = problem.coordinates(u)
        assert (q >= figure.lower)[problem.moving].all() and (q <= figure.upper)[problem.moving].all()
        assert figure.violation(q) <= 1e-9
        assert figure.violation(space.start + space.basis @ u) <= 1e-9
        assert step.point.objective <= last
        assert step.point.objective == pytest.approx(problem.evaluate(u).objective, rel=1e-9, abs=1e-15)
        last = step.point.objective
        statuses.append(step.status)
    assert all(status is None for status in statuses[:-1])


@BACKEND
@SCENE
def test_the_same_twice_to_the_last_bit(backend, scene):
    first, second = (solve(SCENES[scene](), backend) for _ in range(2))
    assert np.array_equal(first.q, second.q)
    assert (first.objective, first.iterations, first.status) == (
        second.objective,
        second.iterations,
        second.status,
    )
    assert first.goals == second.goals


@BACKEND
@SCENE
def test_inputs_are_not_changed(backend, scene):
    problem = SCENES[scene]()
    arrays = [
        *vars(problem.space).values(),
        *vars(problem.figure).values(),
        *vars(problem.figure.skeleton).values(),
    ]
    arrays += [value for goal in problem.goals for value in vars(goal).values()]
    arrays = [array for array in arrays if isinstance(array, np.ndarray)]
    before = [array.copy() for array in arrays]
    solve(problem, backend)
    for array, copy in zip(arrays, before, strict=True):
        assert np.array_equal(array, copy, equal_nan=array.dtype.kind == "f")


@BACKEND
@pytest.mark.parametrize("scene", REACHABLE)
def test_what_can_be_met_is_met(backend, scene):
    problem = REACHABLE[scene]()
    result = solve(problem, backend)
    assert result.status is Status.MET
    assert result.met and all(goal.met for goal in result.goals)
    for goal, outcome in zip(problem.goals, result.goals, strict=True):
        assert outcome.distance <= goal.tolerance and outcome.angle <= goal.angle_tolerance


@BACKEND
@pytest.mark.parametrize("scene", REACHABLE)
def test_what_is_met_stays(backend, scene):
    """Solved again from where it ended, nothing moves."""
    problem = REACHABLE[scene]()
    q = solve(problem, backend).q
    again = solve(Problem(problem.figure, problem.goals, q), backend)
    assert again.iterations == 0
    assert np.allclose(again.q, q, rtol=0.0, atol=1e-12)


@BACKEND
@SCENE
def test_the_result_tells_the_truth(backend, scene):
    """Errors, limits and the objective are those of the posture that is given back."""
    problem = SCENES[scene]()
    figure = problem.figure
    result = solve(problem, backend)
    here = Problem(figure, problem.goals, result.q)
    point = here.evaluate(np.zeros(here.space.size))
    assert np.allclose(here.space.start, result.q, rtol=0.0, atol=1e-9)
    errors = np.array([(goal.distance, goal.angle) for goal in result.goals])
    assert np.allclose(here.errors(point), errors, rtol=1e-6, atol=1e-8)
    assert point.objective == pytest.approx(result.objective, rel=1e-6, abs=1e-12)
    on_limit = (result.q <= figure.lower) | (result.q >= figure.upper)
    assert set(result.active) == set(np.flatnonzero(on_limit & problem.moving).tolist())
    assert [goal.name for goal in result.goals] == [goal.name for goal in problem.goals]


@BACKEND
@pytest.mark.parametrize("limit", [1, 2, 4])
def test_iteration_budget(backend, limit):
    result = solve(torn(), backend, Budget(iterations=limit))
    assert result.iterations <= limit
    assert result.status is Status.ITERATIONS
    assert torn().figure.violation(result.q) <= 1e-9


@BACKEND
def test_time_budget(backend):
    problem = torn()
    begin = time.perf_counter()
    result = solve(problem, backend, Budget(seconds=1e-4))
    assert time.perf_counter() - begin < 0.25  # one step more than the budget, on a slow machine
    assert result.status is Status.TIME
    assert result.objective <= problem.evaluate(np.zeros(problem.space.size)).objective


@BACKEND
@pytest.mark.parametrize("count", [1, 3, 7])
def test_the_iterator_can_be_left_anywhere(backend, count):
    """What it has yielded stays valid, and another run is not disturbed."""
    problem = torn()
    whole = solve(problem, backend)
    steps = list(islice(progress(backend, problem), count))
    assert problem.figure.violation(problem.coordinates(steps[-1].point.u)) <= 1e-9
    copies = [step.point.u.copy() for step in steps]
    assert np.array_equal(solve(problem, backend).q, whole.q)
    for step, copy in zip(steps, copies, strict=True):
        assert np.array_equal(step.point.u, copy)


@BACKEND
@pytest.mark.parametrize("scene", REACHABLE)
def test_a_run_goes_on_where_its_budget_stopped_it(backend, scene):
    whole = solve(SCENES[scene](), backend, Budget(restarts=0))
    run = begin(SCENES[scene](), backend)
    results = [run.advance(Budget(iterations=2))]
    while results[-1].status is Status.ITERATIONS and len(results) < 300:
        results.append(run.advance(Budget(iterations=2)))
    assert np.array_equal(results[-1].q, whole.q)
    assert (results[-1].status, results[-1].iterations) == (whole.status, whole.iterations)
    assert len(results) >= whole.iterations / 2


@BACKEND
def test_no_goals(backend):
    q = np.full(9, 0.1)
    result = solve(Problem(hinged_arm(), [], q), backend)
    assert result.status is Status.MET
    assert np.array_equal(result.q, q)
    assert result.goals == ()


@BACKEND
@pytest.mark.parametrize("settings", [{"weight": 0.0}, {"enabled": False}])
def test_goals_that_do_not_count_move_nothing(backend, settings):
    goal = PositionGoal(effector=Effector(2), target=np.array([9.0, 0.0, 0.0]), **settings)
    result = solve(at_rest(hinged_arm(), [goal]), backend)
    assert result.status is Status.MET
    assert np.array_equal(result.q, np.zeros(9))


@BACKEND
def test_nothing_may_move(backend):
    figure = replace(hinged_arm(), locked=np.ones(9, dtype=bool))
    goal = PositionGoal(effector=Effector(2), target=np.array([0.0, 1.0, 0.0]), name="hand")
    result = solve(at_rest(figure, [goal]), backend)
    assert result.status is Status.COMPROMISE
    assert np.array_equal(result.q, np.zeros(9))
    assert not result.goals[0].met
    assert result.goals[0].distance == pytest.approx(1.0)


@BACKEND
def test_a_goal_that_nothing_above_it_can_move(backend):
    """The head of a root that only turns."""
    goal = PositionGoal(effector=Effector(0), target=np.ones(3), name="root")
    result = solve(at_rest(hinged_arm(), [goal]), backend)
    assert result.status is Status.COMPROMISE
    assert np.array_equal(result.q, np.zeros(9))


@BACKEND
@pytest.mark.parametrize("loose", [False, True])
def test_a_root_that_only_translates(backend, loose):
    figure = build_figure(
        ["root", "tip"],
        [-1, 0],
        np.array([[0.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
        translating=[0],
        locked=np.arange(9) < 6,
        rotation_parents=np.array([-1, -1 if loose else 0]),
    )
    goals = [PositionGoal(effector=Effector(1), target=np.array([3.0, -2.0, 1.0]))]
    for balanced in (False, True):
        if balanced:
            goals.append(PositionGoal(effector=Effector(CENTRE_OF_MASS), target=np.array([3.0, -2.5, 1.0])))
        result = solve(at_rest(figure, goals), backend)
        assert result.status is Status.MET
        assert np.allclose(result.q, [0.0] * 6 + [3.0, -3.0, 1.0], atol=1e-4)


@BACKEND
def test_a_half_space_that_holds_moves_nothing(backend):
    figure = human()
    hand = Effector(figure.index("hand.L"))
    goal = HalfSpaceGoal(effector=hand, target=np.zeros(3), normal=np.array([0.0, 0.0, 1.0]))
    result = solve(at_rest(figure, [goal]), backend)
    assert result.status is Status.MET
    assert not result.q.any()


@BACKEND
def test_a_start_outside_of_limits_is_brought_in(backend):
    problem = too_far()
    outside = np.random.default_rng(1).normal(scale=2.0, size=problem.figure.skeleton.dimension)
    outside[problem.figure.locked] = 0.0
    before = outside.copy()
    result = solve(Problem(problem.figure, problem.goals, outside), backend)
    assert problem.figure.violation(np.where(problem.moving, result.q, 0.0)) <= 1e-9
    assert np.array_equal(result.q[~problem.moving], outside[~problem.moving])
    assert np.array_equal(outside, before)


def test_an_unknown_backend():
    with pytest.raises(KeyError):
        solve(too_far(), "MAGIC")

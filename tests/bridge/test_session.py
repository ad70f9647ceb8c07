"""Tick after tick: goals are followed, and whatever else changed in between is noticed."""

from math import nan

import bpy
import numpy as np
import pytest
from bl_ext.user_default.contrapposto.bridge import session as sessions
from bl_ext.user_default.contrapposto.bridge.errors import BridgeError
from bl_ext.user_default.contrapposto.bridge.session import Session
from bl_ext.user_default.contrapposto.solvers import BACKENDS, Budget
from evaluated import FLOAT32, channels, deviation, world_matrices
from goal_empties import add_goal
from random_armatures import random_armature
from test_influences import chain, constrain


@pytest.fixture
def armature(empty_file):
    armature = chain(5)
    armature.contrapposto_figure.use_root_location = False
    return armature


@pytest.fixture
def goal(armature):
    return add_goal(armature, "Bone 4", name="goal", effector="TAIL", by=(0.5, 0.3, -1.0))


@pytest.fixture
def readings(monkeypatch):
    """How often the whole figure was read, as a list that grows."""
    calls = []

    def read(*arguments):
        calls.append(arguments)
        return original(*arguments)

    original = sessions.read_figure
    monkeypatch.setattr(sessions, "read_figure", read)
    return calls


def tick(session, **budget):
    bpy.context.view_layer.update()
    result = session.tick(bpy.context, Budget(**budget))
    bpy.context.view_layer.update()
    return result


def gap(armature, goal):
    tail = armature.matrix_world @ armature.pose.bones[goal.contrapposto_goal.bone].tail
    return (tail - goal.matrix_world.translation).length


def test_a_moving_goal_is_followed(armature, goal, readings):
    session = Session(armature)
    for i in range(40):
        goal.location.x = 0.5 + np.sin(0.2 * i)
        assert tick(session).met
        assert gap(armature, goal) < 1e-3
        assert deviation(armature, session.reading, session.reading.q) < FLOAT32
    assert len(readings) == 1


@pytest.mark.parametrize("seed", range(10))
def test_any_armature_is_followed(empty_file, seed, readings):
    rng = np.random.default_rng(seed)
    armature = random_armature(rng, "EVEN", size=8)
    goal = add_goal(armature, armature.pose.bones[-1].name, effector="TAIL")
    session = Session(armature)
    for _ in range(5):
        goal.location += goal.location.__class__(0.02 * rng.normal(size=3))
        assert tick(session).met
        assert deviation(armature, session.reading, session.reading.q) < FLOAT32
    assert len(readings) == 1


@pytest.mark.parametrize("solver", BACKENDS)
def test_every_solver_follows_and_comes_to_rest(armature, goal, solver):
    armature.contrapposto_figure.solver = solver
    session = Session(armature)
    for i in range(20):
        goal.location.x = 0.5 + 0.05 * i
        tick(session, iterations=10, restarts=0)
    for _ in range(60):
        tick(session, iterations=10, restarts=0)
    assert gap(armature, goal) < 1e-3
    before = channels(armature)
    for _ in range(5):
        tick(session, iterations=10, restarts=0)
    assert channels(armature) == before


def test_nothing_happens_while_nothing_changes(armature, goal):
    session = Session(armature)
    result = tick(session)
    before = channels(armature)
    assert tick(session) is result
    assert channels(armature) == before


def test_a_solve_that_was_cut_short_goes_on(armature, goal):
    session = Session(armature)
    assert not tick(session, iterations=3).met
    for _ in range(20):
        result = tick(session, iterations=3)
    assert result.met


@pytest.mark.parametrize(
    "change",
    [
        lambda armature: setattr(armature.pose.bones[1], "rotation_quaternion", (0.8, 0.6, 0.0, 0.0)),
        lambda armature: setattr(armature.pose.bones[2], "scale", (1.5, 1.5, 1.5)),
        lambda armature: setattr(armature.pose.bones[0], "location", (0.1, 0.2, 0.3)),
        lambda armature: setattr(armature.pose.bones[3], "rotation_mode", "ZXY"),
        lambda armature: setattr(armature, "location", (0.3, 0.0, 0.1)),
        lambda armature: setattr(armature, "scale", (0.9, 0.9, -0.9)),
    ],
)
def test_changes_of_the_pose_are_noticed(armature, goal, readings, change):
    session = Session(armature)
    tick(session)
    change(armature)
    assert tick(session).met
    assert gap(armature, goal) < 1e-3
    assert deviation(armature, session.reading, session.reading.q) < FLOAT32
    assert len(readings) == 2


def test_goals_that_come_change_and_go_are_noticed(armature, goal):
    session = Session(armature)
    assert [each.name for each in tick(session).goals] == ["goal"]
    other = add_goal(armature, "Bone 2", name="other", effector="TAIL")
    assert [each.name for each in tick(session).goals] == ["goal", "other"]
    goal.contrapposto_goal.enabled = False
    assert [each.name for each in tick(session).goals] == ["other"]
    goal.contrapposto_goal.enabled = True
    other.contrapposto_goal.bone = "Bone 3"
    other.contrapposto_goal.any_of = "set"
    assert [each.name for each in tick(session).goals] == ["goal", "set"]
    assert (
        session._problem.goals[1].effector.bone == 3
        or session._problem.goals[1].members[0].effector.bone == 3
    )
    other.contrapposto_goal.is_goal = False
    assert [each.name for each in tick(session).goals] == ["goal"]
    bpy.data.objects.remove(goal)
    with pytest.raises(BridgeError, match="“Chain” has no goals that count"):
        tick(session)


def test_a_bad_goal_stops_it_until_it_is_mended(armature, goal):
    session = Session(armature)
    tick(session)
    before = channels(armature)
    for change, repair in (
        (
            lambda: setattr(goal, "location", (nan, 0.0, 0.0)),
            lambda: setattr(goal, "location", (0.5, 0.3, 3.0)),
        ),
        (
            lambda: setattr(goal.contrapposto_goal, "bone", "Ghost"),
            lambda: setattr(goal.contrapposto_goal, "bone", "Bone 4"),
        ),
    ):
        change()
        for _ in range(2):
            with pytest.raises(BridgeError, match="“goal”"):
                tick(session)
        assert channels(armature) == before
        repair()
        assert tick(session).met
        before = channels(armature)


def test_an_armature_that_is_gone_is_named(armature, goal):
    session = Session(armature)
    tick(session)
    bpy.data.objects.remove(armature)
    with pytest.raises(BridgeError, match="“Chain”"):
        tick(session)


def test_names_survive_loading_the_file_again(armature, goal, tmp_path):
    session = Session(armature)
    tick(session)
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    armature, goal = bpy.data.objects["Chain"], bpy.data.objects["goal"]
    goal.location.x += 0.2
    assert tick(session).met
    assert gap(armature, goal) < 1e-3


def test_what_follows_by_constraints_settles_within_ticks(armature, goal):
    constrain(
        armature.pose.bones[1], "COPY_ROTATION", target=armature, subtarget="Bone 0",
        owner_space="LOCAL", target_space="LOCAL",
    )  # fmt: skip
    session = Session(armature)
    for _ in range(30):
        tick(session)
    before = world_matrices(armature)
    assert gap(armature, goal) < 1e-3
    tick(session)
    assert np.abs(world_matrices(armature) - before).max() < 1e-4


def limit_rotation(armature):
    return constrain(
        armature.pose.bones[1], "LIMIT_ROTATION", owner_space="LOCAL", use_limit_x=True, min_x=-0.1, max_x=0.1
    )


EDITS = {
    "an IK lock": lambda armature: setattr(armature.pose.bones[1], "lock_ik_x", True),
    "a locked rotation": lambda armature: setattr(armature.pose.bones[2], "lock_rotation", (True,) * 3),
    "an IK limit": lambda armature: setattr(armature.pose.bones[0], "use_ik_limit_z", True),
    "stiffness": lambda armature: setattr(armature.pose.bones[3], "ik_stiffness_x", 0.5),
    "the mass": lambda armature: setattr(armature.data.bones[1].contrapposto, "mass", 3.0),
    "how it inherits": lambda armature: setattr(armature.data.bones[2], "inherit_scale", "NONE"),
    "a constraint": limit_rotation,
    "a driver": lambda armature: armature.pose.bones[1].driver_add("rotation_euler", 0),
    "what moves": lambda armature: setattr(armature.contrapposto_figure, "use_root_location", True),
}


@pytest.mark.parametrize("edit", EDITS.values(), ids=EDITS)
def test_edited_joints_are_noticed(armature, goal, readings, edit):
    session = Session(armature)
    tick(session)
    edit(armature)
    tick(session)
    assert len(readings) == 2
    tick(session)
    assert len(readings) == 2


def test_an_edited_limit_of_a_constraint_is_noticed(armature, goal):
    limit = limit_rotation(armature)
    session = Session(armature)
    tick(session)
    limit.max_x = 0.3
    tick(session)
    assert session.reading.figure.upper[3] == pytest.approx(0.3)


def test_edited_joints_are_noticed_within_a_second_of_a_drag(armature, goal, readings):
    session = Session(armature)
    tick(session)
    armature.pose.bones[1].lock_ik_x = True
    for _ in range(40):
        goal.location.x += 0.01
        tick(session)
    assert len(readings) == 2
    assert session.reading.figure.locked[3]


def test_another_solver_is_noticed(armature, goal):
    session = Session(armature)
    tick(session)
    armature.contrapposto_figure.solver = "VARIABLE_METRIC"
    tick(session)
    assert session._solver == "VARIABLE_METRIC"


def test_the_smallest_steps_lead_out_of_a_straight_limb(armature, goal):
    """The way out begins uphill: a search that began anew at each tick would never leave."""
    for bone in armature.pose.bones:
        bone.lock_ik_y = bone.lock_ik_z = True
        bone.use_ik_limit_x, bone.ik_min_x, bone.ik_max_x = True, 0.0, 2.0
    armature.pose.bones[0].ik_min_x = -2.0
    base = armature.matrix_world @ armature.pose.bones[0].head
    tip = armature.matrix_world @ armature.pose.bones[4].tail
    goal.location = base.lerp(tip, 0.6)
    session = Session(armature)
    for _ in range(60):
        result = tick(session, iterations=1, restarts=0)
    assert result.met
    assert gap(armature, goal) < 1e-3

"""Constraints of the user's own: registered by a script, named on the figure, kept by the particles."""

import bpy
import pytest
from biped import add_goal, channels, tail
from bl_ext.user_default.contrapposto.bridge.session import Session
from bl_ext.user_default.contrapposto.solvers import register_constraint, unregister_constraint
from mathutils import Vector

HEIGHT = 1.35


@pytest.fixture
def low_elbow(biped):
    register_constraint("low elbow", lambda p: p.point("forearm.L")[:, 2] <= HEIGHT, hard=True)
    add_goal(biped, "hand.L").location = (0.4, -0.4, 1.5)
    biped.contrapposto_figure.solver = "PARTICLES"
    yield biped
    unregister_constraint("low elbow")


def elbow(biped):
    return tail(biped, "upper_arm.L").z


def test_solve_keeps_it(low_elbow):
    bpy.ops.contrapposto.solve()
    assert elbow(low_elbow) > HEIGHT
    low_elbow.contrapposto_figure.constraints = " low elbow ,"
    bpy.ops.contrapposto.solve()
    assert elbow(low_elbow) <= HEIGHT + 1e-4
    assert (tail(low_elbow, "hand.L") - Vector((0.4, -0.4, 1.5))).length < 1e-3


def test_a_live_session_keeps_it(low_elbow):
    low_elbow.contrapposto_figure.constraints = "low elbow"
    session = Session(low_elbow)
    for _ in range(3):
        session.tick(bpy.context)
        bpy.context.view_layer.update()
    assert elbow(low_elbow) <= HEIGHT + 1e-4


def test_an_unknown_name_is_said_and_nothing_moves(low_elbow, capfd):
    low_elbow.contrapposto_figure.constraints = "low elbow, high knee"
    before = channels(low_elbow)
    with pytest.raises(RuntimeError, match="no constraint “high knee” is registered, only “low elbow”"):
        bpy.ops.contrapposto.solve()
    assert channels(low_elbow) == before


def test_other_solvers_do_not_ask(low_elbow):
    low_elbow.contrapposto_figure.constraints = "high knee"
    assert bpy.ops.contrapposto.solve(solver="NONLINEAR") == {"FINISHED"}


def test_a_forbidden_pose_is_said(biped, capfd):
    register_constraint("never", lambda p: p.q[:, 0] > 1e9, hard=True)
    try:
        add_goal(biped, "hand.L")
        biped.contrapposto_figure.solver, biped.contrapposto_figure.constraints = "PARTICLES", "never"
        bpy.ops.contrapposto.solve()
    finally:
        unregister_constraint("never")
    assert "Forbidden by “never”" in capfd.readouterr().out

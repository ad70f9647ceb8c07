"""contrapposto.variations: other poses that meet the same goals."""

import bpy
import numpy as np
import pytest
from biped import add_goal, channels, tail
from mathutils import Vector

HAND = Vector((0.5, -0.4, 1.4))


@pytest.fixture
def reaching(biped):
    biped.contrapposto_figure.use_root_location = False
    add_goal(biped, "hand.L").location = HAND
    return biped


def elbow(biped):
    return np.array(tail(biped, "upper_arm.L"))


def test_each_meets_the_goal_and_they_differ(reaching, capfd):
    elbows = []
    for number in (1, 2, 3):
        assert bpy.ops.contrapposto.variations(number=number) == {"FINISHED"}
        assert (tail(reaching, "hand.L") - HAND).length < 1e-3
        assert f"Pose {number} of " in capfd.readouterr().out
        elbows.append(elbow(reaching))
        for bone in reaching.pose.bones:
            bone.matrix_basis.identity()
        bpy.context.view_layer.update()
    assert min(np.linalg.norm(elbows[i] - elbows[j]) for i, j in ((0, 1), (0, 2), (1, 2))) > 0.01


def test_after_the_last_the_first_comes_again(reaching, capfd):
    bpy.ops.contrapposto.variations(number=1, count=2)
    first = elbow(reaching)
    for bone in reaching.pose.bones:
        bone.matrix_basis.identity()
    bpy.context.view_layer.update()
    count = int(capfd.readouterr().out.split(" of ")[1].split()[0])
    bpy.ops.contrapposto.variations(number=count + 1, count=2)
    assert np.allclose(elbow(reaching), first, atol=1e-6)


def test_where_nothing_meets_the_goals_nothing_moves(reaching):
    add_goal(reaching, "hand.R").location = (-9.0, 0.0, 0.0)
    before = channels(reaching)
    with pytest.raises(RuntimeError, match="No pose of “Biped” was found that meets all goals"):
        bpy.ops.contrapposto.variations()
    assert channels(reaching) == before

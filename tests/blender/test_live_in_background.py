"""contrapposto.pose without a window: refused, in words."""

import bpy
import pytest
from biped import add_goal, channels


def test_it_needs_a_window(biped):
    add_goal(biped, "hand.L").location.y -= 0.1
    before = channels(biped)
    with pytest.raises(RuntimeError, match="Needs a window"):
        bpy.ops.contrapposto.pose()
    assert channels(biped) == before

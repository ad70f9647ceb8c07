"""`--command contrapposto solve`: its table, its JSON and its exit codes."""

import json
import subprocess

import bpy
import installed
import pytest
from biped import add_biped, add_goal, channels, tail
from bl_ext.user_default.contrapposto.operators import command_line
from mathutils import Vector

MET, NOT_MET, MISUSE = 0, 1, 2
REACHABLE, UNREACHABLE = Vector((0.5, -0.4, 1.5)), Vector((1.2, 0, 1.4))


@pytest.fixture
def figure(biped):
    biped.contrapposto_figure.use_root_location = False
    add_goal(biped, "hand.L").location = REACHABLE
    add_goal(biped, "head", "AIM").location = (0, -2, 1.5)
    add_goal(biped, "foot.L", "POSE")
    for goal, count in (("hand.L Position", 3), ("head Aim", 1), ("foot.L Pose", 3)):
        settings = bpy.data.objects[goal].contrapposto_goal
        settings.reach, settings.reach_count = "COUNT", count
    return biped


def json_line(output: str) -> dict:
    """The JSON among the lines that Blender itself may print."""
    (line,) = [line for line in output.splitlines() if line.startswith("{")]
    return json.loads(line)


def test_table(figure, capsys):
    before = (tail(figure, "hand.L") - REACHABLE).length
    assert command_line.run(["solve"]) == MET
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["goal", "type", "before", "after", "unit"]
    rows = [line.split() for line in lines]
    hand = next(row for row in rows if row[:2] == ["hand.L", "Position"])
    assert hand[2:4] == ["POSITION", f"{before:.4f}"]
    assert float(hand[4]) < 6e-4
    assert hand[5:] == ["m", "met"]
    assert ["0.00", "0.00", "°"] in rows, "the angle of the pose has a line of its own"
    assert lines[-1].startswith("3 of 3 goals met in ")


def test_json(figure, capsys):
    before = (tail(figure, "hand.L") - REACHABLE).length
    assert command_line.run(["solve", "--json", "--solver", "variable-metric"]) == MET
    data = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (data["armature"], data["solver"], data["met"]) == ("Biped", "VARIABLE_METRIC", True)
    goals = {goal["name"]: goal for goal in data["goals"]}
    hand = goals["hand.L Position"]
    assert hand["type"] == "POSITION"
    assert hand["distance_before"] == pytest.approx(before, abs=1e-5)
    assert hand["distance"] == pytest.approx((tail(figure, "hand.L") - REACHABLE).length, abs=1e-5)
    assert (hand["angle_before"], hand["angle"]) == (None, None)
    assert (hand["met"], hand["reason"]) == (True, None)
    assert goals["head Aim"]["distance"] is None
    assert 60 < goals["head Aim"]["angle_before"] < 120
    assert goals["head Aim"]["angle"] < 0.11


def test_not_met(figure, capsys):
    bpy.data.objects["hand.L Position"].location = UNREACHABLE
    assert command_line.run(["solve"]) == NOT_MET
    output = capsys.readouterr().out
    assert "out of reach" in output
    assert "2 of 3 goals met" in output


def test_overruled(figure, capsys):
    other = add_goal(figure, "hand.L")
    other.location, other.contrapposto_goal.priority = (0.5, -0.3, 1.3), 2
    sentence = "overruled by “hand.L Position”, of a higher priority"
    assert command_line.run(["solve", "--solver", "prioritized"]) == NOT_MET
    assert sentence in capsys.readouterr().out
    assert command_line.run(["solve", "--solver", "prioritized", "--json"]) == NOT_MET
    goals = {goal["name"]: goal for goal in json.loads(capsys.readouterr().out.splitlines()[-1])["goals"]}
    assert goals[other.name]["reason"] == sentence
    assert goals["hand.L Position"]["met"]


def test_any_of_a_set(figure, capsys):
    far = add_goal(figure, "hand.L")
    far.location = 2 * UNREACHABLE
    near = bpy.data.objects["hand.L Position"]
    for each in (near, far):
        each.contrapposto_goal.any_of = "Handle"
    before = (tail(figure, "hand.L") - REACHABLE).length
    assert command_line.run(["solve", "--json"]) == MET
    goals = {goal["name"]: goal for goal in json.loads(capsys.readouterr().out.splitlines()[-1])["goals"]}
    assert set(goals) == {"Handle", "head Aim", "foot.L Pose"}
    assert goals["Handle"]["type"] == "ANY_OF"
    assert goals["Handle"]["distance_before"] <= before + 1e-5
    assert goals["Handle"]["distance"] < 6e-4
    assert [each.contrapposto_goal.state for each in (near, far)] == ["MET", "MET"]


def test_bones_that_are_not_posed(figure, capsys):
    figure.pose.bones["upper_arm.L"].driver_add("rotation_euler", 0)
    figure.pose.bones["thigh.R"].driver_add("rotation_euler", 0)  # which no goal reaches
    command_line.run(["solve"])
    assert capsys.readouterr().out.splitlines()[-2] == "1 bone in reach is not posed: “upper_arm.L”"
    command_line.run(["solve", "--json"])
    assert json.loads(capsys.readouterr().out.splitlines()[-1])["not_posed"] == {
        "upper_arm.L": "Bone “upper_arm.L” is moved by a driver and is not posed."
    }


def test_output(figure, tmp_path, capfd):
    path = tmp_path / "posed.blend"
    assert command_line.run(["solve", "--json", "--output", str(path)]) == MET
    output = capfd.readouterr().out
    assert json_line(output)["met"]
    assert "Saved" not in output
    assert bpy.data.filepath == "", "the file that is open stays the one that is open"
    bpy.ops.wm.open_mainfile(filepath=str(path))
    assert (tail(bpy.data.objects["Biped"], "hand.L") - REACHABLE).length < 6e-4
    assert bpy.data.objects["hand.L Position"].contrapposto_goal.state == "MET"


def test_one_of_several_armatures(figure, capsys):
    other = add_biped("Other")
    add_goal(other, "hand.R")
    before = channels(figure)
    assert command_line.run(["solve"]) == MISUSE
    assert capsys.readouterr().err == ("Name one with --armature, as several have goals: “Biped”, “Other”.\n")
    assert command_line.run(["solve", "--armature", "Other"]) == MET
    assert channels(figure) == before
    assert command_line.run(["solve", "--armature", "Biped"]) == MET
    assert channels(figure) != before


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["solve", "--armature", "Nobody"], "There is no armature “Nobody”, only “Biped”."),
        (["solve", "--armature", "hand.L Position"], "There is no armature “hand.L Position”"),
        (["solve", "--solver", "magic"], "NONLINEAR"),
        (["solve", "--output", "/no/such/folder/posed.blend"], "could not be saved"),
        (["dance"], "invalid choice"),
        ([], "required"),
    ],
)
def test_misuse(figure, arguments, said, capfd):
    assert command_line.run(arguments) == MISUSE
    output = capfd.readouterr()
    assert said in output.err
    assert output.out == ""


def test_misuse_without_armature_or_goals(empty_file, capsys):
    assert command_line.run(["solve"]) == MISUSE
    assert capsys.readouterr().err == "There is no armature in the scene.\n"
    biped = add_biped()
    assert command_line.run(["solve"]) == MISUSE
    assert capsys.readouterr().err == "No armature has goals: “Biped”.\n"
    assert command_line.run(["solve", "--armature", "Biped"]) == MISUSE
    assert "“Biped” has no goals" in capsys.readouterr().err
    assert biped.name in bpy.data.objects


def test_a_goal_in_error_is_misuse(figure, capsys):
    before = channels(figure)
    bpy.data.objects["hand.L Position"].contrapposto_goal.bone = "tentacle"
    assert command_line.run(["solve"]) == MISUSE
    error = capsys.readouterr().err
    assert "“tentacle”" in error
    assert error.count("\n") == 1
    assert channels(figure) == before


def test_help(capsys):
    assert command_line.run(["solve", "--help"]) == MET
    assert "--armature" in capsys.readouterr().out


@pytest.mark.skipif(bpy.app.module, reason="the wheel has no command line; make test-blender has")
@pytest.mark.parametrize(
    ("place", "arguments", "code"),
    [(REACHABLE, [], MET), (UNREACHABLE, [], NOT_MET), (REACHABLE, ["--armature", "Nobody"], MISUSE)],
)
def test_in_a_shell(figure, tmp_path, place, arguments, code):
    bpy.data.objects["hand.L Position"].location = place
    path = tmp_path / "figure.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    enable = f"import bpy; bpy.ops.preferences.addon_enable(module={installed.MODULE!r})"
    command = [bpy.app.binary_path, "--background", "--factory-startup", str(path)]
    command += ["--python-expr", enable, "--command", "contrapposto", "solve", "--json", *arguments]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == code, run.stdout + run.stderr
    if code != MISUSE:
        assert json_line(run.stdout)["met"] == (code == MET)
    else:
        assert "There is no armature “Nobody”, only “Biped”." in run.stderr

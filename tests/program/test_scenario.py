from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from program.files import START, scenario_in, written
from refusals import refused

import armlab
from armlab.errors import CatalogError, InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.program.instructions import Blend, MoveC, MoveJ, MoveL, MoveSpline, Pick, Place, Stop, Wait, source_of
from armlab.program.scenario import SCENARIOS, load_scenario, read_scenario, scenario_names

WAIT: dict[str, Any] = {"do": "wait", "seconds": 1}
FRAME = [400, 0, 250, -90, 0, 180]
Q = [10, -80, -100, -90, 90, 0]


def test_every_shipped_scenario_loads_under_its_own_name() -> None:
    assert scenario_names() == ("pick-and-place", "s5-bar", "s5-carousel", "s5-cube", "s5-tilt", "windscreen")
    for name in scenario_names():
        assert load_scenario(name).name == name
        assert load_scenario(SCENARIOS / f"{name}.json").title


def test_steps_become_instructions_in_si_units_that_know_their_step(tmp_path: Path) -> None:
    steps: list[dict[str, Any]] = [
        {"do": "move", "to": Q, "via": [START], "scheme": "smooth", "speed": 50},
        {"do": "move", "to_pose": FRAME, "path": "line", "blend": 20, "tool_speed": 250, "task": "approach"},
        {"do": "move", "to_pose": FRAME, "arc": [400, 50, 250]},
        {"do": "move", "through": [FRAME, FRAME], "path": "spline"},
        {"do": "pick", "body": "cube"},
        {"do": "place"},
        {"do": "wait", "seconds": 1.5},
        {"do": "stop"},
    ]
    made = scenario_in(tmp_path, *steps).program.instructions
    assert [type(one) for one in made] == [MoveJ, MoveL, MoveC, MoveSpline, Pick, Place, Wait, Stop]
    assert [str(source_of(one, 0)) for one in made] == [f"step {k}" for k in range(1, 9)]
    joint, line, arc, *_ = made
    assert isinstance(joint, MoveJ)
    np.testing.assert_allclose(joint.targets, np.radians([START, Q]))
    assert (joint.scheme, joint.settings.speed) == ("smooth", 0.5)
    assert isinstance(line, MoveL)
    np.testing.assert_allclose(line.frames[0], pose.from_xyz_abc([0.4, 0, 0.25], np.radians([-90, 0, 180])))
    assert line.corners == Blend(radius=0.02)
    assert (line.settings.tool_speed, line.settings.task) == (0.25, "approach")
    assert isinstance(arc, MoveC)
    np.testing.assert_allclose(arc.via, [0.4, 0.05, 0.25])


def test_sliding_joints_are_millimetres(tmp_path: Path) -> None:
    path = written(tmp_path, WAIT, arm="scara", start=[10, 20, -50, 30])
    np.testing.assert_allclose(read_scenario(path).program.start, [*np.radians([10, 20]), -0.05, np.radians(30)])


def test_a_named_pose_stands_for_joint_values(tmp_path: Path) -> None:
    arm = armlab.load("ur5e")
    made = read_scenario(written(tmp_path, {"do": "move", "to": "home"}, arm="ur5e"))
    np.testing.assert_array_equal(made.program.start, arm.home)
    move = made.program.instructions[0]
    assert isinstance(move, MoveJ)
    np.testing.assert_array_equal(move.targets[0], arm.home)


def test_the_arm_of_the_scene_starts_at_the_start(tmp_path: Path) -> None:
    made = scenario_in(tmp_path, WAIT)
    np.testing.assert_allclose(made.scene.robot().q, np.radians(START))
    assert made.scene.robot().robot.tool.name == "gripper"


def test_naming_the_arm_of_the_scene_keeps_its_tool_and_another_tool_replaces_it(tmp_path: Path) -> None:
    assert scenario_in(tmp_path, WAIT, arm="ur5e").scene.robot().robot.tool.name == "gripper"
    assert scenario_in(tmp_path, WAIT, tool="pen").scene.robot().robot.tool.name == "pen"


def test_another_arm_takes_the_place_of_the_first(tmp_path: Path) -> None:
    table = load_scenario("pick-and-place").scene
    made = read_scenario(written(tmp_path, WAIT, scene="sorting-table", arm="kuka-kr6-r900"))
    assert made.robot == "kuka-kr6-r900"
    assert len(made.scene.robots) == 1
    np.testing.assert_array_equal(made.scene.robot().robot.base, table.robot().robot.base)


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"arm": None}, "name an arm, or a scene that has one"),
        ({"schema": 2}, "schema: must be one of 1, got 2"),
        ({"name": "My Cell"}, "name: must match"),
        ({"colour": "red"}, "colour: unknown key"),
        ({"arm": "ur55"}, "no robot named 'ur55'; did you mean ur5e"),
        ({"scene": "kitchen"}, "no scene named 'kitchen'"),
        ({"tool": "axe"}, "no tool named 'axe'"),
        ({"arm": "../other.toml"}, "file '../other.toml': must be in the scenario's folder or below it"),
        ({"arm": "/other.toml"}, "file '/other.toml': must be in the scenario's folder or below it"),
        ({"arm": "absent.toml"}, "absent.toml: no such file"),
        ({"start": [1, 2, 3]}, "start: joint values needed: 6; given: 3"),
        ({"start": "hom"}, "start: ur5e: no configuration named 'hom'; did you mean home"),
        ({"start": [400, 0, 0, 0, 0, 0]}, "start: joint 'base': 400.0° is outside -360.0° … 360.0°"),
        ({"steps": []}, "steps: there are none"),
        ({"steps": [WAIT] * 1001}, "steps: must have at most 1000 items"),
    ],
)
def test_a_wrong_key_is_named_with_what_is_allowed(tmp_path: Path, keys: dict[str, Any], sentence: str) -> None:
    with pytest.raises(CatalogError) as caught:
        read_scenario(written(tmp_path, WAIT, **{"arm": "ur5e", **keys}))
    assert sentence in str(caught.value.message)


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        ({"do": "dance"}, "steps[2]: must be one of 'move', 'pick'"),
        ({"seconds": 1}, "steps[2]: key 'do' is missing"),
        ({"do": "wait", "seconds": 0}, "steps[2].wait.seconds: must be ≥ 0.001, got 0"),
        ({"do": "wait", "seconds": "1"}, "steps[2].wait.seconds: must be a number, got '1'"),
        ({"do": "wait", "seconds": True}, "steps[2].wait.seconds: must be a number, got True"),
        ({"do": "move"}, "steps[2].move: give one of to, to_pose and through"),
        ({"do": "move", "to": Q, "to_pose": FRAME}, "got to, to_pose"),
        ({"do": "move", "to": ["1"] * 6}, "steps[2].move.to[1]: must be a number, got '1'"),
        ({"do": "move", "to": [1, 2]}, "step 2: joint values needed: 6; given: 2"),
        ({"do": "move", "to": "hom"}, "step 2: ur5e: no configuration named 'hom'"),
        ({"do": "move", "to": Q, "via": [[999] * 6]}, "step 2: joint 'base': 999.0° is outside"),
        ({"do": "move", "to_pose": FRAME[:5]}, "steps[2].move.to_pose[6]: is missing"),
        ({"do": "move", "to": Q, "times": [0]}, "steps[2].move.times[1]: must be ≥ 0.001"),
        ({"do": "move", "to": Q, "speed": 200}, "steps[2].move.speed: must be ≤ 100"),
        ({"do": "move", "to": Q, "path": "zigzag"}, "steps[2].move.path: must be one of 'joint', 'line'"),
        ({"do": "move", "to": Q, "path": "line", "scheme": "4-3-4"}, "belong to a motion in joint space"),
        ({"do": "move", "to": Q, "tool_speed": 5}, "belong to a tool path: give path or arc"),
        ({"do": "move", "through": []}, "steps[2].move: through has no frame"),
        ({"do": "move", "through": [FRAME], "arc": [1, 2, 3]}, "an arc goes through one point to one goal"),
        (
            {"do": "move", "through": [FRAME], "path": "spline", "blend": 5},
            "step 2: blend rounds corners",
        ),
        ({"do": "pick", "body": "ghost"}, "step 2: no body named 'ghost'"),
    ],
)
def test_a_wrong_step_is_named_with_its_number_and_key(tmp_path: Path, step: dict[str, Any], sentence: str) -> None:
    with pytest.raises(CatalogError) as caught:
        read_scenario(written(tmp_path, WAIT, step, arm="ur5e"))
    assert sentence in str(caught.value.message)
    assert "at least 1 item" not in str(caught.value.message)


def test_a_fixed_body_cannot_be_picked(tmp_path: Path) -> None:
    with refused("pick_fixed", CatalogError, step=1, body="plate"):
        scenario_in(tmp_path, {"do": "pick", "body": "plate"})


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "not valid JSON: line 1"),
        (b'{"schema": 1,\n "name": }', "not valid JSON: line 2"),
        (b"\xff\xfe\x00", "not a text file"),
        (b"[" * 100_000, "nested too deeply"),
        (b" " * 1_000_001, "larger than the 1 MB allowed"),
        (b"null", "must be a table of keys and values"),
        (b'{"schema": 1, "schema": 1}', "the key 'schema' is there twice"),
        (b'{"schema": 1, "name": "x", "arm": "ur5e", "start": [NaN]}', "start[1]: must be a finite number"),
    ],
)
def test_a_file_that_is_no_scenario_gets_a_sentence(tmp_path: Path, data: bytes, sentence: str) -> None:
    path = tmp_path / "broken.json"
    path.write_bytes(data)
    with pytest.raises(CatalogError) as caught:
        load_scenario(path)
    assert str(caught.value.message).startswith(f"{path}: ")
    assert sentence in str(caught.value.message)


def test_a_mark_at_the_start_of_the_file_is_no_problem(tmp_path: Path) -> None:
    whole = {"schema": 1, "name": "marked", "arm": "planar2", "steps": [WAIT]}
    (tmp_path / "marked.json").write_bytes(b"\xef\xbb\xbf" + json.dumps(whole).encode())
    assert load_scenario(tmp_path / "marked.json").name == "marked"


def test_an_unknown_scenario_and_what_is_no_name_are_refused() -> None:
    with refused("unknown_scenario", UnknownName, name="windscren"):
        load_scenario("windscren")
    with refused("not_a_name", InvalidInput):
        load_scenario(7)  # type: ignore[arg-type]
    with refused("file_missing", InvalidInput):
        load_scenario("absent.json")

"""`armlab compare` and `armlab robots check`, as a user types them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from armlab.catalog import load
from armlab.cli.main import run
from armlab.formats.urdf_write import urdf_text


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def scenario(arm: str, *steps: dict[str, object], **keys: object) -> str:
    """Write a scenario here and return the name of its file."""
    text = json.dumps({"schema": 1, "name": "trial", "arm": arm, "start": "home", "steps": steps, **keys})
    Path("trial.json").write_text(text, encoding="utf-8")
    return "trial.json"


def test_the_three_structures_are_written_as_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["compare", "planar2", "--duration", "0.2", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert list(report) == ["hierarchy", "joints", "articulation"]
    for row in report.values():
        assert {"tracking_rms", "gap", "energy_drift", "us_per_step"} <= set(row)
    assert report["hierarchy"]["energy_drift"] is None
    assert report["joints"]["gap"] > report["articulation"]["gap"] == 0.0


def test_a_table_is_printed_and_a_figure_drawn(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert run(["compare", "scara", "--duration", "0.2", "-o", "three.png"]) == 0
    text = capsys.readouterr().out
    title = "scara, standard motion, 0.2 s, steps of 1 ms"
    for word in (title, "hierarchy", "joints", "articulation", "gap mm", "three.png: written"):
        assert word in text
    assert (tmp_path / "three.png").read_bytes().startswith(b"\x89PNG")
    assert [path.name for path in tmp_path.iterdir()] == ["three.png"]


def test_a_scenario_gives_the_motion(capsys: pytest.CaptureFixture[str]) -> None:
    trial = scenario("planar2", {"do": "move", "to": [60, 20]}, {"do": "wait", "seconds": 0.1})
    assert run(["compare", "planar2", trial]) == 0
    assert "planar2, trial.json, " in capsys.readouterr().out


def test_another_arm_goes_through_the_same_poses_of_the_tool(capsys: pytest.CaptureFixture[str]) -> None:
    trial = scenario("kuka-kr6-r900", {"do": "move", "to": [10, -80, 85, 0, 60, 0]}, tool="gripper")
    seconds = []
    for arm in ("kuka-kr6-r900", "kuka-kr6-r700"):
        assert run(["compare", arm, trial, "--json"]) == 0
        report = json.loads(capsys.readouterr().out)
        assert 0.0 < report["articulation"]["tracking_rms"] < 1.0
        seconds.append(report["articulation"]["tracking_rms"])
    assert seconds[0] != seconds[1]


def test_a_comparison_that_cannot_be_made_is_refused_in_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    for given, sentence in (
        (["-o", "three.txt"], "the file name must end in"),
        (["--timestep", "0"], "--timestep: 0 ms is outside 0.01 … 20 ms"),
        (["--duration", "1e200"], "--duration: 1e+200 s is outside 0.01 … 600 s"),
        (["nowhere"], "no scenario named 'nowhere'; known: "),
        (["windscreen"], "planar2 cannot reach"),
        ([scenario("planar2", {"do": "stop"})], "nothing moves in it"),
    ):
        assert run(["compare", "planar2", *given]) == 2
        assert sentence in capsys.readouterr().err


def test_drives_can_be_changed_and_what_comes_of_it_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    given = ["compare", "scara", "--timestep", "10", "--stiffness", "100"]
    assert run([*given, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert 0.0 < report["joints"]["diverged"] < 2.0
    assert report["hierarchy"]["diverged"] is None
    assert "step_too_long_for_stiffness" in [finding["code"] for finding in report["joints"]["findings"]]
    assert run(given) == 0
    assert "joints: diverged at " in capsys.readouterr().out


def test_a_joint_steps_by_name_or_number(capsys: pytest.CaptureFixture[str]) -> None:
    reports = []
    for step in ("Q1=20", "1=20"):
        assert run(["compare", "scara", "--step", step, "--duration", "0.4", "--mass", "2", "--json"]) == 0
        reports.append(json.loads(capsys.readouterr().out)["articulation"]["joint_rms"])
    assert reports[0] == reports[1] > 0.0


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (["--step", "20"], "--step: expected JOINT=BY"),
        (["--step", "Q9=20"], "scara: no joint named 'Q9'"),
        (["--step", "9=20"], "scara has 4 joints; there is no joint 9"),
        (["--step", "Q1=x"], "'x' is not a number"),
        (["--step", "Q1=500"], "cannot step to 530 °: its limits are -135 … 135 °"),
        (["--step", "Q1=5", "letters"], "give a step or a scenario, not both"),
        (["--friction", "101"], "--friction: 101 % is outside 0 … 100 %"),
        (["--force-limit", "0"], "--force-limit: 0 times is outside"),
    ],
)
def test_wrong_steps_and_settings_are_refused(
    given: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["compare", "scara", *given]) == 2
    assert sentence in capsys.readouterr().err


def test_an_arm_without_errors_passes_its_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["robots", "check", "ur5e"]) == 0
    assert capsys.readouterr().out == "note: ur5e: its masses are estimated, not published [masses_estimated]\n"
    Path("arm.urdf").write_text(urdf_text(load("ur5e")), encoding="utf-8")
    assert run(["robots", "check", "arm.urdf"]) == 0
    assert capsys.readouterr().out == "ur5e: no findings\n"


def test_an_arm_with_errors_ends_with_three(capsys: pytest.CaptureFixture[str]) -> None:
    weak = re.sub(r'effort="[^"]*"', 'effort="0.1"', urdf_text(load("kuka-kr6-r700")))
    Path("weak.urdf").write_text(weak, encoding="utf-8")
    assert run(["robots", "check", "weak.urdf", "--json"]) == 3
    report = json.loads(capsys.readouterr().out)
    assert report["robot"] == "kuka-kr6-r700"
    assert {row["severity"] for row in report["findings"]} >= {"error"}
    assert "the drive gives 0.1 N m" in " ".join(row["message"] for row in report["findings"])

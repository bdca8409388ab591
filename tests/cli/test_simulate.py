from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armlab.cli.main import run
from armlab.recording import read_recording

Captured = pytest.CaptureFixture[str]
MOVE: dict[str, Any] = {"do": "move", "to": [60, 20]}


def _file(folder: Path, *steps: dict[str, Any], **keys: Any) -> str:
    path = folder / "small.json"
    path.write_text(json.dumps({"schema": 1, "name": "small", "arm": "planar2", "steps": list(steps), **keys}))
    return str(path)


@pytest.mark.parametrize("structure", ["hierarchy", "joints", "articulation"])
def test_a_scenario_runs_in_every_structure(capsys: Captured, tmp_path: Path, structure: str) -> None:
    path = _file(tmp_path, MOVE, {"do": "wait", "seconds": 0.2}, title="Small")
    assert run(["simulate", path, "--structure", structure, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert set(report) == {
        *("scenario", "title", "robot", "structure", "timestep", "duration", "steps", "segments", "bodies", "findings")
    }
    assert (report["scenario"], report["title"], report["structure"]) == ("small", "Small", structure)
    assert report["timestep"] == 0.001
    assert [segment["step"] for segment in report["segments"]] == [1, 2]
    assert report["segments"][1]["end"] == pytest.approx(report["duration"])
    assert report["duration"] - 0.001 <= report["steps"] * 0.001 <= report["duration"]
    assert report["findings"] == []


def test_the_text_tells_each_step(capsys: Captured, tmp_path: Path) -> None:
    assert run(["simulate", _file(tmp_path, MOVE, {"do": "wait", "seconds": 0.2}), "--structure", "hierarchy"]) == 0
    text = capsys.readouterr().out
    assert "move joints, 1 point" in text
    assert "wait 0.2 s" in text
    assert "every limit kept" not in text, "without forces nobody knows whether the drives keep theirs"
    assert "no contacts; a hierarchy has no forces" in text


def test_scenarios_are_listed(capsys: Captured) -> None:
    assert run(["simulate", "?"]) == 0
    text = capsys.readouterr().out
    assert "pick-and-place" in text
    assert "Mounting a windscreen" in text


def test_a_contact_ends_with_status_3_and_both_parts(capsys: Captured, tmp_path: Path) -> None:
    scene = 'schema = 1\nname = "cell"\n[[robot]]\narm = "ur5e"\n[[body]]\nname = "post"\nkind = "cylinder"\n'
    (tmp_path / "cell.toml").write_text(scene + "size = [20, 1000]\nxyz = [400, 0, 500]\n")
    steps = [{"do": "move", "to": [60, -90, -90, -90, 90, 0]}, {"do": "move", "to": [-140, -60, -60, -90, 90, 0]}]
    path = tmp_path / "crash.json"
    keys = {"scene": "cell.toml", "start": [140, -90, -90, -90, 90, 0], "steps": steps}
    path.write_text(json.dumps({"schema": 1, "name": "crash", **keys}))
    assert run(["simulate", str(path), "--structure", "hierarchy", "--json"]) == 3
    finding = json.loads(capsys.readouterr().out)["findings"][0]
    assert (finding["severity"], finding["code"], finding["where"]["second"]) == ("error", "contact", "post")
    assert finding["where"]["step"] in {1, 2}
    assert finding["where"]["simulation_step"] == int(np.ceil(finding["where"]["time"] * 1000 - 1e-9))
    assert run(["simulate", str(path), "--structure", "hierarchy"]) == 3
    text = capsys.readouterr().out
    assert f"error: step {finding['where']['step']}: '{finding['where']['first']}' and 'post' touch after" in text
    assert "no contacts" not in text


@pytest.mark.parametrize(("mass", "status"), [(3.0, 0), (25.0, 3)])
def test_a_load_that_the_arm_cannot_hold_ends_with_status_3(
    capsys: Captured, tmp_path: Path, mass: float, status: int
) -> None:
    cube = f'[[body]]\nname = "cube"\nkind = "box"\nsize = [50, 50, 50]\nxyz = [492, -133.3, 462]\nmass = {mass}\n'
    (tmp_path / "cell.toml").write_text('schema = 1\nname = "cell"\n[[robot]]\narm = "ur5e"\n' + cube)
    steps = [{"do": "pick", "body": "cube"}, {"do": "move", "to": [20, -70, -60, -90, 90, 0]}]
    path = tmp_path / "lift.json"
    path.write_text(json.dumps({"schema": 1, "name": "lift", "scene": "cell.toml", "steps": steps}))
    assert run(["simulate", str(path), "--timestep", "4"]) == status
    text = capsys.readouterr().out
    assert ("no contacts, every limit kept" in text) == (status == 0)
    assert ("the arm is rated for 5 kg" in text) == (status != 0)
    assert ("is saturated" in text) == (status != 0)


def test_a_run_is_recorded_and_drawn(capsys: Captured, tmp_path: Path) -> None:
    record, figure = tmp_path / "run.mcap", tmp_path / "run.png"
    wishes = ["--structure", "hierarchy", "--record", str(record), "-o", str(figure)]
    assert run(["simulate", _file(tmp_path, MOVE), *wishes]) == 0
    text = capsys.readouterr().out
    assert f"{record}: written" in text
    assert f"{figure}: written" in text
    assert figure.read_bytes().startswith(b"\x89PNG")
    np.testing.assert_allclose(np.degrees(read_recording(record).q[-1]), [60, 20], atol=0.5)


def test_a_plan_that_fails_leaves_the_old_recording_alone(capsys: Captured, tmp_path: Path) -> None:
    record = tmp_path / "run.mcap"
    record.write_bytes(b"old")
    path = _file(tmp_path, {"do": "move", "to_pose": [900, 0, 0, 0, 0, 0]})
    assert run(["simulate", path, "--record", str(record)]) == 2
    assert "step 1: planar2 cannot reach" in capsys.readouterr().err
    assert record.read_bytes() == b"old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run.mcap", "small.json"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("windscren",), "no scenario named 'windscren'; did you mean windscreen"),
        (("absent.json",), "absent.json: no such file"),
        (("windscreen", "--structure", "fluid"), "'fluid' is not one of 'hierarchy', 'joints', 'articulation'"),
        (("windscreen", "--timestep", "0"), "--timestep: 0 ms is outside 0.01 … 20 ms"),
        (("windscreen", "--timestep", "nan"), "--timestep: nan ms is outside"),
        (("windscreen", "--clearance", "-1"), "--clearance: -1 mm is outside 0 … 1000 mm"),
        (("windscreen", "--record", "run.txt"), "run.txt: the file name must end in .mcap, .csv, .parquet"),
        (("windscreen", "--record", "absent/run.mcap"), "there is no folder absent"),
        (("windscreen", "-o", "run.gif"), "run.gif: the file name must end in"),
        (("windscreen", "--nonsense"), "no such option: --nonsense"),
        ((), "missing: SCENARIO"),
    ],
)
def test_wrong_input_gets_one_sentence_and_status_2(
    capsys: Captured, arguments: tuple[str, ...], sentence: str
) -> None:
    assert run(["simulate", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert sentence in captured.err
    assert captured.err.count("\n") == 1


def test_the_scenarios_are_json_where_asked_for(capsys: Captured) -> None:
    assert run(["simulate", "?", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {"pick-and-place", "windscreen"} <= {row["name"] for row in rows}
    assert all(row["title"] for row in rows)

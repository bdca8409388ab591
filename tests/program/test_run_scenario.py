from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import numpy as np
import pytest
from program.files import CARRY, SCENE, WALL, scenario_in, written
from refusals import refused

from armlab.errors import InvalidInput, PlanningFailed
from armlab.program.record import RunRecorder
from armlab.program.run_scenario import run_scenario
from armlab.program.scenario import load_scenario, read_scenario, scenario_names
from armlab.recording import read_recording
from armlab.reports.simulation import simulation_report
from armlab.sim.state import Structure

WAIT: dict[str, Any] = {"do": "wait", "seconds": 0.1}


@pytest.mark.parametrize("structure", get_args(Structure))
def test_the_body_ends_where_it_was_put_in_every_structure(tmp_path: Path, structure: Structure) -> None:
    run = run_scenario(scenario_in(tmp_path, *CARRY), structure=structure, timestep=0.002)
    assert run.findings == ()
    np.testing.assert_allclose(run.bodies["cube"][:3, 3], [0.4, 0.1, 0.0755], atol=1e-3)
    assert [segment.held for segment in run.segments] == [None, None, *["cube"] * 4, None, None]
    assert run.steps == int(run.schedule.duration / 0.002)
    assert all((segment.error < 5e-3).all() for segment in run.segments)


@pytest.mark.parametrize("name", scenario_names())
def test_the_shipped_scenarios_run_without_findings(name: str) -> None:
    run = run_scenario(load_scenario(name), structure="hierarchy", timestep=0.01)
    assert run.findings == ()
    loose = [body for body in run.scenario.scene.bodies if not body.is_fixed]
    moved = [body.name for body in loose if np.abs(run.bodies[body.name] - body.T_world_body).max() > 0.1]
    picked = {step.body for step in run.scenario.program.instructions if hasattr(step, "body")}
    assert set(moved) == picked


def test_the_windscreen_ends_in_the_opening() -> None:
    run = run_scenario(load_scenario("windscreen"), structure="articulation", timestep=0.002)
    assert run.findings == ()
    opening = run.scenario.scene.body("opening").T_world_body
    np.testing.assert_allclose(run.bodies["windscreen"][:3, 3], opening[:3, 3], atol=0.01)
    np.testing.assert_allclose(run.bodies["windscreen"][:3, :3], opening[:3, :3], atol=0.02)


def test_a_contact_is_told_with_the_step_of_the_simulation(tmp_path: Path) -> None:
    run = run_scenario(scenario_in(tmp_path, *CARRY, scene=SCENE + WALL), structure="hierarchy", timestep=0.002)
    first = run.findings[0]
    assert first.code == "contact"
    assert first.where["simulation_step"] == np.ceil(float(first.where["time"]) / 0.002)


def test_a_pick_of_nothing_is_told_once_and_the_run_goes_on(tmp_path: Path) -> None:
    run = run_scenario(scenario_in(tmp_path, {"do": "pick"}, WAIT), timestep=0.002)
    assert [(f.code, f.where["step"]) for f in run.findings] == [("pick_too_far", 1)]
    assert [segment.held for segment in run.segments] == [None, None]


def test_progress_goes_from_nothing_to_all(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    run_scenario(
        scenario_in(tmp_path, WAIT, WAIT),
        structure="hierarchy",
        progress=lambda done, total: seen.append((done, total)),
    )
    assert seen == [(0, 2), (1, 2), (2, 2)]


def test_a_scenario_in_which_nothing_takes_time_is_refused(tmp_path: Path) -> None:
    with refused("scenario_empty", PlanningFailed, scenario="small"):
        run_scenario(read_scenario(written(tmp_path, {"do": "stop"}, WAIT, arm="planar2")))


@pytest.mark.parametrize("name", ["run.mcap", "run.csv", "run.parquet"])
def test_a_run_is_kept_whole_and_replaces_what_was_there(tmp_path: Path, name: str) -> None:
    made = read_scenario(written(tmp_path, {"do": "move", "to": [60, 20]}, WAIT, arm="planar2"))
    path = tmp_path / name
    path.write_bytes(b"old")
    with RunRecorder(path, made.arm, made.name, "hierarchy", 0.001) as keeper:
        run = run_scenario(made, structure="hierarchy", on_run=keeper.write)
    assert sorted(p.name for p in tmp_path.iterdir()) == [name, "small.json"]
    assert len(path.read_bytes()) > 1000
    if name == "run.mcap":
        kept = read_recording(path)
        assert kept.metadata["scenario"] == "small"
        assert kept.t[-1] == pytest.approx(run.schedule.duration, abs=0.011)
        np.testing.assert_allclose(kept.q[-1], np.radians([60, 20]), atol=1e-6)


def test_a_run_that_breaks_off_leaves_no_file_and_keeps_the_old_one(tmp_path: Path) -> None:
    made = read_scenario(written(tmp_path, WAIT, arm="planar2"))
    path = tmp_path / "run.mcap"
    path.write_bytes(b"old")
    with pytest.raises(KeyboardInterrupt), RunRecorder(path, made.arm, made.name, "hierarchy", 0.001):
        raise KeyboardInterrupt
    assert path.read_bytes() == b"old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["run.mcap", "small.json"]
    with refused("file_suffix", InvalidInput):
        RunRecorder(tmp_path / "run.txt", made.arm, made.name, "hierarchy", 0.001)


def test_the_report_tells_each_step_and_where_the_bodies_are(tmp_path: Path) -> None:
    run = run_scenario(scenario_in(tmp_path, *CARRY), structure="hierarchy", timestep=0.002)
    report = simulation_report(run)
    assert [segment.step for segment in report.segments] == list(range(1, 9))
    assert str(report.segments[2].what) == "pick 'cube'"
    assert report.segments[2].distance is None
    assert report.segments[1].effort_share is None
    assert [body.name for body in report.bodies] == ["cube"]
    assert report.bodies[0].xyz == (400.0, 100.0, 75.5)
    assert report.steps == run.steps
    assert "-0.0" not in report.model_dump_json()

"""Overload in runs and checks: a load that an arm cannot carry is an error, one that it is rated for is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from program.files import CARRY, SCENE, scenario_in

import armlab
from armlab.arrays import Floats
from armlab.dynamics import with_payload
from armlab.dynamics.overload import FOLLOWING, LASTING
from armlab.model.finding import Finding
from armlab.model.scene import Scene
from armlab.program.check import check_program
from armlab.program.instructions import MotionSettings, MoveJ
from armlab.program.run import run_program
from armlab.program.run_scenario import ScenarioRun, run_scenario
from armlab.program.scenario import Scenario, load_scenario, scenario_names

LIGHT, HEAVY = 4.0, 25.0


def carrying(folder: Path, mass: float) -> Scenario:
    return scenario_in(folder, *CARRY, scene=SCENE.replace("mass = 0.2", f"mass = {mass}"))


def run_carrying(folder: Path, mass: float) -> ScenarioRun:
    return run_scenario(carrying(folder, mass), timestep=0.002)


def worst_that_lasts(errors: Floats, step: float) -> float:
    """Return the largest error of a joint from when on it has been too far off for LASTING s, row by row."""
    worst, since = 0.0, 0
    for error in np.abs(errors).tolist():
        since = since + 1 if error > FOLLOWING["revolute"] else 0
        worst = max(worst, error) if since * step >= LASTING - 1e-9 else worst
    return worst


def codes(findings: list[Finding] | tuple[Finding, ...]) -> set[str]:
    return {finding.code for finding in findings if finding.severity == "error"}


def test_a_scenario_says_that_the_load_is_too_heavy_and_the_arm_does_not_follow(tmp_path: Path) -> None:
    errors: list[Floats] = []
    scenario = carrying(tmp_path, HEAVY)
    run = run_scenario(scenario, timestep=0.002, on_run=lambda _piece, played, _simulation: errors.append(played.error))
    assert codes(run.findings) == {"payload_exceeded", "drive_saturated", "not_followed"}
    heavy = next(f for f in run.findings if f.code == "payload_exceeded")
    assert heavy.where == pytest.approx({"mass": 25.9, "rated": 5.0, "step": 3})
    rows = np.concatenate(errors)
    for finding in run.findings:
        if finding.code == "not_followed":
            joint = [j.name for j in run.schedule.robot.joints].index(str(finding.where["joint"]))
            assert finding.where["error"] == pytest.approx(worst_that_lasts(rows[:, joint], run.timestep))
            assert finding.where["step"] >= 4  # type: ignore[operator]


def test_a_load_within_the_rating_is_carried_without_a_finding(tmp_path: Path) -> None:
    run = run_carrying(tmp_path, LIGHT)
    assert run.findings == ()
    np.testing.assert_allclose(run.bodies["cube"][:3, 3], [0.4, 0.1, 0.0755], atol=1e-3)


def test_a_check_counts_what_is_held(tmp_path: Path) -> None:
    found = []
    for mass in (LIGHT, HEAVY):
        scenario = carrying(tmp_path, mass)
        placed = scenario.scene.robot(scenario.robot)
        check = check_program(
            placed.robot, scenario.program.instructions, scene=scenario.scene, start=scenario.program.start
        )
        found.append(check.findings)
    assert codes(found[0]) == set()
    assert codes(found[1]) == {"payload_exceeded", "torque_limit"}
    assert all(finding.where["step"] >= 3 for finding in found[1])  # type: ignore[operator]


def test_a_tool_above_the_rating_is_told_once_by_check_and_run() -> None:
    robot = with_payload(armlab.load("kuka-kr6-r700"), 40.0)
    move = MoveJ((robot.home + 0.1,), settings=MotionSettings())
    check = check_program(robot, [move])
    assert [f.code for f in check.findings].count("payload_exceeded") == 1
    run = run_program(Scene.of(robot), [move], timestep=0.002)
    assert [f.code for f in run.findings].count("payload_exceeded") == 1
    assert "drive_saturated" in codes(run.findings)


@pytest.mark.parametrize("name", scenario_names())
def test_no_shipped_scenario_saturates_a_drive(name: str) -> None:
    assert run_scenario(load_scenario(name), timestep=0.004).findings == ()

"""The clinic finds what was injected, where and since when; and nothing in healthy arms."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from armlab import catalog
from armlab.calibration.clinic.diagnose import ArmDiagnosis, diagnose
from armlab.calibration.clinic.faults import FAULTS, GROWING, ArmFault, FaultKind, draw_fault
from armlab.calibration.clinic.life import LIMITS
from armlab.calibration.clinic.plant import ClinicRun, simulate_run
from armlab.calibration.clinic.trials import TUNING_SEEDS, run_trials
from armlab.errors import InvalidInput
from armlab.model.robot import Robot
from armlab.recording.recording import COMMAND_Q
from armlab.reports.diagnosis import diagnosis_report

WINDOW = (24.0, 40.0)
LATE = {"weak_servo": 8.0, "gear_wear": 4.0}
"""s by which a fault may be dated wrongly: a weak servo is found when its motion needs more."""


@pytest.fixture(scope="module")
def robot() -> Robot:
    return catalog.load("ur5e")


@pytest.fixture(scope="module")
def healthy(robot: Robot) -> ClinicRun:
    return simulate_run(robot, None, seed=21)


def examined(robot: Robot, run: ClinicRun) -> ArmDiagnosis:
    return diagnose(robot, run.recording, run.imu)


@pytest.mark.parametrize("kind", FAULTS)
def test_a_fault_is_found_where_it_is_and_since_when(robot: Robot, kind: FaultKind) -> None:
    fault = draw_fault(robot, kind, np.random.default_rng([7, FAULTS.index(kind)]), WINDOW)
    found = examined(robot, simulate_run(robot, fault, seed=30 + FAULTS.index(kind)))
    assert (found.cause, found.joint) == (kind, fault.joint)
    assert found.since is not None
    assert found.noticed is not None
    assert abs(found.since - fault.onset) < LATE.get(kind, 1.0)
    assert found.noticed >= fault.onset - 0.5
    made = diagnosis_report(robot, found)
    assert made.cause == kind
    assert (made.joint is None) == (fault.joint is None)
    assert str(made.evidence)


def test_a_healthy_arm_is_healthy(robot: Robot, healthy: ClinicRun) -> None:
    found = examined(robot, healthy)
    assert found.is_healthy
    assert found.since is None
    assert found.life is None
    assert str(diagnosis_report(robot, found).title) == "healthy"


def test_few_runs_give_the_statistics_that_many_do() -> None:
    """The figures of 500 seeds are in docs/diagnosis.md; here only that the parts add up, on other seeds."""
    summary = run_trials([catalog.load("kuka-kr6-r700")], range(TUNING_SEEDS.stop, TUNING_SEEDS.stop + 9))
    assert len(summary.trials) == 18
    assert summary.false_alarms <= 1 / 9
    assert summary.right_cause() >= 8 / 9
    assert summary.right_joint() <= summary.right_cause()
    assert len(summary.delays()) == len(summary.onset_errors()) == round(9 * summary.right_cause())


@pytest.mark.parametrize("kind", sorted(GROWING))
def test_the_remaining_life_of_steady_growth_is_within_its_bounds(robot: Robot, kind: FaultKind) -> None:
    fault = ArmFault(kind, 1, 26.0, 0.4 * LIMITS[kind])
    found = examined(robot, simulate_run(robot, fault, seed=11))
    assert found.life is not None
    truth = (60.0 - fault.onset) / 0.4 * 0.6
    assert found.life.low < truth
    assert found.life.high is None or found.life.high > truth
    assert diagnosis_report(robot, found).life is not None


def test_without_tracker_imu_or_command_some_faults_are_said_to_be_unseen(robot: Robot, healthy: ClinicRun) -> None:
    joints = healthy.recording.joints.copy()
    joints[:, COMMAND_Q] = np.nan
    found = diagnose(robot, replace(healthy.recording, signals=None, joints=joints))
    assert found.is_healthy
    expected = {"backlash", "belt_slip", "loose_tool", "imu_bias", "stuck_servo", "weak_servo", "encoder_jump"}
    assert set(found.unseen) == expected


def test_positions_of_the_tool_alone_show_a_slipping_belt(robot: Robot) -> None:
    run = simulate_run(robot, ArmFault("belt_slip", 2, 30.0, 3e-3), seed=2)
    assert run.recording.signals is not None
    signals = run.recording.signals.copy()
    signals[:, 6:9] = np.nan
    found = diagnose(robot, replace(run.recording, signals=signals))
    assert (found.cause, found.joint) == ("belt_slip", 2)


def test_recordings_that_are_too_short_or_apart_are_refused(robot: Robot, healthy: ClinicRun) -> None:
    short = replace(healthy.recording, t=healthy.recording.t[:600], joints=healthy.recording.joints[:600], signals=None)
    with pytest.raises(InvalidInput) as caught:
        diagnose(robot, short)
    assert caught.value.code == "recording_short_of_time"
    late = replace(healthy.imu, t=healthy.imu.t + 100.0)
    with pytest.raises(InvalidInput) as caught:
        diagnose(robot, healthy.recording, late)
    assert caught.value.code == "imu_times"

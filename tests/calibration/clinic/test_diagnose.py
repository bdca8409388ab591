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


@pytest.mark.parametrize("kind", ["gear_wear", "wrong_payload", "loose_tool", "belt_slip", "weak_servo", "imu_bias"])
def test_a_fault_from_before_the_recording_is_found_with_a_reference(robot: Robot, kind: FaultKind) -> None:
    fault = draw_fault(robot, kind, np.random.default_rng([9, FAULTS.index(kind)]), (-600.0, -30.0))
    day0, today = simulate_run(robot, None, seed=40, day=1), simulate_run(robot, fault, seed=40)
    found = diagnose(robot, today.recording, today.imu, reference=day0.recording, reference_imu=day0.imu)
    assert (found.cause, found.joint) == (kind, fault.joint)
    assert found.since is not None
    assert found.since < 1.0 or kind == "weak_servo"
    assert found.healthy_until == 0.0


def test_a_healthy_day_is_healthy_beside_its_reference(robot: Robot) -> None:
    day0, today = simulate_run(robot, None, seed=41, day=1), simulate_run(robot, None, seed=41)
    assert diagnose(robot, today.recording, today.imu, reference=day0.recording, reference_imu=day0.imu).is_healthy


def test_a_reference_of_other_work_or_of_no_use_is_refused(robot: Robot, healthy: ClinicRun) -> None:
    other = simulate_run(robot, None, seed=50).recording
    with pytest.raises(InvalidInput) as caught:
        diagnose(robot, healthy.recording, reference=other)
    assert caught.value.code == "reference_other_work"
    short = replace(other, t=other.t[:600], joints=other.joints[:600], signals=None)
    with pytest.raises(InvalidInput) as caught:
        diagnose(robot, healthy.recording, reference=short)
    assert caught.value.code == "recording_short_of_time"
    assert str(caught.value).startswith("reference: ")


def test_a_joint_that_stands_from_the_start_is_found_without_a_reference(robot: Robot) -> None:
    found = examined(robot, simulate_run(robot, ArmFault("stuck_servo", 2, -1.0, 1.0), seed=12))
    assert (found.cause, found.joint) == ("stuck_servo", 2)
    assert found.since == pytest.approx(0.0, abs=0.2)

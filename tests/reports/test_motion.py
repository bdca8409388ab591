from __future__ import annotations

import numpy as np
import pytest
from refusals import refused

import armlab
from armlab.errors import InvalidInput
from armlab.messages import Message
from armlab.model.finding import Finding
from armlab.motion.joint import plan_joint
from armlab.motion.limits import limits_of
from armlab.reports.motion import PlanReport, joint_peaks, plan_csv, plan_report, tool_speeds

STEP = np.array([0.5, -0.4, -0.03, 0.2])


def _report(step: float = 0.01) -> tuple[armlab.Robot, PlanReport]:
    robot = armlab.load("scara")
    trajectory = plan_joint(robot, [robot.home, robot.home + STEP])
    finding = Finding("note", Message("remark", "{text}", text="a remark"), {"time": 0.1})
    made = plan_report(robot, trajectory, limits_of(robot), scheme="jerk", step=step, findings=[finding])
    return robot, made


def test_a_report_is_in_degrees_and_millimetres() -> None:
    robot, report = _report()
    scale = np.array([np.pi / 180, np.pi / 180, 1e-3, np.pi / 180])
    np.testing.assert_allclose(np.array(report.q[0]) * scale, robot.home, atol=1e-9)
    np.testing.assert_allclose(np.array(report.q[-1]) * scale, robot.home + STEP, atol=1e-9)
    assert [peak.unit for peak in report.peaks] == ["°", "°", "mm", "°"]
    assert str(report.findings[0].message) == "a remark"
    assert report.t[-1] == pytest.approx(report.duration)


def test_peaks_are_those_of_the_curve_and_not_of_its_samples() -> None:
    robot = armlab.load("planar2")
    trajectory = plan_joint(robot, [[0.0, 0.0], [1.0, 0.5]], scheme="quintic", times=[2.0])
    first = joint_peaks(robot, trajectory, limits_of(robot))[0]
    assert first.velocity == pytest.approx(np.degrees(1.875 * 1.0 / 2.0))
    assert first.acceleration == pytest.approx(np.degrees(10 / np.sqrt(3) / 4.0))
    assert first.jerk == pytest.approx(np.degrees(60 / 8.0))
    assert first.velocity_share == pytest.approx(0.9375 / robot.velocity[0], abs=1e-6)


def test_tool_speeds_are_the_derivatives_of_the_pose() -> None:
    robot = armlab.load("ur5e")
    rng = np.random.default_rng(4)
    q, qd, h = rng.uniform(-1, 1, (5, 6)), rng.uniform(-1, 1, (5, 6)), 1e-6
    ahead, behind = robot.fk(q + h * qd), robot.fk(q - h * qd)
    moved = np.linalg.norm(ahead[:, :3, 3] - behind[:, :3, 3], axis=1) / (2 * h)
    turn = np.einsum("mij,mkj->mik", ahead[:, :3, :3], behind[:, :3, :3])
    angle = np.linalg.norm(
        [turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]], axis=0
    )
    np.testing.assert_allclose(tool_speeds(robot, q, qd), np.stack([moved, angle / (4 * h)], axis=1), atol=1e-7)


def test_a_table_has_as_many_rows_as_times() -> None:
    robot, report = _report(0.05)
    lines = plan_csv(robot, report).splitlines()
    assert len(lines) == 1 + len(report.t)
    assert all(line.count(",") == 3 * robot.dof for line in lines)


def test_a_step_that_makes_too_long_a_table_is_refused() -> None:
    with refused("table_too_long", InvalidInput):
        _report(1e-6)

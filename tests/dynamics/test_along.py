"""Torques along a motion."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from refusals import refused

from armlab import catalog, dynamics
from armlab.errors import InvalidInput
from armlab.model.robot import Robot
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.trajectory import Trajectory
from oracles.arms import made_up_arms

KUKA = catalog.load("kuka-kr6-r700")


def swing(robot: Robot, far: float, duration: float) -> Trajectory:
    """Return a fifth-order motion of all joints from home, `far` rad, from rest to rest."""
    shape = np.array([0.0, 0.0, 0.0, 10.0, -15.0, 6.0])
    coefficients = shape[None, :, None] * np.full(robot.dof, far)
    coefficients[0, 0] += robot.home
    return Trajectory(PiecewisePolynomial(np.array([0.0, duration]), coefficients))


def test_the_report_holds_the_forces_of_the_motion() -> None:
    motion = swing(KUKA, 0.5, 1.0)
    report = dynamics.torques_along(KUKA, motion, step=0.01)
    q, qd, qdd = motion.sample(report.t)
    np.testing.assert_array_equal(report.tau, dynamics.inverse_dynamics(KUKA, q, qd, qdd))
    np.testing.assert_allclose(report.share, np.abs(report.tau).max(axis=0) / KUKA.effort)
    assert report.t[0] == 0.0
    assert report.t[-1] == pytest.approx(1.0)


def test_a_motion_at_rest_needs_what_holds_the_arm() -> None:
    report = dynamics.torques_along(KUKA, Trajectory.rest(KUKA.home, 0.1))
    np.testing.assert_allclose(report.tau, np.tile(dynamics.gravity_torque(KUKA, KUKA.home), (len(report.t), 1)))
    assert report.is_within


def test_too_quick_a_motion_is_an_error_that_names_joint_and_time() -> None:
    slow, quick = (dynamics.torques_along(KUKA, swing(KUKA, 0.5, d)) for d in (2.0, 0.08))
    assert slow.is_within
    assert [f.code for f in slow.findings] == ["torque_estimated"]
    assert not quick.is_within
    worst = quick.findings[0]
    assert worst.severity == "error"
    assert worst.code == "torque_limit"
    joint = KUKA.joints[int(np.flatnonzero(quick.share > 1.0)[0])].name
    assert str(worst.message).startswith(f"joint '{joint}': ")
    assert "% of the drive's 280 N m" in str(worst.message)
    assert 0.0 <= worst.where["time"] <= 0.08  # type: ignore[operator]


def test_a_joint_that_is_nearly_at_its_limit_is_a_warning() -> None:
    holding = dynamics.gravity_torque(KUKA, KUKA.home)
    limited = replace(KUKA.joints[1], effort=float(abs(holding[1])) / 0.95)
    robot = Robot(
        name="weak", joints=(KUKA.joints[0], limited, *KUKA.joints[2:]), links=KUKA.links, home=KUKA.home,
        source="made up for tests", flange=KUKA.flange,
    )  # fmt: skip
    report = dynamics.torques_along(robot, Trajectory.rest(robot.home, 0.1))
    assert report.is_within
    assert [(f.severity, f.code) for f in report.findings] == [("warning", "torque_near_limit")]
    assert report.share[1] == pytest.approx(0.95)


def test_drives_that_nobody_describes_are_noted_and_not_checked() -> None:
    square = made_up_arms()[-1]
    report = dynamics.torques_along(square, swing(square, 1.0, 0.05))
    assert report.is_within
    assert report.share.tolist() == [0.0] * 6
    assert str(report.findings[0].message) == ("square: no torque limits stated, not checked: A1, A2, A3, A4, A5, A6")


@pytest.mark.parametrize("step", [0.0, -1.0, float("nan"), float("inf")])
def test_a_step_that_is_not_a_time_is_refused(step: float) -> None:
    with refused("step_not_positive", InvalidInput):
        dynamics.torques_along(KUKA, Trajectory.rest(KUKA.home, 1.0), step=step)


def test_a_motion_of_another_arm_is_refused() -> None:
    with refused("joint_count_differs", InvalidInput, given=2, needed=6):
        dynamics.torques_along(KUKA, Trajectory.rest([0.0, 0.0], 1.0))

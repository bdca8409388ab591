"""Recordings that cannot be used are refused with the row that is wrong."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from armlab import catalog
from armlab.calibration.identification.excitation import FourierMotion
from armlab.calibration.identification.samples import joint_samples
from armlab.calibration.identification.simulated import commanded, simulated, true_arm
from armlab.errors import InvalidInput
from armlab.recording import Recording
from armlab.recording.recording import TAU, Q

ROBOT = catalog.load("planar2")


def motion() -> FourierMotion:
    return FourierMotion(np.array([0.3, -0.2]), np.array([[0.4, 0.2], [0.3, -0.4]]), np.zeros((2, 2)), 5.0)


@pytest.fixture
def recording() -> Recording:
    return simulated(true_arm(ROBOT, 1), motion(), seed=1)


def refusal(recording: Recording) -> InvalidInput:
    with pytest.raises(InvalidInput) as caught:
        joint_samples(ROBOT, recording)
    return caught.value


def changed(recording: Recording, row: int, quantity: int, joint: int, value: float) -> Recording:
    joints = recording.joints.copy()
    joints[row, quantity, joint] = value
    return replace(recording, joints=joints)


def test_missing_speeds_and_accelerations_are_derived(recording: Recording) -> None:
    samples = joint_samples(ROBOT, recording)
    q, qd, qdd = motion().sample(samples.t)
    np.testing.assert_allclose(samples.q, q, atol=1e-4)
    np.testing.assert_allclose(samples.qd, qd, atol=0.01)
    np.testing.assert_allclose(samples.qdd, qdd, atol=0.1)


def test_joints_in_another_order_are_put_right_and_said(recording: Recording) -> None:
    swapped = replace(recording, names=recording.names[::-1], joints=recording.joints[:, :, ::-1].copy())
    samples = joint_samples(ROBOT, swapped)
    np.testing.assert_array_equal(samples.tau, joint_samples(ROBOT, recording).tau)
    assert [f.code for f in samples.findings] == ["recording_joint_order"]


def test_the_first_row_that_is_wrong_is_named(recording: Recording) -> None:
    error = refusal(changed(recording, 41, TAU, 1, np.nan))
    assert (error.code, error.parameters["row"]) == ("recording_gap", 42)
    error = refusal(changed(recording, 10, Q, 0, 50.0))
    assert (error.code, error.parameters["index"]) == ("joint_outside", 10)
    t = recording.t.copy()
    t[30:] += 1.0
    error = refusal(replace(recording, t=t))
    assert (error.code, error.parameters["row"]) == ("recording_times", 31)


def test_other_joints_no_torques_and_few_samples_are_refused(recording: Recording) -> None:
    assert refusal(replace(recording, names=("a", "b"))).code == "recording_joints"
    assert refusal(commanded(ROBOT, motion())).code == "recording_without"
    short = replace(recording, t=recording.t[:20], joints=recording.joints[:20])
    assert refusal(short).code == "recording_too_short"

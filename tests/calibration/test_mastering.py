"""Of equivalent explanations the zero of a joint is told: an error of mastering has the joint's own name."""

from __future__ import annotations

import math

import numpy as np
import pytest
from calibration.measuring import configurations, measured_poses, measured_positions

import armlab
from armlab.calibration import RealArm, RealJoint, calibrate, real_fk
from armlab.calibration.parameters import Model

ZERO = math.radians(0.25)


def with_zero(name: str, joint: int) -> RealArm:
    """An arm whose only error is one joint's zero."""
    robot = armlab.load(name)
    joints = tuple(RealJoint(each.name, offset=ZERO if i == joint else 0.0) for i, each in enumerate(robot.joints))
    return RealArm(robot, joints)


@pytest.mark.parametrize("model", ["geometry", "full"])
@pytest.mark.parametrize(
    ("name", "joint", "seed"),
    [("kuka-kr6-r700", 1, 1), ("kuka-kr6-r700", 1, 2), ("kuka-kr6-r700", 4, 3), ("ur5e", 1, 1), ("ur5e", 2, 2)],
)
def test_the_zero_of_a_joint_is_told_as_such(name: str, joint: int, seed: int, model: Model) -> None:
    real = with_zero(name, joint)
    found = calibrate(real.nominal, measured_poses(real, configurations(real, 50, seed), seed), model=model)
    zero = found.parameter(f"{real.nominal.joints[joint].name} offset")
    assert zero.identifiable
    assert zero.value == pytest.approx(ZERO, abs=max(4.0 * zero.sigma, 1e-5))
    others = [each for each in found.parameters if each.name != zero.name and each.identifiable]
    assert max(abs(each.value) / each.sigma for each in others) < 4.5
    assert zero.value > 5.0 * zero.sigma


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "ur5e", "scara", "franka-panda"])
@pytest.mark.parametrize("seed", [1, 2])
def test_zeros_take_the_place_of_as_many_lines_and_describe_the_same_arms(name: str, seed: int) -> None:
    robot = armlab.load(name)
    rng = np.random.default_rng(seed)
    joints = tuple(RealJoint(each.name, offset=float(rng.normal(0.0, 2e-3))) for each in robot.joints)
    real = RealArm(robot, joints)
    q = configurations(real, 60, seed)
    found = calibrate(robot, measured_poses(real, q, seed, position=1e-7, rotation=1e-7), model="geometry")
    turning = sum(each.kind == "revolute" for each in robot.joints)
    assert len(found.parameters) == 4 * turning + 2 * (robot.dof - turning) + 6
    for joint, truth in zip(robot.joints, joints, strict=True):
        told = found.parameter(f"{joint.name} offset")
        assert told.value == pytest.approx(truth.offset, abs=2e-5)
    fresh = configurations(real, 40, seed + 50)
    np.testing.assert_allclose(real_fk(found.real, fresh), real_fk(real, fresh), atol=2e-6)


def test_a_zero_that_moves_nothing_is_not_looked_for() -> None:
    real = with_zero("kuka-kr6-r700", 1)
    found = calibrate(real.nominal, measured_positions(real, configurations(real, 60, 1), 1), model="geometry")
    names = [each.name for each in found.parameters]
    assert {"tool turn x", "tool turn y", "tool turn z"} <= set(names)
    assert "A6 offset" not in names
    zero = found.parameter("A2 offset")
    assert zero.value == pytest.approx(ZERO, abs=4.0 * zero.sigma)

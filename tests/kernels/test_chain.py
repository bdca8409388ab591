from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kernels import chain
from armlab.kernels.trig import LARGEST
from armlab.model.robot import Robot
from strategies import robots_with_q


def textbook_frames(robot: Robot, q: Floats) -> list[Floats]:
    """Base, every link and the tool by matrix products and Rodrigues' formula: no code shared with the kernels."""
    frames = [robot.base]
    for joint, value in zip(robot.joints, q, strict=True):
        motion = np.eye(4)
        if joint.kind == "revolute":
            x, y, z = joint.axis
            K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
            motion[:3, :3] += np.sin(value) * K + (1 - np.cos(value)) * K @ K
        else:
            motion[:3, 3] = joint.axis * value
        frames.append(frames[-1] @ joint.T_parent_joint @ motion)
    return [*frames, frames[-1] @ robot.flange @ robot.tool.T_flange_tool]


@given(robots_with_q())
def test_forward_kinematics_is_the_product_of_the_joints(drawn: tuple[Robot, Floats]) -> None:
    robot, q = drawn
    expected = textbook_frames(robot, q)
    np.testing.assert_allclose(robot.fk(q), expected[-1], atol=2e-14)
    np.testing.assert_allclose(robot.frames(q), expected, atol=2e-14)


@given(robots_with_q())
def test_the_jacobian_is_the_derivative_of_the_pose(drawn: tuple[Robot, Floats]) -> None:
    robot, q = drawn
    J, h = robot.jacobian(q), 1e-6
    np.testing.assert_allclose(robot.jacobian(q[None])[0], J, atol=2e-14)
    for i in range(robot.dof):
        dq = np.eye(robot.dof)[i] * h
        ahead, behind = robot.fk(q + dq), robot.fk(q - dq)
        np.testing.assert_allclose(J[:3, i], (ahead - behind)[:3, 3] / (2 * h), atol=2e-7)
        turn = pose.rotation_vector(ahead[:3, :3] @ behind[:3, :3].T)
        np.testing.assert_allclose(J[3:, i], turn / (2 * h), atol=2e-7)


@pytest.mark.parametrize("m", [1, 2, 63, 64, 65, 200])
def test_a_batch_of_any_size_gives_the_same_as_one_by_one(robot: Robot, m: int) -> None:
    q = np.random.default_rng(m).uniform(robot.lower, robot.upper, (m, robot.dof))
    np.testing.assert_allclose(robot.fk(q), [robot.fk(row) for row in q], atol=1e-15)
    np.testing.assert_allclose(robot.jacobian(q), [robot.jacobian(row) for row in q], atol=1e-15)
    np.testing.assert_allclose(robot.frames(q), [robot.frames(row) for row in q], atol=1e-15)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 2 * LARGEST])
@pytest.mark.parametrize("place", [0, 70])
def test_every_kernel_says_when_a_value_cannot_be_used(robot: Robot, bad: float, place: int) -> None:
    q = np.zeros((71, 3))
    q[place, 1] = bad
    data = robot.chain.constants, robot.chain.revolute
    assert not chain.fk_into(data[0], q[place].copy(), np.empty((4, 4)))
    assert not chain.jacobian_into(data[0], q[place].copy(), np.empty((6, 3)))
    assert not chain.fk_batch_into(*data, q, np.empty((71, 4, 4)))
    assert not chain.jacobian_batch_into(*data, q, np.empty((71, 6, 3)))
    assert not chain.frames_batch_into(*data, robot.chain.to_link, np.eye(4), q, np.empty((71, 5, 4, 4)))
    q[place, 1] = 0.0
    assert chain.fk_batch_into(*data, q, np.empty((71, 4, 4)))

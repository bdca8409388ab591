"""The drives of every arm against its weight and the load that its maker rates it for, wherever it may stand."""

from __future__ import annotations

import numpy as np
import pytest

import armlab
from armlab.arrays import Floats
from armlab.catalog import robot_names
from armlab.dynamics import gravity_torque, mass_matrix, with_payload
from armlab.dynamics.overload import AT_LIMIT
from armlab.model.robot import Robot

MARGIN = 1.3
"""What an estimated drive gives beyond what the arm at rest needs: it has to move, too."""
RATED_AT = {"braccio": 0.32 / 0.442}
"""Of the full reach, where an arm's maker rates it: a load farther out counts as one of the same moment there."""
SAMPLES, ROUNDS, STEPS = 500, 3, 37


def largest_gravity_torques(robot: Robot) -> Floats:
    """Return the largest torque that each joint needs at rest, (n,): of many configurations, the worst, made worse.

    From the worst of random ones, one joint after the other goes to where it makes the torque largest.
    """
    rng = np.random.default_rng(7)
    q = rng.uniform(robot.lower, robot.upper, (SAMPLES, robot.dof))
    worst = np.empty(robot.dof)
    for i in range(robot.dof):
        at = q[np.abs(gravity_torque(robot, q)[:, i]).argmax()]
        for _ in range(ROUNDS):
            for j in range(robot.dof):
                line = np.tile(at, (STEPS, 1))
                line[:, j] = np.append(np.linspace(robot.lower[j], robot.upper[j], STEPS - 1), at[j])
                at = line[np.abs(gravity_torque(robot, line)[:, i]).argmax()]
        worst[i] = abs(gravity_torque(robot, at)[i])
    return worst


@pytest.mark.parametrize("name", robot_names())
def test_an_arm_holds_its_rated_load_wherever_it_stands(name: str) -> None:
    robot = armlab.load(name)
    needed = largest_gravity_torques(with_payload(robot, (robot.payload or 0.0) * RATED_AT.get(name, 1.0)))
    allowed = AT_LIMIT * robot.effort / (MARGIN if "effort" in robot.estimated else 1.0)
    short = {j.name: (n, j.effort) for j, n, a in zip(robot.joints, needed, allowed, strict=True) if n > a}
    assert not short


def test_the_worst_configuration_of_a_pendulum_is_found() -> None:
    """A UR5e's shoulder carries most when the arm is stretched out level: there, all masses are at their full lever."""
    robot = armlab.load("ur5e")
    level = np.radians([0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    found = largest_gravity_torques(robot)
    assert found[1] >= abs(gravity_torque(robot, level)[1]) - 1e-9
    assert found[0] == pytest.approx(0.0, abs=1e-9)


@pytest.mark.parametrize("name", [name for name in robot_names() if "effort" in armlab.load(name).estimated])
def test_an_estimated_drive_speeds_its_joint_up_as_fast_as_the_file_says(name: str) -> None:
    """At rest, without a load: the joint's own inertia times its acceleration, and the weight."""
    robot = armlab.load(name)
    q = np.random.default_rng(8).uniform(robot.lower, robot.upper, (200, robot.dof))
    inertia = np.diagonal(mass_matrix(robot, q), axis1=1, axis2=2)
    needed = (inertia * [joint.acceleration for joint in robot.joints] + np.abs(gravity_torque(robot, q))).max(axis=0)
    short = {j.name: (n, j.effort) for j, n in zip(robot.joints, needed, strict=True) if n > j.effort}
    assert not short

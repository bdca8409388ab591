"""A load is a body that the tool holds."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from armlab import dynamics
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.model.robot import Robot
from oracles.arms import joint_values, made_up_arms, random_inertia

SIX = made_up_arms()[0]


def bare(robot: Robot) -> Robot:
    return robot.with_tool(replace(robot.tool, inertia=type(robot.tool.inertia)()))


def test_a_payload_weighs_as_much_as_a_tool_with_its_mass() -> None:
    load = random_inertia(np.random.default_rng(1))
    T = SIX.tool.T_flange_tool
    R = T[:3, :3]
    in_flange = type(load)(load.mass, pose.transform(T, load.com), R @ load.matrix @ R.T)
    as_tool = SIX.with_tool(replace(SIX.tool, inertia=in_flange))
    held = dynamics.with_payload(bare(SIX), load.mass, load.com, load.matrix)
    q = joint_values(SIX, 10, 1)
    np.testing.assert_allclose(
        dynamics.inverse_dynamics(held, q, q, q), dynamics.inverse_dynamics(as_tool, q, q, q), atol=1e-11
    )


def test_forces_of_arm_and_payload_add() -> None:
    """Forces are linear in the masses: those of the load alone are what the arm needs more."""
    q = joint_values(SIX, 10, 2)
    load = dynamics.inverse_dynamics(dynamics.with_payload(SIX, 2.0, [0.1, 0.0, 0.05]), q, q, q)
    load -= dynamics.inverse_dynamics(SIX, q, q, q)
    again = dynamics.inverse_dynamics(dynamics.with_payload(bare(SIX), 2.0, [0.1, 0.0, 0.05]), q, q, q)
    again -= dynamics.inverse_dynamics(bare(SIX), q, q, q)
    np.testing.assert_allclose(load, again, atol=1e-10)
    assert np.abs(load).max() > 1.0


def test_a_point_load_pulls_at_the_tool() -> None:
    """Its weight is a force at the tool point: Jᵀ f."""
    q = joint_values(SIX, 10, 3)
    more = dynamics.gravity_torque(dynamics.with_payload(SIX, 1.5), q) - dynamics.gravity_torque(SIX, q)
    np.testing.assert_allclose(more, SIX.jacobian(q)[:, 2] * 1.5 * 9.81, atol=1e-11)


def test_no_load_changes_nothing_and_the_robot_keeps_its_place() -> None:
    held = dynamics.with_payload(SIX, 0.0)
    q = joint_values(SIX, 5, 4)
    np.testing.assert_allclose(dynamics.gravity_torque(held, q), dynamics.gravity_torque(SIX, q), atol=1e-12)
    np.testing.assert_array_equal(held.fk(q), SIX.fk(q))
    assert dynamics.moving_mass(dynamics.with_payload(SIX, 3.0)) == pytest.approx(dynamics.moving_mass(SIX) + 3.0)


@pytest.mark.parametrize(
    ("mass", "com", "matrix", "sentence"),
    [
        (-1.0, [0, 0, 0], None, "mass must be ≥ 0, got -1 kg"),
        (math.nan, [0, 0, 0], None, "mass: nan is not a finite number"),
        ("heavy", [0, 0, 0], None, "mass: 'heavy' is not an array of numbers"),
        (1.0, [0, 0], None, r"com: expected shape \(3,\)"),
        (1.0, [0, 0, 0], np.diag([1.0, 1.0, 5.0]), "no body has the principal moments 1, 1, 5 kg m²"),
        (1.0, [0, 0, 0], np.diag([-1.0, 1.0, 1.0]), "no body has the principal moments"),
        (1.0, [0, 0, 0], [[1, 1, 0], [0, 1, 0], [0, 0, 1]], "inertia: the matrix is not symmetric"),
        (1.0, [0, 0, 0], [1.0, 1.0, 1.0], r"inertia: expected shape \(3, 3\)"),
        (1.0, [0, 0, 0], np.full((3, 3), math.nan), "is not a finite number"),
        (0.0, [0, 0, 0], np.eye(3), "a load without mass has none"),
    ],
)
def test_what_is_not_a_load_is_refused(mass: float, com: list[float], matrix: object, sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        dynamics.with_payload(SIX, mass, com, matrix)  # type: ignore[arg-type]

"""Laws of the regressor: it is linear in the parameters and agrees with Newton and Euler."""

from __future__ import annotations

import numpy as np
import pytest

from armlab import catalog, dynamics
from armlab.arrays import Floats
from armlab.dynamics.regressor import inertias_of, link_parameters
from armlab.errors import InvalidInput
from armlab.model.robot import Robot
from oracles.arms import joint_values, made_up_arms

ARMS = {robot.name: robot for robot in (*made_up_arms(), catalog.load("stanford"), catalog.load("franka-panda"))}
COUNT = 37  # two whole blocks of the kernel, and a part of one


@pytest.fixture(params=list(ARMS))
def arm(request: pytest.FixtureRequest) -> Robot:
    return ARMS[request.param]


def states(robot: Robot, seed: int) -> tuple[Floats, Floats, Floats]:
    rng = np.random.default_rng(seed)
    q = joint_values(robot, COUNT, seed)
    return q, rng.normal(size=q.shape), rng.normal(size=q.shape)


def test_the_regressor_times_the_parameters_is_the_inverse_dynamics(arm: Robot) -> None:
    q, qd, qdd = states(arm, 1)
    gravity = (0.3, -1.2, -9.0)
    Y = dynamics.torque_regressor(arm, q, qd, qdd, gravity=gravity)[..., : 10 * arm.dof]
    tau = dynamics.inverse_dynamics(arm, q, qd, qdd, gravity=gravity)
    np.testing.assert_allclose(Y @ dynamics.inertial_parameters(arm), tau, atol=1e-11 * max(1.0, np.abs(tau).max()))


def test_the_columns_of_drives_are_friction_and_the_inertia_of_rotors(arm: Robot) -> None:
    q, qd, qdd = states(arm, 2)
    n = arm.dof
    parameters = np.zeros(13 * n)
    Fc, Fv, Ir = parameters[10 * n :].reshape(n, 3).T
    Fc[:], Fv[:], Ir[:] = np.arange(1, n + 1), 0.5, 0.25
    tau = dynamics.torque_regressor(arm, q, qd, qdd) @ parameters
    np.testing.assert_allclose(tau, np.sign(qd) * Fc + 0.5 * qd + 0.25 * qdd, atol=1e-13)
    assert dynamics.parameter_names(arm)[10 * n : 10 * n + 3] == ("Fc1", "Fv1", "Ir1")


def test_one_row_is_the_same_as_a_row_of_many(arm: Robot) -> None:
    q, qd, qdd = states(arm, 3)
    many = dynamics.torque_regressor(arm, q, qd, qdd)
    np.testing.assert_allclose(dynamics.torque_regressor(arm, q[20], qd[20], qdd[20]), many[20], atol=1e-14)


def test_a_joint_at_rest_has_no_friction() -> None:
    robot = ARMS["franka-panda"]
    Y = dynamics.torque_regressor(robot, robot.home, np.zeros(7), np.zeros(7))
    assert not Y[:, 70:].any()


def test_the_parameters_give_the_inertias_back(arm: Robot) -> None:
    for link, inertia in zip(arm.links[1:], inertias_of(arm, link_parameters(arm)), strict=True):
        assert inertia.mass == pytest.approx(link.inertia.mass)
        np.testing.assert_allclose(inertia.com, link.inertia.com if link.inertia.mass else 0.0, atol=1e-12)
        np.testing.assert_allclose(inertia.matrix, link.inertia.matrix, atol=1e-9)


def test_a_body_without_mass_but_with_inertia_is_refused() -> None:
    robot = ARMS["franka-panda"]
    parameters = link_parameters(robot)
    parameters[30] = -0.1
    with pytest.raises(InvalidInput) as caught:
        inertias_of(robot, parameters)
    assert caught.value.code == "mass_not_positive"


@pytest.mark.parametrize("value", [np.nan, 1e13])
def test_values_that_cannot_be_used_are_named(value: float) -> None:
    robot = ARMS["franka-panda"]
    qd = np.zeros(7)
    qd[3] = value
    with pytest.raises(InvalidInput, match="qd"):
        dynamics.torque_regressor(robot, robot.home, qd, np.zeros(7))

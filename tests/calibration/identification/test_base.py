"""Which parameters joint torques can tell: counted once more by the singular values of Pinocchio's regressor."""

from __future__ import annotations

import numpy as np
import pytest

from armlab import catalog, dynamics
from armlab.calibration.identification.base import base_parameters, random_states
from armlab.formats.urdf import urdf_text
from armlab.geometry import pose
from armlab.model.robot import Robot
from oracles.arms import made_up_arms

ARMS = {robot.name: robot for robot in made_up_arms()}
NAMES = (*ARMS, "puma560", "franka-panda", "scara", "stanford", "planar3", "ur5e")


@pytest.fixture(params=NAMES)
def arm(request: pytest.FixtureRequest) -> Robot:
    return ARMS.get(request.param) or catalog.load(request.param)


def test_base_parameters_give_the_same_torques_as_all_parameters(arm: Robot) -> None:
    base = base_parameters(arm)
    rng = np.random.default_rng(3)
    parameters = rng.normal(size=13 * arm.dof)
    Y = dynamics.torque_regressor(arm, *random_states(arm, 50, seed=9))
    tau = Y @ parameters
    np.testing.assert_allclose(Y[..., base.leading] @ base.of(parameters), tau, atol=1e-6 * np.abs(tau).max())


def test_there_are_as_many_as_pinocchio_has_singular_values(arm: Robot) -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheels for this platform")
    model = pin.buildModelFromXML(urdf_text(arm))
    data = model.createData()
    states = zip(*random_states(arm, 150, seed=4), strict=True)
    rows = [np.reshape(pin.computeJointTorqueRegressor(model, data, *s), (arm.dof, -1)) for s in states]
    W = np.concatenate(rows)
    size = np.linalg.norm(W, axis=0)
    felt = size > 1e-9 * size.max()
    values = np.linalg.svd(W[:, felt] / size[felt], compute_uv=False)
    bodies = base_parameters(arm).leading < 10 * arm.dof
    assert bodies.sum() == (values > 1e-7 * values[0]).sum()


def test_the_panda_has_as_many_as_its_identification_found() -> None:
    """Gaz, Cognetti, Oliva, Robuffo Giordano, De Luca 2019, doi 10.1109/LRA.2019.2931248: 43 without friction.

    Counted in get_Panda_coefficients_expanded.m of their code, github.com/marcocognetti/FrankaEmikaPandaDynModel.
    """
    assert (base_parameters(catalog.load("franka-panda")).leading < 70).sum() == 43


def test_combinations_are_readable() -> None:
    """Two links in a vertical plane: the first moment of the first link takes the second one's mass at its end."""
    robot = catalog.load("planar2")
    base = base_parameters(robot)
    first = float(np.linalg.norm(robot.joints[1].T_parent_joint[:3, 3]))
    formulas = dict(zip(base.names, map(base.formula, range(len(base))), strict=True))
    assert f"Izz1 + {first**2:.4g} m2" in formulas["Izz1R"]
    assert formulas["Fc1"] == "Fc1"


def test_gravity_decides_what_is_felt() -> None:
    standing, lying = np.eye(4), pose.from_xyz_rpy([0, 0, 0], [np.pi / 2, 0, 0])
    arm = catalog.load("planar2")
    counts = [len(base_parameters(arm.with_base(T))) for T in (standing, lying)]
    weightless = [len(base_parameters(arm.with_base(T), (0.0, 0.0, 0.0))) for T in (standing, lying)]
    assert weightless == [min(counts)] * 2
    assert max(counts) > min(counts)

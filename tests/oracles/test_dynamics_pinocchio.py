"""Pinocchio must need the same forces, and find the same masses and energies, for every arm."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from refusals import refused

from armlab import catalog, dynamics
from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.formats.urdf import urdf_text
from armlab.model.robot import Robot
from oracles.arms import joint_values, made_up_arms

pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheels for this platform")

TOLERANCE = 1e-9
MADE_UP = {robot.name: robot for robot in made_up_arms()}
NAMES = (*MADE_UP, *catalog.robot_names())
COUNT = 37  # two whole blocks of the kernels, and a part of one


@pytest.fixture(params=NAMES)
def arm(request: pytest.FixtureRequest) -> Robot:
    """Every arm that is in the catalog, with a tool; and the made-up ones with the tool that they have."""
    name = request.param
    return MADE_UP[name] if name in MADE_UP else catalog.load(name).with_tool(catalog.load_tool("torch"))


class Peer:
    """Pinocchio's answers, one state at a time."""

    def __init__(self, robot: Robot) -> None:
        self.model: Any = pin.buildModelFromXML(urdf_text(robot))
        self.data: Any = self.model.createData()

    def mass_matrix(self, q: Floats) -> Floats:
        upper = np.triu(pin.crba(self.model, self.data, q))
        return np.asarray(upper + np.triu(upper, 1).T)

    def potential_energy(self, q: Floats) -> float:
        return float(pin.computePotentialEnergy(self.model, self.data, q))

    def each(self, function: Any, *rows: Floats) -> Floats:
        return np.array([np.array(function(self.model, self.data, *row)) for row in zip(*rows, strict=True)])


def states(robot: Robot, seed: int) -> tuple[Floats, Floats, Floats]:
    rng = np.random.default_rng(seed)
    q = joint_values(robot, COUNT, seed)
    return q, rng.normal(size=q.shape), rng.normal(size=q.shape)


def assert_same(ours: Floats, theirs: Floats) -> None:
    np.testing.assert_allclose(ours, theirs, rtol=TOLERANCE, atol=TOLERANCE * max(1.0, float(np.abs(theirs).max())))


def test_pinocchio_needs_the_same_forces(arm: Robot) -> None:
    peer, (q, qd, qdd) = Peer(arm), states(arm, 1)
    assert_same(dynamics.inverse_dynamics(arm, q, qd, qdd), peer.each(pin.rnea, q, qd, qdd))
    assert_same(dynamics.gravity_torque(arm, q), peer.each(pin.computeGeneralizedGravity, q))


def test_pinocchio_has_the_same_coriolis_forces_and_matrix(arm: Robot) -> None:
    peer, (q, qd, _) = Peer(arm), states(arm, 2)
    bias = peer.each(pin.nonLinearEffects, q, qd) - peer.each(pin.computeGeneralizedGravity, q)
    assert_same(dynamics.coriolis_torque(arm, q, qd), bias)
    assert_same(np.einsum("mij,mj->mi", dynamics.coriolis_matrix(arm, q, qd), qd), bias)


def test_pinocchio_has_the_same_mass_matrix(arm: Robot) -> None:
    peer, (q, _, _) = Peer(arm), states(arm, 3)
    assert_same(dynamics.mass_matrix(arm, q), np.array([peer.mass_matrix(row) for row in q]))


def test_pinocchio_accelerates_alike(arm: Robot) -> None:
    peer, (q, qd, tau) = Peer(arm), states(arm, 4)
    if arm.name == "square":  # its last link is a point on its axis: articulated bodies divide by zero there
        with refused("joint_without_inertia", InvalidInput):
            dynamics.forward_dynamics(arm, q, qd, tau)
        return
    theirs = peer.each(pin.aba, q, qd, tau)
    np.testing.assert_allclose(dynamics.forward_dynamics(arm, q, qd, tau), theirs, rtol=1e-7, atol=1e-7)


def test_pinocchio_has_the_same_energies(arm: Robot) -> None:
    peer, (q, qd, _) = Peer(arm), states(arm, 5)
    assert_same(dynamics.kinetic_energy(arm, q, qd), peer.each(pin.computeKineticEnergy, q, qd))
    assert_same(dynamics.potential_energy(arm, q), np.array([peer.potential_energy(row) for row in q]))


def test_pinocchio_agrees_where_gravity_pulls_aside(arm: Robot) -> None:
    peer, (q, qd, qdd) = Peer(arm), states(arm, 6)
    gravity = np.array([1.0, -3.0, 2.0])
    peer.model.gravity.linear = gravity
    assert_same(dynamics.inverse_dynamics(arm, q, qd, qdd, gravity=gravity), peer.each(pin.rnea, q, qd, qdd))


def test_pinocchio_has_the_same_regressor(arm: Robot) -> None:
    """Theirs is in the frames of links and sorts Iyy before Ixz; ours has z along each joint's axis."""
    peer, (q, qd, qdd) = Peer(arm), states(arm, 6)
    theirs = peer.each(pin.computeJointTorqueRegressor, q, qd, qdd).reshape(COUNT, arm.dof, -1)
    ours = dynamics.torque_regressor(arm, q, qd, qdd)
    for i in range(arm.dof):
        block = ours[:, :, 10 * i : 10 * i + 10] @ turned_parameters(arm.chain.to_link[i])
        assert_same(block[:, :, [0, 1, 2, 3, 4, 5, 7, 6, 8, 9]], theirs[:, :, 10 * i : 10 * i + 10])


def turned_parameters(R: Floats) -> Floats:
    """Return the matrix (10, 10) that turns mass, mass times centre and inertia by R."""
    upper = np.triu_indices(3)
    turn = np.zeros((10, 10))
    turn[0, 0], turn[1:4, 1:4] = 1.0, R
    for column, (i, j) in enumerate(zip(*upper, strict=True)):
        unit = np.zeros((3, 3))
        unit[i, j] = unit[j, i] = 1.0
        turn[4:, 4 + column] = (R @ unit @ R.T)[upper]
    return turn

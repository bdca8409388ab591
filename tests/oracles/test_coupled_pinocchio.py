"""Pinocchio, given the values of all joints by the file's law, must agree about arms whose joints are coupled."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from coupled_arms import ARMS, all_values, coupled_arm, random_rows

from armlab import dynamics
from armlab.arrays import Floats

pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheels for this platform")
pytestmark = pytest.mark.parametrize("name", ARMS)


class Peer:
    """Pinocchio's model of the file with every joint on its own, and the law as a matrix."""

    def __init__(self, name: str) -> None:
        self.robot = coupled_arm(name)
        self.model: Any = pin.buildModelFromXML(ARMS[name][0])
        self.data: Any = self.model.createData()
        self.names = list(self.model.names)[1:]
        self.q = random_rows(self.robot)
        self.all_q = all_values(name, self.robot, self.q, self.names)
        self.C = all_values(name, self.robot, np.eye(self.robot.dof), self.names, rates=True).T

    def rates(self, seed: int) -> tuple[Floats, Floats]:
        own = np.random.default_rng(seed).normal(size=self.q.shape)
        return own, own @ self.C.T


def test_every_frame_is_where_pinocchio_has_it(name: str) -> None:
    peer = Peer(name)
    for q, all_q in zip(peer.q, peer.all_q, strict=True):
        pin.framesForwardKinematics(peer.model, peer.data, all_q)
        for own, T in zip(peer.robot.frame_names[:-1], peer.robot.frames(q)[:-1], strict=True):
            np.testing.assert_allclose(T, peer.data.oMf[peer.model.getFrameId(own)].homogeneous, atol=1e-12)


def test_the_jacobian_is_pinocchios_times_the_law(name: str) -> None:
    peer = Peer(name)
    frame = peer.model.getFrameId("tool0" if peer.model.existFrame("tool0") else peer.robot.links[-1].name)
    for q, all_q in zip(peer.q, peer.all_q, strict=True):
        J = pin.computeFrameJacobian(peer.model, peer.data, all_q, frame, pin.LOCAL_WORLD_ALIGNED)
        np.testing.assert_allclose(peer.robot.jacobian(q), J @ peer.C, atol=1e-12)
    np.testing.assert_allclose(peer.robot.jacobian(peer.q)[3], peer.robot.jacobian(peer.q[3]), atol=1e-14)


def test_forces_and_masses_are_pinocchios_folded_onto_the_arms_own_joints(name: str) -> None:
    peer = Peer(name)
    (qd, all_qd), (qdd, all_qdd) = peer.rates(1), peer.rates(2)
    tau, M = dynamics.inverse_dynamics(peer.robot, peer.q, qd, qdd), dynamics.mass_matrix(peer.robot, peer.q)
    for i, all_q in enumerate(peer.all_q):
        wanted = peer.C.T @ pin.rnea(peer.model, peer.data, all_q, all_qd[i], all_qdd[i])
        np.testing.assert_allclose(tau[i], wanted, atol=1e-9)
        upper = np.triu(pin.crba(peer.model, peer.data, all_q))
        np.testing.assert_allclose(M[i], peer.C.T @ (upper + np.triu(upper, 1).T) @ peer.C, atol=1e-10)
    np.testing.assert_allclose(dynamics.forward_dynamics(peer.robot, peer.q, qd, tau), qdd, atol=1e-8)

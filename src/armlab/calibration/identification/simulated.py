"""Recordings of simulated arms: an exciting motion, and the torques of an arm that differs from its drawing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.calibration.arm import RealArm
from armlab.calibration.identification.excitation import FourierMotion
from armlab.calibration.identification.identify import with_links
from armlab.calibration.tolerances import real_arm
from armlab.dynamics.bodies import with_payload
from armlab.dynamics.forces import inverse_dynamics
from armlab.dynamics.regressor import link_parameters
from armlab.model.robot import Robot
from armlab.recording.recording import COMMAND_Q, COMMAND_QD, COMMAND_QDD, QUANTITIES, TAU, Q, Recording

RATE = 200.0
"""Hz."""
ENCODER = 1e-5
"""rad or m: standard deviation of measured positions."""
MASS_ERROR = 0.1
"""How much a link's mass may differ from the drawing, as a share."""


@dataclass(frozen=True, slots=True, eq=False)
class TrueArm:
    """An arm that stands for a real one: its masses, and its friction."""

    robot: Robot
    real: RealArm

    def torques(self, q: Floats, qd: Floats, qdd: Floats) -> Floats:
        """Return what the drives give (m, n)."""
        return inverse_dynamics(self.robot, q, qd, qdd) + self.real.friction_torque(qd)


def true_arm(robot: Robot, seed: int, tolerance: str = "industrial") -> TrueArm:
    """Return an arm whose link masses differ by up to 10 %, with the friction of a tolerance class."""
    rng = np.random.default_rng(seed)
    bodies = link_parameters(robot).reshape(-1, 10)
    bodies *= rng.uniform(1.0 - MASS_ERROR, 1.0 + MASS_ERROR, (len(bodies), 1))
    return TrueArm(with_links(robot, bodies.ravel()), real_arm(robot, tolerance, seed=seed))


def commanded(robot: Robot, motion: FourierMotion, *, rate: float = RATE, periods: int = 1) -> Recording:
    """Return a recording of what to command: positions, speeds and accelerations; nothing was measured yet."""
    t = np.arange(round(motion.period * periods * rate) + 1) / rate
    joints = np.full((len(t), len(QUANTITIES), robot.dof), np.nan)
    states = motion.sample(t)
    for row, values in zip((COMMAND_Q, COMMAND_QD, COMMAND_QDD), states, strict=True):
        joints[:, row] = values
    joints[:, Q] = states[0]  # where nobody has measured yet, the joints are where they are told to be
    return Recording.of(robot, t, joints, {"excitation": "commanded"})


def simulated(
    arm: TrueArm,
    motion: FourierMotion,
    *,
    seed: int = 0,
    rate: float = RATE,
    periods: int = 1,
    noise: float = 0.01,
    mass: float = 0.0,
    com: ArrayLike = (0.0, 0.0, 0.0),
) -> Recording:
    """Return what would be recorded along a motion: positions and torques with their noise, speeds not.

    Args:
        arm: what moves.
        motion: exactly this one: the servos are taken as perfect.
        seed: of the noise.
        rate: samples per second.
        periods: how often the motion is repeated.
        noise: standard deviation of a joint's measured torque, as a share of its largest.
        mass: of a load at the tool (kg).
        com: where it is in the tool's frame (m).
    """
    rng = np.random.default_rng(seed)
    recording = commanded(arm.robot, motion, rate=rate, periods=periods)
    loaded = TrueArm(with_payload(arm.robot, mass, com), arm.real)
    joints = recording.joints.copy()
    tau = loaded.torques(*(np.ascontiguousarray(joints[:, row]) for row in (COMMAND_Q, COMMAND_QD, COMMAND_QDD)))
    joints[:, Q] += rng.normal(scale=ENCODER, size=tau.shape)
    joints[:, TAU] = tau + rng.normal(size=tau.shape) * noise * np.abs(tau).max(axis=0)
    return Recording.of(arm.robot, recording.t, joints, {"excitation": "simulated", "seed": seed})

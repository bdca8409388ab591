"""What an arm carries, from its joint torques."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.identification.identify import Identification
from armlab.calibration.identification.least_squares import Equations, TorqueFit, moving, regressor_blocks
from armlab.calibration.identification.samples import JointSamples
from armlab.dynamics.forces import GRAVITY
from armlab.dynamics.regressor import inertial_parameters, link_parameters
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.kernels.regressor import BODY, DRIVE
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.threads import one_blas_thread

LEAST = 3.0
"""A mass that is not this many standard deviations above zero is none."""


@dataclass(frozen=True, slots=True, eq=False)
class Payload:
    """A load in the tool's frame, beyond what the tool itself weighs; standard deviations beside the values."""

    mass: float
    mass_sigma: float
    com: Floats
    """(3,) m; NaN along a direction that the motion did not show."""
    com_sigma: Floats
    """(3,) m."""
    noise: Floats
    """(n,): what the torques leave over, N m or N."""


@one_blas_thread()
def identify_payload(
    robot: Robot,
    samples: JointSamples,
    *,
    baseline: Identification | None = None,
    gravity: tuple[float, float, float] = GRAVITY,
) -> Payload:
    """Return what the arm carries beyond its tool.

    Args:
        robot: the arm with its tool.
        samples: a motion with the load.
        baseline: what was identified without the load; else the arm weighs what its file says, and its friction is
            found together with the load.
        gravity: the acceleration of a falling body in the world (m/s²).

    Raises:
        InvalidInput: if the torques do not show the mass, or no mass is there.
    """
    last = slice(BODY * (robot.dof - 1), BODY * robot.dof)
    unknown = [*range(last.start, last.stop)]
    if baseline is None:
        drives = range(BODY * robot.dof, (BODY + DRIVE) * robot.dof)
        unknown += [k for k in drives if (k - BODY * robot.dof) % DRIVE < 2]  # friction; rotors are part of the arm
    equations = Equations(robot.dof, len(unknown))
    used = moving(samples.qd)
    for rows, Y in regressor_blocks(robot, samples.q, samples.qd, samples.qdd, gravity):
        equations.add(Y[..., unknown], samples.tau[rows] - _known(robot, baseline, Y), used[rows])
    fit = equations.solve()
    if 0 in fit.dependent:
        raise InvalidInput(
            "payload_not_felt",
            _("{robot}: the torques of this motion do not depend on the mass of a load"),
            robot=robot.name,
        )
    return _payload(robot, fit, _covariance(robot, fit, baseline, samples, unknown, gravity))


def _known(robot: Robot, baseline: Identification | None, Y: Floats) -> Floats:
    """Return the torques (m, n) of the arm without the load."""
    if baseline is None:
        return np.asarray(Y[..., : BODY * robot.dof] @ inertial_parameters(robot))
    tool = inertial_parameters(robot) - link_parameters(robot)
    return np.asarray(Y[..., baseline.base.leading] @ baseline.fit.values + Y[..., : BODY * robot.dof] @ tool)


def _covariance(
    robot: Robot,
    fit: TorqueFit,
    baseline: Identification | None,
    samples: JointSamples,
    unknown: list[int],
    gravity: tuple[float, float, float],
) -> Floats:
    """Return the covariance of mass and mass times centre (4, 4), with what the baseline does not know exactly."""
    if baseline is None:
        return fit.covariance[:4, :4]
    mixed = np.zeros((len(unknown), len(baseline.base)))  # Aᵀ Ω W: how errors of the baseline look like a load
    used = moving(samples.qd)
    for rows, Y in regressor_blocks(robot, samples.q, samples.qd, samples.qdd, gravity):
        weight = used[rows] / fit.noise**2
        mixed += np.einsum("mna,mn,mnb->ab", Y[..., unknown], weight, Y[..., baseline.base.leading], optimize=True)
    G = fit.covariance @ mixed
    return np.asarray((fit.covariance + G @ baseline.fit.covariance @ G.T)[:4, :4])


def _payload(robot: Robot, fit: TorqueFit, covariance: Floats) -> Payload:
    mass, moment = float(fit.values[0]), fit.values[1:4]
    sigma = float(np.sqrt(covariance[0, 0]))
    if mass < LEAST * sigma or mass <= 0.0:
        raise InvalidInput(
            "no_payload",
            _("{robot}: no load is found: {mass:.3g} ± {sigma:.2g} kg (one standard deviation)"),
            robot=robot.name,
            mass=mass,
            sigma=sigma,
        )
    com = moment / mass
    slope = np.column_stack([-com / mass, np.eye(3) / mass])  # of com by mass and moment
    spread = slope @ covariance @ slope.T
    T_link_tool = robot.flange @ robot.tool.T_flange_tool
    R_joint_tool = robot.chain.to_link[-1] @ T_link_tool[:3, :3]
    p_tool = pose.inverse(T_link_tool) @ np.append(robot.chain.to_link[-1].T @ com, 1.0)
    p_tool, turned = p_tool[:3], R_joint_tool.T @ spread @ R_joint_tool
    blind = [k - 1 for k in fit.dependent if 1 <= k <= 3]
    if blind:  # of the axes of the joint: whichever of the tool's they are part of
        hidden = (np.abs(R_joint_tool[blind]) > 1e-6).any(axis=0)
        p_tool = np.where(hidden, np.nan, p_tool)
    return Payload(mass, sigma, p_tool, np.sqrt(np.diag(turned)), fit.noise.copy())

"""An arm's dynamics from its joint torques: base parameters, friction, and bodies that can exist."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.identification.base import BaseParameters, base_parameters
from armlab.calibration.identification.consistent import possible_parameters
from armlab.calibration.identification.least_squares import Equations, TorqueFit, moving, regressor_blocks
from armlab.calibration.identification.samples import JointSamples
from armlab.dynamics.bodies import moving_mass
from armlab.dynamics.forces import GRAVITY
from armlab.dynamics.regressor import inertial_parameters, inertias_of, link_parameters
from armlab.errors import InvalidInput
from armlab.kernels.regressor import BODY, DRIVE
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.threads import one_blas_thread

OTHER_ARM = 1.6
"""Links that together weigh so many times more or less than drawn are those of another arm."""
POOR = 1000.0
"""Condition numbers beyond this say that the motion hardly tells the parameters apart."""


@dataclass(frozen=True, slots=True, eq=False)
class Identification:
    """What the torques of an arm tell of it."""

    robot: Robot
    """The arm with the masses that were identified; the tool's are those that it was given with."""
    base: BaseParameters
    fit: TorqueFit
    """Values of the base parameters with their covariance; the tool is not in them."""
    nominal: Floats
    """(b,): the base parameters of the arm as it was drawn, without friction."""
    parameters: Floats
    """(13 n,): bodies that can exist, and drives, nearest to the base parameters."""
    findings: tuple[Finding, ...]

    @property
    def coulomb(self) -> Floats:
        """Coulomb friction of each joint (n,), N m or N."""
        return self._drive(0)

    @property
    def viscous(self) -> Floats:
        """Viscous friction of each joint (n,), N m s/rad or N s/m."""
        return self._drive(1)

    def _drive(self, which: int) -> Floats:
        return self.parameters[BODY * self.robot.dof :].reshape(-1, DRIVE)[:, which].copy()


@one_blas_thread()
def identify(robot: Robot, samples: JointSamples, *, gravity: tuple[float, float, float] = GRAVITY) -> Identification:
    """Return the dynamics of an arm from what its joints did and the forces that they needed.

    Weighted least squares for the base parameters: each joint's equations count by the noise of its own torques. The
    standard deviations hold for noise that is independent from sample to sample. Then the nearest bodies that can
    exist. What no torque shows stays as drawn.

    Raises:
        InvalidInput: if the motion leaves a parameter undetermined; it says which.
    """
    base = base_parameters(robot, gravity)
    tool = inertial_parameters(robot) - link_parameters(robot)
    fit = _solved(robot, samples, base, tool, gravity)
    if fit.dependent:
        raise InvalidInput(
            "motion_not_exciting",
            _(
                "{robot}: the motion does not show {names}; record one that moves every joint, as "
                "`armlab identify --robot {robot} --excite` writes it"
            ),
            robot=robot.name,
            names=[base.names[k] for k in fit.dependent],
        )
    nominal = np.concatenate([link_parameters(robot), np.zeros(DRIVE * robot.dof)])
    parameters = possible_parameters(base, fit.values, fit.covariance, nominal[: BODY * robot.dof])
    identified = with_links(robot, parameters[: BODY * robot.dof])
    return Identification(
        identified,
        base,
        fit,
        base.of(nominal),
        parameters,
        (*samples.findings, *_warnings(robot, identified, fit)),
    )


def with_links(robot: Robot, parameters: Floats) -> Robot:
    """Return the arm with other masses: `BODY_PARAMETERS` (10 n,) of its links."""
    inertias = inertias_of(robot, parameters)
    links = [replace(link, inertia=i) for link, i in zip(robot.links[1:], inertias, strict=True)]
    estimated = tuple(each for each in robot.estimated if each not in {"mass", "link masses"})
    return replace(
        robot,
        links=(robot.links[0], *links),
        estimated=estimated,
        configurations=dict(robot.configurations),
    )


def _solved(
    robot: Robot, samples: JointSamples, base: BaseParameters, tool: Floats, gravity: tuple[float, float, float]
) -> TorqueFit:
    equations = Equations(robot.dof, len(base))
    used = moving(samples.qd)
    for rows, Y in regressor_blocks(robot, samples.q, samples.qd, samples.qdd, gravity):
        known = Y[..., : BODY * robot.dof] @ tool
        equations.add(Y[..., base.leading], samples.tau[rows] - known, used[rows])
    return equations.solve()


def _warnings(robot: Robot, identified: Robot, fit: TorqueFit) -> list[Finding]:
    found = []
    ratio = moving_mass(identified) / max(moving_mass(robot), 1e-9)
    if not 1.0 / OTHER_ARM < ratio < OTHER_ARM:
        template = _("{robot}: the identified links weigh {ratio:.2g} times the drawn ones; is it another arm?")
        found.append(Finding("warning", Message("masses_differ", template, robot=robot.name, ratio=ratio)))
    if fit.condition > POOR:
        template = _("{robot}: the motion hardly tells the parameters apart (condition number {condition:.3g})")
        found.append(Finding("warning", Message("poorly_excited", template, robot=robot.name, condition=fit.condition)))
    for joint, share in zip(robot.joints, fit.explained, strict=True):
        if share < 0.5:
            template = _("joint '{joint}': the model explains {share:.0%} of its torque; is the column right?")
            message = Message("torque_unexplained", template, joint=joint.name, share=max(float(share), 0.0))
            found.append(Finding("warning", message))
    return found

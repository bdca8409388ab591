"""Identified dynamics as people read them: kg, mm, N m."""

from __future__ import annotations

import math

import numpy as np

from armlab.calibration.identification.excitation import Excitation
from armlab.calibration.identification.identify import Identification
from armlab.calibration.identification.payload import Payload
from armlab.calibration.identification.samples import JointSamples
from armlab.kernels.regressor import BODY, DRIVE
from armlab.model.robot import Robot
from armlab.reports.findings import FindingReport, finding_reports
from armlab.reports.report import ReportModel, rounded
from armlab.units import MM_PER_M


class BaseParameterReport(ReportModel):
    """One combination of parameters: SI units, in the frame of its joint with z along the axis."""

    name: str
    formula: str
    value: float
    sigma: float
    nominal: float


class DriveReport(ReportModel):
    """One joint's friction and rotor (N m, N m s/rad, kg m²; N, N s/m, kg), and what its torque leaves over."""

    joint: str
    coulomb: float
    viscous: float
    rotor_inertia: float
    noise: float
    explained: float


class LinkReport(ReportModel):
    """One link as identified: kg, mm."""

    link: str
    mass: float
    nominal_mass: float
    com: tuple[float, float, float]


class IdentificationReport(ReportModel):
    """What the torques of a recording tell of an arm."""

    robot: str
    samples: int
    duration: float
    condition: float
    base: tuple[BaseParameterReport, ...]
    drives: tuple[DriveReport, ...]
    links: tuple[LinkReport, ...]
    findings: tuple[FindingReport, ...]


class PayloadReport(ReportModel):
    """What an arm carries beyond its tool: kg, mm in the tool's frame; null along a direction that was not shown."""

    robot: str
    samples: int
    duration: float
    mass: float
    mass_sigma: float
    com: tuple[float | None, float | None, float | None]
    com_sigma: tuple[float | None, float | None, float | None]
    noise: tuple[float, ...]
    """N m or N per joint."""
    findings: tuple[FindingReport, ...]


class ExcitationReport(ReportModel):
    """A motion to record."""

    robot: str
    file: str
    duration: float
    samples: int
    condition: float
    random_condition: float
    trials: int
    measured: bool
    """Whether the file has torques: of a simulated arm."""


def identification_report(drawn: Robot, found: Identification, samples: JointSamples) -> IdentificationReport:
    """Return an identification as a report; `drawn` is the arm before it."""
    base, fit, n = found.base, found.fit, drawn.dof
    drives = found.parameters[BODY * n :].reshape(n, DRIVE)
    return IdentificationReport(
        robot=drawn.name,
        samples=len(samples),
        duration=float(samples.t[-1] - samples.t[0]),
        condition=rounded(fit.condition),
        base=tuple(
            BaseParameterReport(
                name=name,
                formula=base.formula(k),
                value=float(fit.values[k]),
                sigma=float(fit.sigma[k]),
                nominal=float(found.nominal[k]),
            )
            for k, name in enumerate(base.names)
        ),
        drives=tuple(
            DriveReport(
                joint=joint.name,
                coulomb=float(drives[i, 0]),
                viscous=float(drives[i, 1]),
                rotor_inertia=float(drives[i, 2]),
                noise=float(fit.noise[i]),
                explained=float(fit.explained[i]),
            )
            for i, joint in enumerate(drawn.joints)
        ),
        links=tuple(_link_report(drawn, found, i) for i in range(1, n + 1)),
        findings=finding_reports(found.findings),
    )


def _link_report(drawn: Robot, found: Identification, i: int) -> LinkReport:
    inertia = found.robot.links[i].inertia
    x, y, z = (rounded(float(v) * MM_PER_M) for v in inertia.com)
    return LinkReport(
        link=drawn.links[i].name, mass=inertia.mass, nominal_mass=drawn.links[i].inertia.mass, com=(x, y, z)
    )


def payload_report(robot: Robot, load: Payload, samples: JointSamples) -> PayloadReport:
    """Return a payload as a report."""
    hidden = np.isnan(load.com)
    com = [None if h else rounded(float(v) * MM_PER_M) for h, v in zip(hidden, load.com, strict=True)]
    sigma = [None if h else rounded(float(v) * MM_PER_M) for h, v in zip(hidden, load.com_sigma, strict=True)]
    return PayloadReport(
        robot=robot.name,
        samples=len(samples),
        duration=float(samples.t[-1] - samples.t[0]),
        mass=load.mass,
        mass_sigma=load.mass_sigma,
        com=(com[0], com[1], com[2]),
        com_sigma=(sigma[0], sigma[1], sigma[2]),
        noise=tuple(float(v) for v in load.noise),
        findings=finding_reports(samples.findings),
    )


def excitation_report(
    robot: Robot, found: Excitation, file: str, t: float, samples: int, *, measured: bool
) -> ExcitationReport:
    """Return a motion to record as a report."""
    return ExcitationReport(
        robot=robot.name,
        file=file,
        duration=t,
        samples=samples,
        condition=rounded(found.condition),
        random_condition=rounded(found.random_condition) if math.isfinite(found.random_condition) else found.condition,
        trials=found.trials,
        measured=measured,
    )

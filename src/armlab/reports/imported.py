"""An imported arm as people and programs read it."""

from __future__ import annotations

from typing import Literal

import numpy as np

from armlab.catalog.importing import ImportedArm
from armlab.collision.pair_findings import pair_findings
from armlab.model.dh import dh_table
from armlab.model.robot import Robot
from armlab.reports.findings import FindingReport, finding_reports
from armlab.reports.report import ReportModel, rounded
from armlab.reports.robots import DhReportRow
from armlab.units import DEG_PER_RAD, MM_PER_M

PROOF_SAMPLES = 200


class ChainReport(ReportModel):
    """One chain that the file has."""

    base: str
    tip: str
    dof: int


class HealthReport(ReportModel):
    """How whole the description was, 0 to 100, and its five parts, 0 to 20 each."""

    score: int
    geometry: float
    limits: float
    inertias: float
    meshes: float
    collision: float


class ImportReport(ReportModel):
    """What was read, from what, and everything that was guessed or repaired."""

    kind: Literal["toml", "urdf", "xacro", "sdf", "mjcf", "dh", "cad"]
    file: str
    robot: str
    dof: int
    chains: tuple[ChainReport, ...]
    health: HealthReport
    findings: tuple[FindingReport, ...]
    dh: tuple[DhReportRow, ...]
    """Standard convention."""
    dh_error: float
    """mm: how far the table's tool is from the arm's at most, over random configurations."""


def import_report(arm: ImportedArm) -> ImportReport:
    """Return an imported arm as a report."""
    return ImportReport(
        kind=arm.format,
        file=arm.file,
        robot=arm.robot.name,
        dof=arm.robot.dof,
        chains=tuple(ChainReport(base=chain.base, tip=chain.tip, dof=chain.dof) for chain in arm.chains),
        health=HealthReport(**arm.health._asdict()),
        findings=finding_reports((*arm.findings, *pair_findings(arm.robot))),
        dh=_dh_rows(arm.robot),
        dh_error=_dh_error(arm.robot),
    )


def _dh_rows(robot: Robot) -> tuple[DhReportRow, ...]:
    return tuple(
        DhReportRow(
            joint=row.joint,
            theta=rounded(row.theta * DEG_PER_RAD),
            d=rounded(row.d * MM_PER_M),
            a=rounded(row.a * MM_PER_M),
            alpha=rounded(row.alpha * DEG_PER_RAD),
        )
        for row in dh_table(robot.uncoupled, "standard").rows
    )


def _dh_error(robot: Robot) -> float:
    robot = robot.uncoupled
    q = np.random.default_rng(0).uniform(robot.lower, robot.upper, (PROOF_SAMPLES, robot.dof))
    apart = dh_table(robot, "standard").fk(q)[:, :3, 3] - robot.fk(q)[:, :3, 3]
    return float(np.linalg.norm(apart, axis=1).max()) * MM_PER_M

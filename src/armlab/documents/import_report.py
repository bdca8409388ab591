"""The report on an imported arm: how it looks, how whole it was, its table, and all that was guessed or repaired."""

from __future__ import annotations

from armlab.documents.blocks import Block, Heading, Picture, paragraph, table
from armlab.documents.pictures import png_of
from armlab.figures.arm import draw_arm
from armlab.messages import tr
from armlab.model.robot import Robot
from armlab.reports.imported import ImportReport


def import_blocks(report: ImportReport, robot: Robot) -> list[Block]:
    """Return the report as a document."""
    health = report.health
    parts = (health.geometry, health.limits, health.inertias, health.meshes, health.collision)
    return [
        Heading(1, tr("{robot}: import", robot=robot.title or robot.name)),
        paragraph(
            tr(
                "Read from {file} ({kind}); axes: {axes}; health: {score} of 100.",
                file=report.file,
                kind=report.kind,
                axes=report.dof,
                score=health.score,
            )
        ),
        Picture("arm", png_of(draw_arm(robot, robot.home)), tr("{robot} at home.", robot=robot.title or robot.name)),
        Heading(2, tr("Health")),
        table(
            (tr("geometry"), tr("limits"), tr("inertias"), tr("meshes"), tr("collision")),
            [[f"{part:g} / 20" for part in parts]],
            words=(),
        ),
        Heading(2, tr("Chains")),
        table(
            (tr("base"), tr("tip"), tr("axes")),
            [(chain.base, chain.tip, str(chain.dof)) for chain in report.chains],
            words=(0, 1),
        ),
        Heading(2, tr("DH, standard: Rz(θ) Tz(d) Tx(a) Rx(α)")),
        table(
            (tr("joint"), "θ °", tr("d mm"), tr("a mm"), "α °"),
            [(row.joint, *(f"{value:.6g}" for value in (row.theta, row.d, row.a, row.alpha))) for row in report.dh],
        ),
        paragraph(tr("the table is exact to {error} mm", error=f"{report.dh_error:.1e}")),
        Heading(2, tr("Findings")),
        _findings(report),
    ]


def _findings(report: ImportReport) -> Block:
    if not report.findings:
        return paragraph(tr("nothing had to be guessed or repaired"))
    return table(
        (tr("place"), tr("severity"), tr("finding"), tr("code")),
        [
            (_place(finding.where, report.file), finding.severity, finding.message.localized(), finding.code)
            for finding in report.findings
        ],
        words=(0, 1, 2, 3),
    )


def _place(where: object, file: str) -> str:
    line = where.get("line") if isinstance(where, dict) else None
    return file if line is None else f"{file}:{line}"

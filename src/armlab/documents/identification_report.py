"""The report on an arm's identified dynamics, or on its payload."""

from __future__ import annotations

from armlab.documents.blocks import Block, Heading, paragraph, table
from armlab.messages import tr
from armlab.reports.findings import FindingReport
from armlab.reports.identification import IdentificationReport, PayloadReport


def identification_blocks(report: IdentificationReport) -> list[Block]:
    """Return an identification as a document."""
    return [
        Heading(1, tr("{robot}: identified dynamics", robot=report.robot)),
        paragraph(
            tr(
                "{samples} samples, {duration:g} s; condition number {condition:.3g}. Standard deviations hold for "
                "noise that is independent from sample to sample.",
                samples=report.samples,
                duration=round(report.duration, 3),
                condition=report.condition,
            )
        ),
        Heading(2, tr("Joints")),
        table(
            (
                tr("joint"),
                tr("Coulomb N m"),
                tr("viscous N m s"),
                tr("rotor kg m²"),
                tr("noise N m"),
                tr("explained %"),
            ),
            [
                (d.joint, *(f"{v:.4g}" for v in (d.coulomb, d.viscous, d.rotor_inertia, d.noise, 100 * d.explained)))
                for d in report.drives
            ],
        ),
        Heading(2, tr("Links")),
        paragraph(tr("Bodies that can exist, nearest to the base parameters; what no torque shows is as drawn.")),
        table(
            (tr("link"), tr("mass kg"), tr("drawn kg"), tr("x mm"), tr("y mm"), tr("z mm")),
            [(k.link, *(f"{v:.4g}" for v in (k.mass, k.nominal_mass, *k.com))) for k in report.links],
        ),
        Heading(2, tr("Base parameters")),
        table(
            (tr("name"), tr("combination"), tr("value"), tr("standard deviation"), tr("drawn")),
            [(b.name, b.formula, f"{b.value:.5g}", f"{b.sigma:.2g}", f"{b.nominal:.5g}") for b in report.base],
            words=(0, 1),
        ),
        *finding_blocks(report.findings),
    ]


def payload_blocks(report: PayloadReport) -> list[Block]:
    """Return a payload as a document."""
    rows = [(tr("mass kg"), f"{report.mass:.5g}", f"{report.mass_sigma:.2g}")]
    for axis, value, sigma in zip("xyz", report.com, report.com_sigma, strict=True):
        rows.append((f"{axis} {tr('mm')}", _known(value, "{:.4g}"), _known(sigma, "{:.2g}")))
    return [
        Heading(1, tr("{robot}: payload", robot=report.robot)),
        paragraph(tr("Beyond the tool; the centre of mass is in the tool's frame.")),
        table((tr("quantity"), tr("value"), tr("standard deviation")), rows),
        *finding_blocks(report.findings),
    ]


def finding_blocks(findings: tuple[FindingReport, ...]) -> list[Block]:
    """Return findings as a table under a heading; nothing where there are none."""
    if not findings:
        return []
    rows = [(f.severity, f.message.localized(), f.code) for f in findings]
    return [
        Heading(2, tr("Findings")),
        table((tr("severity"), tr("finding"), tr("code")), rows, words=(0, 1, 2)),
    ]


def _known(value: float | None, form: str) -> str:
    return "–" if value is None else form.format(value)

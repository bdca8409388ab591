"""The report of the fault clinic."""

from __future__ import annotations

from armlab.documents.blocks import Block, Heading, paragraph, table
from armlab.documents.identification_report import finding_blocks
from armlab.messages import tr
from armlab.reports.diagnosis import DiagnosisReport


def diagnosis_blocks(report: DiagnosisReport) -> list[Block]:
    """Return a diagnosis as a document."""
    blocks: list[Block] = [
        Heading(1, tr("{robot}: {diagnosis}", robot=report.robot, diagnosis=report.title)),
        paragraph(f"{report.evidence.localized()}."),
    ]
    if report.cause is not None and report.since is not None and report.noticed is not None:
        where = report.joint or "–"
        rows = [
            (tr("joint"), where),
            (tr("since"), tr("{time:.1f} s", time=report.since)),
            (tr("noticed"), tr("{time:.1f} s", time=report.noticed)),
        ]
        if report.life is not None:
            high = "∞" if report.life.high is None else f"{report.life.high:.0f}"
            rows.append((tr("remaining life"), tr("{low} … {high} s", low=f"{report.life.low:.0f}", high=high)))
        blocks.append(table((tr("what"), tr("value")), rows, words=(0, 1)))
        if report.life is not None:
            blocks.append(paragraph(f"{report.life.assumptions.localized()}."))
    blocks += [
        Heading(2, tr("What was considered")),
        table(
            (tr("cause"), tr("joint"), tr("score")),
            [(each.title.localized(), each.joint or "–", f"{each.score:.3g}") for each in report.candidates],
            words=(0, 1),
        ),
        paragraph(_baseline(report.healthy_until)),
        *finding_blocks(report.findings),
    ]
    return blocks


def _baseline(until: float) -> str:
    if until == 0.0:
        return tr("The recording was compared with a healthy one.")
    return tr("The first {time:.1f} s were taken as healthy.", time=until)

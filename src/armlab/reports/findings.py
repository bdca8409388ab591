"""Findings as people and programs read them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from armlab.messages import Message
from armlab.model.finding import Finding
from armlab.reports.report import ReportModel


class FindingReport(ReportModel):
    """One thing that a check noticed: `parameters` are those of the message; `where` has the place in SI units."""

    severity: Literal["error", "warning", "note"]
    code: str
    message: Message
    parameters: Mapping[str, Any] = {}
    where: Mapping[str, float | int | str] = {}


def finding_report(finding: Finding) -> FindingReport:
    """Return a finding as a report."""
    return FindingReport(
        severity=finding.severity,
        code=finding.code,
        message=finding.message,
        parameters=finding.message.facts(),
        where=dict(finding.where),
    )


def finding_reports(findings: Iterable[Finding]) -> tuple[FindingReport, ...]:
    """Return findings as reports."""
    return tuple(finding_report(f) for f in findings)

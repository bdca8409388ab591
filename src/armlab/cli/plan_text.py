"""A planned motion in words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from armlab.cli.plan_around import free_line
from armlab.cli.text import console, fixed, heading, number, severity, table
from armlab.messages import tr

if TYPE_CHECKING:
    from armlab.reports.motion import PlanReport

TABLES = (".csv", ".json")


def print_plan(report: PlanReport, path: Path | None) -> None:
    """Print a planned motion as tables."""
    out = console()
    what = ", ".join(filter(None, (report.path, report.scheme, report.branch)))
    out.print(heading(f"{report.robot}  {what}: {fixed(report.duration, 3)} {tr('s')}"))
    rows = []
    for peak in report.peaks:
        ends = (number(peak.start), number(peak.end), peak.unit)
        speeds = (number(peak.velocity, 1), _percent(peak.velocity_share))
        rates = (number(peak.acceleration, 0), _percent(peak.acceleration_share), _percent(peak.jerk_share))
        rows.append((peak.joint, *ends, *speeds, *rates))
    columns = (
        tr("joint"), tr("from"), tr("to"), tr("unit"), tr("peak /s"), tr("of limit"), tr("peak /s²"), tr("of limit"),
        tr("jerk of limit"),
    )  # fmt: skip
    out.print(table(tr("Peaks"), columns, rows, words=(0, 3)))
    tool = report.tool_peak
    fastest = {"speed": number(tool.speed, 1), "turn": number(tool.turn_speed, 1)}
    out.print(tr("tool at most {speed} mm/s, {turn} °/s", **fastest))
    if report.free is not None:
        out.print(free_line(report.free))
    for finding in report.findings:
        out.print(f"{severity(finding.severity)}: {finding.message.localized()}", soft_wrap=True)
    if path is not None and path.suffix.lower() in TABLES:
        out.print(tr("{file}: rows: {count}", file=str(path), count=len(report.t)), soft_wrap=True)
    elif path is not None:
        out.print(tr("{file}: written", file=str(path)), soft_wrap=True)


def _percent(share: float) -> str:
    return f"{100.0 * share:.0f} %"

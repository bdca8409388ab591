"""What is asked about the sensors of a session: presets, drift and visibility; their samples come on the wire."""

from __future__ import annotations

from armlab.reports.report import ReportModel


class PresetReport(ReportModel):
    """A sensor that can be bought, and where its numbers are from."""

    name: str
    source: str


class FilterDrift(ReportModel):
    """How far one filter is off over time: orientation (°), and position (mm) where it knows one."""

    filter: str
    orientation: tuple[float, ...]
    position: tuple[float, ...] | None


class JointVisibility(ReportModel):
    """What the sensors can tell of a joint, 0 to 1: its angle at rest, its speed while it moves."""

    joint: str
    at_rest: float
    moving: float


class DriftReport(ReportModel):
    """Errors of navigation by one sensor since it was switched on, and what all sensors can see of the joints."""

    t: tuple[float, ...]
    """s since then."""
    filters: tuple[FilterDrift, ...]
    joints: tuple[JointVisibility, ...]

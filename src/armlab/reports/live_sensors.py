"""The inertial sensors of a session as a page shows them: °/s, m/s², degrees and mm."""

from __future__ import annotations

from armlab.reports.report import ReportModel


class PresetReport(ReportModel):
    """A sensor that can be bought, and where its numbers are from."""

    name: str
    source: str


class SensorSignals(ReportModel):
    """What one sensor read: rate x y z (°/s) and specific force x y z (m/s²) per sample, ideal and with its errors."""

    id: str
    ideal: tuple[tuple[float, ...], ...]
    read: tuple[tuple[float, ...], ...]
    frame: tuple[float, ...]
    """Where it is now: x y z (m), quaternion w x y z; empty before the first sample."""


class SignalsReport(ReportModel):
    """The samples of all sensors after some time, and where the arm is by them."""

    record: int
    """Another number: the samples were restarted, older ones are of something else."""
    t: tuple[float, ...]
    """s of the session."""
    sensors: tuple[SensorSignals, ...]
    frames: tuple[float, ...]
    """Links and tool of the estimated arm, 7 numbers each as in a state; empty before a first sample or estimate."""
    estimated_error: float | None
    """Root mean square over the joints of estimate minus truth, in ° or mm; none for an arm with coupled joints."""
    commanded_error: float | None


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

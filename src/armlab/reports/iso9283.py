"""ISO 9283 tests as people read them: mm, degrees, mm/N."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.iso9283 import IsoTest
from armlab.geometry import pose
from armlab.model.robot import Robot
from armlab.reports.report import ReportModel, mm, rounded, rounded_all, shown_q
from armlab.units import DEG_PER_RAD, MM_PER_M

PATH_POINTS = 120
"""Points of a path that a report keeps."""
SAME = 1e-9
"""m: what differs by less is rounding."""


class IsoPoseReport(ReportModel):
    """One commanded pose: AP (mm, °) and RP (mm, ± °)."""

    name: str
    q: tuple[float, ...]
    xyz: tuple[float, float, float]
    abc: tuple[float, float, float]
    accuracy: float
    offset: tuple[float, float, float]
    repeatability: float | None
    """None where it is not known: nothing in the arm is random."""
    turn: tuple[float, float, float] | None
    turn_repeatability: tuple[float, float, float] | None
    attained: tuple[tuple[float, float, float], ...]


class IsoDistanceReport(ReportModel):
    """AD and RD between P2 and P4, mm."""

    accuracy: float
    repeatability: float | None


class IsoPathReport(ReportModel):
    """AT and RT of a path, mm, and the path itself with the attained cycles."""

    name: str
    accuracy: float
    repeatability: float | None
    commanded: tuple[tuple[float, float, float], ...]
    attained: tuple[tuple[tuple[float, float, float], ...], ...]


class IsoCornerReport(ReportModel):
    """Rounding CR and overshoot CO at corners, mm; `radius` is what the program asks for."""

    radius: float
    rounding: float
    overshoot: float


class IsoComplianceReport(ReportModel):
    """Static compliance at P1: displacement along x, y, z per newton along x, y, z (mm/N), up to `load` N."""

    load: float
    matrix: tuple[tuple[float, float, float], ...]


class IsoReport(ReportModel):
    """What ISO 9283 says about an arm."""

    robot: str
    source: str
    cycles: int
    side: float
    """Of the test cube, mm."""
    centre: tuple[float, float, float]
    speed: float
    """Of the tool along paths, mm/s."""
    poses: tuple[IsoPoseReport, ...]
    distance: IsoDistanceReport | None
    paths: tuple[IsoPathReport, ...]
    corners: IsoCornerReport | None
    compliance: IsoComplianceReport | None


def iso_report(robot: Robot, test: IsoTest, source: str) -> IsoReport:
    """Return a test as a report; `source` says what was tested."""
    distance, corners, compliance = test.distance, test.corners, test.compliance
    return IsoReport(
        robot=test.robot,
        source=source,
        cycles=test.attained.shape[1] or max((len(path.attained) for path in test.paths), default=0),
        side=rounded(test.plane.side * MM_PER_M),
        centre=mm(test.plane.centre),
        speed=rounded(test.speed * MM_PER_M),
        poses=tuple(_pose(robot, test, k) for k in range(len(test.poses))),
        distance=None
        if distance is None
        else IsoDistanceReport(
            accuracy=rounded(distance.accuracy * MM_PER_M),
            repeatability=_spread(test, distance.repeatability),
        ),
        paths=tuple(
            IsoPathReport(
                name=path.name,
                accuracy=rounded(path.result.accuracy * MM_PER_M),
                repeatability=_spread(test, path.result.repeatability),
                commanded=_points(path.commanded),
                attained=tuple(_points(cycle) for cycle in path.attained),
            )
            for path in test.paths
        ),
        corners=None
        if corners is None
        else IsoCornerReport(
            radius=rounded(test.corner_radius * MM_PER_M),
            rounding=rounded(corners.rounding * MM_PER_M),
            overshoot=rounded(corners.overshoot * MM_PER_M),
        ),
        compliance=None
        if compliance is None
        else IsoComplianceReport(
            load=rounded(test.load), matrix=tuple(rounded_all(row * MM_PER_M) for row in compliance)
        ),
    )


def _pose(robot: Robot, test: IsoTest, k: int) -> IsoPoseReport:
    T, found, turned = test.plane.T[k], test.poses[k], test.has_orientation
    return IsoPoseReport(
        name=f"P{k + 1}",
        q=shown_q(robot, test.plane.q[k]),
        xyz=mm(T[:3, 3]),
        abc=rounded_all(pose.as_abc(T) * DEG_PER_RAD),
        accuracy=rounded(found.accuracy * MM_PER_M),
        offset=mm(found.offset),
        repeatability=_spread(test, found.repeatability),
        turn=rounded_all(found.turn * DEG_PER_RAD) if turned else None,
        turn_repeatability=rounded_all(found.turn_repeatability * DEG_PER_RAD) if turned and test.has_spread else None,
        attained=tuple(mm(p) for p in test.attained[k, :, :3, 3]),
    )


def _spread(test: IsoTest, value: float) -> float | None:
    """Return a repeatability in mm; None where every cycle is the same because nothing in the arm is random."""
    return rounded(value * MM_PER_M) if test.has_spread or value > SAME else None


def _points(path: Floats) -> tuple[tuple[float, float, float], ...]:
    some = np.linspace(0, len(path) - 1, min(len(path), PATH_POINTS)).astype(np.int64)
    return tuple(mm(p) for p in path[some])

"""What is on the flange as people read it: the tool's point, its weight, and what it carries; mm, degrees, kg."""

from __future__ import annotations

from armlab.geometry.inertia import BALL_DENSITY, ball_inertia, ball_radius
from armlab.model.parts import Tool
from armlab.model.robot import Robot
from armlab.reports.report import ReportModel, mm, mm_deg, rounded
from armlab.units import MM_PER_M

XyzAbc = tuple[float, float, float, float, float, float]


class LoadReport(ReportModel):
    """What the tool carries: kg, mm in the tool frame; its inertia is estimated as a solid ball's."""

    mass: float
    com: tuple[float, float, float]
    inertia: float
    """kg m², about every axis through the centre of mass."""
    radius: float
    """mm, of the ball."""
    density: float
    """kg/m³, of the ball."""


class MountedToolReport(ReportModel):
    """A tool on an arm: its frame in the flange's as X Y Z A B C, as it is and as the catalog has it."""

    robot: str
    tool: str
    tcp: XyzAbc
    own_tcp: XyzAbc
    mass: float
    """kg, of the tool alone."""
    com: tuple[float, float, float]
    """mm in the flange's frame, of the tool alone."""
    payload: LoadReport | None
    carried: float
    """kg, of the tool and its payload."""
    rated: float | None
    """kg that the maker allows; None where that is not published."""


def mounted_tool_report(
    robot: Robot, own: Tool, payload: tuple[float, tuple[float, float, float]] | None
) -> MountedToolReport:
    """Return what is on the flange of `robot`.

    Args:
        robot: the arm with its tool.
        own: the tool as the catalog has it.
        payload: its mass (kg) and its centre in the tool frame (mm), or None.
    """
    load = None if payload is None else _load(*payload)
    return MountedToolReport(
        robot=robot.name,
        tool=own.name,
        tcp=_frame(robot.tool),
        own_tcp=_frame(own),
        mass=rounded(own.inertia.mass),
        com=mm(own.inertia.com),
        payload=load,
        carried=rounded(own.inertia.mass + (0.0 if load is None else load.mass)),
        rated=robot.payload,
    )


def _load(mass: float, com: tuple[float, float, float]) -> LoadReport:
    return LoadReport(
        mass=rounded(mass),
        com=com,
        inertia=rounded(ball_inertia(mass)[0, 0]),
        radius=rounded(ball_radius(mass) * MM_PER_M),
        density=BALL_DENSITY,
    )


def _frame(tool: Tool) -> XyzAbc:
    T = tool.T_flange_tool
    x, y, z, a, b, c = mm_deg(T)
    return x, y, z, a, b, c

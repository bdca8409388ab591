"""The rows of an arm as the page would send them."""

from __future__ import annotations

from armlab.catalog import load_tool
from armlab.cell.project import DhValues
from armlab.model.dh import dh_table
from armlab.model.robot import Robot
from armlab.units import DEG_PER_RAD, MM_PER_M


def dh_values(robot: Robot) -> tuple[DhValues, ...]:
    """Return the arm's own standard rows, in degrees and mm."""
    rows = dh_table(robot.with_tool(load_tool("none")), "standard").rows
    return tuple(
        DhValues(
            theta=round(row.theta * DEG_PER_RAD, 9),
            d=round(row.d * MM_PER_M, 9),
            a=round(row.a * MM_PER_M, 9),
            alpha=round(row.alpha * DEG_PER_RAD, 9),
        )
        for row in rows
    )

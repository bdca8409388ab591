"""A planned motion as one array of numbers, for other programs: CSV, JSON or NumPy."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Literal, NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.messages import _
from armlab.model.joint_units import joint_scales
from armlab.model.robot import Robot
from armlab.motion.trajectory import Trajectory
from armlab.reports.motion import LARGEST_TABLE
from armlab.units import DEG_PER_RAD, MM_PER_M, joint_unit

TableKind = Literal["csv", "json", "npy"]
_UNITS = {"°": "deg", "mm": "mm"}
_TOOL = ("tool_x_mm", "tool_y_mm", "tool_z_mm", "tool_a_deg", "tool_b_deg", "tool_c_deg")


class PlanTable(NamedTuple):
    """Rows (m, k) at the times of a motion, and what each of the k columns holds."""

    names: tuple[str, ...]
    rows: Floats


def plan_table(robot: Robot, trajectory: Trajectory, step: float) -> PlanTable:
    """Return the motion each `step` (s): time, joints, their speeds and accelerations, the tool's pose (°, mm).

    Raises:
        InvalidInput: if that makes too many rows.
    """
    t = trajectory.times(step)
    words = [re.sub(r"[^\w.-]+", "_", joint.name) for joint in robot.joints]
    units = [_UNITS[joint_unit(joint.kind)] for joint in robot.joints]
    rates = (("q", ""), ("qd", "_s"), ("qdd", "_s2"))
    joints = [f"{what}_{word}_{unit}{per}" for what, per in rates for word, unit in zip(words, units, strict=True)]
    names = ("time_s", *joints, *_TOOL)
    if len(t) * len(names) > LARGEST_TABLE:
        raise InvalidInput(
            "table_too_long", _("step: {step:g} s makes {count} rows; choose a larger one"), step=step, count=len(t)
        )
    state, scale = trajectory.sample(t), joint_scales(robot.joints)
    tool = [[*T[:3, 3] * MM_PER_M, *pose.as_abc(T) * DEG_PER_RAD] for T in robot.fk(state.q)]
    rows = np.column_stack([t, state.q / scale, state.qd / scale, state.qdd / scale, np.array(tool)])
    return PlanTable(names, np.ascontiguousarray(rows))


def table_bytes(table: PlanTable, kind: TableKind) -> bytes:
    """Return the table as a file: numbers with a point and every digit; a NumPy file holds the rows alone."""
    if kind == "json":
        return json.dumps({"columns": table.names, "rows": table.rows.tolist()}).encode()
    if kind == "npy":
        packed = io.BytesIO()
        np.save(packed, table.rows, allow_pickle=False)
        return packed.getvalue()
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table.names)
    writer.writerows(table.rows.tolist())
    return text.getvalue().encode()

"""A Denavit–Hartenberg table as a TOML file, which `armlab.load` reads again."""

from __future__ import annotations

import json
from collections.abc import Iterable

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.model.dh import dh_table
from armlab.model.robot import Robot
from armlab.units import DEG_PER_RAD, MM_PER_M, joint_scale


def dh_toml(robot: Robot) -> str:
    """Return the standard table of an arm, mm and degrees, with what stands before its rows and after them."""
    table = dh_table(robot, "standard")
    lines = [
        'convention = "standard"',
        'length = "mm"',
        'angle = "deg"',
        f"base = {_frame(table.base)}",
        f"tool = {_frame(table.tool)}",
    ]
    for row, joint in zip(table.rows, robot.joints, strict=True):
        scale = joint_scale(joint.kind)
        numbers = {
            "theta": row.theta * DEG_PER_RAD,
            "d": row.d * MM_PER_M,
            "a": row.a * MM_PER_M,
            "alpha": row.alpha * DEG_PER_RAD,
            "lower": joint.lower / scale,
            "upper": joint.upper / scale,
        }
        lines += ["", "[[joints]]", f"joint = {json.dumps(row.joint, ensure_ascii=False)}", f'kind = "{row.kind}"']
        lines += [f"{key} = {_number(value)}" for key, value in numbers.items()]
    return "\n".join(lines) + "\n"


def _frame(T: Floats) -> str:
    return f"{{ xyz = {_row(T[:3, 3] * MM_PER_M)}, rpy = {_row(pose.as_rpy(T) * DEG_PER_RAD)} }}"


def _row(values: Iterable[float]) -> str:
    return f"[{', '.join(_number(value) for value in values)}]"


def _number(value: float) -> str:
    return repr(float(value) + 0.0)

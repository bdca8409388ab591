"""A robot as a notebook shows it: a sketch of its links and a table of its joints, in mm and degrees."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from armlab.geometry.sketch import lines_svg
from armlab.units import MM_PER_M, joint_scale, joint_unit

if TYPE_CHECKING:
    from armlab.model.robot import Robot


def robot_html(robot: Robot) -> str:
    """Return the arm as HTML."""
    points = robot.frames(robot.home)[:, :3, 3] * MM_PER_M
    is_flat = float(np.ptp(points[:, 2])) < 1e-6 * max(float(np.ptp(points)), 1e-9)
    sketch = lines_svg([points[:, [0, 1] if is_flat else [0, 2]]], 220.0, 220.0, same_scale=True)
    rows = []
    for joint, value in zip(robot.joints, robot.home, strict=True):
        scale, unit = joint_scale(joint.kind), joint_unit(joint.kind)
        cells = (
            joint.name,
            joint.kind,
            f"{joint.lower / scale:g} … {joint.upper / scale:g} {unit}",
            f"{value / scale:g}",
        )
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    head = "<tr><th>joint</th><th>kind</th><th>limits</th><th>home</th></tr>"
    title = escape(robot.title or robot.name)
    return f"<div><strong>{title}</strong><br/>{sketch}<table>{head}{''.join(rows)}</table></div>"

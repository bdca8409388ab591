"""What the planner asks besides the plan itself: where the tool is at many joint values, and the plan as a file."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from fastapi import APIRouter
from pydantic import Field
from starlette.responses import Response

from armlab.arrays import Floats
from armlab.cell.playback import plan_motion
from armlab.geometry import pose
from armlab.program.scenario_schema import Joints, StrictModel
from armlab.reports.plan_table import TableKind, plan_table, table_bytes
from armlab.server.requests import PlanQuestion
from armlab.server.routes.downloads import download
from armlab.server.routes.session import ERRORS, Found, typed_joints
from armlab.units import DEG_PER_RAD, MM_PER_M

MAX_ROWS = 2000
DIGITS = 6

router = APIRouter(prefix="/api/sessions", responses=ERRORS)


class ToolPosesQuestion(StrictModel):
    """Joint values (° or mm), a row for each pose that is asked for."""

    q: Annotated[tuple[Joints, ...], Field(min_length=1, max_length=MAX_ROWS)]


class ToolPosesReport(StrictModel):
    """X Y Z (mm) and A B C (degrees) of the tool, one for each row."""

    poses: tuple[tuple[float, float, float, float, float, float], ...]


@router.post("/{session}/tool_poses")
def tool_poses(worker: Found, question: ToolPosesQuestion) -> ToolPosesReport:
    """Where the tool is at each row of joint values; limits are not looked at."""
    robot = worker.session.robot
    rows = np.array([typed_joints(robot, q) for q in question.q])
    return ToolPosesReport(poses=tuple(_frame(T) for T in robot.fk(rows)))


@router.post("/{session}/plan-table.{kind}", response_class=Response)
def plan_file(worker: Found, kind: TableKind, question: PlanQuestion) -> Response:
    """A planned motion as an array with the asked step: time, joints, speeds, accelerations, the tool's pose."""
    robot = worker.session.robot
    table = plan_table(robot, plan_motion(question.plan, robot).trajectory, question.step)
    return download(table_bytes(table, kind), f"{robot.name}-plan.{kind}", kind)


def _frame(T: Floats) -> tuple[float, float, float, float, float, float]:
    x, y, z = (T[:3, 3] * MM_PER_M).round(DIGITS).tolist()
    a, b, c = (pose.as_abc(T) * DEG_PER_RAD).round(DIGITS).tolist()
    return (x, y, z, a, b, c)

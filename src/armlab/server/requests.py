"""What the page asks over HTTP: bodies of requests. Joint values in ° or mm, poses X Y Z A B C in mm and degrees."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from armlab.program.scenario_schema import Frame, Joints, StrictModel
from armlab.runtime.project import Plan, ProgramText, Project

TaskName = Literal["pose", "position", "approach", "planar", "planar-pose", "scara"]


class NewSession(StrictModel):
    """What a session starts with; without a project, the first arm of the catalog, and without joint values its home.

    Joint values that the arm has not, or not within its limits, count for nothing, or as far as the limits go.
    """

    project: Project | None = None
    q: Joints | None = None


class PoseQuestion(StrictModel):
    """A target pose of the tool, and how much of it must be met; left out, what the arm's kind can be asked for."""

    pose: Frame
    task: TaskName | None = None


class StepsQuestion(PoseQuestion):
    """The same by Levenberg and Marquardt's method from a start; left out, from where the arm is."""

    start: Joints | None = None
    damping: Annotated[float, Field(gt=0.0, le=1e12, allow_inf_nan=False)] = 0.01
    steps: Annotated[int, Field(ge=1, le=500)] = 100


class FormulaQuestion(StrictModel):
    """A formula, and the quantity that it is for: x, r11, J23, det, phi."""

    quantity: Annotated[str, Field(min_length=1, max_length=20)]
    text: Annotated[str, Field(max_length=4000)]


class TranslateQuestion(StrictModel):
    """A program, and the language that it is to be written in."""

    program: ProgramText
    to: Literal["krl", "gcode", "python", "scenario", "urscript", "rapid"]


class PlanQuestion(StrictModel):
    """A plan to be made but not played, and how densely it is told (s)."""

    plan: Plan
    step: Annotated[float, Field(ge=0.001, le=1.0, allow_inf_nan=False)] = 0.02

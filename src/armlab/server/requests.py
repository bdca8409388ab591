"""What the page asks over HTTP: bodies of requests. Joint values in ° or mm, poses X Y Z A B C in mm and degrees."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from armlab.cell.project import Plan, ProgramText, Project
from armlab.program.scenario_schema import Frame, Joints, Point, StrictModel

TaskName = Literal["pose", "position", "approach", "planar", "planar-pose", "scara"]


class NewSession(StrictModel):
    """What a session starts with; without a project, the first arm of the catalog."""

    project: Project | None = None


class PoseQuestion(StrictModel):
    """A target pose of the tool, and how much of it must be met; left out, what the arm's kind can be asked for."""

    pose: Frame
    task: TaskName | None = None


class StepsQuestion(PoseQuestion):
    """The same by Levenberg and Marquardt's method from a start; left out, from where the arm is."""

    start: Joints | None = None
    damping: Annotated[float, Field(gt=0.0, le=1e12, allow_inf_nan=False)] = 0.01
    tolerance: Annotated[float, Field(gt=0.0, le=1e3, allow_inf_nan=False)] = 1e-3
    """‖e‖ in mm at which the target counts as reached."""
    steps: Annotated[int, Field(ge=1, le=500)] = 100
    shrink: Annotated[float, Field(gt=0.0, le=1.0, allow_inf_nan=False)] = 0.1
    """What λ is multiplied by after an accepted step."""
    grow: Annotated[float, Field(gt=1.0, le=1e6, allow_inf_nan=False)] = 10.0
    """The same after a rejected one."""


class StartsQuestion(StepsQuestion):
    """The same from every start of a grid: two joints, by index, are varied over their limits."""

    joints: tuple[Annotated[int, Field(ge=0, le=30)], Annotated[int, Field(ge=0, le=30)]] = (0, 1)
    cells: Annotated[int, Field(ge=4, le=80)] = 40
    """Along each side."""


class FormulaQuestion(StrictModel):
    """A formula, and the quantity that it is for: x, r11, J23, det, phi."""

    quantity: Annotated[str, Field(min_length=1, max_length=20)]
    text: Annotated[str, Field(max_length=4000)]


class ThreePoints(StrictModel):
    """Three points of the world (mm) that fix a frame: its origin, one on +x, one in the xy plane with y > 0."""

    origin: Point
    on_x: Point
    in_plane: Point


class TranslateQuestion(StrictModel):
    """A program, and the language that it is to be written in."""

    program: ProgramText
    to: Literal["krl", "gcode", "python", "scenario", "urscript", "rapid"]
    arm: Annotated[str, Field(min_length=1, max_length=200)] | None = None
    """The arm of the catalog that will run it; None: the session's."""


class PlanQuestion(StrictModel):
    """A plan to be made but not played, and how densely it is told (s)."""

    plan: Plan
    step: Annotated[float, Field(ge=0.001, le=1.0, allow_inf_nan=False)] = 0.02


class ComparisonQuestion(StrictModel):
    """What the arm is told in all three structures, and how it is built there.

    The command is the project's plan, a motion from home and back, or a step: a joint (from 1 on) is told a value `by`
    more (° or mm). Stiffness, damping, force limit and mass are factors, friction is a share of the force limit.
    """

    command: Literal["plan", "standard", "step"] = "standard"
    joint: Annotated[int, Field(ge=1, le=16)] = 1
    by: Annotated[float, Field(ge=-1e4, le=1e4, allow_inf_nan=False)] = 20.0
    duration: Annotated[float, Field(ge=0.2, le=30.0, allow_inf_nan=False)] = 2.0
    """s of the motion from home, or of the step."""
    timestep: Annotated[float, Field(ge=0.05, le=20.0, allow_inf_nan=False)] = 1.0
    """ms"""
    stiffness: Annotated[float, Field(ge=0.01, le=1000.0, allow_inf_nan=False)] = 1.0
    damping: Annotated[float, Field(ge=0.0, le=1000.0, allow_inf_nan=False)] = 1.0
    force_limit: Annotated[float, Field(ge=0.01, le=100.0, allow_inf_nan=False)] = 1.0
    mass: Annotated[float, Field(ge=0.01, le=100.0, allow_inf_nan=False)] = 1.0
    friction: Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)] = 0.0

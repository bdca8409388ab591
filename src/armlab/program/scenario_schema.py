"""The format of scenario files (JSON), checked key by key; docs/scenarios.md explains it with an example.

Lengths are millimetres, angles degrees, times seconds, as people write them by hand.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from armlab.errors import InvalidInput
from armlab.messages import _

LARGEST = 1e6
MAX_STEPS = 1000
MAX_POINTS = 1000

Number = Annotated[float, Field(strict=True, ge=-LARGEST, le=LARGEST, allow_inf_nan=False)]
Positive = Annotated[float, Field(strict=True, ge=0.001, le=LARGEST, allow_inf_nan=False)]
Percent = Annotated[float, Field(strict=True, ge=0.01, le=100, allow_inf_nan=False)]
Joints = Annotated[tuple[Number, ...], Field(max_length=64)]
Frame = tuple[Number, Number, Number, Number, Number, Number]
"""X Y Z (mm) and A B C (degrees) of the tool in world coordinates."""
Point = tuple[Number, Number, Number]
Label = Annotated[str, Field(min_length=1, max_length=60)]
Text = Annotated[str, Field(max_length=600)]
FileName = Annotated[str, Field(min_length=1, max_length=200)]


class StrictModel(BaseModel):
    """A part of the file: unknown keys are errors."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class MoveStep(StrictModel):
    """A motion to joint values (`to`), to a pose (`to_pose`), or through frames (`through`)."""

    do: Literal["move"]
    to: Joints | Label | None = None
    """Joint values in the joints' units, or the name of one of the arm's configurations."""
    to_pose: Frame | None = None
    through: Annotated[tuple[Frame, ...], Field(max_length=MAX_POINTS)] | None = None
    via: Annotated[tuple[Joints, ...], Field(max_length=MAX_POINTS)] = ()
    """Joint values in between; S2's departure and approach points."""
    arc: Point | None = None
    path: Literal["joint", "line", "quadratic", "bspline", "spline"] = "joint"
    scheme: Label | None = None
    times: Annotated[tuple[Positive, ...], Field(max_length=MAX_POINTS)] | None = None
    blend: Annotated[float, Field(strict=True, ge=0, le=LARGEST, allow_inf_nan=False)] = 0.0
    speed: Percent = 100.0
    """Percent of the joints' top speed."""
    tool_speed: Positive | None = None
    """mm/s, for tool paths."""
    duration: Positive | None = None
    """s of the whole move, where the limits allow it."""
    task: Literal["pose", "position", "approach", "planar", "planar-pose", "scara"] = "pose"
    """Which part of a pose must be met; less than all of it for arms with fewer than six axes."""
    note: Text = ""

    @model_validator(mode="after")
    def _one_goal(self) -> MoveStep:
        goals = [name for name in ("to", "to_pose", "through") if getattr(self, name) is not None]
        if len(goals) != 1:
            if not goals:
                raise InvalidInput("move_goal_missing", _("give one of to, to_pose and through"))
            raise InvalidInput("move_goals", _("give one of to, to_pose and through; got {goals}"), goals=goals)
        if self.through == ():
            raise InvalidInput("move_through_empty", _("through has no frame; give one or more"))
        is_tool_path = self.path != "joint" or self.arc is not None
        if is_tool_path and (self.via or self.scheme or self.times):
            template = _("via, scheme and times belong to a motion in joint space")
            raise InvalidInput("move_joint_keys", template)
        if not is_tool_path and (self.blend or self.tool_speed or self.through):
            template = _("blend, tool_speed and through belong to a tool path: give path or arc")
            raise InvalidInput("move_tool_keys", template)
        if self.duration is not None and self.times is not None:
            raise InvalidInput("move_timing", _("give duration or times, not both"))
        if self.arc is not None and (self.path != "joint" or self.through):
            template = _("an arc goes through one point to one goal: leave path and through out")
            raise InvalidInput("move_arc_keys", template)
        return self


class PickStep(StrictModel):
    """Take hold of a body of the scene; left out: the nearest to the tool."""

    do: Literal["pick"]
    body: Label | None = None
    note: Text = ""


class PlaceStep(StrictModel):
    """Let go of what is held."""

    do: Literal["place"]
    note: Text = ""


class WaitStep(StrictModel):
    """Stand still."""

    do: Literal["wait"]
    seconds: Annotated[float, Field(strict=True, ge=0.001, le=3600, allow_inf_nan=False)]
    note: Text = ""


class StopStep(StrictModel):
    """End the scenario here, whatever follows."""

    do: Literal["stop"]
    note: Text = ""


Step = Annotated[MoveStep | PickStep | PlaceStep | WaitStep | StopStep, Field(discriminator="do")]


class ScenarioFile(StrictModel):
    """A whole scenario: the arm, what stands round it, and what happens."""

    schema_version: Literal[1] = Field(alias="schema")
    name: Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
    title: Label = "Scenario"
    notes: Text = ""
    arm: FileName | None = None
    """A catalog name or a robot file; left out: the first arm of the scene."""
    tool: FileName | None = None
    scene: FileName | None = None
    """A catalog name or a scene file; left out: the arm alone."""
    start: Joints | Label = "home"
    steps: Annotated[tuple[Step, ...], Field(max_length=MAX_STEPS)]

    @model_validator(mode="after")
    def _has_an_arm(self) -> ScenarioFile:
        if self.arm is None and self.scene is None:
            raise InvalidInput("scenario_arm_missing", _("name an arm, or a scene that has one"))
        if not self.steps:
            raise InvalidInput("scenario_steps_missing", _("steps: there are none; give one or more"))
        return self

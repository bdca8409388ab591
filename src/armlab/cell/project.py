"""The project: all that a person made in the workbench, as one small document; saved, opened, sent and undone whole.

Lengths are millimetres, angles degrees, times seconds, as on the screen.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from armlab.assets import PREFIX, REFERENCE, asset_store
from armlab.catalog.scene_schema import BodyTable
from armlab.catalog.schema import reversed_limits
from armlab.cell.project_migration import migrated
from armlab.cell.real_choice import RealChoice
from armlab.errors import InvalidInput, UnknownName
from armlab.messages import _
from armlab.program.gcode.dialects import Name as DialectName
from armlab.program.scenario_schema import (
    Frame,
    Joints,
    Label,
    Number,
    Percent,
    Positive,
    ScenarioFile,
    StrictModel,
    Text,
)

MAX_POSES = 500
MAX_BODIES = 200
MAX_FRAMES = 50
MAX_SENSORS = 8
MAX_SENSOR_HZ = 480.0
MAX_LATENCY_MS = 10_000.0
MAX_NOISE = 1e6
MAX_TOOL_MM = 10_000.0
MAX_PAYLOAD_KG = 10_000.0
MAX_ARMS = 6
FIRST_ARM = "arm"
"""What an arm is called in its scene, unless a project says otherwise."""
MAX_ARM_TEXT = 1_000_000
"""Letters of an arm's own file where a project of 0.1 has it in itself."""
MAX_PROGRAM = 200_000
"""Letters of a program; every edit carries it."""
MAX_POINTS = MAX_POSES
"""Saved poses are played as a plan through all of them."""

Structure = Literal["hierarchy", "joints", "articulation"]
Name = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
Id = Annotated[str, Field(pattern=r"^[a-z0-9]{1,16}$")]


def _kept(value: object) -> object:
    """Return the reference to an arm's own file; projects of 0.1 have its text in themselves, which is kept now."""
    if not isinstance(value, str) or value.startswith(PREFIX) or not 0 < len(value) <= MAX_ARM_TEXT:
        return value
    return PREFIX + asset_store().keep(value.encode(errors="replace"))


FileReference = Annotated[str, BeforeValidator(_kept), Field(pattern=REFERENCE)]
"""A file in the store of assets, by its content."""


class DhValues(StrictModel):
    """One row of a standard Denavit-Hartenberg table: degrees and mm."""

    theta: Number = 0.0
    d: Number = 0.0
    a: Number = 0.0
    alpha: Number = 0.0


class Range(StrictModel):
    """From where to where a joint may move, in its own unit."""

    lower: Number
    upper: Number

    @model_validator(mode="after")
    def _in_order(self) -> Range:
        if self.lower >= self.upper:
            raise InvalidInput(reversed_limits(self.lower, self.upper))
        return self


ToolLength = Annotated[float, Field(strict=True, ge=-MAX_TOOL_MM, le=MAX_TOOL_MM, allow_inf_nan=False)]
ToolAngle = Annotated[float, Field(strict=True, ge=-360.0, le=360.0, allow_inf_nan=False)]


class PayloadChoice(StrictModel):
    """What the tool carries besides its own weight: kg, and the centre of mass in the tool frame (mm)."""

    mass: Annotated[float, Field(strict=True, ge=0.0, le=MAX_PAYLOAD_KG, allow_inf_nan=False)]
    com: tuple[ToolLength, ToolLength, ToolLength] = (0.0, 0.0, 0.0)


class ArmChoice(StrictModel):
    """The arm: one of the catalog, or one that was brought, perhaps with other lengths, limits, tool or base."""

    name: Name
    file: FileReference | None = None
    """A robot file, for an arm that is not of the catalog."""
    tool: Name = "none"
    tcp: tuple[ToolLength, ToolLength, ToolLength, ToolAngle, ToolAngle, ToolAngle] | None = None
    """The tool frame in the flange's (X Y Z A B C: mm, degrees), in the place of the tool's own."""
    payload: PayloadChoice | None = None
    base: Frame = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    dh: Annotated[tuple[DhValues, ...], Field(min_length=1, max_length=16)] | None = None
    """Standard rows in the place of the arm's own."""
    limits: Annotated[tuple[Range, ...], Field(min_length=1, max_length=16)] | None = None

    def moves_like(self, other: ArmChoice) -> bool:
        """Tell whether both have their links and their tool at the same places: what one holds, the other can hold."""
        same = {"tcp": None, "payload": None}
        return self.model_copy(update=same) == other.model_copy(update=same)


class Attachment(StrictModel):
    """The object that a pose moves with, and T_object_tool as X Y Z A B C (mm, degrees)."""

    body: Label
    pose: Frame


class SavedPose(StrictModel):
    """Joint values saved under a name.

    One that is attached is resolved when it is used: the tool goes to where it was on the object, wherever that is
    now; the joint values choose among the solutions.
    """

    id: Id
    name: Label
    q: Joints
    on: Attachment | None = None


class UserFrame(StrictModel):
    """A frame of the user's own, for a fixture or a work piece: T_world_frame as X Y Z A B C (mm, degrees)."""

    id: Id
    name: Label
    pose: Frame


SensorKind = Literal["imu", "encoders", "torques", "wrench", "laser", "proximity", "contact"]


class SensorChoice(StrictModel):
    """A sensor on a link of the arm, on its tool, or on a body, or one of its joints or flange."""

    id: Id
    kind: SensorKind = "imu"
    on: Literal["link", "body"] = "link"
    """A body may have the name of a link."""
    link: Label
    """The name of the link, or of the body; of no meaning for encoders, torques and the wrench at the flange."""
    preset: Name = "mpu-6050"
    """Which inertial unit it is."""
    pose: Frame = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    """T_link_sensor as X Y Z A B C (mm, degrees)."""
    rate: Annotated[float, Field(gt=0.0, le=MAX_SENSOR_HZ, allow_inf_nan=False)] = 60.0
    """Samples per second (Hz): the steps of the simulation, 480 per second, divided by a whole number."""
    latency: Annotated[float, Field(ge=0.0, le=MAX_LATENCY_MS, allow_inf_nan=False)] | None = None
    """ms from the time that a reading is about to the time that it arrives; left out, that of the preset, or none."""
    noise: Annotated[float, Field(ge=0.0, le=MAX_NOISE, allow_inf_nan=False)] = 0.0
    """Standard deviation of white noise, of kinds other than `imu`: °, mm, N, N m."""
    seed: Annotated[int, Field(ge=0, lt=2**32)] | None = None
    """Of its errors; left out, its place in the list, from 0."""

    @property
    def has_place(self) -> bool:
        """Whether it sits somewhere, and does not belong to the joints or the flange."""
        return self.kind not in {"encoders", "torques", "wrench"}


class PlanEnds(StrictModel):
    """How a motion of the joints starts and ends, where it does not rest there: in the joints' units per s and s²."""

    start_velocity: Joints | None = None
    end_velocity: Joints | None = None
    start_acceleration: Joints | None = None
    end_acceleration: Joints | None = None


class JointPlan(StrictModel):
    """A motion of the joints through points: S2's four-point planner, and the player between saved poses."""

    kind: Literal["joint"]
    points: Annotated[tuple[Joints, ...], Field(min_length=2, max_length=MAX_POINTS)]
    scheme: Label = "smooth"
    times: Annotated[tuple[Positive, ...], Field(min_length=1, max_length=MAX_POINTS)] | None = None
    duration: Positive | None = None
    """s of the whole, in the place of the shortest time or of `times`."""
    ends: PlanEnds | None = None
    speed: Percent = 100.0

    @model_validator(mode="after")
    def _one_timing(self) -> JointPlan:
        if self.duration is not None and (self.times is not None or self.ends is not None):
            template = _("duration: belongs to a motion from rest to rest without times of its own")
            raise InvalidInput("plan_duration", template)
        return self


class ToolPlan(StrictModel):
    """A motion of the tool through node frames: S2's Cartesian planner."""

    kind: Literal["tool"]
    frames: Annotated[tuple[Frame, ...], Field(min_length=2, max_length=MAX_POINTS)]
    path: Literal["linear", "quadratic", "bspline", "spline"] = "linear"
    blend: Annotated[float, Field(ge=0, le=1e4)] = 0.0
    speed: Percent = 100.0
    tool_speed: Positive | None = None
    duration: Positive | None = None
    """s of the whole, in the place of the shortest time."""


Plan = Annotated[JointPlan | ToolPlan, Field(discriminator="kind")]


class ProgramText(StrictModel):
    """A program as it was written."""

    language: Literal["gcode", "krl", "python", "scenario"]
    text: Annotated[str, Field(max_length=MAX_PROGRAM)]
    dialect: DialectName = "linuxcnc"
    """Which controller's G-code it is."""
    inputs: Annotated[dict[Label, bool], Field(max_length=256)] = Field(default_factory=dict)
    """Digital inputs that are on or off while it runs, by name."""


class ProjectArm(StrictModel):
    """One arm of the scene, with all that is its own; no arm is special."""

    name: Label = FIRST_ARM
    """What it is called in its scene: no other arm or body has the same name."""
    arm: ArmChoice
    poses: Annotated[tuple[SavedPose, ...], Field(max_length=MAX_POSES)] = ()
    plan: Plan | None = None
    scenario: ScenarioFile | None = None
    sensors: Annotated[tuple[SensorChoice, ...], Field(max_length=MAX_SENSORS)] = ()
    program: ProgramText | None = None
    real: RealChoice | None = None
    """The arm as it really is, beside the nominal one."""


class ArmPosition(StrictModel):
    """Where an arm stood, and what its tool held."""

    q: Joints
    """In the joints' units, ° or mm."""
    held: Label | None = None


class SavedPositions(StrictModel):
    """Where the arms, by name, and the movable bodies stood when a project was saved, and what the tools held."""

    arms: Annotated[dict[Label, ArmPosition], Field(max_length=MAX_ARMS)] = Field(default_factory=dict)
    bodies: Annotated[dict[Label, Frame], Field(max_length=MAX_BODIES)] = Field(default_factory=dict)


class Project(StrictModel):
    """The whole document."""

    schema_version: Literal[2] = Field(default=2, alias="schema")
    title: Label = "Untitled"
    notes: Text = ""
    arms: Annotated[tuple[ProjectArm, ...], Field(min_length=1, max_length=MAX_ARMS)]
    structure: Structure = "articulation"
    bodies: Annotated[tuple[BodyTable, ...], Field(max_length=MAX_BODIES)] = ()
    frames: Annotated[tuple[UserFrame, ...], Field(max_length=MAX_FRAMES)] = ()
    positions: SavedPositions | None = None
    """Only in files: opening one puts arms and bodies there. The document of a session has none."""

    @model_validator(mode="before")
    @classmethod
    def _newest(cls, given: Any) -> Any:
        return migrated(given)

    @classmethod
    def of_arm(cls, arm: ArmChoice, structure: Structure = "articulation", **own: Any) -> Project:
        """Return a project with one arm; `own` are further fields of a ProjectArm."""
        return cls(structure=structure, arms=(ProjectArm(arm=arm, **own),))

    @property
    def arm_names(self) -> tuple[str, ...]:
        """What the arms are called, in the order of the list."""
        return tuple(arm.name for arm in self.arms)

    def arm(self, name: str) -> ProjectArm:
        """Return the arm of that name.

        Raises:
            UnknownName: if there is none.
        """
        for arm in self.arms:
            if arm.name == name:
                return arm
        raise UnknownName("scene_robot", name, self.arm_names, owner=self.title)

    def with_own(self, name: str, **own: Any) -> Project:
        """Return the project with fields of one arm changed."""
        changed = self.arm(name).model_copy(update=own)
        return self.model_copy(update={"arms": tuple(changed if arm.name == name else arm for arm in self.arms)})

    def without_positions(self) -> Project:
        """Return the document alone."""
        return self if self.positions is None else self.model_copy(update={"positions": None})

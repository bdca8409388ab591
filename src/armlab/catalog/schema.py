"""The format of robot and tool files, checked key by key; docs/robot-files.md explains it with an example.

Lengths are millimetres and angles degrees here, as in data sheets; `armlab.catalog.build` turns them into SI.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from armlab.errors import InvalidInput
from armlab.messages import Message, _
from armlab.model.joint_limits import check_joint_value
from armlab.units import joint_scale

LARGEST_NUMBER = 1e6
"""No length (mm), angle (°), mass or inertia in a robot file is larger: more is a mistake."""
MAX_SHAPES = 500
"""Of a whole arm or tool; their masses are integrated one by one."""
MAX_FINGERS = 6
MAX_CONFIGURATIONS = 1000
MAX_PAIRS = 5000
MAX_SURFACE = 400_000
"""Letters of what one link looks like."""

Number = Annotated[float, Field(strict=True, ge=-LARGEST_NUMBER, le=LARGEST_NUMBER, allow_inf_nan=False)]
Positive = Annotated[float, Field(strict=True, gt=0, le=LARGEST_NUMBER, allow_inf_nan=False)]


def reversed_limits(lower: float, upper: float) -> Message:
    """Return what is wrong with limits in the wrong order."""
    return Message("lower_not_below_upper", _("lower {lower:g} is not below upper {upper:g}"), lower=lower, upper=upper)


def _printable(text: str) -> str:
    if not text.isprintable():
        raise InvalidInput("text_not_printable", _("has characters that cannot be printed"))
    return text


Triple = tuple[Number, Number, Number]
Points = Annotated[tuple[Triple, ...], Field(min_length=4, max_length=5000)]
Six = tuple[Number, Number, Number, Number, Number, Number]
Name = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
Label = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(_printable)]
Text = Annotated[str, Field(min_length=3, max_length=600), AfterValidator(_printable)]
Colour = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]
Estimate = Literal["dimensions", "limits", "velocity", "acceleration", "effort", "mass", "link masses"]


class FileTable(BaseModel):
    """A table of the file: unknown keys are errors, text is not taken for numbers."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)  # one check for a whole file, when needed


class FrameTable(FileTable):
    """A frame by origin (mm) and roll, pitch, yaw (degrees)."""

    xyz: Triple = (0.0, 0.0, 0.0)
    rpy: Triple = (0.0, 0.0, 0.0)


class DhRowTable(FileTable):
    """A Denavit-Hartenberg row: degrees and mm."""

    theta: Number = 0.0
    d: Number = 0.0
    a: Number = 0.0
    alpha: Number = 0.0


class LimitsTable(FileTable):
    """What a joint may do: position, and where known speed, acceleration and effort."""

    lower: Number
    upper: Number
    velocity: Positive | None = None
    acceleration: Positive | None = None
    effort: Positive | None = None

    @model_validator(mode="after")
    def _in_order(self) -> LimitsTable:
        if self.lower >= self.upper:
            raise InvalidInput(reversed_limits(self.lower, self.upper))
        return self


class ShapeTable(FileTable):
    """One convex solid of a link or tool (mm); sizes by kind as in armlab.geometry.shape; a hull has points instead."""

    kind: str
    size: tuple[Number, ...] = ()
    points: Points | None = None
    xyz: Triple = (0.0, 0.0, 0.0)
    rpy: Triple = (0.0, 0.0, 0.0)
    finish: str = "body"
    part: Label | None = None
    """Its own name, where it is something that is fixed to the link, such as a hand."""


Shapes = Annotated[tuple[ShapeTable, ...], Field(max_length=MAX_SHAPES)]


class InertialTable(FileTable):
    """Mass (kg), centre of mass (mm), inertia ixx iyy izz ixy ixz iyz about it (kg·m²)."""

    mass: Annotated[float, Field(strict=True, ge=0, le=LARGEST_NUMBER, allow_inf_nan=False)] | None = None
    com: Triple = (0.0, 0.0, 0.0)
    inertia: Six | None = None

    @model_validator(mode="after")
    def _mass_first(self) -> InertialTable:
        if self.mass is None and (self.inertia is not None or any(self.com)):
            raise InvalidInput("inertia_needs_mass", _("com and inertia need a mass"))
        return self


class LinkTable(InertialTable):
    """A link: its name, what it weighs, and shapes where the generated ones are not wanted."""

    name: Label | None = None
    shapes: Shapes | None = None
    surface: Annotated[str, Field(max_length=MAX_SURFACE)] = ""
    """What it looks like, as armlab.formats.surface_text writes it; otherwise like its shapes."""


class SkinTable(FileTable):
    """Chosen parts of the appearance of one link (mm); see armlab.appearance.skin.LinkSkin."""

    radius: Positive | None = None
    length: Positive | None = None
    shift: Number | None = None
    body: str | None = None
    width: Positive | None = None
    depth: Positive | None = None


class PaletteTable(FileTable):
    """Colours by finish."""

    body: Colour | None = None
    accent: Colour | None = None
    joint: Colour | None = None
    base: Colour | None = None
    tool: Colour | None = None


class FollowsTable(FileTable):
    """A joint has no value of its own, but `multiplier` times that of another, plus `offset` (° or mm)."""

    joint: Label
    multiplier: Number = 1.0
    """° or mm of its own per ° or mm of the other."""
    offset: Number = 0.0


class JointTable(FileTable):
    """One joint: origin and axis, or a DH row."""

    name: Label
    kind: Literal["revolute", "prismatic"]
    xyz: Triple | None = None
    rpy: Triple | None = None
    axis: Triple | None = None
    dh: DhRowTable | None = None
    limits: LimitsTable
    follows: FollowsTable | None = None
    link: LinkTable = Field(default_factory=LinkTable)
    skin: SkinTable = Field(default_factory=SkinTable)

    @model_validator(mode="after")
    def _dh_or_frame(self) -> JointTable:
        if self.dh is not None and (self.xyz or self.rpy or self.axis):
            raise InvalidInput("dh_and_frame", _("give either dh, or xyz, rpy and axis, not both"))
        if self.dh is None and self.axis is None:
            raise InvalidInput("axis_missing", _("axis is missing (or give a dh row)"))
        if self.axis is not None and not any(self.axis):
            raise InvalidInput("zero_axis", _("axis: [0, 0, 0] has no direction"))
        return self


class RodTable(InertialTable):
    """A link beside the chain, and the joint without a motor that carries it on another link."""

    name: Label
    on: Label
    joint: Label
    kind: Literal["revolute", "prismatic"]
    xyz: Triple = (0.0, 0.0, 0.0)
    rpy: Triple = (0.0, 0.0, 0.0)
    axis: Triple
    limits: LimitsTable


class PinTable(FileTable):
    """A point of one link (mm) that is held on a point of another; it closes a loop."""

    links: tuple[Label, Label]
    points: tuple[Triple, Triple]


class PairTable(FileTable):
    """Two parts of the arm, and whether they are compared in collision checks; of two the later one holds."""

    parts: tuple[Label, Label]
    compared: Annotated[bool, Field(strict=True)] = False
    reason: Annotated[str, Field(max_length=200), AfterValidator(_printable)] = ""


class RobotTable(FileTable):
    """A whole robot file."""

    schema_version: Literal[1] = Field(alias="schema")
    name: Name
    title: Label
    maker: Label | None = None
    source: Text
    notes: Text | None = None
    payload: Positive | None = None
    mass: Positive | None = None
    estimated: Annotated[tuple[Estimate, ...], Field(max_length=20)] = ()
    dh: Literal["standard", "modified"] | None = None
    home: tuple[Number, ...]
    configurations: Annotated[dict[Label, tuple[Number, ...]], Field(max_length=MAX_CONFIGURATIONS)] = {}
    base: FrameTable = Field(default_factory=FrameTable)
    base_link: LinkTable = Field(default_factory=LinkTable)
    flange: FrameTable = Field(default_factory=FrameTable)
    palette: PaletteTable = Field(default_factory=PaletteTable)
    skin: SkinTable = Field(default_factory=SkinTable)
    meshes: Annotated[str, Field(pattern=r"^[\w][\w .-]*\.glb$", max_length=120)] | None = None
    """A GLB file beside this one: surfaces of links by name, and in its second scene the hulls they collide with."""
    joint: Annotated[tuple[JointTable, ...], Field(min_length=1, max_length=64)]
    rod: Annotated[tuple[RodTable, ...], Field(max_length=64)] = ()
    pin: Annotated[tuple[PinTable, ...], Field(max_length=64)] = ()
    pair: Annotated[tuple[PairTable, ...], Field(max_length=MAX_PAIRS)] = ()

    @model_validator(mode="after")
    def _agrees(self) -> RobotTable:
        shapes = sum(len(link.shapes or ()) for link in (self.base_link, *(joint.link for joint in self.joint)))
        if shapes > MAX_SHAPES:
            template = _("{count} shapes given; at most {most} are allowed")
            raise InvalidInput("too_many_shapes", template, count=shapes, most=MAX_SHAPES)
        for joint in self.joint:
            if joint.dh is None and self.dh is not None:
                template = _("joint '{joint}' has no dh row, but the file says dh = '{dh}'")
                raise InvalidInput("dh_row_missing", template, joint=joint.name, dh=self.dh)
            if joint.dh is not None and self.dh is None:
                template = _("joint '{joint}' has a dh row, but the file names no dh convention")
                raise InvalidInput("dh_convention_missing", template, joint=joint.name)
        for key, q in (
            ("home", self.home),
            *((f"configurations.{name}", q) for name, q in self.configurations.items()),
        ):
            self._check_values(key, q)
        return self

    def _check_values(self, key: str, q: tuple[float, ...]) -> None:
        own = [joint for joint in self.joint if joint.follows is None]
        if len(q) != len(own):
            raise InvalidInput(
                "joint_values_expected",
                _("{key}: expected {expected} joint values, got {count}"),
                key=key,
                expected=len(own),
                count=len(q),
            )
        for joint, value in zip(own, q, strict=True):
            scale = joint_scale(joint.kind)
            ends = joint.limits.lower * scale, joint.limits.upper * scale
            check_joint_value(key, joint.name, joint.kind, value * scale, ends)


class GripTable(FileTable):
    """How the fingers of a gripper close: mm, N of each finger, mm/s."""

    opening: Positive
    """Between the fingers, open."""
    travel: Positive
    """Of each finger."""
    force: Positive
    speed: Positive = 100.0

    @model_validator(mode="after")
    def _do_not_pass(self) -> GripTable:
        if 2.0 * self.travel > self.opening * (1.0 + 1e-9):
            template = _("travel: fingers {opening:g} mm apart meet after {half:g} mm, got {travel:g}")
            half = self.opening / 2.0
            raise InvalidInput("grip_travel", template, opening=self.opening, half=half, travel=self.travel)
        return self


class FingerTable(FileTable):
    """One finger, open: in which direction it closes, what it weighs (kg), its shapes."""

    axis: Triple
    mass: Positive
    shapes: Annotated[tuple[ShapeTable, ...], Field(min_length=1, max_length=MAX_SHAPES)]

    @model_validator(mode="after")
    def _has_direction(self) -> FingerTable:
        if not any(self.axis):
            raise InvalidInput("finger_axis", _("axis: [0, 0, 0] has no direction"))
        return self


class ToolTable(InertialTable):
    """A whole tool file; everything in the flange's frame."""

    schema_version: Literal[1] = Field(alias="schema")
    name: Name
    title: Label
    source: Text
    kind: Literal["none", "gripper", "suction", "pen", "torch"]
    estimated: tuple[Estimate, ...] = ()
    tip: FrameTable
    shape: Shapes = ()
    grip: GripTable | None = None
    finger: Annotated[tuple[FingerTable, ...], Field(max_length=MAX_FINGERS)] = ()
    """All of them close by the same distance."""

    @model_validator(mode="after")
    def _whole_hand(self) -> ToolTable:
        if (self.grip is None) != (not self.finger) or len(self.finger) == 1:
            raise InvalidInput("grip_and_fingers", _("a gripper that moves has a grip table and 2 or more fingers"))
        if self.finger and self.kind != "gripper":
            raise InvalidInput("fingers_of_gripper", _("only tools of the kind 'gripper' have fingers"))
        weight = sum(finger.mass for finger in self.finger)
        if self.finger and self.mass is not None and weight > self.mass * (1.0 + 1e-9):
            template = _("mass: {mass:g} kg is less than the fingers' {fingers:g} kg")
            raise InvalidInput("fingers_too_heavy", template, mass=self.mass, fingers=weight)
        return self

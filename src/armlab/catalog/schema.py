"""The format of robot and tool files, checked key by key; docs/robot-files.md explains it with an example.

Lengths are millimetres and angles degrees here, as in data sheets; `armlab.catalog.build` turns them into SI.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

LARGEST_NUMBER = 1e6
"""No length (mm), angle (°), mass or inertia in a robot file is larger: more is a mistake."""

Number = Annotated[float, Field(strict=True, ge=-LARGEST_NUMBER, le=LARGEST_NUMBER, allow_inf_nan=False)]
Positive = Annotated[float, Field(strict=True, gt=0, le=LARGEST_NUMBER, allow_inf_nan=False)]


def _printable(text: str) -> str:
    if not text.isprintable():
        raise ValueError("has characters that cannot be printed")
    return text


Triple = tuple[Number, Number, Number]
Six = tuple[Number, Number, Number, Number, Number, Number]
Name = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$", max_length=60)]
Label = Annotated[str, Field(min_length=1, max_length=60), AfterValidator(_printable)]
Text = Annotated[str, Field(min_length=3, max_length=600), AfterValidator(_printable)]
Colour = Annotated[str, Field(pattern=r"^#[0-9a-fA-F]{6}$")]
Estimate = Literal["dimensions", "limits", "velocity", "acceleration", "effort", "mass", "link masses"]


class Table(BaseModel):
    """A table of the file: unknown keys are errors, text is not taken for numbers."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class FrameTable(Table):
    """A frame by origin (mm) and roll, pitch, yaw (degrees)."""

    xyz: Triple = (0.0, 0.0, 0.0)
    rpy: Triple = (0.0, 0.0, 0.0)


class DhTable(Table):
    """A Denavit-Hartenberg row: degrees and mm."""

    theta: Number = 0.0
    d: Number = 0.0
    a: Number = 0.0
    alpha: Number = 0.0


class LimitsTable(Table):
    """What a joint may do: position, and where known speed, acceleration and effort."""

    lower: Number
    upper: Number
    velocity: Positive | None = None
    acceleration: Positive | None = None
    effort: Positive | None = None

    @model_validator(mode="after")
    def _in_order(self) -> LimitsTable:
        if self.lower >= self.upper:
            raise ValueError(f"lower {self.lower:g} is not below upper {self.upper:g}")
        return self


class ShapeTable(Table):
    """One convex solid of a link or tool (mm); sizes by kind as in armlab.model.shape."""

    kind: str
    size: tuple[Number, ...]
    xyz: Triple = (0.0, 0.0, 0.0)
    rpy: Triple = (0.0, 0.0, 0.0)
    finish: str = "body"


class InertialTable(Table):
    """Mass (kg), centre of mass (mm), inertia ixx iyy izz ixy ixz iyz about it (kg·m²)."""

    mass: Annotated[float, Field(strict=True, ge=0, le=LARGEST_NUMBER, allow_inf_nan=False)] | None = None
    com: Triple = (0.0, 0.0, 0.0)
    inertia: Six | None = None

    @model_validator(mode="after")
    def _mass_first(self) -> InertialTable:
        if self.mass is None and (self.inertia is not None or any(self.com)):
            raise ValueError("com and inertia need a mass")
        return self


class LinkTable(InertialTable):
    """A link: its name, what it weighs, and shapes where the skin generator's are not wanted."""

    name: Label | None = None
    shapes: tuple[ShapeTable, ...] | None = None


class SkinTable(Table):
    """A few wishes of looks for one link (mm); see armlab.model.skin.LinkSkin."""

    radius: Positive | None = None
    length: Positive | None = None
    shift: Number | None = None
    body: str | None = None
    width: Positive | None = None
    depth: Positive | None = None


class PaletteTable(Table):
    """Colours by finish."""

    body: Colour | None = None
    accent: Colour | None = None
    joint: Colour | None = None
    base: Colour | None = None
    tool: Colour | None = None


class JointTable(Table):
    """One joint: origin and axis, or a DH row."""

    name: Label
    kind: Literal["revolute", "prismatic"]
    xyz: Triple | None = None
    rpy: Triple | None = None
    axis: Triple | None = None
    dh: DhTable | None = None
    limits: LimitsTable
    link: LinkTable = LinkTable()
    skin: SkinTable = SkinTable()

    @model_validator(mode="after")
    def _one_way(self) -> JointTable:
        if self.dh is not None and (self.xyz or self.rpy or self.axis):
            raise ValueError("give either dh, or xyz, rpy and axis, not both")
        if self.dh is None and self.axis is None:
            raise ValueError("axis is missing (or give a dh row)")
        if self.axis is not None and not any(self.axis):
            raise ValueError("axis [0, 0, 0] has no direction")
        return self


class RobotTable(Table):
    """A whole robot file."""

    schema_version: Literal[1] = Field(alias="schema")
    name: Name
    title: Label
    maker: Label
    source: Text
    notes: Text | None = None
    payload: Positive | None = None
    mass: Positive | None = None
    estimated: tuple[Estimate, ...] = ()
    dh: Literal["standard", "modified"] | None = None
    home: tuple[Number, ...]
    poses: dict[Label, tuple[Number, ...]] = {}
    base: FrameTable = FrameTable()
    base_link: LinkTable = LinkTable()
    flange: FrameTable = FrameTable()
    palette: PaletteTable = PaletteTable()
    skin: SkinTable = SkinTable()
    joint: Annotated[tuple[JointTable, ...], Field(min_length=1, max_length=64)]

    @model_validator(mode="after")
    def _agrees(self) -> RobotTable:
        says = f"dh = '{self.dh}'" if self.dh else "no dh convention"
        for joint in self.joint:
            if (joint.dh is not None) != (self.dh is not None):
                has = "a" if joint.dh else "no"
                raise ValueError(f"joint '{joint.name}' has {has} dh row, but the file says {says}")
        for key, q in (("home", self.home), *((f"poses.{name}", q) for name, q in self.poses.items())):
            self._check_values(key, q)
        return self

    def _check_values(self, key: str, q: tuple[float, ...]) -> None:
        if len(q) != len(self.joint):
            raise ValueError(f"{key} has {len(q)} values, but there are {len(self.joint)} joints")
        for joint, value in zip(self.joint, q, strict=True):
            lower, upper = joint.limits.lower, joint.limits.upper
            if not lower <= value <= upper:
                raise ValueError(f"{key}: joint '{joint.name}': {value:g} is outside {lower:g}…{upper:g}")


class ToolTable(InertialTable):
    """A whole tool file; everything in the flange's frame."""

    schema_version: Literal[1] = Field(alias="schema")
    name: Name
    title: Label
    source: Text
    kind: Literal["none", "gripper", "suction", "pen", "torch"]
    estimated: tuple[Estimate, ...] = ()
    tip: FrameTable
    shape: tuple[ShapeTable, ...] = ()

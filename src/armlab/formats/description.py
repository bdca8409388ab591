"""What a file says about a robot, whatever its format: links and joints as a tree, and what was repaired in it.

Readers (URDF, SDF, MJCF …) make a `Description`; `chain.py` makes an arm of it. Nothing is folded or chosen yet.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from armlab.arrays import Floats
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.geometry.visual import Visual
from armlab.messages import Message
from armlab.model.finding import Finding, Severity
from armlab.model.pair_rule import PairRule

DescribedKind = Literal[
    "fixed", "revolute", "continuous", "prismatic", "floating", "planar",
    "ball", "universal", "revolute2", "screw", "gearbox",
]  # fmt: skip
URDF_KINDS = get_args(DescribedKind)[:6]
OTHER_KINDS = get_args(DescribedKind)[6:]
"""What SDF and MJCF have besides: kept in the tree, and refused between the axes of an arm."""
Format = Literal["toml", "urdf", "xacro", "sdf", "mjcf", "dh", "cad"]

WHOLE_TURN = 2.0 * math.pi
STROKE = 1.0
"""m: how far a sliding joint goes each way if nobody says."""


@dataclass(frozen=True, slots=True, eq=False)
class MeshUse:
    """A mesh that a link shows or collides with: the name in the file, its scale (3,) and its place on the link."""

    file: str
    scale: tuple[float, float, float]
    T_link_mesh: Floats
    is_collision: bool
    line: int = 0
    colour: str | None = None
    """`#rrggbb`, where the description gives one of its own."""
    T_mesh_file: Floats = field(default_factory=lambda: np.eye(4))
    """Applied to the points of the file before they are scaled."""


@dataclass(frozen=True, slots=True, eq=False)
class DescribedLink:
    """One link of the file, in its own frame; `seen` and `felt` are the solids that it shows and collides with."""

    name: str
    inertia: Inertia = field(default_factory=Inertia)
    seen: tuple[Shape, ...] = ()
    felt: tuple[Shape, ...] = ()
    meshes: tuple[MeshUse, ...] = ()
    shapes: tuple[Shape, ...] = ()
    """What it collides with, made of its solids and meshes."""
    visuals: tuple[Visual, ...] = ()
    """What it looks like, where that is more than its shapes."""
    estimate: Inertia | None = None
    """What it weighs by its volume, where the file does not say."""


@dataclass(frozen=True, slots=True)
class Mimic:
    """A joint follows another: its value is `multiplier` times that of `joint`, plus `offset`."""

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0


@dataclass(frozen=True, slots=True, eq=False)
class DescribedJoint:
    """One joint of the file; `lower` … `effort` mean nothing for one that is fixed."""

    name: str
    kind: DescribedKind
    parent: str
    child: str
    T_parent_child: Floats
    axis: Floats = field(default_factory=lambda: np.array([1.0, 0.0, 0.0]))
    mimic: Mimic | None = None
    lower: float = 0.0
    upper: float = 0.0
    velocity: float = math.inf
    effort: float = math.inf
    line: int = 0

    @property
    def moves(self) -> bool:
        """Whether one value says where the joint is."""
        return self.kind in {"revolute", "continuous", "prismatic"}

    @property
    def is_axis(self) -> bool:
        """Whether the joint can be moved on its own."""
        return self.moves and self.mimic is None


@dataclass(frozen=True, slots=True, eq=False)
class DescribedLoop:
    """A point of one link (3,) that is held on a point of another, each in the frame of its link."""

    link_a: str
    p_a: Floats
    link_b: str
    p_b: Floats
    line: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Description:
    """All links by name, parents first, and for each the joint that carries it; `findings` says what was repaired."""

    format: Format
    file: str
    name: str
    root: str
    links: dict[str, DescribedLink]
    joint_of: dict[str, DescribedJoint]
    joints_from: dict[str, tuple[DescribedJoint, ...]]
    findings: tuple[Finding, ...] = ()
    loops: tuple[DescribedLoop, ...] = ()
    rules: tuple[PairRule, ...] = ()
    """Which links may touch, by the file's word; a later rule holds."""


class Repairs:
    """Collects what a reader had to guess or repair, with the place in the file."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.findings: list[Finding] = []

    def add(self, severity: Severity, line: int | None, code: str, template: str, **parameters: object) -> None:
        """Keep one finding; `template` is marked for translation where it is written."""
        where: dict[str, float | int | str] = {"file": self.file}
        if line:
            where["line"] = line
        for key in ("link", "joint"):
            if isinstance(named := parameters.get(key), str):
                where[key] = named
        self.findings.append(Finding(severity, Message(code, template, **parameters), where))

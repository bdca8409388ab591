"""The parts of an arm: joints, links and tools; frozen values without any state."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from armlab.arrays import Floats, as_floats, read_only
from armlab.errors import InvalidInput
from armlab.kernels.trig import LARGEST
from armlab.model.pose import as_one_pose
from armlab.model.shape import Shape

JointKind = Literal["revolute", "prismatic"]
ToolKind = Literal["none", "gripper", "suction", "pen", "torch"]


@dataclass(frozen=True, slots=True, eq=False)
class Joint:
    """One moving joint: it turns about, or slides along, `axis` of the frame that it has in its parent link.

    Values, zero and sign are those that the maker's own controller shows, in rad or m. A limit that nobody states is
    infinite.
    """

    name: str
    kind: JointKind
    T_parent_joint: Floats
    """Where the child link's frame is in the parent link's when the joint value is zero."""
    axis: Floats
    lower: float
    upper: float
    velocity: float = math.inf
    acceleration: float = math.inf
    effort: float = math.inf

    def __post_init__(self) -> None:
        if self.kind not in get_args(JointKind):
            raise InvalidInput(f"joint '{self.name}': kind '{self.kind}' is neither revolute nor prismatic")
        axis = as_floats(self.axis, (3,), f"joint '{self.name}': axis")
        largest = float(np.abs(axis).max())
        if not largest > 1e-9:
            raise InvalidInput(f"joint '{self.name}': axis [0, 0, 0] has no direction")
        if not self.lower < self.upper:
            raise InvalidInput(
                f"joint '{self.name}': lower limit {self.lower:g} is not below upper limit {self.upper:g}"
            )
        if max(abs(self.lower), abs(self.upper)) > LARGEST:
            raise InvalidInput(
                f"joint '{self.name}': limits {self.lower:g} and {self.upper:g} are not within ±{LARGEST:g}"
            )
        for what in ("velocity", "acceleration", "effort"):
            value = getattr(self, what)
            if not value > 0:
                raise InvalidInput(f"joint '{self.name}': {what} limit {value:g} is not above zero")
        axis = axis / largest
        T_parent_joint = as_one_pose(self.T_parent_joint, f"joint '{self.name}': T_parent_joint")
        object.__setattr__(self, "axis", read_only(axis / np.linalg.norm(axis)))
        object.__setattr__(self, "T_parent_joint", read_only(T_parent_joint))


@dataclass(frozen=True, slots=True, eq=False)
class Inertia:
    """A mass (kg), its centre (m) and its inertia matrix about that centre (kg m²), in the frame of its link."""

    mass: float = 0.0
    com: Floats = field(default_factory=lambda: np.zeros(3))
    matrix: Floats = field(default_factory=lambda: np.zeros((3, 3)))

    def __post_init__(self) -> None:
        if not (self.mass >= 0 and math.isfinite(self.mass)):
            raise InvalidInput(f"mass: {self.mass:g} kg is not zero or more")
        com, matrix = as_floats(self.com, (3,), "com"), as_floats(self.matrix, (3, 3), "inertia")
        moments = np.linalg.eigvalsh(matrix)
        slack = 1e-9 + 1e-6 * float(np.abs(moments).max())
        if not np.allclose(matrix, matrix.T, atol=slack):
            raise InvalidInput("inertia: the matrix is not symmetric")
        if moments[0] < -slack or moments[0] + moments[1] < moments[2] - slack:
            shown = ", ".join(f"{m:.3g}" for m in moments)
            raise InvalidInput(
                f"inertia: no body has the principal moments {shown} kg m²; each must be positive "
                "and at most the sum of the other two"
            )
        object.__setattr__(self, "com", read_only(com))
        object.__setattr__(self, "matrix", read_only(matrix))


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """One rigid link: what it weighs and what it looks like, in its own frame."""

    name: str
    inertia: Inertia = field(default_factory=Inertia)
    shapes: tuple[Shape, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """What the flange carries; shapes and inertia are in the flange's frame."""

    name: str
    kind: ToolKind
    T_flange_tool: Floats
    inertia: Inertia = field(default_factory=Inertia)
    shapes: tuple[Shape, ...] = ()

    def __post_init__(self) -> None:
        if self.kind not in get_args(ToolKind):
            raise InvalidInput(f"tool '{self.name}': kind '{self.kind}' is not one of {', '.join(get_args(ToolKind))}")
        T_flange_tool = as_one_pose(self.T_flange_tool, f"tool '{self.name}': T_flange_tool")
        object.__setattr__(self, "T_flange_tool", read_only(T_flange_tool))


NO_TOOL = Tool("none", "none", np.eye(4))

"""The parts of an arm: joints, links and tools; frozen values without any state."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from armlab.arrays import Floats, read_only
from armlab.errors import InvalidInput
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
        length = float(np.linalg.norm(self.axis))
        if not length > 1e-9:
            raise InvalidInput(f"joint '{self.name}': axis [0, 0, 0] has no direction")
        if not self.lower < self.upper:
            raise InvalidInput(
                f"joint '{self.name}': lower limit {self.lower:g} is not below upper limit {self.upper:g}"
            )
        for what in ("velocity", "acceleration", "effort"):
            value = getattr(self, what)
            if not value > 0:
                raise InvalidInput(f"joint '{self.name}': {what} limit {value:g} is not above zero")
        object.__setattr__(self, "axis", read_only(self.axis / length))
        object.__setattr__(self, "T_parent_joint", read_only(self.T_parent_joint))


@dataclass(frozen=True, slots=True, eq=False)
class Inertia:
    """A mass (kg), its centre (m) and its inertia matrix about that centre (kg m²), in the frame of its link."""

    mass: float = 0.0
    com: Floats = field(default_factory=lambda: np.zeros(3))
    matrix: Floats = field(default_factory=lambda: np.zeros((3, 3)))

    def __post_init__(self) -> None:
        if not (self.mass >= 0 and math.isfinite(self.mass)):
            raise InvalidInput(f"mass: {self.mass:g} kg is not zero or more")
        moments = np.linalg.eigvalsh(self.matrix)
        slack = 1e-9 + 1e-6 * float(np.abs(moments).max())
        if not np.allclose(self.matrix, self.matrix.T, atol=slack):
            raise InvalidInput("inertia: the matrix is not symmetric")
        if moments[0] < -slack or moments[0] + moments[1] < moments[2] - slack:
            shown = ", ".join(f"{m:.3g}" for m in moments)
            raise InvalidInput(
                f"inertia: no body has the principal moments {shown} kg m²; each must be positive "
                "and at most the sum of the other two"
            )
        object.__setattr__(self, "com", read_only(self.com))
        object.__setattr__(self, "matrix", read_only(self.matrix))


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
        object.__setattr__(self, "T_flange_tool", read_only(self.T_flange_tool))


NO_TOOL = Tool("none", "none", np.eye(4))

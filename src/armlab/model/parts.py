"""The parts of an arm: joints, links and tools; frozen values without any state."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from armlab.arrays import Floats, as_floats, read_only
from armlab.errors import InvalidInput
from armlab.geometry.inertia import Inertia
from armlab.geometry.pose import as_one_pose
from armlab.geometry.shape import Shape
from armlab.geometry.visual import Visual
from armlab.kernels.trig import LARGEST
from armlab.messages import Message, _, term
from armlab.model.jaws import Jaws

JointKind = Literal["revolute", "prismatic"]
ToolKind = Literal["none", "gripper", "suction", "pen", "torch"]


def of_joint(joint: str, what: str) -> Message:
    """Return what a message calls an attribute of a joint: `joint 'A3': axis`."""
    return term(_("joint '{joint}': {what}"), joint=joint, what=what)


def joint_kind_unknown(joint: str, kind: str) -> InvalidInput:
    """Return the error about a kind of joint that there is not."""
    return InvalidInput(
        "joint_kind",
        _("joint '{joint}': kind '{kind}' is not one of {known}"),
        joint=joint,
        kind=kind,
        known=get_args(JointKind),
    )


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
            raise joint_kind_unknown(self.name, self.kind)
        axis = as_floats(self.axis, (3,), of_joint(self.name, "axis"))
        largest = float(np.abs(axis).max())
        if not largest > 1e-9:
            raise InvalidInput("joint_axis", _("joint '{joint}': axis [0, 0, 0] has no direction"), joint=self.name)
        if not self.lower < self.upper:
            raise InvalidInput(
                "limits_reversed",
                _("joint '{joint}': lower limit {lower:g} is not below upper limit {upper:g}"),
                joint=self.name,
                lower=self.lower,
                upper=self.upper,
            )
        if max(abs(self.lower), abs(self.upper)) > LARGEST:
            raise InvalidInput(
                "limits_too_large",
                _("joint '{joint}': limits {lower:g} and {upper:g} are not within ±{largest:g}"),
                joint=self.name,
                lower=self.lower,
                upper=self.upper,
                largest=LARGEST,
            )
        for what in ("velocity", "acceleration", "effort"):
            value = getattr(self, what)
            if not value > 0:
                raise InvalidInput(
                    "limit_not_positive",
                    _("joint '{joint}': {limit} limit must be > 0, got {value:g}"),
                    joint=self.name,
                    limit=what,
                    value=value,
                )
        axis = axis / largest
        T_parent_joint = as_one_pose(self.T_parent_joint, of_joint(self.name, "T_parent_joint"))
        object.__setattr__(self, "axis", read_only(axis / np.linalg.norm(axis)))
        object.__setattr__(self, "T_parent_joint", read_only(T_parent_joint))


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """One rigid link: what it weighs, what it collides with and what it looks like, in its own frame."""

    name: str
    inertia: Inertia = field(default_factory=Inertia)
    shapes: tuple[Shape, ...] = ()
    """What it collides with; also what it looks like where it has no `visuals`."""
    visuals: tuple[Visual, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Tool:
    """What the flange carries; shapes and inertia are in the flange's frame."""

    name: str
    kind: ToolKind
    T_flange_tool: Floats
    inertia: Inertia = field(default_factory=Inertia)
    shapes: tuple[Shape, ...] = ()
    """Of the whole tool; those of a gripper's fingers, open, are among them."""
    jaws: Jaws | None = None
    """Which of the shapes are fingers and how they close, where its file says so; see `jaws_of`."""

    def __post_init__(self) -> None:
        if self.kind not in get_args(ToolKind):
            raise InvalidInput(
                "tool_kind",
                _("tool '{tool}': kind '{kind}' is not one of {known}"),
                tool=self.name,
                kind=self.kind,
                known=get_args(ToolKind),
            )
        T_flange_tool = as_one_pose(
            self.T_flange_tool, term(_("tool '{tool}': {what}"), tool=self.name, what="T_flange_tool")
        )
        object.__setattr__(self, "T_flange_tool", read_only(T_flange_tool))


NO_TOOL = Tool("none", "none", np.eye(4))

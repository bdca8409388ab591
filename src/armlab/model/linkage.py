"""Closed chains: links in a tree of joints, and pins that close it; a frozen value like a robot."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats, read_only
from armlab.errors import InvalidInput
from armlab.geometry import pose, solid
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.messages import _
from armlab.model.parts import Joint, Link
from armlab.model.robot import check_joint_count

BAR = 0.02
"""Width and height (m) of the square bars that the constructors make."""
DENSITY = 2700.0
"""kg/m³ of those bars: aluminium."""
_OUT_OF_THE_PLANE = (0.0, -1.0, 0.0)
"""Planar linkages stand in the xz plane; a positive angle turns x towards z."""


@dataclass(frozen=True, slots=True, eq=False)
class Closure:
    """A pin that holds a point of one link on a point of another; both may turn about its axis."""

    link_a: int
    p_a: Floats
    """The pin in the frame of link a, (3,)."""
    link_b: int
    p_b: Floats
    axis: Floats | None = None
    """The pin's axis, a unit vector in the frame of link a and of link b alike: only parallel axes are pinned.

    None for a ball, which holds the points alone."""

    def __post_init__(self) -> None:
        for what in ("p_a", "p_b"):
            object.__setattr__(self, what, read_only(as_floats(getattr(self, what), (3,), f"closure: {what}")))
        if self.axis is None:
            return
        object.__setattr__(self, "axis", read_only(as_floats(self.axis, (3,), "closure: axis")))
        size = float(np.linalg.norm(self.axis))
        if not size > 1e-9:
            raise InvalidInput("closure_axis", _("closure: axis [0, 0, 0] has no direction"))
        object.__setattr__(self, "axis", read_only(self.axis / size))


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Linkage:
    """Links that form closed chains: a tree of joints as in a robot, but with branches, and pins that close it.

    `links[0]` stands on the ground; `joints[i]` moves `links[i + 1]` against `links[parents[i]]`. The joints in
    `driven` have motors, the others turn freely.
    """

    name: str
    links: tuple[Link, ...]
    joints: tuple[Joint, ...]
    parents: tuple[int, ...]
    closures: tuple[Closure, ...]
    driven: tuple[int, ...]
    start: Floats
    """Joint values with the chain closed, (n,)."""
    base: Floats = field(default_factory=lambda: np.eye(4))

    def __post_init__(self) -> None:
        n = len(self.joints)
        check_joint_count(n, self.name)
        self._check_indices(n)
        object.__setattr__(self, "base", read_only(pose.as_one_pose(self.base, f"{self.name}: base")))
        object.__setattr__(self, "start", read_only(as_floats(self.start, (n,), f"{self.name}: start")))
        open_by = float(self.gaps(self.start).max(initial=0.0))
        if open_by > 1e-6:
            raise InvalidInput(
                "linkage_open", _("{who}: at the start the chain is open by {gap:.3g} m"), who=self.name, gap=open_by
            )

    def _check_indices(self, n: int) -> None:
        """Refuse counts that do not match, and indices that point to nothing."""
        if len(self.links) != n + 1 or len(self.parents) != n:
            raise InvalidInput(
                "linkage_counts",
                _("{who}: {joints} joints need {joints} parents and one link more, got {parents} and {links}"),
                who=self.name,
                joints=n,
                parents=len(self.parents),
                links=len(self.links),
            )
        for i, parent in enumerate(self.parents):
            if not 0 <= parent <= i:
                raise InvalidInput(
                    "linkage_parent",
                    _("{who}: joint '{joint}': parent must be 0 to {most}, got {parent}"),
                    who=self.name,
                    joint=self.joints[i].name,
                    most=i,
                    parent=parent,
                )
        for i in self.driven:
            if not 0 <= i < n:
                raise InvalidInput(
                    "linkage_driven",
                    _("{who}: driven joint must be 0 to {most}, got {i}"),
                    who=self.name,
                    most=n - 1,
                    i=i,
                )
        for closure in self.closures:
            a, b = closure.link_a, closure.link_b
            if not (0 <= a <= n and 0 <= b <= n and a != b):
                raise InvalidInput(
                    "linkage_closure",
                    _("{who}: a closure needs two different links of 0 to {most}, got {a} and {b}"),
                    who=self.name,
                    most=n,
                    a=a,
                    b=b,
                )

    @property
    def dof(self) -> int:
        """How many joints the tree has; the closures leave fewer of them free."""
        return len(self.joints)

    def frames(self, q: ArrayLike) -> Floats:
        """Return every link's frame in world coordinates for joint values `q` (n,): (n + 1, 4, 4)."""
        values = as_floats(q, (self.dof,), f"{self.name}: q")
        out = np.empty((self.dof + 1, 4, 4))
        out[0] = self.base
        for i, (joint, parent) in enumerate(zip(self.joints, self.parents, strict=True)):
            out[i + 1] = out[parent] @ joint.T_parent_joint @ moved(joint, float(values[i]))
        return out

    def gaps(self, q: ArrayLike) -> Floats:
        """Return how far apart (m) the two points of each closure are, (k,)."""
        frames = self.frames(q)
        a = [pose.transform(frames[c.link_a], c.p_a) for c in self.closures]
        b = [pose.transform(frames[c.link_b], c.p_b) for c in self.closures]
        return np.asarray(np.linalg.norm(np.array(a).reshape(-1, 3) - np.array(b).reshape(-1, 3), axis=1))


def moved(joint: Joint, value: float) -> Floats:
    """Return what a joint value does to its link: a turn about, or a shift along, the joint's axis, (4, 4)."""
    if joint.kind == "prismatic":
        return pose.from_xyz(joint.axis * value)
    return pose.from_xyz_axis_angle([0.0, 0.0, 0.0], joint.axis, value)


def four_bar(
    crank: float, coupler: float, rocker: float, ground: float, *, angle: float = 1.0, name: str = "four-bar"
) -> Linkage:
    """Return a four-bar linkage in the xz plane, its crank at `angle` (rad) from the ground and driven.

    The crank turns about the origin, the rocker about x = `ground`; lengths are in metres. Joint values: the crank's
    angle, the coupler's against the crank, the rocker's.

    Raises:
        InvalidInput: if a length is not above zero, or the linkage cannot be closed at that angle.
    """
    for what, length in (("crank", crank), ("coupler", coupler), ("rocker", rocker), ("ground", ground)):
        if not (length > 0.0 and math.isfinite(length)):
            raise InvalidInput(
                "bar_not_positive", _("{who}: {bar} must be > 0, got {length:g} m"), who=name, bar=what, length=length
            )
    phi = rocker_angle(crank, coupler, rocker, ground, angle)
    x = ground + rocker * math.cos(phi) - crank * math.cos(angle)
    z = rocker * math.sin(phi) - crank * math.sin(angle)
    joints = (
        _turn("crank", 0.0),
        _turn("coupler", crank),
        _turn("rocker", ground),
    )
    links = (Link("ground"), _bar("crank", crank), _bar("coupler", coupler), _bar("rocker", rocker))
    pin = Closure(2, np.array([coupler, 0.0, 0.0]), 3, np.array([rocker, 0.0, 0.0]), np.array(_OUT_OF_THE_PLANE))
    start = np.array([angle, math.atan2(z, x) - angle, phi])
    return Linkage(name=name, links=links, joints=joints, parents=(0, 1, 0), closures=(pin,), driven=(0,), start=start)


def parallelogram(crank: float, ground: float, *, angle: float = math.pi / 2, name: str = "parallelogram") -> Linkage:
    """Return a parallelogram: crank and rocker stay parallel, and so do coupler and ground (m, rad).

    Raises:
        InvalidInput: if a length is not above zero, or all bars lie on one line, where it could fold over.
    """
    if abs(math.sin(angle)) < 1e-3:
        raise InvalidInput(
            "parallelogram_flat",
            _("{who}: at {angle:g} rad all bars lie on one line; choose another start angle"),
            who=name,
            angle=angle,
        )
    made = four_bar(crank, ground, crank, ground, angle=angle, name=name)
    straight = np.array([angle, -angle, angle])
    return Linkage(
        name=name,
        links=made.links,
        joints=made.joints,
        parents=made.parents,
        closures=made.closures,
        driven=made.driven,
        start=straight,
    )


def rocker_angle(crank: float, coupler: float, rocker: float, ground: float, angle: float) -> float:
    """Return the rocker's angle (rad) of an open, not crossed, four-bar for the crank's `angle`.

    Raises:
        InvalidInput: if the bars do not meet at that angle.
    """
    x, z = crank * math.cos(angle) - ground, crank * math.sin(angle)
    r = math.hypot(x, z)
    cosine = (r * r + rocker * rocker - coupler * coupler) / (2.0 * r * rocker) if r > 0.0 else math.inf
    if abs(cosine) > 1.0 + 1e-12:
        raise InvalidInput(
            "four_bar_open",
            _("four-bar: coupler and rocker do not meet at a crank angle of {angle:g} rad"),
            angle=angle,
        )
    return math.atan2(z, x) - math.acos(max(-1.0, min(1.0, cosine)))


def _turn(name: str, x: float) -> Joint:
    at = pose.from_xyz([x, 0.0, 0.0])
    return Joint(name, "revolute", at, np.array(_OUT_OF_THE_PLANE), -1000.0 * math.pi, 1000.0 * math.pi)


def _bar(name: str, length: float) -> Link:
    """Return a square bar from the origin of its frame along x."""
    shape = Shape("box", (length, BAR, BAR), pose.from_xyz([length / 2.0, 0.0, 0.0]))
    weight: Inertia = solid.inertia((shape,), density=DENSITY)
    return Link(name, weight, (shape,))

"""What the builders build from: a tree of links with joints, whether it was an arm or a closed chain."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.dynamics.bodies import weighed, weight_of
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia, combined
from armlab.geometry.shape import Shape
from armlab.messages import _, term
from armlab.model.coupling import Coupling, Follower
from armlab.model.hand import hand_of
from armlab.model.linkage import Closure, Linkage, moved
from armlab.model.loops import Loops
from armlab.model.parts import Joint
from armlab.model.robot import Robot
from armlab.model.scene import PlacedRobot, Scene
from armlab.sim.bounds import check_mass

THINNEST = 1e-6
"""No principal moment of a link is below its mass times this (m²): a rod as thin as a line cannot be turned."""


class MechanismLink(NamedTuple):
    """One link and the joint that moves it against its parent; the first part stands on the base and has no joint."""

    name: str
    parent: int
    joint: Joint | None
    inertia: Inertia
    shapes: tuple[Shape, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Mechanism:
    """A tree of parts with the values it starts from; `parts[i + 1]` is moved by joint i."""

    name: str
    source: Robot | Linkage
    parts: tuple[MechanismLink, ...]
    start: Floats
    home: Floats
    closures: tuple[Closure, ...] = ()
    driven: tuple[int, ...] = ()
    arm_dof: int = 0
    """How many joints are the arm's; those after them are fingers, and then parts of loops."""
    opening: float | None = None
    """How far apart the fingers start (m); None without any."""
    finger_count: int = 0
    axes: Floats = field(init=False)
    """(n, 3) in the frames of the links."""
    masses: Floats = field(init=False)
    """(n + 1,) of all parts, and their centres, (n + 1, 3)."""
    centres: Floats = field(init=False)
    revolute: NDArray[np.bool_] = field(init=False)
    lower: Floats = field(init=False)
    upper: Floats = field(init=False)
    velocity: Floats = field(init=False)

    def __post_init__(self) -> None:
        joints, parts = self.joints, self.parts
        arrays = {
            "axes": np.array([joint.axis for joint in joints]),
            "masses": np.array([part.inertia.mass for part in parts]),
            "centres": np.array([part.inertia.com for part in parts]),
            "revolute": np.array([joint.kind == "revolute" for joint in joints]),
            "lower": np.array([joint.lower for joint in joints]),
            "upper": np.array([joint.upper for joint in joints]),
            "velocity": np.array([joint.velocity for joint in joints]),
        }
        for name, values in arrays.items():
            object.__setattr__(self, name, values)

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints, in order."""
        return tuple(part.joint for part in self.parts if part.joint is not None)

    @property
    def dof(self) -> int:
        """How many joints there are."""
        return len(self.parts) - 1

    @property
    def fingers(self) -> range:
        """The parts that are fingers."""
        return range(self.arm_dof + 1, self.arm_dof + 1 + self.finger_count)

    def width(self, q: Floats) -> float | None:
        """Return how far apart the fingers are (m) at the joint values `q`; None without any."""
        if self.opening is None:
            return None
        return self.opening - 2.0 * float(q[self.arm_dof : self.arm_dof + self.finger_count].mean())

    @property
    def last(self) -> int:
        """The part that carries a tool, and things that are attached."""
        return self.arm_dof

    def frames(self, q: Floats) -> Floats:
        """Return the frames of all parts in world coordinates, (parts, 4, 4)."""
        arm = self.source.uncoupled if isinstance(self.source, Robot) else self.source
        frames = list(arm.frames(q[: self.arm_dof])[: self.arm_dof + 1])
        for part, value in zip(self.parts[self.arm_dof + 1 :], q[self.arm_dof :], strict=True):
            assert part.joint is not None
            frames.append(frames[part.parent] @ part.joint.T_parent_joint @ moved(part.joint, float(value)))
        return np.array(frames)

    @property
    def coupling(self) -> Coupling | None:
        """How the values of the arm's joints follow from those that are driven; None where all are."""
        return self.source.coupling if isinstance(self.source, Robot) else None

    @property
    def followers(self) -> tuple[Follower, ...]:
        """The joints of the arm that follow others."""
        return self.source.followers if isinstance(self.source, Robot) else ()

    @property
    def shown(self) -> slice | list[int]:
        """Which joints a state lists: those of the arm, but for its followers."""
        return list(self.driven) if self.followers else slice(0, self.arm_dof)

    def is_tied(self, maximal: bool) -> bool:
        """Tell whether constraints hold the arm together, so that its weight is for its motors, not for the engine."""
        return maximal or bool(self.followers)

    def tool_frame(self, T_world_last: Floats) -> Floats:
        """Return the tool's frame for that of the last part; a linkage has no tool."""
        if isinstance(self.source, Linkage):
            return T_world_last
        return np.asarray(T_world_last @ self.source.flange @ self.source.tool.T_flange_tool)


def of_robot(placed: PlacedRobot, *, with_hand: bool = False, with_loops: bool = False) -> Mechanism:
    """Return an arm of a scene as a mechanism; its tool is part of its last link, but for the fingers of a hand."""
    robot, law = weighed(placed.robot), placed.robot.coupling
    n = robot.uncoupled.dof
    hand = hand_of(robot.tool, robot.flange) if with_hand else None
    joints = (None, *robot.uncoupled.joints)
    parts = [
        MechanismLink(link.name, i - 1, joints[i], link.inertia, link.shapes) for i, link in enumerate(robot.links)
    ]
    start, home = placed.q if law is None else law.expand(placed.q), robot.uncoupled.home
    if hand is None:
        parts[-1] = _with(parts[-1], robot.flange, robot.tool.inertia, robot.tool.shapes)
    else:
        parts[-1] = _with(parts[-1], robot.flange, hand.palm_inertia, hand.jaws.palm)
        rows = zip(hand.joints, hand.jaws.fingers, strict=True)
        parts += [MechanismLink(joint.name, n, joint, finger.inertia, finger.shapes) for joint, finger in rows]
        start, home = (np.append(q, np.zeros(len(hand.joints))) for q in (start, home))
    opening, fingers = (None, 0) if hand is None else (hand.jaws.opening, len(hand.joints))
    pins: tuple[Closure, ...] = ()
    if with_loops and robot.loops is not None:
        values = robot.loops.closed(robot.frames(placed.q)[: n + 1], placed.name)
        start, home = np.append(start, values), np.append(home, values)
        added, pins = _loops(robot.loops, n, len(parts) - n - 1)
        parts += added
    driven = tuple(range(n)) if law is None else law.own
    return Mechanism(
        placed.name, robot, tuple(parts), start, home, pins, driven, arm_dof=n, opening=opening, finger_count=fingers
    )


def of_scene(scene: Scene, *, with_hands: bool, with_loops: bool) -> tuple[Mechanism, ...]:
    """Return the arms of a scene as mechanisms."""
    return tuple(of_robot(placed, with_hand=with_hands, with_loops=with_loops) for placed in scene.robots)


def _loops(loops: Loops, n: int, fingers: int) -> tuple[list[MechanismLink], tuple[Closure, ...]]:
    """Return the parts of loops as those of a mechanism, behind the fingers; they touch nothing."""

    def place(link: int) -> int:
        return link if link <= n else link + fingers

    parts = [MechanismLink(link.name, place(parent), joint, weight_of(link), ()) for link, joint, parent in loops.parts]
    return parts, tuple(replace(pin, link_a=place(pin.link_a), link_b=place(pin.link_b)) for pin in loops.pins)


def of_linkage(linkage: Linkage) -> Mechanism:
    """Return a closed chain as a mechanism."""
    joints, parents = (None, *linkage.joints), (-1, *linkage.parents)
    parts = tuple(
        MechanismLink(link.name, parents[i], joints[i], weight_of(link), link.shapes)
        for i, link in enumerate(linkage.links)
    )
    q = linkage.start
    return Mechanism(linkage.name, linkage, parts, q, q, linkage.closures, linkage.driven, arm_dof=linkage.dof)


def check_masses(mechanism: Mechanism) -> None:
    """Raise InvalidInput if a moving link has no mass, or one that cannot be computed with."""
    for part in mechanism.parts[1:]:
        who = term(_("{robot}: link '{link}'"), robot=mechanism.name, link=part.name)
        if not part.inertia.mass > 0.0:
            raise InvalidInput(
                "link_without_mass",
                _("{who} has no mass and no shape; physics needs one of them, the structure 'hierarchy' does not"),
                who=who,
            )
        check_mass(part.inertia.mass, who)


def thickened(inertia: Inertia) -> Floats:
    """Return the inertia matrix with no principal moment below `THINNEST` times the mass."""
    moments, axes = np.linalg.eigh(inertia.matrix)
    return np.asarray(axes @ np.diag(np.maximum(moments, THINNEST * inertia.mass)) @ axes.T)


def _with(part: MechanismLink, T_link_flange: Floats, held: Inertia, shapes: tuple[Shape, ...]) -> MechanismLink:
    """Return the part with a tool on its flange."""
    whole = combined([(part.inertia, np.eye(4)), (held, T_link_flange)])
    placed = tuple(replace(s, T_link_shape=T_link_flange @ s.T_link_shape, part="tool") for s in shapes)
    return part._replace(inertia=whole, shapes=(*part.shapes, *placed))


def origin(T: Floats) -> tuple[Floats, tuple[float, float, float, float]]:
    """Return position and quaternion (wxyz) of a pose."""
    return T[:3, 3].copy(), pose.quaternion_of(T)

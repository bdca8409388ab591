"""Loops of a description beside the chosen chain: rods become parts that the simulation moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.formats.description import DescribedLoop, Description, Repairs
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia
from armlab.messages import _
from armlab.model.linkage import Closure
from armlab.model.loops import LoopPart, Loops
from armlab.model.parts import Joint, JointKind, Link
from armlab.model.robot import Robot

_STEP = 0.02
"""rad or m by which axes are moved to see whether a loop lets them."""


class LoopJoint(NamedTuple):
    """A joint beside the chain, the link of the file that it moves, and the number of the link that carries it."""

    child: str
    joint: Joint
    parent: int


class FoundLoops(NamedTuple):
    """The joints beside the chain that loops need, and the points that close them."""

    joints: tuple[LoopJoint, ...]
    pins: tuple[Closure, ...]
    left_out: tuple[DescribedLoop, ...]
    """Loops without such a joint: they tie axes of the chain to each other."""


def find_loops(description: Description, chain_links: Sequence[str]) -> FoundLoops:
    """Return what closes the loops of a description whose chain has the links `chain_links`, the base first."""
    index = {name: i for i, name in enumerate(chain_links)}
    joints: list[LoopJoint] = []
    pins, left_out = [], []
    for loop in description.loops:
        if _carrier(description, loop.link_a, chain_links) == _carrier(description, loop.link_b, chain_links):
            continue  # a loop within a gripper, say: held at zero like all that hangs on the chain
        one = _carried(description, loop.link_a, loop.p_a, index, joints)
        other = _carried(description, loop.link_b, loop.p_b, index, joints)
        if one is None or other is None or max(one[0], other[0]) < len(chain_links):
            left_out.append(loop)
        else:
            pins.append(Closure(*one, *other))
    return FoundLoops(tuple(joints), tuple(pins), tuple(left_out))


def _carrier(description: Description, link: str, chain_links: Sequence[str]) -> str:
    """Return the link of the chain that another stands on; the root if it stands on none."""
    while link not in chain_links and link in description.joint_of:
        link = description.joint_of[link].parent
    return link


def _carried(
    description: Description, link: str, p_link: Floats, index: dict[str, int], joints: list[LoopJoint]
) -> tuple[int, Floats] | None:
    """Return the number of the link that a point is on, and the point in its frame; its joints are added on the way.

    None if the link does not stand on the chain, or a joint between them is none that moves in one direction.
    """
    path, name = [], link
    while name not in index:
        joint = description.joint_of.get(name)
        if joint is None or not (joint.moves or joint.kind == "fixed"):
            return None
        path.append(joint)
        name = joint.parent
    parent, T = index[name], np.eye(4)
    for step in reversed(path):
        T = T @ step.T_parent_child
        if step.moves:
            kind: JointKind = "prismatic" if step.kind == "prismatic" else "revolute"
            joints.append(LoopJoint(step.child, Joint(step.name, kind, T, step.axis, step.lower, step.upper), parent))
            parent = index[step.child] = len(index)
            T = np.eye(4)
    return parent, pose.transform(T, p_link)


def with_loops(robot: Robot, found: FoundLoops, weights: Sequence[Inertia], repairs: Repairs) -> Robot:
    """Return the arm with its loops, where they leave its axes free; say of each what became of it.

    `weights` are those of the links that the loops' joints move.
    """
    held = [[loop.link_a, loop.link_b] for loop in found.left_out]
    if found.pins:
        rods = [
            LoopPart(Link(child, weight), joint, parent)
            for (child, joint, parent), weight in zip(found.joints, weights, strict=True)
        ]
        loops, names = Loops(tuple(rods), found.pins), [joint.child for joint in found.joints]
        if _leave_axes_free(loops, robot):
            repairs.add(
                "note",
                None,
                "loop_kept",
                _("the loop with {links} is kept: the simulation closes it, kinematics and dynamics do without it"),
                links=names,
            )
            robot = replace(robot, loops=loops, configurations=dict(robot.configurations))
        else:
            held.append(names)
    for links in held:
        repairs.add(
            "warning",
            None,
            "loop_left_out",
            _("the loop with {links} is left out: it ties axes of the chain to each other"),
            links=links,
        )
    return robot


def _leave_axes_free(loops: Loops, robot: Robot) -> bool:
    """Tell whether the loops can be closed at home, and with every axis moved a little."""
    way = np.where(robot.home + _STEP <= robot.upper, _STEP, -_STEP) * np.linspace(0.5, 1.0, robot.dof)
    try:
        for q in (robot.home, np.clip(robot.home + way, robot.lower, robot.upper)):
            loops.closed(robot.frames(q)[:-1], robot.name)
    except InvalidInput:
        return False
    return True

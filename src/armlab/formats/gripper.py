"""Which joints of a description are a gripper's: by their names, or because they close like jaws."""

from __future__ import annotations

import re
from collections import defaultdict

import numpy as np

from armlab.arrays import Floats
from armlab.formats.description import DescribedJoint, Description
from armlab.formats.followers import law_of

_GRIPPER = re.compile(r"finger|jaw|thumb|knuckle|claw|gripper", re.IGNORECASE)
_WRIST = re.compile(r"wrist|yaw|roll|pitch|rotat", re.IGNORECASE)
AGAINST = -0.25
"""The cosine between two motions below which they go against each other: fingers 120° apart still do."""


def gripper_joints(description: Description) -> frozenset[str]:
    """Return the joints that move fingers: named so, or closing like jaws, with no other axis after them."""
    jaws = _jaws(description)
    fingers: set[str] = set()
    for name in reversed(description.links):  # children come first
        joint = description.joint_of.get(name)
        if joint is None or not joint.moves:
            continue
        text = f"{joint.name} {joint.child}"
        is_named = _GRIPPER.search(text) and not _WRIST.search(text)
        below = [after for each in _below(description, name) for after in description.joints_from[each] if after.moves]
        if (is_named or joint.name in jaws) and all(after.name in fingers for after in below):
            fingers.add(joint.name)
    return frozenset(fingers)


def _below(description: Description, name: str) -> list[str]:
    """Return a link and all that it carries."""
    names = [name]
    for each in names:
        names.extend(joint.child for joint in description.joints_from[each])
    return names


def _jaws(description: Description) -> set[str]:
    """Return joints that move together, two of which hang on the same body and go against each other.

    The rods of a parallelogram hang on one body too, but go with each other.
    """
    by_name = {joint.name: joint for joint in description.joint_of.values()}
    groups: dict[str, list[tuple[DescribedJoint, float]]] = defaultdict(list)
    for joint in by_name.values():
        law = law_of(joint, by_name) if joint.moves and joint.mimic is not None else None
        if law is not None:
            groups[law.leader.name].append((joint, law.multiplier))
    jaws: set[str] = set()
    for leader, followers in groups.items():
        members = [(by_name[leader], 1.0), *followers]
        moves = [(joint.kind == "prismatic", *_motion(description, joint, rate)) for joint, rate in members]
        pairs = ((one, other) for i, one in enumerate(moves) for other in moves[:i])
        if any(one[:2] == other[:2] and one[2] @ other[2] < AGAINST for one, other in pairs):
            jaws.update(joint.name for joint, _rate in members)
    return jaws


def _motion(description: Description, joint: DescribedJoint, rate: float) -> tuple[str, Floats]:
    """Return the body that carries a joint, and the direction in its frame of what the joint does, (3,)."""
    size = float(np.linalg.norm(joint.axis))
    along = joint.T_parent_child[:3, :3] @ joint.axis * (np.sign(rate) / size if size > 0.0 else 0.0)
    carrier = joint.parent
    while (fixed := description.joint_of.get(carrier)) is not None and fixed.kind == "fixed":
        along, carrier = fixed.T_parent_child[:3, :3] @ along, fixed.parent
    return carrier, along

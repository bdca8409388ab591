"""Joints that follow others, as a description has them: which of them an arm's chain keeps, and by what law."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.formats.description import DescribedJoint, Description, Repairs
from armlab.geometry import pose
from armlab.messages import _
from armlab.model.coupling import Follower, narrowed
from armlab.model.parts import Joint


class Law(NamedTuple):
    """A joint's value is `multiplier` times that of `leader`, which follows none, plus `offset`."""

    leader: DescribedJoint
    multiplier: float
    offset: float


class LawfulPath(NamedTuple):
    """A path along joints, and the laws of those of them that follow others of it, by name."""

    description: Description
    path: list[DescribedJoint]
    laws: dict[str, Law]


def law_of(joint: DescribedJoint, by_name: Mapping[str, DescribedJoint]) -> Law | None:
    """Return what a joint follows in the end; None if that is itself, or a joint that is not there."""
    multiplier, offset, here, seen = 1.0, 0.0, joint, {joint.name}
    while here.mimic is not None:
        offset += multiplier * here.mimic.offset
        multiplier *= here.mimic.multiplier
        leader = by_name.get(here.mimic.joint)
        if leader is None or leader.name in seen:
            return None
        seen.add(leader.name)
        here = leader
    return Law(here, multiplier, offset)


def with_laws(description: Description, path: Sequence[DescribedJoint], repairs: Repairs) -> LawfulPath:
    """Return the path with its laws; joints that follow nothing that moves in it are fixed, and said to be."""
    by_name = {joint.name: joint for joint in description.joint_of.values()}
    own = {joint.name for joint in path if joint.moves}
    laws: dict[str, Law] = {}
    changed: dict[str, DescribedJoint] = {}
    for joint in path:
        if not joint.moves or joint.mimic is None:
            continue
        law = law_of(joint, by_name)
        if law is None:
            changed[joint.name] = _on_its_own(joint, joint.mimic.joint, repairs)
        elif law.multiplier == 0.0 or law.leader.name not in own:
            changed[joint.name] = _fixed(joint, law, repairs)
        else:
            laws[joint.name] = law
            _say(joint, law, repairs)
    if not changed:
        return LawfulPath(description, list(path), laws)
    joint_of = {child: changed.get(joint.name, joint) for child, joint in description.joint_of.items()}
    joints_from = {
        link: tuple(changed.get(joint.name, joint) for joint in joints)
        for link, joints in description.joints_from.items()
    }
    return LawfulPath(
        replace(description, joint_of=joint_of, joints_from=joints_from),
        [changed.get(joint.name, joint) for joint in path],
        laws,
    )


def last_follower(description: Description, path: Sequence[DescribedJoint], last: str, without: frozenset[str]) -> str:
    """Return the link at the end of the joints that go on from link `last`, and follow joints of the path to it."""
    by_name = {joint.name: joint for joint in description.joint_of.values()}
    own = {joint.name for joint in path}
    while True:
        fixed, found = [last], []
        for name in fixed:
            for joint in description.joints_from[name]:
                law = law_of(joint, by_name) if joint.moves and joint.mimic is not None else None
                if joint.kind == "fixed":
                    fixed.append(joint.child)
                elif law is not None and law.leader.name in own and joint.name not in without:
                    found.append(joint.child)
        if len(found) != 1:
            return last
        last = found[0]


def split(
    rows: Sequence[Joint], laws: Mapping[str, Law], repairs: Repairs
) -> tuple[tuple[Joint, ...], tuple[Follower, ...]]:
    """Return the joints of a chain that move on their own, their limits narrowed where need be, and the followers."""
    own = [joint for joint in rows if joint.name not in laws]
    index = {joint.name: i for i, joint in enumerate(own)}
    followers = []
    for place, joint in enumerate(rows):
        if joint.name not in laws:
            continue
        law = laws[joint.name]
        made = Follower(joint, place, index[law.leader.name], law.multiplier, law.offset)
        leader = own[made.leader]
        try:
            own[made.leader] = narrowed(leader, [made])
        except InvalidInput:
            made = made._replace(joint=_widened(joint, leader, law, repairs))
        else:
            _say_limits(leader, own[made.leader], joint.name, repairs)
        followers.append(made)
    return tuple(own), tuple(followers)


def _widened(joint: Joint, leader: Joint, law: Law, repairs: Repairs) -> Joint:
    """Return a follower with limits that hold all it does while its leader is within its own."""
    ends = [law.multiplier * end + law.offset for end in (leader.lower, leader.upper)]
    repairs.add(
        "warning",
        law.leader.line,
        "limits_follower",
        _("joint '{joint}': joint '{other}', which it follows, never brings it within its limits; they are left out"),
        joint=joint.name,
        other=leader.name,
    )
    return replace(joint, lower=min(ends), upper=max(ends))


def _say_limits(before: Joint, after: Joint, follower: str, repairs: Repairs) -> None:
    if (before.lower, before.upper) != (after.lower, after.upper):
        repairs.add(
            "note",
            None,
            "mimic_limits",
            _(
                "joint '{joint}': its limits are narrowed to {lower:.4g} … {upper:.4g} {unit}, so that "
                "joint '{other}', which follows it, keeps its own"
            ),
            joint=after.name,
            lower=after.lower,
            upper=after.upper,
            unit=_unit(after.kind),
            other=follower,
        )
    if after.velocity < before.velocity:
        repairs.add(
            "note",
            None,
            "mimic_speed",
            _(
                "joint '{joint}': its top speed is lowered to {speed:.4g} {unit}/s, so that joint '{other}', which "
                "follows it, keeps its own"
            ),
            joint=after.name,
            speed=after.velocity,
            unit=_unit(after.kind),
            other=follower,
        )


def _say(joint: DescribedJoint, law: Law, repairs: Repairs) -> None:
    repairs.add(
        "note",
        joint.line,
        "mimic_in_chain",
        _("joint '{joint}' follows joint '{other}': {multiplier:g} times its value, plus {offset:g} {unit}"),
        joint=joint.name,
        other=law.leader.name,
        multiplier=law.multiplier,
        offset=law.offset,
        unit=_unit(joint.kind),
    )


def _unit(kind: str) -> str:
    return "m" if kind == "prismatic" else "rad"


def _on_its_own(joint: DescribedJoint, other: str, repairs: Repairs) -> DescribedJoint:
    repairs.add(
        "warning",
        joint.line,
        "mimic_ignored",
        _("joint '{joint}' follows joint '{other}', which leads back to itself or to no joint; it moves on its own"),
        joint=joint.name,
        other=other,
    )
    return replace(joint, mimic=None)


def _fixed(joint: DescribedJoint, law: Law, repairs: Repairs) -> DescribedJoint:
    repairs.add(
        "note",
        joint.line,
        "mimic_fixed",
        _(
            "joint '{joint}' follows joint '{other}', which does not move it in this chain; "
            "it is fixed at {value:g} {unit}"
        ),
        joint=joint.name,
        other=law.leader.name,
        value=law.offset,
        unit=_unit(joint.kind),
    )
    return replace(joint, kind="fixed", mimic=None, T_parent_child=joint.T_parent_child @ _moved(joint, law.offset))


def _moved(joint: DescribedJoint, value: float) -> Floats:
    size = float(np.linalg.norm(joint.axis))
    if size == 0.0 or value == 0.0:
        return np.eye(4)
    if joint.kind == "prismatic":
        return pose.from_xyz(joint.axis / size * value)
    return pose.from_xyz_axis_angle([0.0, 0.0, 0.0], joint.axis / size, value)

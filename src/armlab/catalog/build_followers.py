"""The joints of a robot file that follow others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from armlab.catalog.schema import JointTable
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.model.coupling import Follower, narrowed
from armlab.model.joint_limits import check_joint_value
from armlab.model.parts import Joint
from armlab.units import joint_scale


def build_followers(
    tables: Sequence[JointTable], chain: Sequence[Joint]
) -> tuple[tuple[Joint, ...], tuple[Follower, ...]]:
    """Return the joints that move on their own, with limits that keep followers within theirs, and the followers.

    Raises:
        InvalidInput: if a joint follows one that is not there or follows itself another, or does not move with it.
    """
    own = [joint for joint, table in zip(chain, tables, strict=True) if table.follows is None]
    index = {joint.name: i for i, joint in enumerate(own)}
    followers = []
    for place, (joint, table) in enumerate(zip(chain, tables, strict=True)):
        law = table.follows
        if law is None:
            continue
        if law.joint not in index or law.multiplier == 0.0:
            raise InvalidInput(
                "follows_wrong",
                _("joint '{joint}': it can follow, with a multiplier other than 0, one of {known}; not '{other}'"),
                joint=joint.name,
                known=list(index)[:12],
                other=law.joint,
            )
        leader = own[index[law.joint]]
        scale, per = joint_scale(joint.kind), joint_scale(joint.kind) / joint_scale(leader.kind)
        made = Follower(joint, place, index[law.joint], law.multiplier * per, law.offset * scale)
        own[made.leader] = narrowed(leader, [made])
        followers.append(made)
    return tuple(own), tuple(followers)


def check_values(joints: Sequence[Joint], named: Mapping[str, Sequence[float]]) -> None:
    """Refuse joint values (° or mm) by which a follower would leave its limits.

    Raises:
        LimitViolation: if there are such.
    """
    for key, q in named.items():
        for joint, typed in zip(joints, q, strict=True):
            value = typed * joint_scale(joint.kind)
            check_joint_value(key, joint.name, joint.kind, value, (joint.lower, joint.upper))

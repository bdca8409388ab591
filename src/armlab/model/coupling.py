"""Coupled joints: joints of a chain that have no value of their own, but follow another joint by a linear law.

An arm of n joints with values q has a chain of k ≥ n joints with values C q + c. `Coupling` is that law and what
follows from it: a Jacobian J of the chain becomes J C, joint forces τ become Cᵀ τ, a mass matrix M becomes Cᵀ M C.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats, read_only
from armlab.errors import InvalidInput, NotSupported
from armlab.kernels.chain import Chain
from armlab.messages import Message, _, term
from armlab.model.parts import Joint


class Follower(NamedTuple):
    """A joint of the chain whose value is `multiplier` times that of one of the arm's joints, plus `offset`."""

    joint: Joint
    place: int
    """Which one it is among all joints of the chain, from 0 at the base."""
    leader: int
    """Which of the arm's joints it follows, from 0."""
    multiplier: float
    """rad or m of its own per rad or m of the leader."""
    offset: float
    """rad or m."""


@dataclass(frozen=True, slots=True, eq=False)
class Coupling:
    """The law q_chain = C q + c of an arm with followers."""

    matrix: Floats
    """C, (k, n)."""
    offset: Floats
    """c, (k,)."""
    own: tuple[int, ...]
    """The places in the chain of the arm's own joints, (n,)."""

    def expand(self, q: Floats) -> Floats:
        """Return the values (…, k) of all joints of the chain for those (…, n) of the arm."""
        return np.ascontiguousarray(q @ self.matrix.T + self.offset)

    def expand_rates(self, qd: Floats) -> Floats:
        """Return the speeds, or accelerations, (…, k) of all joints of the chain for those (…, n) of the arm."""
        return np.ascontiguousarray(qd @ self.matrix.T)

    def fold(self, rows: Floats) -> Floats:
        """Return what belongs to the arm's joints of a Jacobian (…, r, k) or of joint forces (…, k): J C, or Cᵀ τ."""
        return np.ascontiguousarray(rows @ self.matrix)

    def fold_matrix(self, M: Floats) -> Floats:
        """Return Cᵀ M C of a matrix (…, k, k) such as that of the masses."""
        return np.ascontiguousarray(self.matrix.T @ M @ self.matrix)


def chain_values(coupling: Coupling | None, q: Floats) -> Floats:
    """Return the values (…, k) of all joints of a chain for those (…, n) of the arm: the same without a law."""
    return q if coupling is None else coupling.expand(q)


def coupling_of(joints: Sequence[Joint], followers: Sequence[Follower]) -> Coupling:
    """Return the law of an arm's joints and followers.

    Raises:
        InvalidInput: if a place is taken twice or outside the chain, or a leader is none of the arm's joints.
    """
    count, n = len(joints) + len(followers), len(joints)
    places = {follower.place for follower in followers}
    is_right = len(places) == len(followers) and all(0 <= place < count for place in places)
    numbers = [value for follower in followers for value in (follower.multiplier, follower.offset)]
    if not (is_right and all(0 <= f.leader < n for f in followers) and np.isfinite(numbers).all()):
        raise InvalidInput("followers_wrong", _("followers: places, leaders and numbers do not fit {n} joints"), n=n)
    own = [place for place in range(count) if place not in places]
    matrix, offset = np.zeros((count, n)), np.zeros(count)
    matrix[own, range(n)] = 1.0
    for follower in followers:
        matrix[follower.place, follower.leader], offset[follower.place] = follower.multiplier, follower.offset
    return Coupling(read_only(matrix), read_only(offset), tuple(own))


def in_order(joints: Sequence[Joint], followers: Sequence[Follower]) -> tuple[Joint, ...]:
    """Return all joints of the chain, base first."""
    at = {follower.place: follower.joint for follower in followers}
    rest = iter(joints)
    return tuple(at[place] if place in at else next(rest) for place in range(len(joints) + len(followers)))


def narrowed(joint: Joint, followers: Sequence[Follower]) -> Joint:
    """Return a leader with limits and top speed that keep each of its `followers` within its own.

    Raises:
        InvalidInput: if nothing is left between the limits.
    """
    lower, upper, speed, acceleration = joint.lower, joint.upper, joint.velocity, joint.acceleration
    for follower in followers:
        ends = [(end - follower.offset) / follower.multiplier for end in (follower.joint.lower, follower.joint.upper)]
        lower, upper = max(lower, min(ends)), min(upper, max(ends))
        speed = min(speed, follower.joint.velocity / abs(follower.multiplier))
        acceleration = min(acceleration, follower.joint.acceleration / abs(follower.multiplier))
        if not lower < upper:
            raise InvalidInput(
                "follower_limits",
                _("joint '{joint}' follows joint '{other}', but their limits leave no value to both"),
                joint=follower.joint.name,
                other=joint.name,
            )
    return replace(joint, lower=lower, upper=upper, velocity=speed, acceleration=acceleration)


def repeating(joints: Sequence[Joint], followers: Sequence[Follower]) -> NDArray[np.bool_]:
    """Return which joints (n,) bring the arm back to where it was by a whole turn.

    Those that turn, and whose followers then turn by whole turns too.
    """
    back = np.array([joint.kind == "revolute" for joint in joints])
    for follower in followers:
        is_whole = follower.joint.kind == "revolute" and follower.multiplier == round(follower.multiplier)
        back[follower.leader] &= is_whole
    return back


def not_for_coupled(what: Message | None = None) -> NotSupported:
    """Return the error that something cannot be had for an arm with followers."""
    return NotSupported(
        "coupled_joints",
        _("{what} is not available for an arm with coupled joints"),
        what=term(_("this function")) if what is None else what,
    )


class CoupledChain(Chain):
    """What `robot.chain` is for an arm with followers: its kernels would take values that the arm does not have.

    Kinds and limits are those of the arm's own joints; whoever walks along the chain must take
    `robot.uncoupled.chain` and expand the values.
    """

    __slots__ = ()

    @property
    def constants(self) -> Floats:
        """Raise NotSupported."""
        raise not_for_coupled()

    @property
    def to_link(self) -> Floats:
        """Raise NotSupported."""
        raise not_for_coupled()

    def __getitem__(self, key: object) -> Floats:  # type: ignore[override]
        """Raise NotSupported."""
        raise not_for_coupled()

    def __iter__(self) -> object:  # type: ignore[override]
        """Raise NotSupported."""
        raise not_for_coupled()

    @property
    def length(self) -> float:
        """The same as of the chain with all its joints."""
        return float(np.linalg.norm(tuple.__getitem__(self, 0)[1:, 9:12], axis=1).sum())

    @property
    def reach(self) -> float:
        """The same as of the chain with all its joints."""
        return self.length + float(tuple.__getitem__(self, 4))


def coupled_chain(joints: Sequence[Joint], chain: Chain) -> CoupledChain:
    """Return the chain of an arm's own joints; `chain` is that of all of them."""
    own = [np.array([getattr(joint, side) for joint in joints]) for side in ("lower", "upper")]
    turns = np.array([1.0 if joint.kind == "revolute" else 0.0 for joint in joints])
    return CoupledChain._make((chain.constants, turns, *own, np.array(chain.reach - chain.length)))

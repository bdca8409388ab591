"""The trajectory: where every joint is at every time. It is the only thing that is ever played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import MAX_VALUES, Floats, as_floats
from armlab.errors import InvalidInput
from armlab.motion.pieces import Pieces

SAME_PLACE = 1e-9
"""Trajectories are joined when the end of one is within this (rad or m) of the start of the next."""


class JointState(NamedTuple):
    """Positions, velocities and accelerations: (n,) at one time, (m, n) at many."""

    q: Floats
    qd: Floats
    qdd: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """Joint positions over time, from t = 0 to `duration`; before and after it the arm stands still."""

    pieces: Pieces

    def __post_init__(self) -> None:
        if self.pieces.start != 0.0:
            raise InvalidInput(f"trajectory: the first time is {self.pieces.start:g} s and not 0")

    @classmethod
    def rest(cls, q: ArrayLike, duration: float) -> Trajectory:
        """Return a trajectory that stays at `q` (n,) for `duration` seconds."""
        place = as_floats(q, (None,), "q")
        if not (duration > 0.0 and np.isfinite(duration)):
            raise InvalidInput(f"duration: {duration:g} s is not above zero")
        return cls(Pieces(np.array([0.0, duration]), place.reshape(1, 1, -1).copy()))

    @property
    def duration(self) -> float:
        """How long it takes (s)."""
        return self.pieces.end

    @property
    def dof(self) -> int:
        """How many joints move."""
        return self.pieces.width

    @property
    def start(self) -> Floats:
        """The first joint values, (n,)."""
        return np.asarray(self.pieces.values([0.0])[0, 0])

    @property
    def end(self) -> Floats:
        """The last joint values, (n,)."""
        return np.asarray(self.pieces.values([self.duration])[0, 0])

    def at(self, t: float) -> JointState:
        """Return where the joints are and how they move at time `t` (s): three arrays (n,)."""
        return JointState(*self.pieces.values([t], 3)[0])

    def sample(self, t: ArrayLike) -> JointState:
        """Return the same at many times `t` (m,): three arrays (m, n)."""
        values = self.pieces.values(t, 3)
        return JointState(*(np.ascontiguousarray(values[:, k]) for k in range(3)))

    def jerk(self, t: ArrayLike) -> Floats:
        """Return the third derivative at times `t` (m,): (m, n)."""
        return np.ascontiguousarray(self.pieces.values(t, 4)[:, 3])

    def times(self, step: float) -> Floats:
        """Return times from 0 to the end at steps of `step` seconds; the end is always there."""
        if not (step > 0.0 and np.isfinite(step)):
            raise InvalidInput(f"step: {step:g} s is not above zero")
        count = self.duration / step
        if count * self.dof * 3 > MAX_VALUES:
            raise InvalidInput(f"step: {step:g} s makes {count:.3g} samples of {self.duration:g} s, too many at once")
        whole: Floats = np.arange(np.floor(count + 1e-9) + 1.0, dtype=np.float64)
        whole *= step
        if self.duration - whole[-1] > 1e-9 * step:
            return np.append(whole, self.duration)
        whole[-1] = self.duration
        return whole

    def then(self, other: Trajectory) -> Trajectory:
        """Return this trajectory and, when it ends, the other; it must start where this one ends."""
        if self.dof != other.dof:
            raise InvalidInput(f"trajectory: {self.dof} joints cannot be followed by {other.dof}")
        gap = float(np.abs(other.start - self.end).max())
        if gap > SAME_PLACE:
            raise InvalidInput(f"trajectory: the next one starts {gap:.3g} rad or m away from where this one ends")
        later = other.pieces.moved(self.duration + other.pieces.breaks)
        terms = max(self.pieces.coefficients.shape[1], later.coefficients.shape[1])
        rows = [_with_terms(part.coefficients, terms) for part in (self.pieces, later)]
        return Trajectory(Pieces(np.concatenate([self.pieces.breaks, later.breaks[1:]]), np.concatenate(rows)))

    def stretched(self, factor: float) -> Trajectory:
        """Return the same path, `factor` times as long in time: velocities fall by it, accelerations by its square."""
        if not (factor > 0.0 and np.isfinite(factor)):
            raise InvalidInput(f"factor: {factor:g} is not above zero")
        return Trajectory(self.pieces.moved(self.pieces.breaks * factor, factor))

    def reversed(self) -> Trajectory:
        """Return the way back: from the end to the start in the same time."""
        back = Pieces(-self.pieces.breaks[::-1], _mirrored(self.pieces.coefficients)[::-1])
        return Trajectory(back.moved(self.duration + back.breaks))


def _with_terms(coefficients: Floats, terms: int) -> Floats:
    pieces, given, n = coefficients.shape
    out = np.zeros((pieces, terms, n))
    out[:, :given] = coefficients
    return out


def _mirrored(coefficients: Floats) -> Floats:
    """Return the coefficients of p(1 - u) for those of p(u)."""
    terms = coefficients.shape[1]
    turn = np.zeros((terms, terms))
    for p in range(terms):
        binomial = 1.0
        for k in range(p + 1):
            turn[k, p] = binomial * (-1.0) ** k
            binomial = binomial * (p - k) / (k + 1)
    return np.asarray(np.einsum("kp,ipn->ikn", turn, coefficients))

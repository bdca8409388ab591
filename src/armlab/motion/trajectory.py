"""The trajectory: where every joint is at every time. It is the only thing that is ever played."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import MAX_VALUES, Floats, as_floats
from armlab.errors import InvalidInput
from armlab.geometry.sketch import lines_svg
from armlab.kernels.timing import topp
from armlab.messages import _, term
from armlab.motion.checks import check_joint_count, check_seconds
from armlab.motion.piecewise import PiecewisePolynomial

SAME_PLACE = 1e-9
"""Trajectories are joined when the end of one is within this (rad or m) of the start of the next."""
SKETCHED = 120
"""Points of each curve in a notebook."""


class JointState(NamedTuple):
    """Positions, velocities and accelerations: (n,) at one time, (m, n) at many."""

    q: Floats
    qd: Floats
    qdd: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Trajectory:
    """Joint positions over time, from t = 0 to `duration`; before and after it the arm stands still."""

    pieces: PiecewisePolynomial

    def __post_init__(self) -> None:
        if self.pieces.start != 0.0:
            raise InvalidInput(
                "trajectory_start", _("trajectory: must start at 0 s, got {start:g} s"), start=self.pieces.start
            )

    @classmethod
    def rest(cls, q: ArrayLike, duration: float) -> Trajectory:
        """Return a trajectory that stays at `q` (n,) for `duration` seconds."""
        place = as_floats(q, (None,), "q")
        check_seconds("duration", duration)
        return cls(PiecewisePolynomial(np.array([0.0, duration]), place.reshape(1, 1, -1).copy()))

    def _repr_html_(self) -> str:
        """Show the motion in a notebook: every joint over time, each scaled to its own range."""
        t = np.linspace(0.0, self.duration, SKETCHED)
        q = self.sample(t).q
        spread = np.maximum(np.ptp(q, axis=0), 1e-12)
        lines = [np.column_stack([t, (q[:, k] - q[:, k].min()) / spread[k]]) for k in range(self.dof)]
        picture = lines_svg(lines, 420.0, 140.0)
        return (
            f"<figure>{picture}<figcaption>Trajectory, {self.dof} joints, {self.duration:.3f} s</figcaption></figure>"
        )

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
        check_seconds("step", step)
        count = self.duration / step
        if count * self.dof * 3 > MAX_VALUES:
            raise InvalidInput(
                "too_many_samples",
                _("step: {step:g} s makes {samples:.3g} samples of {duration:g} s; too many at once"),
                step=step,
                samples=count,
                duration=self.duration,
            )
        whole: Floats = np.arange(np.floor(count + 1e-9) + 1.0, dtype=np.float64)
        whole *= step
        if self.duration - whole[-1] > 1e-9 * step:
            return np.append(whole, self.duration)
        whole[-1] = self.duration
        return whole

    def then(self, other: Trajectory) -> Trajectory:
        """Return this trajectory and, when it ends, the other; it must start where this one ends."""
        check_joint_count(term(_("next trajectory")), other.dof, self.dof)
        gap = float(np.abs(other.start - self.end).max())
        if gap > SAME_PLACE:
            raise InvalidInput(
                "trajectory_gap",
                _("next trajectory: starts {gap:.3g} rad or m away from the end of this one"),
                gap=gap,
            )
        later = other.pieces.moved(self.duration + other.pieces.breaks)
        terms = max(self.pieces.coefficients.shape[1], later.coefficients.shape[1])
        rows = [_with_terms(part.coefficients, terms) for part in (self.pieces, later)]
        return Trajectory(
            PiecewisePolynomial(np.concatenate([self.pieces.breaks, later.breaks[1:]]), np.concatenate(rows))
        )

    def stretched(self, factor: float) -> Trajectory:
        """Return the same path, `factor` times as long in time: velocities fall by it, accelerations by its square."""
        if not (factor > 0.0 and np.isfinite(factor)):
            raise InvalidInput("factor_not_positive", _("factor: must be > 0, got {factor:g}"), factor=factor)
        return Trajectory(self.pieces.moved(self.pieces.breaks * factor, factor))

    def between(self, start: float, end: float) -> Trajectory:
        """Return what happens from `start` to `end` (s) of this trajectory, from t = 0 on.

        Raises:
            InvalidInput: if these are not times of it, one after the other.
        """
        if not 0.0 <= start < end <= self.duration:
            raise InvalidInput(
                "times_outside",
                _("times: {start:g} … {end:g} s are not inside 0 … {duration:g} s"),
                start=start,
                end=end,
                duration=self.duration,
            )
        breaks, coefficients = self.pieces.breaks, self.pieces.coefficients
        first = int(np.searchsorted(breaks, start, side="right")) - 1
        last = int(np.searchsorted(breaks, end, side="left"))
        cuts = breaks[first : last + 1].copy()
        whole = np.diff(cuts)
        cuts[0], cuts[-1] = start, end
        low, width = (cuts[:-1] - breaks[first:last]) / whole, np.diff(cuts) / whole
        parts = np.concatenate([np.arange(first, last)[:, None], low[:, None], (low + width)[:, None]], axis=1)
        inside = np.empty((last - first, *coefficients.shape[1:]))
        topp.cut_into(coefficients, parts, inside)
        return Trajectory(PiecewisePolynomial(cuts - start, inside))

    def reversed(self) -> Trajectory:
        """Return the motion backwards: from the end to the start in the same time."""
        back = PiecewisePolynomial(-self.pieces.breaks[::-1], _mirrored(self.pieces.coefficients)[::-1])
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

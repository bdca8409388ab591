"""The schemes of motion in joint space by name, and those that are polynomials with a given time for each segment.

A builder gets the points (m, n), the times of the segments (k,) and how the motion starts and ends; it returns the
coefficients (k, terms, n) of `PiecewisePolynomial`. Time is normalised in each segment: u goes from 0 to 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from armlab.arrays import Floats
from armlab.errors import UnknownName
from armlab.kernels import polynomials
from armlab.messages import _
from armlab.motion.jerk import Ends
from armlab.motion.splines import quintics

Builder: TypeAlias = Callable[[Floats, Floats, Ends], Floats]


@dataclass(frozen=True, slots=True)
class Scheme:
    """What a scheme does, keeps and takes."""

    about: str
    """What it does, as a template: it is shown in the reader's language."""
    keeps: int
    """Up to which derivative it keeps the limits: 2 is acceleration, 3 is jerk."""
    end_rates: int
    """Which derivatives may be given at its ends: 0 none, 1 velocities, 2 also accelerations."""
    builder: Builder | None = None
    """None for schemes that are made of phases."""
    extra_knots: int = 0
    """How many knots there are besides the points."""
    along: Literal["", "jerk", "time"] = ""
    """Whether it is the fastest along a spline, with limited jerk or without; the limits give its times."""
    is_classic: bool = False
    """Whether it goes through exactly four points: start, departure, approach, end."""


def cubic(points: Floats, times: Floats, ends: Ends) -> Floats:
    """One cubic per segment; the velocities at via points come from the slopes of the two segments."""
    h = times[:, None]
    rise = points[1:] - points[:-1]
    v = _via_velocities(rise / h, ends)
    v0, v1 = v[:-1] * h, v[1:] * h
    return np.stack([points[:-1], v0, 3.0 * rise - 2.0 * v0 - v1, v0 + v1 - 2.0 * rise], axis=1)


def quintic(points: Floats, times: Floats, ends: Ends) -> Floats:
    """One quintic per segment: velocities at via points as with cubics, and accelerations of zero there."""
    h = times[:, None]
    a = np.zeros(points.shape)
    a[0], a[-1] = ends.bends
    return quintics(points, _via_velocities((points[1:] - points[:-1]) / h, ends), a, h)


def _via_velocities(slopes: Floats, ends: Ends) -> Floats:
    """Zero where a joint turns round, else the mean of the slopes (k, n) before and after the point."""
    v = np.empty((len(slopes) + 1, slopes.shape[1]))
    v[0], v[-1] = ends.rates
    before, after = slopes[:-1], slopes[1:]
    v[1:-1] = np.where(before * after > 0.0, 0.5 * (before + after), 0.0)
    return v


def natural(points: Floats, times: Floats, ends: Ends) -> Floats:
    """The cubic spline without acceleration at its ends; it starts and ends with whatever velocity that needs."""
    return _spline(points, times, ends, polynomials.NATURAL)


def clamped(points: Floats, times: Floats, ends: Ends) -> Floats:
    """The cubic spline with given velocities at its ends."""
    return _spline(points, times, ends, polynomials.CLAMPED)


def quartic_ends(points: Floats, times: Floats, ends: Ends) -> Floats:
    """Through all points without a stop: cubics, and quartics at both ends for given velocities and accelerations.

    Between two points only it is a quintic; through four it is 4-3-4.
    """
    if len(times) == 1:
        return quintic(points, times, ends)
    return _spline(points, times, ends, polynomials.QUARTIC)


def _spline(points: Floats, times: Floats, ends: Ends, kind: int) -> Floats:
    out = np.empty((len(times), 5 if kind == polynomials.QUARTIC else 4, points.shape[1]))
    x = np.append(0.0, np.cumsum(times))
    polynomials.spline_into(x, points, kind, ends.rates, ends.bends, out)
    return out


def four_three_four(points: Floats, times: Floats, ends: Ends) -> Floats:
    """Degrees 4, 3, 4: 14 unknowns.

    14 conditions: 6 positions (both segments at a via point), velocity and acceleration at both ends, and both
    continuous at the two via points.
    """
    return _segments((4, 3, 4), (0, 1, 2, 3), points, times, ends)


def three_five_three(points: Floats, times: Floats, ends: Ends) -> Floats:
    """Degrees 3, 5, 3: 14 unknowns, and the same 14 conditions as 4-3-4.

    The start with its velocity and acceleration, and the departure point, already fix the first cubic; the end and the
    approach point fix the last one; the quintic takes over position, velocity and acceleration from both.
    """
    return _segments((3, 5, 3), (0, 1, 2, 3), points, times, ends)


def five_cubics(points: Floats, times: Floats, ends: Ends) -> Floats:
    """Five cubics: 20 unknowns; two knots between departure and approach have no given position.

    20 conditions: 6 positions, position continuous at the 2 free knots, velocity and acceleration continuous at the 4
    inner knots, and given at both ends. As with 3-5-3, the first and the last cubic are fixed by their own points.
    """
    return _segments((3, 3, 3, 3, 3), (0, 1, -1, -1, 2, 3), points, times, ends)


def _segments(degrees: tuple[int, ...], knots: tuple[int, ...], points: Floats, times: Floats, ends: Ends) -> Floats:
    """Solve for all coefficients at once; `knots` are the points at the ends of the segments, -1 a free knot."""
    system = _system(degrees, knots)
    total = float(times.sum())
    rate = (total / times)[system.segment]
    right = np.zeros((len(rate), points.shape[1]))
    right[: len(system.position_points)] = points[system.position_points]
    right[-4:-2], right[-2:] = ends.rates * total, ends.bends * total**2
    matrix = system.positions + system.velocities * rate + system.accelerations * (rate * rate)
    out = np.zeros((len(degrees), max(degrees) + 1, points.shape[1]))
    out[system.segment, system.power] = np.linalg.solve(matrix, right)
    return out


class _System(NamedTuple):
    """The conditions of a scheme: matrices (K, K) by which power of 1 / time multiplies a column."""

    positions: Floats
    velocities: Floats
    accelerations: Floats
    segment: list[int]
    """Of each unknown."""
    power: list[int]
    position_points: list[int]
    """The points of the first rows; the rows after them join segments, the last four are at the ends."""


@lru_cache(maxsize=8)
def _system(degrees: tuple[int, ...], knots: tuple[int, ...]) -> _System:
    segment = [s for s, degree in enumerate(degrees) for _ in range(degree + 1)]
    power = [p for degree in degrees for p in range(degree + 1)]
    last = len(degrees) - 1
    sides = [(s, at_end) for s in range(last + 1) for at_end in (False, True) if knots[s + at_end] >= 0]
    inner = [(order, s) for s in range(last) for order in (0, 1, 2) if order > 0 or knots[s + 1] < 0]
    conditions: list[tuple[int, list[tuple[int, bool, float]]]] = [
        *((0, [(s, at_end, 1.0)]) for s, at_end in sides),
        *((order, [(s, True, 1.0), (s + 1, False, -1.0)]) for order, s in inner),
        *((order, [(s, at_end, 1.0)]) for order in (1, 2) for s, at_end in ((0, False), (last, True))),
    ]
    assert len(conditions) == len(segment), "as many conditions as unknowns"
    matrices = np.zeros((3, len(segment), len(segment)))
    for row, (order, terms) in enumerate(conditions):
        for s, at_end, sign in terms:
            for column, (own, p) in enumerate(zip(segment, power, strict=True)):
                if own == s and (p >= order if at_end else p == order):
                    matrices[order, row, column] = sign * math.perm(p, order)
    positions, velocities, accelerations = matrices
    points = [knots[s + at_end] for s, at_end in sides]
    return _System(positions, velocities, accelerations, segment, power, points)


_TABLE: dict[str, Scheme] = {
    "jerk": Scheme(_("fastest with limited jerk, rests at each point"), keeps=3, end_rates=2),
    "smooth": Scheme(
        _("fastest with limited jerk along a spline through all points, without a stop"),
        keeps=3,
        end_rates=0,
        along="jerk",
    ),
    "fastest": Scheme(
        _("time-optimal along a spline through all points; the jerk is not limited"), keeps=2, end_rates=0, along="time"
    ),
    "linear": Scheme(_("straight in joint space, rests at each point"), keeps=2, end_rates=0),
    "trapezoid": Scheme(_("trapezoids of velocity, joints arrive together, rests at each point"), keeps=2, end_rates=0),
    "cubic": Scheme(_("one cubic per segment"), keeps=2, end_rates=1, builder=cubic),
    "quintic": Scheme(_("one quintic per segment"), keeps=3, end_rates=2, builder=quintic),
    "natural": Scheme(_("cubic spline, no acceleration at its ends"), keeps=3, end_rates=0, builder=natural),
    "quartic-ends": Scheme(
        _("cubic spline with quartics at both ends, for given velocities and accelerations there"),
        keeps=3,
        end_rates=2,
        builder=quartic_ends,
    ),
    "clamped": Scheme(_("cubic spline, given velocities at its ends"), keeps=2, end_rates=1, builder=clamped),
    "4-3-4": Scheme(
        _("degrees 4, 3, 4 through four points"),
        keeps=3,
        end_rates=2,
        builder=four_three_four,
        is_classic=True,
    ),
    "3-5-3": Scheme(
        _("degrees 3, 5, 3 through four points"),
        keeps=3,
        end_rates=2,
        builder=three_five_three,
        is_classic=True,
    ),
    "3-3-3-3-3": Scheme(
        _("five cubics through four points"),
        keeps=3,
        end_rates=2,
        builder=five_cubics,
        extra_knots=2,
        is_classic=True,
    ),
}

SCHEMES: dict[str, str] = {name: scheme.about for name, scheme in _TABLE.items()}
"""Every scheme by its name, and what it does, as a template for `messages.tr`."""


def scheme_named(name: str) -> Scheme:
    """Return the scheme of that name.

    Raises:
        UnknownName: if there is none.
    """
    if name not in _TABLE:
        raise UnknownName("scheme", name, _TABLE)
    return _TABLE[name]

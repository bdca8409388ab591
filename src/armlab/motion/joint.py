"""Motions in joint space: from points and limits to a trajectory."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput, PlanningFailed
from armlab.kernels import polynomials
from armlab.messages import _, term
from armlab.model.joint_limits import check_joint_limits
from armlab.model.robot import Robot
from armlab.motion.checks import check_joint_count
from armlab.motion.jerk import (
    Ends,
    in_times,
    jerk_segments,
    pieces_of,
    rest_to_rest,
    straight_segments,
    trapezoid_segments,
    trapezoid_times,
)
from armlab.motion.limits import Limits, limits_of
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.schemes import SCHEMES, Builder, Scheme, scheme_named
from armlab.motion.splines import cubic_spline
from armlab.motion.trajectory import SAME_PLACE, Trajectory
from armlab.motion.verify import exact_excesses, excess_message
from armlab.units import told_apart

__all__ = ["SCHEMES", "plan_joint"]

ROUNDS = 12
"""How often the shares of the segments in the whole time are improved."""
LEAST_SHARE = 0.3
"""A segment shrinks at most by this factor in one round."""
MIDDLE_SHARES = np.array([1.0, 6.0, 1.0]) / 8.0
"""How five cubics share the time between departure and approach."""
GROWTH, FASTEST_GROWTH = 1.25, 3.0
SLOWER_ENDS = 12
"""How often the ends of a curve are slowed down to keep it inside the limits of position."""
MOST_TRIALS = 50
BISECTIONS = 14
EXACT = 1.0 + 1e-12
LEAST_TIME, MOST_TIME = 1e-9, 1e9
"""s: a segment can be given times between these."""

LOWER_ENDS = _("scheme '{scheme}': {problem}; lower the velocities and accelerations at its ends")
OTHER_POINTS = _(
    "scheme '{scheme}': {problem}; add a point, move one away from the limit, or use 'jerk', 'linear' or 'trapezoid'"
)
TIMES_NEEDED = _("times: expected {expected}, one for each segment, got {got}")
TIMES_OR_MORE_NEEDED = _("times: expected {expected}, one for each segment, or {more}, got {got}")

Rates = dict[str, ArrayLike | None]
FLOAT64 = np.dtype(np.float64)


def plan_joint(
    robot: Robot,
    points: ArrayLike,
    *,
    scheme: str = "jerk",
    limits: Limits | None = None,
    times: ArrayLike | None = None,
    start_velocity: ArrayLike | None = None,
    end_velocity: ArrayLike | None = None,
    start_acceleration: ArrayLike | None = None,
    end_acceleration: ArrayLike | None = None,
) -> Trajectory:
    """Return a trajectory through `points` (m, n) by one of the `SCHEMES`.

    Without `times` it is as short as the scheme allows within `limits`, which are the robot's own if not given.
    `times` (m - 1,) are the durations of the segments; then only `verify` tells whether the limits hold. Five cubics
    take three times, the middle one split as 1 : 6 : 1, or five. The motion starts and ends at rest, or with the given
    velocities and accelerations (n,), where the scheme takes them.

    Raises:
        UnknownName: if no scheme has that name.
        InvalidInput: if points, times or rates cannot be used; the sentence says which, and why.
        LimitViolation: if a point is outside the limits.
        PlanningFailed: if a limit cannot be kept; the sentence names the joint and says what would help.
    """
    plan = scheme_named(scheme)
    bounds = limits_of(robot) if limits is None else limits
    if scheme == "jerk" and times is start_velocity is end_velocity is start_acceleration is end_acceleration is None:
        quickest = _quickest(points, robot.dof, bounds)
        if quickest is not None:
            return Trajectory(quickest)
    check_joint_count(term(_("limits")), bounds.dof, robot.dof)
    nodes = _checked(robot, as_floats(points, (None, robot.dof), f"{robot.name}: points"), bounds, scheme, plan)
    given: Rates = {
        "start_velocity": start_velocity,
        "end_velocity": end_velocity,
        "start_acceleration": start_acceleration,
        "end_acceleration": end_acceleration,
    }
    ends = _ends(robot, given, bounds, scheme, plan)
    if plan.along:
        if times is not None:
            raise InvalidInput(
                "times_not_taken", _("times: scheme '{scheme}' takes none; the limits give them"), scheme=scheme
            )
        return _along_spline(robot, scheme, nodes, bounds, plan)
    durations = None if times is None else _times(times, len(nodes) - 1, plan.extra_knots)
    if plan.builder is None:
        pieces = _in_phases(scheme, nodes, bounds, ends, durations)
    elif durations is None:
        pieces = _shortest(scheme, plan, plan.builder, nodes, bounds, ends)
    else:
        pieces = _pieces(plan.builder(nodes, durations, ends), durations)
    if durations is None and not (plan.builder is None and ends.at_rest):
        _refuse_excess(robot, scheme, pieces, bounds, 0 if ends.at_rest else plan.keeps)
    return Trajectory(pieces)


def _quickest(points: ArrayLike, n: int, limits: Limits) -> PiecewisePolynomial | None:
    """Return the motion that rests at each point, or None where points or limits need a closer look."""
    try:
        nodes = np.array(points)
    except ValueError:  # rows of different lengths
        return None
    if nodes.dtype is not FLOAT64 or nodes.ndim != 2 or nodes.shape[1] != n or limits.dof != n or len(nodes) < 2:
        return None
    return rest_to_rest(nodes, limits)


def _along_spline(robot: Robot, scheme: str, points: Floats, limits: Limits, plan: Scheme) -> Trajectory:
    """Return the fastest motion along a cubic spline through the points; knots at roots of times.

    Knots at the square roots of the segments' shortest times bend least; if that spline leaves the limits of
    position, one with knots at the times themselves is tried.
    """
    from armlab.motion.timing.timing import jerk_limited, time_optimal

    shortest = np.abs(np.diff(points, axis=0) / limits.velocity).max(axis=1)
    path = cubic_spline(np.append(0.0, np.cumsum(np.sqrt(shortest))), points)
    if exact_excesses(path, limits, 0):
        other = cubic_spline(np.append(0.0, np.cumsum(shortest)), points)
        if exact_excesses(other, limits, 0):
            _refuse_excess(robot, scheme, path, limits, 0)
        path = other
    return (jerk_limited if plan.along == "jerk" else time_optimal)(path, limits)


def _in_phases(scheme: str, points: Floats, limits: Limits, ends: Ends, times: Floats | None) -> PiecewisePolynomial:
    if scheme == "jerk":
        pieces = rest_to_rest(points, limits, times) if ends.at_rest else None
        return pieces or pieces_of(jerk_segments(points, limits, ends, times), points, ends.rates[0])
    phases = (straight_segments if scheme == "linear" else trapezoid_segments)(points, limits)
    return pieces_of(phases if times is None else in_times(phases, times), points, ends.rates[0])


def _pieces(coefficients: Floats, times: Floats) -> PiecewisePolynomial:
    return PiecewisePolynomial(_breaks(times), coefficients)


def _breaks(times: Floats) -> Floats:
    breaks = np.zeros(len(times) + 1)
    np.cumsum(times, out=breaks[1:])
    return breaks


def _shortest(
    scheme: str, plan: Scheme, build: Builder, points: Floats, limits: Limits, ends: Ends
) -> PiecewisePolynomial:
    """Return the motion with the shortest times found that keep the limits."""
    rows = np.stack([limits.velocity, limits.acceleration, limits.jerk])[: plan.keeps]
    n = points.shape[1]
    rest = ends if ends.at_rest else Ends(np.zeros((2, n)), np.zeros((2, n)), at_rest=True)

    def stretch(times: Floats, how: Ends) -> Floats:
        out = np.empty(len(times))
        polynomials.stretch_into(_breaks(times), build(points, times, how), rows, out)
        return out

    times = trapezoid_times(np.abs(points[1:] - points[:-1]), limits)
    times = _best_shares(_with_knots(times, plan.extra_knots), lambda h: stretch(h, rest))
    times = _inside(times, lambda h: _pieces(build(points, h, rest), h), lambda h: stretch(h, rest), limits)
    if not ends.at_rest:
        times = times * _shortest_factor(scheme, lambda f: float(stretch(times * f, ends).max()))
    return _pieces(build(points, times, ends), times)


def _best_shares(times: Floats, stretch: Callable[[Floats], Floats]) -> Floats:
    """Return the shortest times found: of a motion from rest to rest, whose shape does not change with its duration.

    The segment that breaks its limits most gets a larger share, in rounds; the best of them is kept.
    """
    best, shortest = times, math.inf
    for _round in range(ROUNDS if len(times) > 1 else 1):
        wanted = stretch(times)
        worst = float(wanted.max())
        if times.sum() * worst < shortest:
            best, shortest = times * worst, float(times.sum() * worst)
        times = times * np.sqrt(np.maximum(wanted / worst, LEAST_SHARE**2))
    return best * float(stretch(best).max())


def _inside(
    times: Floats, make: Callable[[Floats], PiecewisePolynomial], stretch: Callable[[Floats], Floats], limits: Limits
) -> Floats:
    """Return times with more for the first and the last segment, if that keeps a curve inside the limits of position.

    What leaves the first point slowly does not swing far past the next ones.
    """
    slower = times
    for _trial in range(SLOWER_ENDS if len(times) > 2 else 1):
        if not exact_excesses(make(slower), limits, 0):
            return times if slower is times else slower * float(stretch(slower).max())
        slower = slower.copy()
        slower[[0, -1]] *= GROWTH
    return times


def _shortest_factor(scheme: str, worst: Callable[[float], float]) -> float:
    """Return the smallest factor of all times that keeps the limits, when the ends are not at rest."""
    good = bad = 1.0
    for _trial in range(MOST_TRIALS):
        wanted = worst(good)
        if wanted <= EXACT:
            break
        bad, good = good, good * min(max(wanted, GROWTH), FASTEST_GROWTH)
    else:
        raise PlanningFailed(
            "no_duration",
            _(
                "scheme '{scheme}': no duration keeps the limits with these velocities and accelerations at the ends; "
                "lower them, or use 'quartic-ends' or 'jerk'"
            ),
            scheme=scheme,
        )
    for _trial in range(MOST_TRIALS):
        if bad < good:
            break
        bad = good / GROWTH
        if worst(bad) <= EXACT:
            good = bad
    for _trial in range(BISECTIONS):
        middle = 0.5 * (bad + good)
        if worst(middle) <= EXACT:
            good = middle
        else:
            bad = middle
    return good


def _refuse_excess(robot: Robot, scheme: str, pieces: PiecewisePolynomial, limits: Limits, orders: int) -> None:
    for order in range(orders + 1):
        for excess in exact_excesses(pieces, limits, order):
            problem = excess_message(robot, limits, excess)
            raise PlanningFailed(
                problem.code,
                LOWER_ENDS if orders > 0 else OTHER_POINTS,
                scheme=scheme,
                problem=problem,
                joint=robot.joints[excess.joint].name,
                time=excess.time,
                value=excess.value,
                limit=excess.limit,
            )


def _checked(robot: Robot, nodes: Floats, limits: Limits, scheme: str, plan: Scheme) -> Floats:
    if len(nodes) < 2:
        raise InvalidInput(
            "too_few_points", _("points: at least {least} are needed, got {count}"), least=2, count=len(nodes)
        )
    if plan.is_classic and len(nodes) != 4:
        raise InvalidInput(
            "four_points_needed",
            _("points: scheme '{scheme}' takes four (start, departure, approach, end), got {count}"),
            scheme=scheme,
            count=len(nodes),
        )
    bounds = np.array([limits.lower, limits.upper])
    if polynomials.are_distinct_inside(nodes, bounds, SAME_PLACE):
        return nodes
    check_joint_limits(robot, nodes, lambda k: term(_("point {number}"), number=k + 1), limits=limits)
    still = np.abs(nodes[1:] - nodes[:-1]).max(axis=1) <= SAME_PLACE
    if still.any():
        k = int(np.argmax(still))
        raise InvalidInput(
            "repeated_point",
            _("points {first} and {second} are the same; leave one out"),
            first=k + 1,
            second=k + 2,
            index=k,
        )
    return np.clip(nodes, limits.lower, limits.upper)


def _ends(robot: Robot, given: Rates, limits: Limits, scheme: str, plan: Scheme) -> Ends:
    rates = np.zeros((2, 2, robot.dof))
    at_rest = True
    for row, (who, rate) in enumerate(given.items()):
        if rate is None:
            continue
        order, side = 1 + row // 2, row % 2
        rates[order - 1, side] = as_floats(rate, (robot.dof,), who)
        if not rates[order - 1, side].any():
            continue
        if order > plan.end_rates:
            raise InvalidInput("end_rate_not_taken", _("{name}: scheme '{scheme}' takes none"), name=who, scheme=scheme)
        _check_rates(robot, who, rates[order - 1, side], (limits.velocity, limits.acceleration)[order - 1], order)
        at_rest = False
    return Ends(rates[0], rates[1], at_rest)


def _check_rates(robot: Robot, who: str, rates: Floats, limit: Floats, order: int) -> None:
    over = np.abs(rates) > limit * EXACT
    if over.any():
        i = int(np.argmax(over))
        value, most = told_apart(robot.joints[i].kind, float(abs(rates[i])), float(limit[i]), order)
        raise InvalidInput(
            "end_rate_beyond_limit",
            _("{name}: joint '{joint}': {value} is beyond {limit}"),
            name=who,
            joint=robot.joints[i].name,
            value=value,
            limit=most,
        )


def _times(times: ArrayLike, segments: int, extra_knots: int) -> Floats:
    durations = as_floats(times, (None,), "times")
    if len(durations) not in {segments, segments + extra_knots}:
        raise InvalidInput(
            "time_count",
            TIMES_NEEDED if extra_knots == 0 else TIMES_OR_MORE_NEEDED,
            got=len(durations),
            expected=segments,
            more=segments + extra_knots,
        )
    allowed = (durations >= LEAST_TIME) & (durations <= MOST_TIME)
    if not allowed.all():
        k = int(np.argmin(allowed))
        raise InvalidInput(
            "time_outside",
            _("times[{index}]: {time:g} s is outside {least:g} … {most:g} s"),
            index=k,
            time=float(durations[k]),
            least=LEAST_TIME,
            most=MOST_TIME,
        )
    return _with_knots(durations, segments + extra_knots - len(durations))


def _with_knots(times: Floats, extra: int) -> Floats:
    """Split the middle one of three times at two free knots; short segments beside the via points bend best."""
    if extra == 0:
        return times
    first, middle, last = times
    return np.array([first, *(middle * MIDDLE_SHARES), last])

"""Motion: timing along a path against toppra, point to point against Ruckig, and tool paths to joints."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

import armlab
from armlab.arrays import Floats
from armlab.motion.follow.follow import follow
from armlab.motion.joint import plan_joint
from armlab.motion.limits import Limits
from armlab.motion.segments import line
from armlab.motion.splines import cubic_spline
from armlab.motion.timing.timing import jerk_limited, time_optimal
from armlab.motion.trajectory import Trajectory
from bench.timing import Line, best_of

POINTS = 10
SPEED, RATE, JERK = 2.0, 10.0, 200.0
PATHS = 12


def lines() -> Iterator[Line]:
    """Yield one line per measure and peer; a peer that is not installed is left out."""
    rng = np.random.default_rng(7)
    for dof in (6, 7):
        yield from _point_to_point(dof, rng)
        yield from _along_paths(dof, rng)
    for name in ("kuka-kr6-r700", "ur5e"):
        yield _tool_line(name)


def _limits(dof: int) -> Limits:
    ones = np.ones(dof)
    return Limits(-50.0 * ones, 50.0 * ones, SPEED * ones, RATE * ones, JERK * ones, np.inf * ones)


def _point_to_point(dof: int, rng: np.random.Generator) -> Iterator[Line]:
    import ruckig

    robot = armlab.load("kuka-kr6-r700" if dof == 6 else "franka-panda")
    limits = armlab.limits_of(robot)
    points = rng.uniform(0.8 * robot.lower, 0.8 * robot.upper, (2, dof))
    solver, answer, request = ruckig.Ruckig(dof), ruckig.Trajectory(dof), ruckig.InputParameter(dof)
    request.current_position, request.target_position = points[0].tolist(), points[1].tolist()
    request.max_velocity = limits.velocity.tolist()
    request.max_acceleration = limits.acceleration.tolist()
    request.max_jerk = limits.jerk.tolist()
    ours = best_of(partial(plan_joint, robot, points, limits=limits))
    theirs = best_of(partial(solver.calculate, request, answer))
    yield Line(
        "jerk-limited, point to point", robot.name, ours, "Ruckig alone", theirs, "ours checks, and keeps polynomials"
    )


def _along_paths(dof: int, rng: np.random.Generator) -> Iterator[Line]:
    limits, x = _limits(dof), np.linspace(0.0, 1.0, POINTS)
    waypoints = [rng.normal(size=(POINTS, dof)) for _ in range(PATHS)]
    paths = [cubic_spline(x, points) for points in waypoints]
    what = f"time-optimal, {POINTS} points, {dof} axes"
    ours = [best_of(partial(time_optimal, path, limits), budget=0.15) for path in paths]
    made = [time_optimal(path, limits) for path in paths]
    worst = max(_excess(trajectory, limits) for trajectory in made)
    note = f"over the limits by at most {worst:.1e}"
    smooth = [jerk_limited(path, limits) for path in paths]
    toppra = _toppra()
    if toppra is None:
        yield Line(what, "–", float(np.mean(ours)), note=note)
    else:
        for label, grid in (("toppra, own grid", None), ("toppra, 200 points", 200)):
            theirs = [_solve_toppra(toppra, x, points, limits, grid) for points in waypoints]
            seconds = float(np.mean([seconds for seconds, _, _ in theirs]))
            longer = np.mean([a.duration / b for a, (_, b, _) in zip(made, theirs, strict=True)]) - 1.0
            over = max(excess for _, _, excess in theirs)
            text = f"{note}, toppra by {over:.1%}; {longer:+.2%} longer"
            yield Line(what, "–", float(np.mean(ours)), label, seconds, text)
    seconds = float(np.mean([best_of(partial(jerk_limited, path, limits), budget=0.3) for path in paths]))
    slower = np.mean([a.duration / b.duration for a, b in zip(smooth, made, strict=True)]) - 1.0
    over = max(_excess(trajectory, limits, 3) for trajectory in smooth)
    text = f"{slower:+.1%} longer than without jerk limits; over the limits by at most {over:.1e}"
    yield Line(f"jerk-limited, {POINTS} points, {dof} axes", "–", seconds, note=text)


def _excess(trajectory: Trajectory, limits: Limits, orders: int = 2) -> float:
    """Return by what share a limit is exceeded at most, from the exact extremes."""
    worst = 0.0
    for order, limit in enumerate((limits.velocity, limits.acceleration, limits.jerk)[:orders], 1):
        extremes = trajectory.pieces.extremes(order)
        worst = max(worst, float((np.maximum(-extremes.low, extremes.high) / limit).max() - 1.0))
    return worst


def _toppra() -> Any:
    try:
        import logging

        toppra = importlib.import_module("toppra")
        logging.getLogger("toppra").setLevel(logging.ERROR)
    except ImportError:
        return None
    return toppra


def _solve_toppra(
    toppra: Any, x: Floats, points: Floats, limits: Limits, grid: int | None
) -> tuple[float, float, float]:
    constraint, algorithm = (importlib.import_module(f"toppra.{name}") for name in ("constraint", "algorithm"))
    v = np.stack([-limits.velocity, limits.velocity], axis=1)
    a = np.stack([-limits.acceleration, limits.acceleration], axis=1)

    def solve() -> Any:
        path = toppra.SplineInterpolator(x, points)
        bounds = [constraint.JointVelocityConstraint(v), constraint.JointAccelerationConstraint(a)]
        places = None if grid is None else np.linspace(0.0, 1.0, grid + 1)
        solver = algorithm.TOPPRA(bounds, path, gridpoints=places, parametrizer="ParametrizeConstAccel")
        return solver.compute_trajectory()

    made = solve()
    t = np.linspace(0.0, made.duration, 5001)
    over = max(
        float((np.abs(made(t, order)) / limit).max() - 1.0)
        for order, limit in ((1, limits.velocity), (2, limits.acceleration))
    )
    return best_of(solve, budget=0.15), float(made.duration), over


def _tool_line(name: str) -> Line:
    robot = armlab.load(name)
    q = robot.home if name != "ur5e" else np.radians([0, -80, 110, -120, -90, 0])
    T = robot.fk(q)
    T_end = T.copy()
    T_end[:3, 3] += [-0.05, 0.25, -0.1]
    path = line(T, T_end)
    found = follow(robot, path, samples=1000, start=q)
    seconds = best_of(partial(follow, robot, path, samples=1000, start=q))
    return Line("line of 1,000 samples to joints", name, seconds, note=f"error in joints ≤ {found.max_error:.0e}")

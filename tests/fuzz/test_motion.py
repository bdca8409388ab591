"""Motions from odd input: whatever is given, either a motion within its limits comes out, or an error of ours."""

from __future__ import annotations

import contextlib
import os
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import armlab
from armlab.arrays import Floats
from armlab.errors import ArmlabError
from armlab.geometry import pose
from armlab.model.robot import Robot
from armlab.motion.blending import rounded
from armlab.motion.follow.follow import attempt_follow
from armlab.motion.joint import SCHEMES, plan_joint
from armlab.motion.limits import Limits, ToolLimits
from armlab.motion.schemes import scheme_named
from armlab.motion.segments import arc, arc_about, circle, line
from armlab.motion.splines import cubic_spline
from armlab.motion.timing.timing import jerk_limited, time_optimal
from armlab.motion.toolpath.through import through
from armlab.motion.toolpath.toolpath import ToolPath
from armlab.motion.verify import verify

EXAMPLES = int(os.environ.get("ARMLAB_FUZZ", "1"))
ARMS = ("planar2", "scara", "ur5e")
KINDS = ("linear", "quadratic", "bspline", "spline")
NUMBERS = (0.0, 1e-300, -1e-12, 1e-6, 1.0, -3.0, 1e6, -1e15, 1e300, float("nan"), float("inf"))


def odd_limits(rng: np.random.Generator, robot: Robot) -> Limits:
    """Limits from tiny to huge, different for each joint, and ranges that lie on one side of zero."""
    n = robot.dof
    rates = 10.0 ** rng.uniform(-1.0, 1.0, (3, n)) * 10.0 ** rng.uniform(-6.0, 6.0, (3, 1)) ** rng.integers(0, 2)
    low = rng.uniform(-3.0, 2.0, n)
    high = low + 10.0 ** rng.uniform(-6.0, 1.0, n)
    return Limits(low, high, rates[0], rates[1], rates[2], np.full(n, np.inf))


def odd_points(rng: np.random.Generator, limits: Limits, count: int) -> Floats:
    """Points inside limits, some of them on a limit, some joints hardly moving."""
    share = rng.random((count, limits.dof))
    share = np.where(rng.random(share.shape) < 0.2, np.round(share), share)
    still = rng.random(limits.dof) < 0.3
    share[:, still] = share[:1, still] + 1e-9 * share[:, still]
    return np.clip(limits.lower + share * (limits.upper - limits.lower), limits.lower, limits.upper)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_joint_motions_keep_odd_limits_or_are_refused(scheme: str) -> None:
    rng = np.random.default_rng(list(SCHEMES).index(scheme))
    plan = scheme_named(scheme)
    done = 0
    for k in range(EXAMPLES * 12):
        robot = armlab.load(ARMS[k % len(ARMS)])
        limits = odd_limits(rng, robot)
        points = odd_points(rng, limits, 4 if plan.is_classic else int(rng.integers(2, 6)))
        with contextlib.suppress(ArmlabError):
            trajectory = plan_joint(robot, points, scheme=scheme, limits=limits)
            step = max(trajectory.duration / 50.0, 1e-9)
            found = verify(trajectory, robot, limits=limits, orders=plan.keeps, step=step)
            assert [str(finding.message) for finding in found if finding.severity == "error"] == []
            done += 1
    assert done > 0


def test_odd_numbers_in_any_place_of_a_plan_are_refused_with_errors_of_ours() -> None:
    rng = np.random.default_rng(5)
    robot = armlab.load("scara")
    names = ("start_velocity", "end_velocity", "start_acceleration", "end_acceleration")
    for _ in range(EXAMPLES * 150):
        points = np.array([robot.home, robot.home + 0.05 * rng.random(4) * [1.0, 1.0, -1.0, 1.0]])
        if rng.random() < 0.5:
            points[rng.integers(2), rng.integers(4)] = rng.choice(NUMBERS)
        given: dict[str, Any] = {"scheme": str(rng.choice(list(SCHEMES)))}
        for name in names:
            if rng.random() < 0.3:
                given[name] = rng.choice(NUMBERS, 4) if rng.random() < 0.5 else 0.3 * robot.velocity
        if rng.random() < 0.3:
            given["times"] = [float(rng.choice(NUMBERS))]
        with contextlib.suppress(ArmlabError):
            trajectory = plan_joint(robot, points, **given)
            assert np.isfinite(trajectory.sample(np.linspace(0.0, trajectory.duration, 9)).q).all()


def odd_frames(rng: np.random.Generator, count: int) -> Floats:
    """Frames with repeated, collinear, far and near places, and turns of nothing, of a half turn and of all between."""
    places = np.cumsum(rng.normal(size=(count, 3)) * 10.0 ** rng.choice([-12.0, -9.0, -4.0, -1.0, 0.0]), axis=0)
    if rng.random() < 0.3:
        places = np.outer(places[:, 0], rng.normal(size=3))  # on one line, back and forth
    frames = pose.from_xyz(places)
    for k in range(count):
        angle = float(rng.choice([0.0, 1e-9, 1e-4, 1.0, np.pi, np.pi - 1e-10]))
        frames[k, :3, :3] = pose.from_xyz_axis_angle([0, 0, 0], rng.normal(size=3), angle)[:3, :3]
    if count > 2 and rng.random() < 0.3:
        frames[1] = frames[2] if rng.random() < 0.5 else frames[0]
    return frames


def some_path(rng: np.random.Generator) -> ToolPath:
    frames = odd_frames(rng, int(rng.integers(2, 7)))
    kind = rng.integers(5)
    if kind == 0:
        return arc(frames[0], rng.normal(size=3) * 10.0 ** rng.uniform(-9.0, 0.0), frames[1])
    if kind == 1:
        return circle(frames[0], frames[1][:3, 3], rng.normal(size=3))
    if kind == 2:
        angle, rise = (float(rng.choice(NUMBERS)) for _ in range(2))
        return arc_about(frames[0], frames[1][:3, 3], rng.normal(size=3), angle, frames[-1], rise=rise)
    if kind == 3:
        return line(frames[0], frames[1])
    path = through(frames, str(rng.choice(KINDS)))  # type: ignore[arg-type]
    return rounded(path, 10.0 ** rng.uniform(-9.0, 1.0)) if rng.random() < 0.5 else path


def test_tool_paths_of_degenerate_frames_are_paths_or_refused() -> None:
    rng = np.random.default_rng(6)
    made = 0
    for _ in range(EXAMPLES * 200):
        with contextlib.suppress(ArmlabError):
            path = some_path(rng)
            s = np.linspace(0.0, path.length, 23)
            frames = path.at(s)
            assert np.isfinite(path.derivatives(s)).all()
            np.testing.assert_allclose(
                frames[:, :3, :3] @ frames[:, :3, :3].transpose(0, 2, 1), [np.eye(3)] * 23, atol=1e-9
            )
            assert np.linalg.norm(path.derivatives(s)[:, 0], axis=1).max() <= 1.0 + 1e-5
            made += 1
    assert made > EXAMPLES * 50


def test_following_degenerate_paths_ends_with_a_result_or_an_error_of_ours() -> None:
    rng = np.random.default_rng(7)
    for k in range(EXAMPLES * 8):
        robot = armlab.load(ARMS[k % len(ARMS)])
        middle = robot.fk(0.5 * (robot.lower + robot.upper))
        with contextlib.suppress(ArmlabError):
            frames = middle @ odd_frames(rng, 3)
            frames[0] = middle
            path = through(frames, str(rng.choice(KINDS)))  # type: ignore[arg-type]
            result = attempt_follow(robot, path, task="position" if robot.dof < 6 else "pose")
            assert result.whole == (result.path is not None)
            assert result.whole or result.findings[0].severity == "error"


@pytest.mark.parametrize("timing", [time_optimal, jerk_limited])
def test_timings_keep_odd_limits_or_are_refused(timing: Any) -> None:
    rng = np.random.default_rng(8)
    done = 0
    for _ in range(EXAMPLES * 12):
        robot = armlab.load("scara")
        limits = odd_limits(rng, robot)
        points = odd_points(rng, limits, int(rng.integers(2, 6)))
        with contextlib.suppress(ArmlabError):
            path = cubic_spline(np.append(0.0, np.cumsum(10.0 ** rng.uniform(-3.0, 2.0, len(points) - 1))), points)
            trajectory = timing(path, limits, stops=rng.uniform(0.0, path.end, rng.integers(0, 3)))
            wide = replace(limits, lower=limits.lower - 1e9, upper=limits.upper + 1e9)
            orders = 2 if timing is time_optimal else 3
            found = verify(trajectory, robot, limits=wide, orders=orders, step=max(trajectory.duration / 50.0, 1e-9))
            assert [str(finding.message) for finding in found if finding.severity == "error"] == []
            done += 1
    assert done > 0


def test_limits_of_odd_numbers_are_limits_or_refused() -> None:
    rng = np.random.default_rng(9)
    for _ in range(EXAMPLES * 200):
        with contextlib.suppress(ArmlabError):
            limits = Limits(*(rng.choice(NUMBERS, 2) for _ in range(6)))
            assert (limits.lower < limits.upper).all()
        with contextlib.suppress(ArmlabError):
            assert ToolLimits(*rng.choice(NUMBERS, 6).tolist()).speed > 0.0

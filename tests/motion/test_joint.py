from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import ruckig
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

import armlab
from armlab.arrays import Floats
from armlab.errors import InvalidInput, LimitViolation, PlanningFailed, UnknownName
from armlab.model.robot import Robot
from armlab.motion.joint import SCHEMES, plan_joint
from armlab.motion.limits import Limits, limits_of
from armlab.motion.schemes import scheme_named
from armlab.motion.trajectory import Trajectory
from armlab.motion.verify import verify

ARMS = ("kuka-kr6-r700", "scara", "franka-panda")
TIMED = tuple(name for name in SCHEMES if not scheme_named(name).along)
ALONG = tuple(name for name in SCHEMES if scheme_named(name).along)
CLASSIC = tuple(name for name in SCHEMES if scheme_named(name).is_classic)


def _points(robot: Robot, m: int, seed: int, share: float = 0.4) -> Floats:
    """Points around the middle of the limits, so that there is room for curves that swing out."""
    middle, half = 0.5 * (robot.lower + robot.upper), 0.5 * (robot.upper - robot.lower)
    return np.asarray(middle + np.random.default_rng(seed).uniform(-share, share, (m, robot.dof)) * half)


def _count(scheme: str, m: int) -> int:
    return 4 if scheme in CLASSIC else m


def _usage(trajectory: Trajectory, limits: Limits, orders: int) -> float:
    """The largest share of a limit that is used."""
    worst = []
    for order, limit in enumerate((limits.velocity, limits.acceleration, limits.jerk)[:orders], start=1):
        e = trajectory.pieces.extremes(order)
        worst.append((np.maximum(e.high, -e.low) / limit).max())
    return float(max(worst))


@pytest.mark.parametrize("arm", ARMS)
@pytest.mark.parametrize("scheme", SCHEMES)
def test_every_scheme_keeps_the_limits_and_reaches_its_points(arm: str, scheme: str) -> None:
    robot = armlab.load(arm)
    keeps = scheme_named(scheme).keeps
    for m in (2, 3, 6):
        points = _points(robot, _count(scheme, m), seed=m)
        trajectory = plan_joint(robot, points, scheme=scheme)
        found = verify(trajectory, robot, orders=keeps)
        assert [finding for finding in found if finding.severity == "error"] == []
        np.testing.assert_allclose(trajectory.start, points[0], atol=1e-12)
        np.testing.assert_allclose(trajectory.end, points[-1], atol=1e-9)
        for point in points:
            visited = np.abs(trajectory.pieces.values(trajectory.pieces.breaks)[:, 0] - point).max(axis=1)
            assert visited.min() < 1e-9


@pytest.mark.parametrize("scheme", TIMED)
def test_a_motion_is_so_short_that_some_limit_is_reached(scheme: str) -> None:
    robot = armlab.load("kuka-kr6-r700")
    limits = limits_of(robot)
    for seed in range(4):
        trajectory = plan_joint(robot, _points(robot, _count(scheme, 3), seed), scheme=scheme)
        assert _usage(trajectory, limits, scheme_named(scheme).keeps) == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name != "natural"])
def test_a_motion_starts_and_ends_at_rest(scheme: str) -> None:
    robot = armlab.load("scara")
    trajectory = plan_joint(robot, _points(robot, _count(scheme, 3), 1), scheme=scheme)
    for t in (0.0, trajectory.duration):
        np.testing.assert_allclose(trajectory.at(t).qd, 0.0, atol=1e-9)
        if scheme_named(scheme).keeps == 3:
            np.testing.assert_allclose(trajectory.at(t).qdd, 0.0, atol=1e-8)


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if scheme_named(name).keeps == 3])
def test_what_limits_jerk_has_no_jump_of_acceleration(scheme: str) -> None:
    robot = armlab.load("franka-panda")
    trajectory = plan_joint(robot, _points(robot, _count(scheme, 4), 2), scheme=scheme)
    assert verify(trajectory, robot, orders=3) == []


@pytest.mark.parametrize("scheme", ["jerk", "linear", "trapezoid"])
def test_what_rests_at_its_points_has_no_velocity_there(scheme: str) -> None:
    robot = armlab.load("scara")
    points = _points(robot, 4, 3)
    trajectory = plan_joint(robot, points, scheme=scheme, times=[0.5, 2.0, 1.0])
    states = trajectory.sample([0.5, 2.5])
    np.testing.assert_allclose(states.q, points[1:3], atol=1e-9)
    np.testing.assert_allclose(states.qd, 0.0, atol=1e-8)


@pytest.mark.parametrize("scheme", TIMED)
def test_given_times_are_kept_whatever_the_limits_say(scheme: str) -> None:
    robot = armlab.load("kuka-kr6-r700")
    points, times = _points(robot, 4, 5), np.array([0.05, 0.9, 0.3])
    trajectory = plan_joint(robot, points, scheme=scheme, times=times)
    assert trajectory.duration == pytest.approx(times.sum())
    np.testing.assert_allclose(trajectory.sample(np.append(0.0, np.cumsum(times))).q, points, atol=1e-9)
    assert {finding.code for finding in verify(trajectory, robot)} >= {"velocity_limit"}


@pytest.mark.parametrize("scheme", TIMED)
def test_the_way_back_is_the_way_there_in_reverse(scheme: str) -> None:
    robot = armlab.load("franka-panda")
    points, times = _points(robot, 4, 6), np.array([0.5, 0.9, 0.7])
    there = plan_joint(robot, points, scheme=scheme, times=times)
    back = plan_joint(robot, points[::-1], scheme=scheme, times=times[::-1]).reversed()
    t = np.linspace(0.0, there.duration, 50)
    np.testing.assert_allclose(back.sample(t).q, there.sample(t).q, atol=1e-9)
    found = [plan_joint(robot, order, scheme=scheme).duration for order in (points, points[::-1])]
    assert found[0] == pytest.approx(found[1], rel=1e-9)


@pytest.mark.parametrize("scheme", ALONG)
def test_a_motion_along_a_spline_is_quicker_than_one_that_rests_at_each_point(scheme: str) -> None:
    robot = armlab.load("kuka-kr6-r700")
    for seed in range(4):
        points = _points(robot, 5, seed)
        trajectory = plan_joint(robot, points, scheme=scheme)
        assert trajectory.duration < plan_joint(robot, points, scheme="jerk").duration
        assert _usage(trajectory, limits_of(robot), scheme_named(scheme).keeps) > 0.98
        back = plan_joint(robot, points[::-1], scheme=scheme)
        assert back.duration == pytest.approx(trajectory.duration, rel=0.01)


@pytest.mark.parametrize("scheme", ALONG)
def test_a_motion_that_the_limits_time_takes_no_times(scheme: str) -> None:
    robot = armlab.load("scara")
    with refused("times_not_taken", InvalidInput, scheme=scheme):
        plan_joint(robot, _points(robot, 3, 0), scheme=scheme, times=[1.0, 1.0])


RATED = [name for name in SCHEMES if scheme_named(name).end_rates > 0]


@pytest.mark.parametrize("scheme", RATED)
def test_given_velocities_and_accelerations_at_the_ends_are_met_within_the_limits(scheme: str) -> None:
    robot, plan = armlab.load("kuka-kr6-r700"), scheme_named(scheme)
    limits, share = limits_of(robot), 0.05 if scheme in {"3-5-3", "3-3-3-3-3"} else 0.2
    for seed in range(6):
        rng = np.random.default_rng(seed)
        rates: dict[str, Any] = {
            "start_velocity": share * rng.uniform(-1.0, 1.0, 6) * limits.velocity,
            "end_velocity": share * rng.uniform(-1.0, 1.0, 6) * limits.velocity,
            "start_acceleration": share * rng.uniform(-1.0, 1.0, 6) * limits.acceleration,
            "end_acceleration": share * rng.uniform(-1.0, 1.0, 6) * limits.acceleration,
        }
        taken = dict(list(rates.items())[: 2 * plan.end_rates])
        trajectory = plan_joint(robot, _points(robot, _count(scheme, 3), seed, 0.2), scheme=scheme, **taken)
        first, last = trajectory.at(0.0), trajectory.at(trajectory.duration)
        met = (first.qd, last.qd, first.qdd, last.qdd)[: 2 * plan.end_rates]
        for ours, wanted in zip(met, taken.values(), strict=True):
            np.testing.assert_allclose(ours, wanted, atol=1e-7)
        assert [f for f in verify(trajectory, robot, orders=plan.keeps) if f.severity == "error"] == []


@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), moving=st.booleans())
def test_a_motion_with_limited_jerk_is_as_quick_as_ruckigs(seed: int, moving: bool) -> None:
    robot = armlab.load("kuka-kr6-r700")
    limits, rng = limits_of(robot), np.random.default_rng(seed)
    points = _points(robot, 2, seed, 0.4)
    rates = rng.uniform(-0.3, 0.3, (4, 6)) * moving
    rates[:2] *= limits.velocity
    rates[2:] *= limits.acceleration
    ours = plan_joint(
        robot,
        points,
        start_velocity=rates[0],
        end_velocity=rates[1],
        start_acceleration=rates[2],
        end_acceleration=rates[3],
    )
    request = ruckig.InputParameter(6)
    request.current_position, request.target_position = points.tolist()
    request.current_velocity, request.target_velocity = rates[:2].tolist()
    request.current_acceleration, request.target_acceleration = rates[2:].tolist()
    request.max_velocity, request.max_acceleration = limits.velocity.tolist(), limits.acceleration.tolist()
    request.max_jerk = limits.jerk.tolist()
    theirs = ruckig.Trajectory(6)
    ruckig.Ruckig(6).calculate(request, theirs)
    assert ours.duration == pytest.approx(theirs.duration, abs=1e-9)
    if not moving:  # else joints that need not hurry have more than one motion of that duration
        t = rng.uniform(0.0, ours.duration, 60)
        expected = np.array([theirs.at_time(float(time)) for time in t])
        for ours_k, theirs_k in zip(ours.sample(t), expected.transpose(1, 0, 2), strict=True):
            np.testing.assert_allclose(ours_k, theirs_k, atol=1e-9)
    ends = np.array(ours.sample([0.0, ours.duration]))
    np.testing.assert_allclose(ends[0], points, atol=1e-9)
    np.testing.assert_allclose(ends[1:].reshape(4, 6), rates, atol=1e-7)
    assert [f for f in verify(ours, robot, orders=3) if f.severity == "error"] == []


def test_a_curve_that_would_pass_a_limit_is_slowed_at_its_ends_or_refused() -> None:
    robot = armlab.load("kuka-kr6-r700")
    points = _points(robot, 4, 1)
    points[1], points[2] = points[0], points[3]
    points[1, 1], points[2, 1] = robot.upper[1] - 0.001, robot.upper[1]
    with pytest.raises(
        PlanningFailed, match=r"natural': joint 'A2': .*° at .* s is outside -190\.0° … 45\.\d+°; add a"
    ) as e:
        plan_joint(robot, points, scheme="natural")
    assert e.value.parameters["joint"] == "A2"
    assert e.value.parameters["value"] > e.value.parameters["limit"]
    assert verify(plan_joint(robot, points, scheme="linear"), robot) == []


def test_a_start_so_fast_that_the_joint_must_pass_its_limit_is_refused() -> None:
    robot = armlab.load("scara")
    start, end = robot.home.copy(), robot.home.copy()
    start[0], end[1] = robot.upper[0] - 0.01, 0.3
    with refused("position_limit", PlanningFailed, scheme="jerk"):
        plan_joint(robot, [start, end], start_velocity=robot.velocity * [0.9, 0.0, 0.0, 0.0])


def test_a_time_too_short_for_the_given_velocities_is_refused() -> None:
    robot = armlab.load("scara")
    points = _points(robot, 2, 1)
    v = 0.1 * robot.velocity
    slow = plan_joint(robot, points, start_velocity=v, times=[5.0])
    assert slow.duration == pytest.approx(5.0)
    with refused("time_too_short", PlanningFailed, segment=1, time=0.01):
        plan_joint(robot, points, start_velocity=v, times=[0.01])


def test_ends_that_no_motion_can_have_are_refused_in_a_sentence() -> None:
    robot = armlab.load("scara")
    with refused("no_motion_found", PlanningFailed, segment=1):
        plan_joint(robot, _points(robot, 2, 1), end_velocity=robot.velocity, end_acceleration=-robot.acceleration)


def test_ends_that_no_duration_can_keep_are_refused() -> None:
    robot = armlab.load("scara")
    a = robot.acceleration
    with refused("no_duration", PlanningFailed, scheme="3-5-3"):
        plan_joint(robot, _points(robot, 4, 1), scheme="3-5-3", start_acceleration=a, end_acceleration=-a)


def test_five_cubics_take_three_times_or_five() -> None:
    robot = armlab.load("scara")
    points = _points(robot, 4, 2)
    three = plan_joint(robot, points, scheme="3-3-3-3-3", times=[0.5, 0.8, 0.4])
    five = plan_joint(robot, points, scheme="3-3-3-3-3", times=[0.5, 0.1, 0.6, 0.1, 0.4])
    np.testing.assert_allclose(three.pieces.coefficients, five.pieces.coefficients, atol=1e-9)
    with refused("time_count", InvalidInput, expected=3, more=5, got=4):
        plan_joint(robot, points, scheme="3-3-3-3-3", times=[1.0] * 4)


def test_slower_limits_make_a_longer_motion() -> None:
    robot = armlab.load("kuka-kr6-r700")
    points, limits = _points(robot, 2, 9), limits_of(robot).scaled(speed=0.2, acceleration=0.5)
    slow = plan_joint(robot, points, limits=limits)
    assert slow.duration > plan_joint(robot, points).duration
    assert verify(slow, robot, limits=limits, orders=3) == []


def test_a_point_a_hair_outside_is_put_on_the_limit() -> None:
    robot = armlab.load("scara")
    end = robot.home.copy()
    end[0] = robot.upper[0] + 5e-10
    assert plan_joint(robot, [robot.home, end]).end[0] == pytest.approx(robot.upper[0], abs=1e-14)


@pytest.mark.parametrize(
    ("change", "error", "sentence"),
    [
        ({"points": np.zeros((1, 4))}, InvalidInput, "points: at least 2 are needed, got 1"),
        ({"points": np.zeros((2, 3))}, InvalidInput, r"scara: points: expected shape \(m, 4\), got \(2, 3\)"),
        ({"points": [[0.0] * 4, [math.nan] * 4]}, InvalidInput, r"scara: points\[1, 0\]: nan is not a finite number"),
        (
            {"points": [[0.0] * 4, [0.1] * 2 + [0.0] * 2, [0.1] * 2 + [0.0] * 2]},
            InvalidInput,
            "points 2 and 3 are the same; leave one out",
        ),
        (
            {"points": [[0.0] * 4, [0.0, 3.0, 0.0, 0.0]]},
            LimitViolation,
            r"point 2: joint 'Q2': 171\.9° is outside -150\.0° … 150\.0°",
        ),
        (
            {"points": [[0.0] * 4, [0.0, 0.0, 0.1, 0.0]]},
            LimitViolation,
            r"point 2: joint 'Z': 100\.0 mm is outside -200\.0 mm … 0\.0 mm",
        ),
        (
            {"scheme": "4-3-4"},
            InvalidInput,
            r"points: scheme '4-3-4' takes four \(start, departure, approach, end\), got 2",
        ),
        ({"scheme": "quartic"}, UnknownName, "no scheme named 'quartic'"),
        ({"times": [0.0]}, InvalidInput, r"times\[0\]: 0 s is outside"),
        ({"times": [-1.0]}, InvalidInput, r"times\[0\]: -1 s is outside"),
        ({"times": [1.0, 1.0]}, InvalidInput, "times: expected 1, one for each segment, got 2"),
        ({"times": [math.nan]}, InvalidInput, r"times\[0\]: nan is not a finite number"),
        (
            {"scheme": "linear", "start_velocity": [0.1] * 4},
            InvalidInput,
            "start_velocity: scheme 'linear' takes none",
        ),
        (
            {"scheme": "cubic", "end_acceleration": [0.1] * 4},
            InvalidInput,
            "end_acceleration: scheme 'cubic'",
        ),
        (
            {"start_velocity": [0.0, 0.0, -0.9, 0.0]},
            InvalidInput,
            r"start_velocity: joint 'Z': 900\.0 mm/s is beyond 800\.0 mm/s",
        ),
        (
            {"end_acceleration": [99.0, 0.0, 0.0, 0.0]},
            InvalidInput,
            r"end_acceleration: joint 'Q1': 5672\.3 °/s² is beyond 1500\.0 °/s²",
        ),
        ({"end_velocity": [0.0]}, InvalidInput, r"end_velocity: expected shape \(4,\), got \(1,\)"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_one_sentence(
    change: dict[str, Any], error: type[Exception], sentence: str
) -> None:
    robot = armlab.load("scara")
    request = {"points": [[0.0] * 4, [0.5, 0.5, -0.1, 0.5]], **change}
    with pytest.raises(error, match=sentence):
        plan_joint(robot, **request)


def test_limits_of_another_arm_are_refused() -> None:
    robot = armlab.load("scara")
    with refused("joint_count", InvalidInput, count=6, expected=4):
        plan_joint(robot, [[0.0] * 4, [0.1] * 4], limits=limits_of(armlab.load("kuka-kr6-r700")))

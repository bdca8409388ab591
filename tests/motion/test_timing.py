from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
import ruckig
from hermite import hermite_quintic
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refused

import armlab
from armlab.arrays import Floats
from armlab.dynamics import inverse_dynamics
from armlab.errors import InvalidInput, PlanningFailed
from armlab.model.robot import Robot
from armlab.motion.limits import Limits, ToolLimits
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.splines import cubic_spline
from armlab.motion.timing.timing import jerk_limited, time_optimal
from armlab.motion.trajectory import Trajectory

SLACK = 1e-9
Timing = Callable[..., Trajectory]
BOTH: tuple[Timing, ...] = (time_optimal, jerk_limited)


def _limits(n: int, v: float = 2.0, a: float = 10.0, j: float = 200.0, effort: Floats | None = None) -> Limits:
    wide = np.full(n, 100.0)
    efforts = np.full(n, np.inf) if effort is None else effort
    return Limits(-wide, wide, np.full(n, v), np.full(n, a), np.full(n, j), efforts)


def _walk(n: int, m: int, seed: int, step: float = 0.6) -> Floats:
    return np.cumsum(np.random.default_rng(seed).uniform(-step, step, (m, n)), axis=0)


def _spline(n: int = 6, m: int = 10, seed: int = 1, length: float = 1.0) -> PiecewisePolynomial:
    return cubic_spline(np.linspace(0.0, length, m), _walk(n, m, seed))


def _line(start: list[float], end: list[float]) -> PiecewisePolynomial:
    return PiecewisePolynomial(np.array([0.0, 1.0]), np.array([[start, np.subtract(end, start)]], dtype=float))


def _corners() -> PiecewisePolynomial:
    """Three straight lines of two joints."""
    rows = [[[0.0, 0.0], [1.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 1.0], [-1.0, 0.5]]]
    return PiecewisePolynomial(np.array([0.0, 1.0, 2.0, 3.0]), np.array(rows))


def _usage(trajectory: Trajectory, limits: Limits, orders: int) -> float:
    """The largest share of a limit that is used, exactly."""
    worst = 0.0
    for order, limit in enumerate((limits.velocity, limits.acceleration, limits.jerk)[:orders], start=1):
        e = trajectory.pieces.extremes(order)
        worst = max(worst, float(np.maximum(e.high / limit, -e.low / limit).max()))
    return worst


def _is_at_rest(trajectory: Trajectory, t: float) -> bool:
    return bool(np.abs(trajectory.at(t).qd).max() < 1e-9)


class Arm:
    """The path of an arm's tool, from its Jacobian along a path of the joints."""

    def __init__(self, robot: Robot, path: PiecewisePolynomial) -> None:
        self.robot, self.path = robot, path

    def derivatives(self, s: Floats) -> Floats:
        q, rate, bend = (np.ascontiguousarray(row) for row in self.path.values(s, 3).transpose(1, 0, 2))
        first, second = self.motion(q, rate, bend)
        return np.stack([first[:, :3], second[:, :3], first[:, 3:], second[:, 3:]], axis=1)

    def motion(self, q: Floats, qd: Floats, qdd: Floats) -> tuple[Floats, Floats]:
        """Return velocity and acceleration of the tool, (m, 6) each."""
        h = 1e-6
        change = (self.robot.jacobian(q + h * qd) - self.robot.jacobian(q - h * qd)) / (2.0 * h)
        J = self.robot.jacobian(q)
        return (J @ qd[..., None])[..., 0], (J @ qdd[..., None] + change @ qd[..., None])[..., 0]


@pytest.fixture(scope="module")
def arm() -> Robot:
    return armlab.load("kuka-kr6-r700")


def _path_of(robot: Robot, seed: int) -> PiecewisePolynomial:
    return cubic_spline(np.linspace(0.0, 1.0, 6), 0.5 * (robot.lower + robot.upper) + _walk(robot.dof, 6, seed, 0.5))


@given(
    n=st.integers(1, 7),
    m=st.integers(2, 12),
    seed=st.integers(0, 2**31),
    size=st.floats(-3.0, 1.0),
    length=st.floats(-3.0, 3.0),
    is_quintic=st.booleans(),
)
@settings(max_examples=40)
def test_no_limit_is_exceeded_anywhere_on_any_smooth_path(
    n: int, m: int, seed: int, size: float, length: float, is_quintic: bool
) -> None:
    rng = np.random.default_rng(seed)
    x, span = np.cumsum(rng.uniform(0.2, 1.0, m)) * 10.0**length, 10.0**length
    points = rng.normal(size=(m, n)) * 10.0**size
    limits = Limits(
        np.full(n, -1e3),
        np.full(n, 1e3),
        rng.uniform(0.5, 4.0, n),
        rng.uniform(2.0, 20.0, n),
        rng.uniform(20.0, 400.0, n),
        np.full(n, np.inf),
    )
    rates = rng.normal(size=(2, m, n)) * 10.0**size
    path = hermite_quintic(x, points, rates[0] / span, rates[1] / span**2) if is_quintic else cubic_spline(x, points)
    fast, smooth = time_optimal(path, limits), jerk_limited(path, limits)
    assert _usage(fast, limits, 2) <= 1.0 + SLACK
    assert _usage(smooth, limits, 3) <= 1.0 + SLACK
    for trajectory in (fast, smooth):
        assert np.abs(trajectory.pieces.jumps(0)).max(initial=0.0) < 1e-9
        assert np.abs(trajectory.pieces.jumps(1)).max(initial=0.0) < 1e-8
        assert _is_at_rest(trajectory, 0.0)
        assert _is_at_rest(trajectory, trajectory.duration)
    assert np.abs(smooth.pieces.jumps(2)).max(initial=0.0) < 1e-7


def test_both_use_their_limits_up() -> None:
    path, limits = _spline(), _limits(6)
    assert _usage(time_optimal(path, limits), limits, 2) > 1.0 - 1e-9
    assert _usage(jerk_limited(path, limits), limits, 3) > 0.99


@pytest.mark.parametrize("distance", [1e-9, 1e-3, 0.1, 0.4, 1.0, 30.0])
def test_a_line_takes_the_time_of_the_textbook(distance: float) -> None:
    v, a = 2.0, 10.0
    textbook = distance / v + v / a if distance > v * v / a else 2.0 * math.sqrt(distance / a)
    trajectory = time_optimal(_line([0.0, 1.0], [distance, 1.0 - 0.5 * distance]), _limits(2))
    assert trajectory.duration == pytest.approx(textbook, rel=2e-4)
    assert trajectory.duration >= textbook


@pytest.mark.parametrize("distance", [1e-6, 1e-2, 0.1, 0.5, 1.0, 5.0, 100.0])
def test_a_line_with_limited_jerk_is_nearly_as_fast_as_the_optimal_one_of_ruckig(distance: float) -> None:
    question, answer = ruckig.InputParameter(1), ruckig.Trajectory(1)
    question.target_position = [distance]
    question.max_velocity, question.max_acceleration, question.max_jerk = [2.0], [10.0], [200.0]
    ruckig.Ruckig(1).calculate(question, answer)
    trajectory = jerk_limited(_line([0.0], [distance]), _limits(1))
    assert answer.duration * (1.0 - 1e-9) <= trajectory.duration <= answer.duration * 1.02


def test_limited_jerk_costs_little_and_much_less_than_stopping_at_every_waypoint() -> None:
    otg, question, answer = ruckig.Ruckig(6), ruckig.InputParameter(6), ruckig.Trajectory(6)
    question.max_velocity, question.max_acceleration, question.max_jerk = [2.0] * 6, [10.0] * 6, [200.0] * 6
    for seed in range(6):
        points, limits = _walk(6, 10, seed), _limits(6)
        path = cubic_spline(np.linspace(0.0, 1.0, 10), points)
        stopping = 0.0
        for a, b in zip(points[:-1].tolist(), points[1:].tolist(), strict=True):
            question.current_position, question.target_position = a, b
            otg.calculate(question, answer)
            stopping += answer.duration
        fast, smooth = time_optimal(path, limits).duration, jerk_limited(path, limits).duration
        assert fast < smooth < 1.04 * fast
        assert smooth < 0.9 * stopping


@pytest.mark.parametrize("timing", BOTH)
def test_the_motion_stays_on_the_path(timing: Timing) -> None:
    path, limits = _spline(3), _limits(3)
    trajectory = timing(path, limits)
    dense = path.values(np.linspace(0.0, 1.0, 20_001))[:, 0]
    for q in trajectory.sample(np.linspace(0.0, trajectory.duration, 60)).q:
        k = int(np.clip(np.linalg.norm(dense - q, axis=1).argmin(), 1, len(dense) - 2))
        a, b = dense[k - 1], dense[k + 1]
        nearest = a + np.clip((q - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0) * (b - a)
        assert np.abs(q - nearest).max() < 1e-6
    np.testing.assert_allclose(trajectory.start, path.values([path.start])[0, 0], atol=1e-12)
    np.testing.assert_allclose(trajectory.end, path.values([path.end])[0, 0], atol=1e-12)


@pytest.mark.parametrize("timing", BOTH)
def test_the_unit_of_the_path_parameter_does_not_matter(timing: Timing) -> None:
    times = [timing(_spline(4, length=length), _limits(4)).duration for length in (1e-6, 1.0, 1e6)]
    assert max(times) - min(times) < 1e-6 * times[0]


def test_slower_limits_stretch_time_as_the_law_says() -> None:
    path = _spline()
    full = _limits(6)
    slow = _limits(6, v=1.0, a=2.5, j=25.0)
    assert time_optimal(path, slow).duration == pytest.approx(2.0 * time_optimal(path, full).duration, rel=1e-6)
    assert jerk_limited(path, slow).duration == pytest.approx(2.0 * jerk_limited(path, full).duration, rel=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_way_back_takes_as_long(seed: int) -> None:
    points, x = _walk(5, 8, seed), np.linspace(0.0, 1.0, 8)
    there, back = cubic_spline(x, points), cubic_spline(x, points[::-1].copy())
    limits = _limits(5)
    assert time_optimal(back, limits).duration == pytest.approx(time_optimal(there, limits).duration, rel=2e-3)
    assert jerk_limited(back, limits).duration == pytest.approx(jerk_limited(there, limits).duration, rel=5e-3)


@pytest.mark.parametrize("timing", BOTH)
def test_stops_really_stop_and_corners_need_them(timing: Timing) -> None:
    path, limits = _corners(), _limits(2)
    trajectory = timing(path, limits, stops=[1.0, 2.0, 2.5])
    assert _usage(trajectory, limits, 2 if timing is time_optimal else 3) <= 1.0 + SLACK
    places = [path.values([s])[0, 0] for s in (1.0, 2.0, 2.5)]
    breaks = trajectory.pieces.breaks
    for place in places:
        t = breaks[np.abs(trajectory.sample(breaks).q - place).max(axis=1).argmin()]
        np.testing.assert_allclose(trajectory.at(t).q, place, atol=1e-12)
        assert _is_at_rest(trajectory, t)
    with refused("path_corner", InvalidInput):
        timing(path, limits, stops=[2.0])


def test_rounding_in_a_standing_joint_is_no_corner() -> None:
    rng = np.random.default_rng(8)
    path = cubic_spline(np.linspace(0.0, 1.0, 30), np.stack([np.linspace(0.0, 1.0, 30), np.zeros(30)], axis=1))
    noise = np.zeros_like(path.coefficients)
    noise[:, 1:, 1] = rng.normal(size=(29, 3)) * 1e-17
    noisy = PiecewisePolynomial(path.breaks, path.coefficients + noise)
    assert jerk_limited(noisy, _limits(2)).duration == pytest.approx(jerk_limited(path, _limits(2)).duration, rel=1e-6)


def test_a_path_with_a_jump_in_its_curvature_has_no_limited_jerk_without_a_stop() -> None:
    arc = PiecewisePolynomial(np.array([0.0, 1.0, 2.0]), np.array([[[0.0], [1.0], [0.0]], [[1.0], [1.0], [1.0]]]))
    assert _usage(time_optimal(arc, _limits(1)), _limits(1), 2) <= 1.0 + SLACK
    with refused("path_curvature_jumps", InvalidInput):
        jerk_limited(arc, _limits(1))
    assert _usage(jerk_limited(arc, _limits(1), stops=[1.0]), _limits(1), 3) <= 1.0 + SLACK


@pytest.mark.parametrize("timing", BOTH)
def test_standing_and_turning_joints_and_places_without_speed_are_no_trouble(timing: Timing) -> None:
    still = _walk(3, 8, 4)
    still[:, 1] = 0.3
    step = np.zeros((1, 6, 2))
    step[0, 3:] = np.outer([10.0, -15.0, 6.0], [1.0, -0.4])
    turn = np.array([[[0.25], [-1.0], [1.0]]])
    inflection = np.outer([-0.125, 0.75, -1.5, 1.0], [1.0, 0.5])[None]
    for path in (
        cubic_spline(np.linspace(0.0, 1.0, 8), still),
        PiecewisePolynomial(np.array([0.0, 1.0]), step),
        PiecewisePolynomial(np.array([0.0, 1.0]), turn),
        PiecewisePolynomial(np.array([0.0, 1.0]), inflection),
        _spline(3, 2),
    ):
        limits = _limits(path.width)
        trajectory = timing(path, limits)
        assert trajectory.duration < 5.0
        assert _usage(trajectory, limits, 2 if timing is time_optimal else 3) <= 1.0 + SLACK


@pytest.mark.parametrize("seed", range(2))
def test_the_tool_keeps_its_limits(arm: Robot, seed: int) -> None:
    path, limits = _path_of(arm, seed), _limits(6)
    tool = Arm(arm, path)
    asked = ToolLimits(speed=0.4, acceleration=2.0, turn_speed=1.5, turn_acceleration=6.0)
    for trajectory in (
        time_optimal(path, limits, tool=tool, tool_limits=asked),
        jerk_limited(path, limits, tool=tool, tool_limits=asked),
    ):
        t = np.linspace(0.0, trajectory.duration, 4001)[1:-1]
        v, a = tool.motion(*trajectory.sample(t))
        shares = [
            np.linalg.norm(v[:, :3], axis=1).max() / asked.speed,
            np.linalg.norm(a[:, :3], axis=1).max() / asked.acceleration,
            np.linalg.norm(v[:, 3:], axis=1).max() / asked.turn_speed,
            np.linalg.norm(a[:, 3:], axis=1).max() / asked.turn_acceleration,
        ]
        assert 0.98 < max(shares) <= 1.0
        assert _usage(trajectory, limits, 2) <= 1.0 + SLACK
        assert trajectory.duration > time_optimal(path, limits).duration


def test_the_tool_keeps_its_limit_of_jerk(arm: Robot) -> None:
    path, limits = _path_of(arm, 3), _limits(6)
    tool, asked = Arm(arm, path), ToolLimits(jerk=20.0, turn_jerk=80.0)
    trajectory = jerk_limited(path, limits, tool=tool, tool_limits=asked)
    t = np.linspace(0.0, trajectory.duration, 8001)[1:-1]
    _, a = tool.motion(*trajectory.sample(t))
    jerk = np.diff(a, axis=0) / (t[1] - t[0])
    shares = (np.linalg.norm(jerk[:, :3], axis=1).max() / 20.0, np.linalg.norm(jerk[:, 3:], axis=1).max() / 80.0)
    assert 0.8 < max(shares) < 1.001


@pytest.mark.parametrize("timing", BOTH)
@pytest.mark.parametrize("share", [1.3, 3.0])
def test_torques_stay_inside_the_effort_limits(arm: Robot, timing: Timing, share: float) -> None:
    path = _path_of(arm, 5)
    q = path.values(np.linspace(0.0, 1.0, 300))[:, 0]
    effort = share * np.abs(inverse_dynamics(arm, q, np.zeros(6), np.zeros(6))).max(axis=0) + 2.0
    limits = _limits(6, a=30.0, effort=effort)
    trajectory = timing(path, limits, robot=arm)
    tau = inverse_dynamics(arm, *trajectory.sample(np.linspace(0.0, trajectory.duration, 5001)))
    assert 0.9 < (np.abs(tau) / effort).max() <= 1.0
    assert trajectory.duration > timing(path, limits).duration


def test_a_motor_too_weak_to_hold_the_arm_is_named_with_the_place(arm: Robot) -> None:
    path = _path_of(arm, 5)
    q = path.values(np.linspace(0.0, 1.0, 300))[:, 0]
    weight = np.abs(inverse_dynamics(arm, q, np.zeros(6), np.zeros(6))).max(axis=0) + 1.0
    weight[1] *= 0.8
    for timing in BOTH:
        with refused("too_weak_to_hold", PlanningFailed, joint="A2"):
            timing(path, _limits(6, effort=weight), robot=arm)


def test_what_cannot_be_timed_is_told() -> None:
    limits = _limits(2)
    with refused("path_without_motion", InvalidInput):
        time_optimal(PiecewisePolynomial(np.array([0.0, 1.0]), np.ones((1, 1, 2))), limits)
    with refused("joint_count", InvalidInput, count=2, expected=3):
        time_optimal(_spline(3), limits)
    with refused("stop_outside", InvalidInput):
        time_optimal(_spline(2), limits, stops=[3.0])
    with refused("not_finite", InvalidInput, where="stops[0]"):
        time_optimal(_spline(2), limits, stops=[math.nan])
    with refused("path_jumps", InvalidInput):
        time_optimal(
            PiecewisePolynomial(np.array([0.0, 1.0, 2.0]), np.array([[[0.0], [1.0]], [[2.0], [1.0]]])), _limits(1)
        )
    with refused("tool_path_missing", InvalidInput):
        time_optimal(_spline(2), limits, tool_limits=ToolLimits(speed=0.1))
    with refused("joint_count", InvalidInput, count=6, expected=2):
        time_optimal(_spline(2), limits, robot=armlab.load("kuka-kr6-r700"))

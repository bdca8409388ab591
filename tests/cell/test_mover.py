"""Whatever is asked of the mover, every limit is kept."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from armlab.arrays import Floats
from armlab.catalog import load
from armlab.cell.mover import Mover
from armlab.motion.jerk_motion import JerkMotion
from armlab.motion.limits import Limits, limits_of
from armlab.motion.trajectory import JointState

DT = 1.0 / 480.0
SLACK = 1.0 + 1e-6


@pytest.fixture(params=["planar3", "kuka-kr6-r700", "scara"])
def limits(request: pytest.FixtureRequest) -> Limits:
    return limits_of(load(request.param))


def start(limits: Limits) -> Floats:
    return 0.5 * (limits.lower + limits.upper)


class Watched:
    """A mover whose motion is kept."""

    def __init__(self, limits: Limits) -> None:
        self.limits, self.mover = limits, Mover(limits, start(limits))
        self.rows: list[Floats] = []

    def pass_time(self, steps: int) -> None:
        wanted = self.mover.advance(steps, DT)
        self.rows.append(np.stack([wanted.q, wanted.qd, wanted.qdd], axis=1))

    def check(self) -> None:
        """Every limit holds, and speeds and accelerations are the derivatives of what is commanded."""
        rows = np.concatenate(self.rows)
        q, qd, qdd = rows[:, 0], rows[:, 1], rows[:, 2]
        limits = self.limits
        assert (q >= limits.lower - 1e-9).all()
        assert (q <= limits.upper + 1e-9).all()
        assert (np.abs(qd) <= limits.velocity * SLACK + 1e-9).all()
        assert (np.abs(qdd) <= limits.acceleration * SLACK + 1e-9).all()
        assert (np.abs(np.diff(qd, axis=0)) <= limits.acceleration * DT * SLACK + 1e-9).all()
        assert (np.abs(np.diff(qdd, axis=0)) <= limits.jerk * DT * SLACK + 1e-7).all()
        np.testing.assert_allclose(
            np.diff(q, axis=0), 0.5 * DT * (qd[1:] + qd[:-1]), atol=float(limits.jerk.max()) * DT**3
        )


def test_goals_that_change_at_any_time_keep_every_limit(limits: Limits) -> None:
    rng, watched = np.random.default_rng(1), Watched(limits)
    for _ in range(60):
        watched.mover.go_to(rng.uniform(limits.lower - 0.3, limits.upper + 0.3))
        watched.pass_time(int(rng.integers(1, 150)))
    watched.check()


def test_jogging_joints_back_and_forth_keeps_every_limit(limits: Limits) -> None:
    rng, watched = np.random.default_rng(2), Watched(limits)
    for _ in range(80):
        watched.mover.move_joints_at(
            rng.uniform(-1.0, 1.0, limits.dof) * limits.velocity * rng.integers(0, 2, limits.dof)
        )
        watched.pass_time(int(rng.integers(1, 200)))
    watched.check()


def test_jogging_all_joints_together_keeps_every_limit(limits: Limits) -> None:
    rng, watched = np.random.default_rng(3), Watched(limits)
    for _ in range(40):
        speeds = rng.uniform(-1.0, 1.0, limits.dof) * limits.velocity
        for _ in range(int(rng.integers(1, 30))):
            watched.mover.move_together_at(speeds, 8 * DT)
            watched.pass_time(8)
    watched.check()


def test_everything_mixed_keeps_every_limit(limits: Limits) -> None:
    rng, watched = np.random.default_rng(4), Watched(limits)
    for _ in range(150):
        speeds = rng.uniform(-1.0, 1.0, limits.dof) * limits.velocity
        match int(rng.integers(4)):
            case 0:
                watched.mover.go_to(rng.uniform(limits.lower, limits.upper))
            case 1:
                watched.mover.move_joints_at(speeds)
            case 2:
                watched.mover.move_together_at(speeds, 20 * DT)
            case _:
                watched.mover.stop()
        watched.pass_time(20)
    watched.check()


def test_a_goal_is_reached_exactly_and_by_all_joints_at_once(limits: Limits) -> None:
    mover = Mover(limits, start(limits))
    goal = limits.lower + 0.3 * (limits.upper - limits.lower)
    mover.go_to(goal)
    rows = mover.advance(480 * 20, DT)
    assert not mover.is_moving
    np.testing.assert_allclose(mover.state.q, goal, atol=1e-9)
    still = np.abs(rows.q - goal) < 1e-6
    first = still.argmax(axis=0)
    assert np.ptp(first) <= 480 * 0.1 * 20  # slower joints take the others along
    assert (np.diff(still.astype(int), axis=0) >= 0).all()


def test_a_joint_that_is_jogged_long_enough_stops_at_its_limit(limits: Limits) -> None:
    mover = Mover(limits, start(limits))
    mover.move_joints_at(limits.velocity)
    mover.advance(480 * 60, DT)
    assert not mover.is_moving
    np.testing.assert_allclose(mover.state.q, limits.upper, atol=1e-9)


def test_joints_that_start_together_keep_their_proportions() -> None:
    limits = limits_of(load("kuka-kr6-r700"))
    mover = Mover(limits, start(limits))
    speeds = np.array([0.1, -0.2, 0.3, 0.05, -0.4, 0.2])
    mover.move_together_at(speeds, 8 * DT)
    moved = mover.advance(40, DT).q - start(limits)
    np.testing.assert_allclose(moved, np.outer(moved[:, 0] / speeds[0], speeds), atol=1e-12)


def test_a_stop_is_as_short_as_the_limits_allow(limits: Limits) -> None:
    mover = Mover(limits, start(limits))
    mover.move_joints_at(0.25 * limits.velocity)
    mover.advance(100, DT)
    mover.stop()
    longest = (0.25 * limits.velocity / limits.acceleration + 2.0 * limits.acceleration / limits.jerk).max()
    mover.advance(int(longest / DT) + 2, DT)
    assert not mover.is_moving
    assert not mover.state.qd.any()


def test_tiny_speeds_are_no_trouble(limits: Limits) -> None:
    watched = Watched(limits)
    for size in (1e-12, 1e-7, 1e-5, 1e-3):
        watched.mover.move_joints_at(np.full(limits.dof, size))
        watched.pass_time(10)
        watched.mover.move_together_at(np.full(limits.dof, size), 10 * DT)
        watched.pass_time(10)
    watched.check()


def test_at_rest_nothing_moves(limits: Limits) -> None:
    mover = Mover(limits, start(limits))
    rows = mover.advance(5, DT)
    assert (rows.q == start(limits)).all()
    assert not rows.qd.any()


# -- where the planner refuses -----------------------------------------------------------------------------------------

REFUSED = JointState(
    np.array([-2.6544330831051277, 0.9795768098977337, 1.5664554058968818, -3.369877056694995, -0.284605955611261]),
    np.array([0.048965773167569004, 0.04246916672368717, 0.060487131559939254, -0.11521358392369344, -0.12385460271]),
    np.array([-5.390442906385225, -3.6521949780660385, -6.658782413769968, 12.683395073847572, 13.634649704386149]),
)
"""Joints 1 to 5 of a TX60 that a planner has found no stop for; the sixth completes it below."""
SIXTH = (-0.37819527401006836, 0.12278198556121422, -8.787897700694165)


def test_a_state_that_the_planner_refuses_is_stopped() -> None:
    limits = limits_of(load("staubli-tx60"))
    mover = Mover(limits, start(limits))
    mover.take_over(JointState(*(np.append(part, last) for part, last in zip(REFUSED, SIXTH, strict=True))))
    mover.stop()
    mover.advance(480, DT)
    assert not mover.is_moving
    assert not mover.state.qd.any()


Command = Callable[[Mover], object]
COMMANDS: list[Command] = [
    lambda mover: mover.stop(),
    lambda mover: mover.go_to(np.ones(6)),
    lambda mover: mover.move_joints_at(np.ones(6)),
    lambda mover: mover.move_together_at(np.ones(6), DT),
]


@pytest.mark.parametrize("command", COMMANDS, ids=["stop", "go_to", "move_joints_at", "move_together_at"])
def test_a_planner_that_refuses_everything_leaves_the_arm_braking(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    limits = limits_of(load("kuka-kr6-r700"))
    mover = Mover(limits, start(limits))
    mover.move_joints_at(0.5 * limits.velocity)
    mover.advance(150, DT)
    speed = np.abs(mover.state.qd)
    monkeypatch.setattr(Mover, "_plan", lambda *_args, **_more: None)
    command(mover)
    rows = mover.advance(480, DT)
    assert not mover.is_moving
    assert not mover.state.qd.any()
    assert (np.abs(np.diff(rows.qd, axis=0)) <= limits.acceleration * DT * SLACK).all()
    assert (np.abs(rows.qd) <= speed).all()


def test_a_motion_that_cannot_be_evaluated_is_braked(monkeypatch: pytest.MonkeyPatch) -> None:
    limits = limits_of(load("kuka-kr6-r700"))
    mover = Mover(limits, start(limits))
    mover.move_joints_at(0.5 * limits.velocity)
    mover.advance(150, DT)
    nothing = np.full((480, limits.dof), np.nan)
    monkeypatch.setattr(JerkMotion, "sample", lambda *_args: JointState(nothing, nothing, nothing))
    mover.advance(480, DT)
    assert not mover.is_moving
    assert not mover.state.qd.any()


def test_a_state_with_numbers_that_are_not_finite_is_not_taken_over(limits: Limits) -> None:
    mover = Mover(limits, start(limits))
    broken = np.full(limits.dof, np.nan)
    mover.take_over(JointState(broken, broken, broken))
    mover.stop()
    mover.advance(480, DT)
    np.testing.assert_array_equal(mover.state.q, start(limits))

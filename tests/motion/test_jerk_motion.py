"""Motions from any state to any other: as quick as Ruckig's, within the limits, and never an exception."""

from __future__ import annotations

import itertools
import os
import subprocess
import sys

import numpy as np
import pytest
import ruckig

from armlab.kernels.timing import quickest
from armlab.motion.jerk_motion import BAD_INPUT, FOUND, JerkMotion, Synchronization, attempt_motion
from armlab.motion.limits import Limits
from armlab.motion.trajectory import JointState

JOINTS = 4
MORE = float(os.environ.get("ARMLAB_FUZZ", "1"))
"""How many times as many random cases."""


def limits(rng: np.random.Generator) -> Limits:
    velocity, acceleration, jerk = (scale * (0.2 + rng.random(JOINTS)) for scale in (2.0, 8.0, 60.0))
    free = np.full(JOINTS, np.inf)
    return Limits(np.full(JOINTS, -9.0), np.full(JOINTS, 9.0), velocity, acceleration, jerk, free)


def states(rng: np.random.Generator, own: Limits) -> tuple[JointState, JointState]:
    """A start that may be beyond its limits, and a target inside them that is passed without acceleration."""

    def some(size: np.ndarray | float) -> np.ndarray:
        return np.asarray(rng.uniform(-1.0, 1.0, JOINTS) * size)

    start = JointState(some(3.0), some(1.2 * own.velocity), some(1.2 * own.acceleration))
    return start, JointState(some(3.0), some(0.5 * own.velocity), np.zeros(JOINTS))


def ruckigs_own(
    own: Limits, start: JointState, target: JointState, by_velocity: list[bool], synchronization: Synchronization
) -> ruckig.Trajectory:
    request = ruckig.InputParameter(JOINTS)
    request.current_position, request.current_velocity, request.current_acceleration = (x.tolist() for x in start)
    request.target_position, request.target_velocity, request.target_acceleration = (x.tolist() for x in target)
    request.max_velocity, request.max_acceleration = own.velocity.tolist(), own.acceleration.tolist()
    request.max_jerk = own.jerk.tolist()
    kinds = ruckig.ControlInterface
    request.per_dof_control_interface = [kinds.Velocity if by else kinds.Position for by in by_velocity]
    names = ruckig.Synchronization
    request.synchronization = {"time": names.Time, "phase": names.Phase, "none": names.No}[synchronization]
    answer = ruckig.Trajectory(JOINTS)
    ruckig.Ruckig(JOINTS).calculate(request, answer)
    return answer


def exceeded(own: Limits, motion: JerkMotion) -> float:
    """Return by which share a motion exceeds velocity, acceleration or jerk at their peaks, behind its brake."""
    worst = 0.0
    for i, rows in enumerate(motion.phases):
        v = motion.start[1, i]
        for k, (d, a, j) in enumerate(rows.tolist()):
            turn = -a / j if j else -1.0
            speeds = [v, v + d * (a + d * j / 2.0), v - a * a / (2.0 * j) if 0.0 < turn < d else v]
            v = speeds[1]
            if d > 0.0 and k >= quickest.BRAKE_PHASES:
                worst = max(worst, *(abs(speed) / own.velocity[i] for speed in speeds))
                worst = max(worst, abs(a) / own.acceleration[i], abs(a + d * j) / own.acceleration[i])
                worst = max(worst, abs(j) / own.jerk[i])
    return worst - 1.0


@pytest.mark.parametrize("synchronization", ["time", "phase", "none"])
def test_the_motion_is_as_quick_as_ruckigs_keeps_the_limits_and_arrives(synchronization: Synchronization) -> None:
    rng = np.random.default_rng(3)
    for _ in range(int(400 * MORE)):
        own = limits(rng)
        start, target = states(rng, own)
        by_velocity = (rng.random(JOINTS) < 0.4).tolist()
        motion = attempt_motion(own, start, target, by_velocity=by_velocity, synchronization=synchronization)
        theirs = ruckigs_own(own, start, target, by_velocity, synchronization)
        assert motion.status == FOUND
        assert motion.duration == pytest.approx(theirs.duration, abs=1e-9)
        end = motion.sample([motion.duration])
        np.testing.assert_allclose(end.qd[0], target.qd, atol=1e-9)
        if synchronization != "none":  # else those that arrive first go on
            there = ~np.array(by_velocity)
            np.testing.assert_allclose(end.q[0, there], target.q[there], atol=1e-9)
        if not any(by_velocity):  # their velocity is not limited
            start_inside = (np.abs(start.qd) + start.qdd**2 / (2.0 * own.jerk) <= own.velocity).all()
            assert exceeded(own, motion) < 1e-9 or not start_inside


def test_one_joint_takes_as_long_as_ruckigs_from_any_state_to_any_other() -> None:
    rng = np.random.default_rng(8)
    free, checked = np.full(1, np.inf), 0
    for _ in range(int(4000 * MORE)):
        velocity, acceleration, jerk = (np.array([scale * (0.2 + rng.random())]) for scale in (2.0, 8.0, 60.0))
        own = Limits(-9.0 * np.ones(1), 9.0 * np.ones(1), velocity, acceleration, jerk, free)
        start, target = (
            JointState(*(rng.uniform(-size, size) for size in (np.full(1, 3.0), s * velocity, s * acceleration)))
            for s in (1.2, 1.0)
        )
        least = float(rng.uniform(0.0, 4.0))  # some fall into a gap of the durations that there are
        motion = attempt_motion(own, start, target, least_duration=least)
        request = ruckig.InputParameter(1)
        request.current_position, request.current_velocity, request.current_acceleration = (x.tolist() for x in start)
        request.target_position, request.target_velocity, request.target_acceleration = (x.tolist() for x in target)
        request.max_velocity, request.max_acceleration, request.max_jerk = (x.tolist() for x in own.table[2:])
        request.minimum_duration = least
        theirs = ruckig.Trajectory(1)
        try:
            ruckig.Ruckig(1).calculate(request, theirs)
        except ruckig.RuckigError:  # it must have been too fast before it came to its target
            assert motion.status == BAD_INPUT
            continue
        checked += 1
        assert motion.status == FOUND
        assert motion.duration == pytest.approx(theirs.duration, abs=1e-9)
        end = motion.sample([motion.duration])
        d, a, j = motion.phases[0][motion.phases[0, :, 0] > 0.0][-1]
        np.testing.assert_allclose([end.q[0], end.qd[0], [a + d * j]], target, atol=1e-8)
    assert checked > 2000 * MORE


def test_what_can_go_straight_in_joint_space_does() -> None:
    own = limits(np.random.default_rng(9))
    way = np.array([1.0, -0.5, 0.25, 0.0])
    rest = np.zeros(JOINTS)
    motion = attempt_motion(
        own, JointState(rest, 0.1 * way, rest), JointState(way, rest, rest), synchronization="phase"
    )
    q = motion.sample(np.linspace(0.0, motion.duration, 50)).q
    np.testing.assert_allclose(q, q[:, :1] * way, atol=1e-12)


def test_a_longer_time_is_taken_by_going_slower_not_by_waiting() -> None:
    own = limits(np.random.default_rng(10))
    rest = np.zeros(JOINTS)
    quick = attempt_motion(own, JointState(rest, rest, rest), JointState(np.ones(JOINTS), rest, rest))
    slow = attempt_motion(
        own, JointState(rest, rest, rest), JointState(np.ones(JOINTS), rest, rest), least_duration=2.0 * quick.duration
    )
    assert slow.duration == pytest.approx(2.0 * quick.duration)
    speeds, quickest_speeds = (
        motion.sample(np.linspace(0.0, motion.duration, 101)[1:-1]).qd for motion in (slow, quick)
    )
    assert (speeds > 0.0).all()
    assert (speeds.max(axis=0) < 0.6 * quickest_speeds.max(axis=0)).all()


def test_the_range_of_positions_holds_every_sample_and_is_touched() -> None:
    rng = np.random.default_rng(4)
    for _ in range(40):
        own = limits(rng)
        start, target = states(rng, own)
        motion = attempt_motion(own, start, target, synchronization="none")
        low, high = motion.position_range()
        q = motion.sample(np.linspace(0.0, motion.duration, 5001)).q
        fine = own.acceleration * 1.2 * (motion.duration / 5000) ** 2
        assert (q.min(axis=0) >= low - 1e-12).all()
        assert (q.max(axis=0) <= high + 1e-12).all()
        assert (q.min(axis=0) <= low + fine).all()
        assert (q.max(axis=0) >= high - fine).all()


def test_where_only_velocities_count_the_position_is_left_free() -> None:
    own = limits(np.random.default_rng(5))
    rest = JointState(*np.zeros((3, JOINTS)))
    wanted = JointState(np.full(JOINTS, 5.0), 0.5 * own.velocity, np.zeros(JOINTS))
    motion = attempt_motion(own, rest, wanted, by_velocity=True)
    end = motion.sample([motion.duration, motion.duration + 1.0])
    np.testing.assert_allclose(end.qd, [wanted.qd, wanted.qd], atol=1e-12)
    np.testing.assert_allclose(end.q[1] - end.q[0], wanted.qd, atol=1e-9)


def test_odd_numbers_give_a_status_and_no_exception() -> None:
    odd = [0.0, 1e-300, -1e-9, 1e6, -1e15, 1e300, float("nan"), float("inf")]
    own = limits(np.random.default_rng(6))
    found = set()
    for q, qd, qdd, goal in itertools.product(odd, repeat=4):
        start = JointState(*(np.full(JOINTS, value) for value in (q, qd, qdd)))
        target = JointState(np.full(JOINTS, goal), np.zeros(JOINTS), np.zeros(JOINTS))
        motion = attempt_motion(own, start, target)
        found.add(motion.status)
        if motion.status == FOUND:
            assert np.isfinite(motion.sample([0.0, motion.duration]).q).all()
    assert {FOUND, BAD_INPUT} <= found


def test_a_process_that_planned_ends_without_a_word() -> None:
    script = (
        "import numpy as np, armlab\n"
        "from armlab.motion.joint import plan_joint\n"
        "robot = armlab.load('ur5e')\n"
        "kept = [plan_joint(robot, [robot.home, robot.home + 0.1], start_velocity=rate)"
        " for rate in (None, np.full(6, 0.1))]\n"
    )
    ended = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ended.stderr == ""
    assert ended.stdout == ""

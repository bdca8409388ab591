"""Motions from any state to any other: Ruckig's own numbers, and never one of its exceptions."""

from __future__ import annotations

import itertools
import subprocess
import sys

import numpy as np
import pytest
import ruckig

from armlab.motion.limits import Limits
from armlab.motion.ruckig_solver import BAD_INPUT, FOUND, Synchronization, attempt_motion
from armlab.motion.trajectory import JointState

JOINTS = 4


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


@pytest.mark.parametrize("synchronization", ["time", "phase", "none"])
def test_the_motion_is_ruckigs_own(synchronization: Synchronization) -> None:
    rng = np.random.default_rng(3)
    for _ in range(40):
        own = limits(rng)
        start, target = states(rng, own)
        by_velocity = (rng.random(JOINTS) < 0.4).tolist()
        motion = attempt_motion(own, start, target, by_velocity=by_velocity, synchronization=synchronization)
        theirs = ruckigs_own(own, start, target, by_velocity, synchronization)
        assert motion.status == FOUND
        assert motion.duration == theirs.duration
        times = np.linspace(0.0, 1.3 * theirs.duration, 50)  # also after its end
        expected = np.array([theirs.at_time(t) for t in times.tolist()])
        sampled = motion.sample(times)
        np.testing.assert_allclose(sampled.q, expected[:, 0], atol=1e-9)
        np.testing.assert_allclose(sampled.qd, expected[:, 1], atol=1e-8)


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

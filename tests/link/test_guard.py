"""Whatever goes wrong, the arm holds; and nothing moves it that was wanted before."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from link.lockstep import TICK, TRIALS, WHO, LockStep

from armlab.link.guard import LinkState
from armlab.link.link_file import ARMING_STEP

HOLDS_WITHIN = 0.3


def speed(step: LockStep) -> float:
    return float(np.abs(step.board.servos.qd).max())


def settle(step: LockStep) -> float:
    """Let the board go on by itself for as long as an arm may take to hold; return how fast it moves then."""
    for _tick in range(round(HOLDS_WITHIN / TICK)):
        step.now += TICK
        step.wire.advance(TICK)
    before = step.board._pulses.copy()
    for _tick in range(20):
        step.now += TICK
        step.wire.advance(TICK)
    assert np.array_equal(before, step.board._pulses)
    return speed(step)


def test_a_connection_only_reads(tmp_path: Path) -> None:
    step = LockStep(tmp_path).connected()
    step.run(1.0, step.move)
    assert step.link.counts["sent"] == 0
    assert speed(step) == 0.0


def test_an_armed_arm_follows_what_it_is_told(tmp_path: Path) -> None:
    step = LockStep(tmp_path).connected().armed()
    start = step.board.servos.q.copy()
    step.run(1.0, step.move)
    step.run(0.3, step.link.believed.copy)  # type: ignore[union-attr]  # it is known
    moved = step.board.servos.q - start
    assert step.link.commanded is not None
    assert moved[1] == pytest.approx(step.link.commanded[1] - start[1], abs=0.01)
    assert moved[1] > 0.4
    assert np.abs(np.delete(moved, 1)).max() < ARMING_STEP


@pytest.mark.parametrize("has_feedback", [True, False])
def test_arming_moves_no_joint_by_more_than_a_degree(tmp_path: Path, has_feedback: bool) -> None:
    for seed in range(TRIALS):
        rng = np.random.default_rng(seed)
        step = LockStep(tmp_path, has_feedback=has_feedback, seed=seed)
        robot = step.file.robot
        if has_feedback:
            step.board.servos.q = rng.uniform(robot.lower, robot.upper)
        before = step.board.servos.q.copy()
        step.connected().armed()
        step.run(0.3)
        assert np.abs(step.board.servos.q - before).max() <= ARMING_STEP


def test_a_cable_that_is_pulled_at_any_byte_holds_the_arm(tmp_path: Path) -> None:
    for seed in range(TRIALS):
        step = LockStep(tmp_path, seed=seed).connected().armed()
        step.wire.cut_after = int(np.random.default_rng(seed).integers(1, 3000))
        step.run(1.0, step.move)
        assert settle(step) < 1e-3
        assert step.link.state is LinkState.LOST


def test_nothing_is_executed_after_a_reconnect(tmp_path: Path) -> None:
    for seed in range(TRIALS):
        step = LockStep(tmp_path, seed=seed).connected().armed()
        step.wire.cut_after = int(np.random.default_rng(seed).integers(1, 2000))
        step.run(0.8, step.move)
        step.wire.is_cut = False
        done = step.board.executed
        step.run(2.0, step.move)
        assert step.link.state is LinkState.MONITOR
        assert step.board.executed == done
        assert speed(step) < 1e-3


def test_a_board_that_resets_in_a_move_is_only_read_afterwards(tmp_path: Path) -> None:
    for seed in range(TRIALS):
        step = LockStep(tmp_path, seed=seed).connected().armed()
        step.run(0.1 + 0.013 * seed % 0.5, step.move)
        step.board.reset()
        step.run(0.5, step.move)
        assert step.board.executed > 0
        assert step.link.state is LinkState.MONITOR
        assert speed(step) == 0.0
        assert any(reason.code == "device_reset" for reason in step.link.guard.reasons)


def test_a_bad_byte_now_and_then_is_counted_and_ends_nothing(tmp_path: Path) -> None:
    for seed in range(TRIALS):
        step = LockStep(tmp_path, seed=seed).connected().armed()
        step.run(0.5, step.move)
        garbage = np.random.default_rng(seed).bytes(20).replace(b"\n", b"")  # one packet, not several
        step.wire._arrived += garbage
        step.run(0.5, step.move)
        assert step.link.counts["damaged"] >= 1
        assert step.link.state is LinkState.MOVING, list(step.link.guard.reasons)


def test_many_bad_bytes_are_a_loss_and_the_arm_holds(tmp_path: Path) -> None:
    for seed in range(TRIALS):
        step = LockStep(tmp_path, seed=seed).connected().armed()
        step.wire.damage = 0.02
        step.run(2.0, step.move)
        assert step.link.state not in {LinkState.MOVING, LinkState.ARMED}
        assert settle(step) < 1e-3


def test_answers_that_come_late_in_bursts_hold_the_arm(tmp_path: Path) -> None:
    step = LockStep(tmp_path).connected().armed()
    step.run(0.3, step.move)
    step.wire.holds_back = 0.3
    step.run(1.0, step.move)
    assert step.link.state is LinkState.HOLDING
    assert settle(step) < 1e-3


def test_an_arm_whose_other_end_never_reads_is_lost_and_holds(tmp_path: Path) -> None:
    step = LockStep(tmp_path).connected().armed()
    step.run(0.3, step.move)
    step.wire.is_deaf = True
    step.run(0.1, step.move)
    assert step.link.state is LinkState.LOST
    assert settle(step) < 1e-3


def test_a_process_that_stands_still_or_is_gone_is_survived_by_the_board(tmp_path: Path) -> None:
    for seed in range(TRIALS):
        step = LockStep(tmp_path, seed=seed).connected().armed()
        step.run(0.2 + 0.01 * (seed % 7), step.move)
        assert settle(step) < 1e-3
        assert step.board.tripped_after <= HOLDS_WITHIN
        done = step.board.executed
        step.link.tick(step.now)
        step.run(0.5, step.move)
        assert step.link.state is not LinkState.MOVING
        assert step.board.executed == done


def test_a_lease_that_is_not_renewed_holds_the_arm_after_two_seconds(tmp_path: Path) -> None:
    step = LockStep(tmp_path).connected().armed()
    step.run(1.9, renew=False)
    assert step.state() is LinkState.ARMED
    step.run(0.2, renew=False)
    assert step.state() is LinkState.HOLDING
    assert step.link.guard.lease.holder is None


def test_only_one_moves_the_arm_and_anybody_stops_it(tmp_path: Path) -> None:
    step = LockStep(tmp_path).connected().armed()
    refused = step.link.arm("somebody else", step.now)
    assert refused is not None
    assert refused.code == "lease_held"
    assert step.link.guard.lease.asked_by == "somebody else"
    step.run(0.2, step.move)
    step.link.stop(step.now)
    step.run(0.6, step.move)
    assert step.link.state is LinkState.HOLDING
    assert speed(step) < 1e-3


def test_a_stuck_joint_that_is_measured_is_noticed_within_250_ms(tmp_path: Path) -> None:
    for seed in range(TRIALS):
        step = LockStep(tmp_path, faults=("stuck:shoulder@1.0",), seed=seed).connected().armed()
        step.run(1.0 - 0.4, lambda one=step: one.move(speed=np.radians(35.0)))  # type: ignore[misc]  # bound now
        assert step.link.state is LinkState.MOVING
        since = step.board.servos.time
        while step.link.state is LinkState.MOVING:
            step.move(speed=np.radians(35.0))
            step.step()
            assert step.board.servos.time < 3.0
        assert step.board.servos.time - max(since, 1.0) <= 0.25
        assert step.link.counts["not_followed"] == 1


def test_a_healthy_arm_whose_clock_drifts_gives_no_alarm(tmp_path: Path) -> None:
    step = LockStep(tmp_path).connected()
    step.board._rate = 1.001
    step.armed()
    sign = [1.0]

    def to_and_fro() -> None:
        if step.link.commanded is not None and abs(step.link.commanded[1] - step.file.robot.home[1]) > 0.3:
            sign[0] = -np.sign(step.link.commanded[1] - step.file.robot.home[1])
        step.move(speed=0.8 * sign[0])

    step.run(TRIALS * 3.0, to_and_fro)
    assert step.link.state is LinkState.MOVING
    assert not step.link.guard.reasons
    assert step.link.counts["damaged"] == step.link.counts["missed"] == 0


def test_a_step_that_no_joint_can_make_is_refused_and_not_shortened(tmp_path: Path) -> None:
    step = LockStep(tmp_path).connected().armed()
    assert step.link.commanded is not None
    q = step.link.commanded + np.radians([0, 20, 0, 0, 0])
    refused = step.link.want(q, np.zeros(5), 0.02, WHO, step.now)
    assert refused is not None
    assert refused.code == "setpoint_jumps"
    step.run(0.3)
    assert step.link.counts["sent"] == 1  # the drives were switched on


def test_another_arm_at_the_port_is_a_fault_that_a_person_acknowledges(tmp_path: Path) -> None:
    step = LockStep(tmp_path)
    step.board.firmware = "something else 7"
    step.link.connect()
    step.run(1.0)
    assert step.link.state is LinkState.FAULT
    assert step.link.guard.reasons[-1].code == "another_device"
    assert step.link.arm(WHO, step.now) is not None
    step.board.firmware = "armlab-braccio 1"
    step.run(1.0)
    assert step.state() is LinkState.FAULT
    step.link.guard.acknowledge(step.now)
    step.run(2.0)
    assert step.state() is LinkState.MONITOR


def test_an_arm_without_feedback_needs_its_resting_pose(tmp_path: Path) -> None:
    step = LockStep(tmp_path, has_feedback=False).connected()
    object.__setattr__(step.file, "rest", None)
    refused = step.link.arm(WHO, step.now)
    assert refused is not None
    assert refused.code == "rest_missing"

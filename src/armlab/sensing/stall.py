"""Notice a servo that stands though it is commanded to move, from the gyroscopes of sensors on the links.

The rates that are measured are compared with those of a healthy arm (`armlab.sensing.healthy_arm`). A servo that stands
misses exactly the rate at which it is commanded, all the time; a gear that falls through its play at another moment
than expected misses more for a tenth of a second, and what swings comes back. So no more than the commanded rate is
counted as missing, and the more steadily it is missing, the less of a turn is enough.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.model.robot import Robot
from armlab.motion.trajectory import JointState
from armlab.sensing.arm_estimator import checked_rows
from armlab.sensing.healthy_arm import healthy_rates, rates_of
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.mount import Mount
from armlab.sensing.rest import first_rest
from armlab.sim.drives import Drive

WINDOWS = (0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.6, 0.75, 1.0, 1.5, 2.0)
"""s: turns over these times are looked at."""
AFTER = 0.5
"""s: in windows longer than this, only joints that are still commanded to move are looked at."""
AHEAD = 2.0
"""A joint that runs ahead counts by no more than this share of its commanded rate."""
TOLERANCE = 0.2
"""A rate is missing exactly if no axis of the sensors is off by more than this share of it."""


class _Test(NamedTuple):
    """A stall is noticed if of a joint's turn in a window at least `share`, and at least `turn`, is missing."""

    share: float
    turn: float
    """rad."""
    cap: float | None
    """No more than this share of the commanded rate counts as missing; None: only what is missing exactly counts."""


TESTS = (
    _Test(0.7, math.radians(4.1), 1.0),
    _Test(0.89, math.radians(2.9), 0.9),
    _Test(0.85, math.radians(1.7), None),
)
"""Chosen on 9.6 h without a stall, which gave two alarms; docs/sensing.md has what other moves gave."""


class Stall(NamedTuple):
    """A servo that stands: when it was noticed, and which joint explains the rates best."""

    time: float
    joint: str
    score: float


def stall_scores(
    robot: Robot,
    mounts: Sequence[Mount],
    records: Sequence[ImuRecord],
    commands: JointState,
    *,
    servos: Sequence[Drive],
    lag: float = 0.0,
) -> Floats:
    """Return for each joint, over time, (m, n), how much of its turn is missing; above 1 it stands.

    `servos` is what is known of the drives, one per joint: stiffness, damping and play as of their kind; `lag` (s) is
    by how much they take commands late. A joint that turns no sensor, as sliding ones do, has no score.
    """
    t, dt, rows = checked_rows(robot, mounts, records, commands)
    rows = _delayed(t, rows, lag)
    speeds = rows[:, 1]
    standing = _first_move(speeds)
    measured = np.hstack([record.gyro - _bias(record, standing) for record in records])
    off = healthy_rates(robot, mounts, t, rows, servos) - measured
    axes = np.stack([rates_of(robot, mounts, rows[:, 0], np.tile(unit, (len(t), 1))) for unit in np.eye(robot.dof)], 1)
    own = _summed(np.abs(speeds), dt)
    out = np.zeros((len(t), robot.dof))
    for test in TESTS:
        missing = _summed(_missing(off, axes, speeds, test.cap), dt)
        for window in WINDOWS:
            k = max(1, round(window / dt))
            if k > len(t):
                break
            lost, turn = missing[k:] - missing[:-k], own[k:] - own[:-k]
            is_lost = (lost > test.share * turn) & ((speeds[k - 1 :] != 0.0) | (window <= AFTER))
            np.maximum(out[k - 1 :], np.where(is_lost, lost / test.turn, 0.0), out=out[k - 1 :])
    return out


def find_stall(
    robot: Robot,
    mounts: Sequence[Mount],
    records: Sequence[ImuRecord],
    commands: JointState,
    *,
    servos: Sequence[Drive],
    lag: float = 0.0,
) -> Stall | None:
    """Return the first stall that is noticed, or None.

    Joints with parallel axes that are commanded alike cannot be told apart: the one with the highest score is named.
    """
    scores = stall_scores(robot, mounts, records, commands, servos=servos, lag=lag)
    over = np.flatnonzero(scores.max(axis=1) > 1.0)
    if not len(over):
        return None
    at = int(over[0])
    joint = int(np.argmax(scores[at]))
    return Stall(float(records[0].t[at]), robot.joints[joint].name, float(scores[at, joint]))


def _missing(off: Floats, axes: Floats, speeds: Floats, cap: float | None) -> Floats:
    """Return what each joint misses of its speed (m, n), of rates that are missing (m, 3k) and its axis (m, n, 3k)."""
    size = np.linalg.norm(axes, axis=2)
    seen = size > 1e-9
    size, fast = np.where(seen, size, 1.0), np.abs(speeds)
    if cap is None:
        left = np.linalg.norm(off[:, None] - axes * speeds[:, :, None], axis=2) / size
        is_exact: NDArray[np.bool_] = seen & (left < TOLERANCE * fast)
        return np.where(is_exact, fast, 0.0)
    along = np.einsum("mc,mjc->mj", off, axes) / size**2 * np.sign(speeds)
    return np.where(seen, np.clip(along, -AHEAD * fast, cap * fast), 0.0)


def _delayed(t: Floats, rows: Floats, lag: float) -> Floats:
    """Return commands (m, 3, n) as they are when each takes effect `lag` (s) later."""
    columns = rows.reshape(len(t), -1).T
    return np.stack([np.interp(t - lag, t, column) for column in columns], axis=1).reshape(rows.shape)


def _summed(rates: Floats, dt: float) -> Floats:
    """Return the integral of rates over time, (m + 1, …): the first row is 0."""
    return np.concatenate([np.zeros((1, rates.shape[1])), np.cumsum(rates, axis=0) * dt])


def _first_move(speeds: Floats) -> int:
    """Return how many samples the arm is told to stand at the beginning."""
    moves = speeds.any(axis=1)
    return int(np.argmax(moves)) if moves.any() else len(speeds)


def _bias(record: ImuRecord, standing: int) -> Floats:
    """Return the mean rate of the rest at the beginning, of which the arm is told to stand for `standing` samples."""
    rest = min(first_rest(record), standing)
    return record.gyro[:rest].mean(axis=0) if rest > 1 else np.zeros(3)

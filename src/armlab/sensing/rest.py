"""When does a sensor rest? Its rate hardly changes, and its specific force is as large as gravity and as steady."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.sensing.imu_record import ImuRecord

WINDOW = 0.2
"""s over which a sensor must be quiet."""
RATE_SPREAD = 0.015
"""rad/s: the standard deviation of the rate on any axis at rest, at most."""
FORCE_SPREAD = 0.12
"""m/s², of the specific force."""
RATE_STEP = 0.04
"""rad/s: how far the mean rate may be from that of the first window, if that is quiet, or else
of the quietest; a steady turn is not rest."""
STANDSTILL = 0.3
"""s: a tool that moves straight on at a constant speed reads like one at rest; seldom for so long."""
LEAST_REST = 0.9
"""The share of a record that must be at rest for its noise to be found."""


def rests(record: ImuRecord) -> NDArray[np.bool_]:
    """Return for each sample (m,) whether the sensor rests at that time."""
    m, n = len(record), max(3, round(WINDOW * record.rate))
    if m < n:
        return np.zeros(m, dtype=np.bool_)
    spread_gyro, mean_gyro = _spread(record.gyro, n)
    spread_acc, _means = _spread(record.acc, n)
    quiet = (spread_gyro < RATE_SPREAD) & (spread_acc < FORCE_SPREAD)
    if quiet.any():
        spread = np.where(quiet, spread_gyro + np.linalg.norm(mean_gyro, axis=1) * 1e-3, np.inf)
        calmest = 0 if quiet[0] else int(np.argmin(spread))  # records begin at rest, if they are quiet at all there
        quiet &= np.linalg.norm(mean_gyro - mean_gyro[calmest], axis=1) < RATE_STEP
    whole = np.concatenate([[0], np.cumsum(quiet)])  # a sample rests if all windows that it is in are quiet
    first, last = np.maximum(np.arange(m) - n + 1, 0), np.minimum(np.arange(m), m - n)
    return np.asarray(whole[last + 1] - whole[first] == last + 1 - first)


def first_rest(record: ImuRecord) -> int:
    """Return how many samples the rest at the beginning lasts; 0 if the record begins in motion."""
    still = rests(record)
    return int(np.argmin(still)) if not still.all() else len(record)


def standstills(record: ImuRecord) -> NDArray[np.bool_]:
    """Return for each sample (m,) whether it is in a rest that is long enough for the velocity to be 0 there."""
    still = rests(record)
    ends = np.flatnonzero(np.diff(np.concatenate([[False], still, [False]])))
    for first, end in zip(ends[::2], ends[1::2], strict=True):
        still[first:end] = record.t[end - 1] - record.t[first] >= STANDSTILL
    return still


def start_findings(record: ImuRecord) -> list[Finding]:
    """Return a warning if the record does not begin at rest, so that its first rates are not its gyroscope's bias."""
    if first_rest(record) > 1:
        return []
    template = _("{name}: does not begin at rest: the bias of the gyroscope is not taken off")
    return [Finding("warning", Message("imu_starts_moving", template, name=record.name))]


def motion_findings(record: ImuRecord) -> list[Finding]:
    """Return a warning if the sensor moves in more than a tenth of the record: its noise shows only at rest."""
    share = float(rests(record).mean())
    if share >= LEAST_REST:
        return []
    template = _("{name}: at rest for {percent:.0f} % of its time; the noise of a sensor shows only at rest")
    return [Finding("warning", Message("imu_moves", template, name=record.name, percent=100.0 * share))]


def _spread(values: Floats, n: int) -> tuple[Floats, Floats]:
    """Return the largest standard deviation of an axis and the means, over each window of n samples."""
    centred = values - values.mean(axis=0)
    sums, squares = (np.concatenate([np.zeros((1, 3)), np.cumsum(v, axis=0)]) for v in (centred, centred**2))
    mean = (sums[n:] - sums[:-n]) / n
    variance = (squares[n:] - squares[:-n]) / n - mean**2
    return np.sqrt(np.maximum(variance, 0.0)).max(axis=1), mean + values.mean(axis=0)

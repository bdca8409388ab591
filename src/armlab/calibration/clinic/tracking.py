"""Faults that show in how the servos follow: encoder jumps, stuck and weak servos."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.clinic.faults import FaultKind
from armlab.calibration.clinic.residuals import FaultResiduals

FACTOR = 6.0
"""A tracking error this many times that of the baseline is none of a healthy servo."""
JUMP = 1e-3
"""rad or m: the smallest jump of an encoder, from one sample to the next."""
JUMP_FACTOR = 20.0
RECOVERY = 0.4
"""s within which a servo has followed its encoder's jump."""
STANDS = 0.1
"""A joint whose speed is below this share of the commanded one stands."""
LEAST_TRAVEL = 0.02
"""rad or m that a joint must have been told to move before it can be said to stand."""
JUDGED = 3.0
"""s after the first sign by which stuck and weak servos are told apart."""
SUDDEN = 0.3
"""What the error may change before and after a jump, as a share of it."""
PUSHED = 1.2
"""A drive that gives more than so many times what it gave before pushes with all that it has."""
UNEXPLAINED = 0.15
"""A servo whose torque residual grows by less than this share of what its tracking error does gets too little torque,
and is not loaded more than the model knows."""


class TrackingFault(NamedTuple):
    """What tracking errors say: cause, joint, rows of onset and notice, times the usual error, and size."""

    kind: FaultKind
    joint: int
    onset: int
    noticed: int
    ratio: float
    size: float


def tracking_fault(residuals: FaultResiduals) -> TrackingFault | None:
    """Return the fault that the servos' tracking errors show, if any."""
    error = residuals.error
    if np.isnan(error).any():
        return None
    standing = _standing(residuals, error)
    if standing is not None:
        return standing
    usual = np.maximum(np.abs(error[: residuals.healthy]).max(axis=0), 1e-5)
    jump = _jump(residuals, error, usual)
    if jump is not None:
        return jump
    ratio = np.abs(error) / usual
    late = ratio[residuals.healthy :] > FACTOR
    if not late.any():
        return None
    first = residuals.healthy + int(np.argmax(late.any(axis=1)))
    step = _step(residuals)
    rows = slice(first, min(first + round(JUDGED / step), len(error)))
    joint = int(np.argmax(ratio[rows].max(axis=0)))
    own = residuals.healthy + int(np.argmax(late[:, joint]))
    return _stuck_or_weak(residuals, joint, own, ratio[:, joint], step)


def _standing(residuals: FaultResiduals, error: Floats) -> TrackingFault | None:
    """Return a joint that stands from the start though it is told to move: that is seen without a healthy baseline."""
    speed = residuals.samples.qd[: residuals.healthy]
    wanted = speed - np.gradient(error, _step(residuals), axis=0)[: residuals.healthy]
    moved, asked = (np.sqrt((values**2).mean(axis=0)) for values in (speed, wanted))
    stands = (moved < STANDS * asked) & (np.ptp(error[: residuals.healthy], axis=0) > LEAST_TRAVEL)
    if residuals.has_reference or not stands.any():
        return None
    joint = int(np.argmax(np.where(stands, asked, 0.0)))
    size = float(np.abs(error[: residuals.healthy, joint]).max())
    return TrackingFault("stuck_servo", joint, 0, min(round(JUDGED / _step(residuals)), len(error) - 1), 1.0, size)


def _stuck_or_weak(
    residuals: FaultResiduals, joint: int, first: int, ratio: Floats, step: float
) -> TrackingFault | None:
    rows = slice(first, min(first + round(JUDGED / step), len(ratio)))
    speed = residuals.samples.qd[rows, joint]
    wanted = speed - np.gradient(residuals.error[:, joint], step)[rows]
    noticed = min(first + 5, len(ratio) - 1)
    largest = float(ratio[rows].max())
    size = float(np.abs(residuals.error[rows, joint]).max())
    torque = np.abs(residuals.samples.tau[:, joint])
    if np.sqrt((speed**2).mean()) < STANDS * np.sqrt((wanted**2).mean()):
        # a healthy drive pushes a stuck joint with all that it has; one that is too weak cannot
        is_pushed = torque[rows].max() > PUSHED * torque[: residuals.healthy].max()
        return TrackingFault("stuck_servo" if is_pushed else "weak_servo", joint, first, noticed, largest, size)
    worst = ratio[rows] > FACTOR
    left = float((residuals.torque[rows, joint][worst] ** 2).mean())
    followed = float(np.sqrt((ratio[rows][worst] ** 2).mean()))
    if np.sqrt(max(left - 1.0, 0.0)) < UNEXPLAINED * followed:
        return TrackingFault("weak_servo", joint, first, noticed, largest, size)
    return None


def _jump(residuals: FaultResiduals, error: Floats, usual: Floats) -> TrackingFault | None:
    """Return an encoder's jump: the error changes within a sample, and the servo takes it back."""
    change = np.diff(error, axis=0)
    quiet = np.maximum(np.abs(change[: residuals.healthy]).max(axis=0), 1e-6)
    step = _step(residuals)
    gone = round(RECOVERY / step)
    large = (np.abs(change) > np.maximum(JUMP_FACTOR * quiet, JUMP))[residuals.healthy :]
    for k, joint in np.argwhere(large):
        row = residuals.healthy + int(k)
        after = np.abs(error[row + gone : row + 3 * gone, joint])
        size = float(change[row, joint])
        before = np.abs(error[row, joint]) <= 2.0 * usual[joint]
        around = change[[row - 1, min(row + 1, len(change) - 1)], joint] / size  # a lag grows over several samples
        is_sudden = before and abs(around[0]) < SUDDEN and around[1] < SUDDEN
        if len(after) and is_sudden and after.max() < max(0.2 * abs(size), 2.0 * usual[joint]):
            return TrackingFault(
                "encoder_jump", int(joint), row + 1, min(row + gone, len(error) - 1), abs(size) / usual[joint], size
            )
    return None


def _step(residuals: FaultResiduals) -> float:
    return float(np.median(np.diff(residuals.samples.t)))

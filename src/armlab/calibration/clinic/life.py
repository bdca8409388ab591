"""How long a fault that grows may go on: an interval, and what it rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.clinic.residuals import FaultResiduals
from armlab.calibration.clinic.signatures import Score, size_of

LIMITS = {"backlash": 5e-3, "gear_wear": 1.0}
"""What is no longer usable: play (rad or m); friction added, as a share of what was there."""
NORMAL_90 = 1.645
POWERS = (0.5, 2.0)
"""How growth may go on: as the root of time (running in), or as its square (wear that feeds itself)."""
NEAR = 3.0
"""Onsets whose score is within this of the best one are possible, too."""


@dataclass(frozen=True, slots=True)
class RemainingLife:
    """How long (s of the same work) until a limit is reached: bounds for growth between the root and square of time."""

    low: float
    high: float | None
    """None: growth may be as slow as nothing."""
    limit: float
    """rad, m, or a share of the friction in the baseline."""
    level: float
    """What is reached now."""


def remaining_life(score: Score, residuals: FaultResiduals, times: Floats, onset: int) -> RemainingLife:
    """Return how long until a growing fault reaches its limit.

    Over all onsets that are nearly as likely as the best one: what is reached now with its 90 % bounds, the lower one
    slowing down, the upper one quickening.
    """
    unit = residuals.coulomb[score.joint] if score.kind == "gear_wear" and score.joint is not None else 1.0
    end, limit = len(times) - 1, LIMITS[score.kind]
    column = score.table[:, end]
    low, high, level = math.inf, 0.0, 0.0
    for start in np.flatnonzero(column > column[onset] - NEAR):
        theta, sigma = size_of(score, int(start), end, times[start])
        lasted = times[-1] - times[start]
        reached = lasted * (theta[0] + NORMAL_90 * sigma[0] * np.array([-1.0, 1.0])) / unit
        for size, power in zip(reached, POWERS, strict=True):
            left = lasted * ((limit / size) ** (1.0 / power) - 1.0) if size > 0.0 else math.inf
            low, high = min(low, max(left, 0.0)), max(high, left)
        if start == onset:
            level = float(theta[0] * lasted / unit)
    return RemainingLife(float(low), float(high) if math.isfinite(high) else None, limit, level)

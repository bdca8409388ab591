"""How long a fault that grows may go on: an interval, and what it rests on."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.clinic.residuals import Residuals
from armlab.calibration.clinic.signatures import Score, size_of

LIMITS = {"backlash": 5e-3, "gear_wear": 1.0}
"""What is no longer usable: play (rad or m); friction added, as a share of what was there."""
NORMAL_90 = 1.645
NEAR = 3.0
"""Onsets whose score is within this of the best one are possible, too."""


@dataclass(frozen=True, slots=True)
class RemainingLife:
    """How long (s of the same work) until a limit is reached, with 90 % confidence, if growth stays linear."""

    low: float
    high: float | None
    """None: growth may be as slow as nothing."""
    limit: float
    """rad, m, or a share of the friction in the baseline."""
    level: float
    """What is reached now."""


def remaining_life(score: Score, residuals: Residuals, times: Floats, onset: int) -> RemainingLife:
    """Return how long until a growing fault reaches its limit.

    Over all onsets that are nearly as likely as the best one: the rate of each with its 90 % bounds.
    """
    unit = residuals.coulomb[score.joint] if score.kind == "gear_wear" and score.joint is not None else 1.0
    end = len(times) - 1
    column = score.table[:, end]
    low, high = math.inf, 0.0
    level = 0.0
    for start in np.flatnonzero(column > column[onset] - NEAR):
        theta, sigma = size_of(score, int(start), end, times[start], 1)
        lasted = times[-1] - times[start]
        for rate in (theta[0] - NORMAL_90 * sigma[0], theta[0] + NORMAL_90 * sigma[0]):
            left = (LIMITS[score.kind] * unit - rate * lasted) / rate if rate > 0.0 else math.inf
            low, high = min(low, max(left, 0.0)), max(high, left)
        if start == onset:
            level = float(theta[0] * lasted / unit)
    return RemainingLife(float(low), float(max(high, 0.0)) if math.isfinite(high) else None, LIMITS[score.kind], level)

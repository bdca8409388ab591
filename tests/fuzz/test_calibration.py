"""The bounds of a calibration on many seeded arms of several kinds: they hold as often as they say."""

from __future__ import annotations

import os

import numpy as np
import pytest
from calibration.measuring import configurations, mean_distance, measured_poses

import armlab
from armlab.calibration import Poses, calibrate, real_arm, real_fk

SEEDS = max(6, int(os.environ.get("ARMLAB_FUZZ", "1")))
SPREAD = 0.04
"""Of the share of one arm's parameters: they are correlated, so that each arm counts once."""


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "ur5e", "scara"])
def test_bounds_hold_in_95_percent_and_the_error_falls_to_the_noise(name: str) -> None:
    shares, ratios = [], []
    robot = armlab.load(name)
    for seed in range(SEEDS):
        real = real_arm(robot, "industrial", seed=seed)
        found = calibrate(robot, measured_poses(real, configurations(real, 40, seed), seed))
        q = configurations(real, 120, seed + 5000)
        true = calibrate(robot, Poses(q, real_fk(real, q), noise=1e-7, rotation_noise=1e-6))
        pairs = [(p, t) for p, t in zip(found.parameters, true.parameters, strict=True) if p.identifiable]
        shares.append(np.mean([p.lower <= t.value <= p.upper for p, t in pairs]))
        fresh = configurations(real, 200, seed + 9000)
        seen = measured_poses(real, fresh, seed + 9000).T
        noise, after = (mean_distance(seen, real_fk(arm, fresh)) for arm in (real, found.real))
        ratios.append(after / noise)
    assert abs(np.mean(shares) - 0.95) < 3.0 * SPREAD / np.sqrt(SEEDS) + 0.01
    assert np.mean(ratios) < 1.2

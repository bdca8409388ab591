"""Random use of the mover on every arm of the catalog: stop always stops, and no limit is broken on the way."""

from __future__ import annotations

import os

import numpy as np
import pytest

from armlab.catalog import load, robot_names
from armlab.cell.mover import Mover
from armlab.motion.limits import limits_of
from armlab.motion.trajectory import JointState

DT = 1.0 / 480.0
LONG = 20.0
"""s: a stop is over long before."""
TIMES = int(os.environ.get("ARMLAB_FUZZ", "1"))
SEQUENCES = 20 * TIMES
STATES = 200 * TIMES
OVERSPEED = 3.0
"""Speeds and accelerations up to this many times the limit: what is played may be faster than the limits say."""


@pytest.mark.parametrize("name", robot_names())
def test_a_stop_after_any_commands_ends_at_rest_and_in_bounded_time(name: str) -> None:
    limits = limits_of(load(name))
    rng = np.random.default_rng(11)
    longest = (limits.velocity / limits.acceleration + 4.0 * limits.acceleration / limits.jerk).max()
    for _ in range(SEQUENCES):
        mover = Mover(limits, rng.uniform(limits.lower, limits.upper))
        for _ in range(4):
            speeds = rng.uniform(-1.0, 1.0, limits.dof) * limits.velocity * rng.integers(0, 2, limits.dof)
            match int(rng.integers(4)):
                case 0:
                    mover.go_to(rng.uniform(limits.lower - 0.2, limits.upper + 0.2))
                case 1:
                    mover.move_joints_at(0.25 * speeds)
                case 2:
                    mover.move_together_at(speeds, 8 * DT)
                case _:
                    mover.stop()
            mover.advance(int(rng.integers(1, 200)), DT)
        mover.stop()
        rows = mover.advance(int(longest / DT) + 2, DT)
        assert not mover.is_moving
        assert not mover.state.qd.any()
        assert ((rows.q >= limits.lower) & (rows.q <= limits.upper)).all()
        assert (np.abs(rows.qdd) <= limits.acceleration * (1.0 + 1e-6) + 1e-9).all()


@pytest.mark.parametrize("name", robot_names())
def test_a_stop_from_any_state_plans_or_brakes_to_rest_inside_the_limits(name: str) -> None:
    limits = limits_of(load(name))
    rng = np.random.default_rng(12)
    mover = Mover(limits, limits.lower)
    for _ in range(STATES):
        share = rng.choice([rng.random(limits.dof), 10.0 ** rng.uniform(-12.0, 0.0, limits.dof)])
        q = np.clip(limits.lower + share * (limits.upper - limits.lower), limits.lower, limits.upper)
        size = rng.choice([0.0, 1e-9, 0.3, 1.0, OVERSPEED], (2, limits.dof)) * rng.choice([-1.0, 1.0], (2, limits.dof))
        mover.take_over(JointState(q, size[0] * limits.velocity, size[1] * limits.acceleration))
        mover.stop()
        rows = mover.advance(4, LONG)
        assert not mover.is_moving
        assert not mover.state.qd.any()
        assert ((rows.q >= limits.lower) & (rows.q <= limits.upper)).all()

"""The brake needs no planner: from any state, every joint comes to rest, within its limit of acceleration."""

from __future__ import annotations

import os

import numpy as np
import pytest

from armlab.arrays import Floats
from armlab.catalog import load, robot_names
from armlab.cell.brake import brake
from armlab.motion.limits import Limits, limits_of

STATES = 10_000
ROUNDS = int(os.environ.get("ARMLAB_FUZZ", "1"))
"""Of so many states per arm and test; `make fuzz` makes two million of every arm."""
OVERSPEED = 5.0
"""Speeds up to this many times the limit: what is played may be faster than the limits say."""


def random_states(limits: Limits, seed: int) -> tuple[Floats, Floats]:
    """Return positions (m, n) inside the limits, many of them near or at one, and speeds (m, n) of every size."""
    rng = np.random.default_rng(seed)
    m, n = STATES, limits.dof
    share = rng.uniform(0.0, 1.0, (m, n))
    share = np.where(rng.random((m, n)) < 0.3, share * 10.0 ** rng.uniform(-12.0, 0.0, (m, n)), share)
    share = np.where(rng.random((m, n)) < 0.5, share, 1.0 - share)
    q = np.clip(limits.lower + share * (limits.upper - limits.lower), limits.lower, limits.upper)
    size = np.where(rng.random((m, n)) < 0.5, rng.uniform(0.0, 1.0, (m, n)), 10.0 ** rng.uniform(-15.0, 0.0, (m, n)))
    qd = rng.choice([-1.0, 0.0, 1.0], (m, n)) * size * limits.velocity * OVERSPEED
    return q, qd


@pytest.mark.parametrize("name", robot_names())
def test_every_joint_comes_to_rest_in_bounded_time_and_inside_its_limits(name: str) -> None:
    limits = limits_of(load(name))
    for number in range(ROUNDS):
        q, qd = random_states(limits, 2 * number)
        found = brake(limits, q, qd)
        assert (found.stop_times >= 0.0).all()
        assert (found.stop_times <= np.abs(qd) / limits.acceleration * (1.0 + 1e-12)).all()
        assert (np.abs(found.qdd) <= limits.acceleration).all()
        assert (found.qdd * qd <= 0.0).all()
        assert ((found.q_stop >= limits.lower - 1e-12) & (found.q_stop <= limits.upper + 1e-12)).all()


@pytest.mark.parametrize("name", robot_names())
def test_a_joint_with_room_to_stop_stops_without_a_jump_in_position_or_speed(name: str) -> None:
    limits = limits_of(load(name))
    for number in range(ROUNDS):
        q, qd = random_states(limits, 2 * number + 1)
        found = brake(limits, q, qd)
        needed = qd * qd / (2.0 * limits.acceleration)
        room = np.where(qd > 0.0, limits.upper - q, q - limits.lower)
        has_room = needed <= room
        t = found.stop_times
        end = q + t * (qd + 0.5 * t * found.qdd)
        scale = 1.0 + np.abs(q) + needed
        assert (np.abs(end - found.q_stop) <= 1e-12 * scale).all()
        assert (np.abs(qd + t * found.qdd)[has_room] <= 1e-12 * (1.0 + np.abs(qd[has_room]))).all()


def test_the_samples_are_the_integral_of_the_deceleration() -> None:
    limits = limits_of(load("kuka-kr6-r700"))
    rng = np.random.default_rng(3)
    q, qd = 0.5 * (limits.lower + limits.upper), rng.uniform(-1.0, 1.0, limits.dof) * limits.velocity
    found = brake(limits, q, qd)
    times = np.linspace(0.0, found.duration, 2001)
    rows = found.sample(times)
    h = times[1]
    np.testing.assert_allclose(np.diff(rows.q, axis=0), 0.5 * h * (rows.qd[1:] + rows.qd[:-1]), atol=1e-7)
    assert (np.abs(np.diff(rows.qd, axis=0)) <= limits.acceleration * h * (1.0 + 1e-9)).all()
    assert not rows.qd[-1].any()
    np.testing.assert_array_equal(found.sample(np.array([found.duration + 100.0])).q[0], found.q_stop)


def test_speeds_that_are_no_numbers_count_as_rest() -> None:
    limits = limits_of(load("planar3"))
    found = brake(limits, np.zeros(3), np.array([np.nan, np.inf, -np.inf]))
    assert found.duration == 0.0
    assert not found.q_stop.any()

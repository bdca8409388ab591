"""The brake: how joints come to rest when no planner is asked, or when the planner refuses.

Each joint decelerates at its own limit of acceleration, a, from its speed v. That always has an answer:

    time to rest        t = |v| / a
    stopping distance   s = v² / (2 a)

Jerk is not limited here. A joint that cannot stop before its position limit decelerates all the same, and its command
ends at the limit.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.motion.limits import Limits
from armlab.motion.trajectory import JointState


@dataclass(frozen=True, slots=True, eq=False)
class Brake:
    """A constant deceleration of each joint until it rests; arrays (n,), or (m, n) for m starts at once."""

    q: Floats
    """Where braking starts."""
    qd: Floats
    """Speeds at the start."""
    qdd: Floats
    """The deceleration, against `qd`; zero for a joint at rest."""
    stop_times: Floats
    """s until each joint rests."""
    q_stop: Floats
    """Where each joint comes to rest."""

    @property
    def duration(self) -> float:
        """How long it takes (s) until the last joint rests."""
        return float(self.stop_times.max(initial=0.0))

    def sample(self, times: Floats) -> JointState:
        """Return the joints at `times` (k,) of one braking: three arrays (k, n)."""
        t = np.asarray(times)[:, None]
        is_braking = t < self.stop_times
        q = np.where(is_braking, self.q + t * (self.qd + 0.5 * t * self.qdd), self.q_stop)
        qd = np.where(is_braking, self.qd + t * self.qdd, 0.0)
        return JointState(q, qd, np.where(is_braking, self.qdd, 0.0))


def brake(limits: Limits, q: Floats, qd: Floats) -> Brake:
    """Return how joints at `q` with speeds `qd`, (n,) or (m, n), come to rest within the limits of acceleration.

    A speed that is not a finite number counts as zero: there is nothing to decelerate from.
    """
    v = np.where(np.isfinite(qd), qd, 0.0)
    a = limits.acceleration
    # The room in the direction of motion; a joint that is outside already has none outwards.
    room = np.maximum(np.where(v > 0.0, limits.upper - q, q - limits.lower), 0.0)
    distance = v * v / (2.0 * a)
    is_short = distance > room
    # With too little room the limit is met at speed sqrt(v² - 2 a room): t = (|v| - that) / a.
    at_limit = np.sqrt(np.maximum(v * v - 2.0 * a * room, 0.0))
    stop_times = np.where(is_short, np.abs(v) - at_limit, np.abs(v)) / a
    q_stop = q + np.sign(v) * np.minimum(distance, room)
    return Brake(np.asarray(q), v, -np.sign(v) * a, stop_times, q_stop)

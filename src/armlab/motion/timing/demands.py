"""What the tool and the motors ask of the timing of a path: rows that are sampled along it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from armlab.arrays import Floats
from armlab.model.parts import Joint
from armlab.motion.limits import ToolLimits
from armlab.motion.piecewise import PiecewisePolynomial

SIDES = 16
"""Half the number of sides of the polygon inside the circle of allowed accelerations of the tool."""
KEPT = 0.999
"""Share of the limits that the rows give out: between samples they are interpolated."""
SURE = 1.00002
"""What is measured may be this much larger."""
NEAR = 1e-6
"""How near to the ends of an interval its ends are sampled: a break belongs to one side only."""
SAMPLES = 9
"""Samples in each interval at which a motion is measured."""

InverseDynamics = Callable[[Floats, Floats, Floats], Floats]
"""Joint forces (m, n) from positions, speeds and accelerations (m, n), gravity included."""


class ToolDerivatives(Protocol):
    """A path of the tool over the same parameter as the path of the joints."""

    def derivatives(self, s: Floats, /) -> Floats:
        """Return dp/ds, d²p/ds², the rotation rate ω per s and dω/ds at `s` (m,): (m, 4, 3), world coordinates."""
        ...


@dataclass(frozen=True, slots=True)
class Demands:
    """Limits that are no polynomials of the path: speed and acceleration of the tool, torques of the joints."""

    path: PiecewisePolynomial
    tool: ToolDerivatives | None
    tool_limits: ToolLimits
    dynamics: InverseDynamics | None
    effort: Floats
    joints: tuple[Joint, ...]

    @property
    def limited(self) -> list[int]:
        """Return the joints whose torque is limited."""
        return np.flatnonzero(np.isfinite(self.effort)).tolist() if self.dynamics is not None else []

    @property
    def has_any(self) -> bool:
        """Whether there is anything to keep."""
        return len(self.limited) > 0 or (self.tool is not None and self.tool_limits != ToolLimits())

    @property
    def has_jerk(self) -> bool:
        """Whether the jerk of the tool is limited."""
        t = self.tool_limits
        return self.tool is not None and bool(np.isfinite([t.jerk, t.turn_jerk]).any())

    def rows(self, s: Floats, delta: Floats) -> Floats:
        """Return a, b, c of each |a s̈ + b ṡ² + c| ≤ 1 at start, middle and end of intervals: (m, 3, 3, k).

        The first columns are the torques of the `limited` joints.
        """
        places = samples_of(s, delta)
        parts = [self._torques(places)] if len(self.limited) else []
        if self.tool is not None:
            d = self.tool.derivatives(places)
            t = self.tool_limits
            parts += _tool_rows(d[:, 0], d[:, 1], t.speed, t.acceleration)
            parts += _tool_rows(d[:, 2], d[:, 3], t.turn_speed, t.turn_acceleration)
        if not parts:
            return np.empty((len(delta), 3, 3, 0))
        table = np.concatenate(parts, axis=2) / KEPT
        return np.ascontiguousarray(table.reshape(3, len(delta), 3, -1).transpose(1, 0, 2, 3))

    def jerk_rows(self, s: Floats, delta: Floats) -> Floats:
        """Return C, D, E of each √x |C x + D x' + E x''| ≤ 1 at both ends of intervals, x = ṡ²: (m, 2, 3, k)."""
        if self.tool is None or not self.has_jerk:
            return np.empty((len(delta), 2, 3, 0))
        d = self.tool.derivatives(samples_of(s, delta)).reshape(len(delta), 3, 4, 3)
        t, parts = self.tool_limits, []
        for first, jerk in ((0, t.jerk), (2, t.turn_jerk)):
            if np.isfinite(jerk):
                rate, bend = d[:, :, first], d[:, :, first + 1]
                twist = _slopes(bend, delta)
                stack = np.stack([twist, 1.5 * bend[:, ::2], 0.5 * rate[:, ::2]], axis=2)
                parts.append(stack @ DIRECTIONS.T / (jerk * DIRECTIONS_REACH * KEPT))
        return np.concatenate(parts, axis=3)

    def peaks(self, places: Floats, motion: Floats) -> Floats:
        """Return how near speed, acceleration and jerk come to their limits: (m, 3), above 1 beyond them.

        `places` (m, k) are samples of s in each interval, `motion` (3, m, k) its derivatives over time there. What a
        torque needs above gravity counts as acceleration, as a share of what gravity leaves.
        """
        m, k = places.shape
        out = np.zeros((m, 3))
        v, a, j = (row.reshape(-1, 1) for row in motion)
        if self.tool is not None:
            d, t = self.tool.derivatives(places.reshape(-1)), self.tool_limits
            for first, limits in ((0, (t.speed, t.acceleration, t.jerk)), (2, _turning(t))):
                rate, bend = d[:, first], d[:, first + 1]
                vectors = [rate * v, bend * v * v + rate * a]
                if np.isfinite(limits[2]):
                    twist = np.gradient(bend.reshape(m, k, 3), axis=1) / np.gradient(places, axis=1)[..., None]
                    vectors.append(twist.reshape(-1, 3) * v**3 + 3.0 * bend * v * a + rate * j)
                for order, vector in enumerate(vectors):
                    share = np.linalg.norm(vector, axis=1) / limits[order]
                    out[:, order] = np.maximum(out[:, order], _peak(share.reshape(m, k, 1)))
        if len(self.limited):
            out[:, 1] = np.maximum(out[:, 1], _peak(self._load(places.reshape(-1), v, a).reshape(m, k, -1)))
        return out * SURE

    def _torques(self, places: Floats) -> Floats:
        assert self.dynamics is not None
        q, rate, bend = (np.ascontiguousarray(row) for row in self.path.values(places, 3).transpose(1, 0, 2))
        still = np.zeros_like(q)
        weight = self.dynamics(q, still, still)
        table = np.stack([self.dynamics(q, still, rate) - weight, self.dynamics(q, rate, bend) - weight, weight])
        return np.asarray(table[:, :, self.limited] / self.effort[self.limited])

    def _load(self, places: Floats, v: Floats, a: Floats) -> Floats:
        assert self.dynamics is not None
        q, rate, bend = (np.ascontiguousarray(row) for row in self.path.values(places, 3).transpose(1, 0, 2))
        still = np.zeros_like(q)
        weight = self.dynamics(q, still, still)[:, self.limited]
        moved = self.dynamics(q, rate * v, bend * v * v + rate * a)[:, self.limited] - weight
        effort = self.effort[self.limited]
        return np.concatenate([moved / (effort - weight), -moved / (effort + weight)], axis=1)


def samples_of(s: Floats, delta: Floats) -> Floats:
    """Return start, middle and end of intervals (m,) that begin at `s`, inside them: (3 m,)."""
    return np.asarray((s[:-1, None] + delta[:, None] * np.array([NEAR, 0.5, 1.0 - NEAR])).reshape(-1))


def _tool_rows(rate: Floats, bend: Floats, speed: float, acceleration: float) -> list[Floats]:
    """Return the rows (3, m, k) of one vector: |rate| ṡ ≤ speed; a polygon for |rate s̈ + bend ṡ²| ≤ acceleration."""
    parts = []
    size = np.linalg.norm(rate, axis=1)
    none = np.zeros_like(size)
    if np.isfinite(speed):
        parts.append(np.stack([none, (size / speed) ** 2, none])[..., None])
    if np.isfinite(acceleration):
        is_still = size <= 1e-12 * size.max(initial=0.0)
        along = np.where(is_still, 0.0, (rate * bend).sum(axis=1) / np.where(is_still, 1.0, size))
        across = np.sqrt(np.maximum((bend * bend).sum(axis=1) - along**2, 0.0))
        angles = np.pi * np.arange(SIDES) / SIDES
        cos, sin = np.cos(angles), np.sin(angles)
        reach = acceleration * np.cos(0.5 * np.pi / SIDES)
        a, b = size[:, None] * cos, along[:, None] * cos + across[:, None] * sin
        parts.append(np.stack([a, b, np.zeros_like(a)]) / reach)
    return parts


def _slopes(values: Floats, delta: Floats) -> Floats:
    """Return the slopes at both ends of the parabolas through start, middle and end: (m, 2, 3)."""
    first, middle, last = values[:, 0], values[:, 1], values[:, 2]
    both = np.stack([4.0 * middle - 3.0 * first - last, first - 4.0 * middle + 3.0 * last], axis=1)
    return np.asarray(both / delta[:, None, None])


def _peak(share: Floats) -> Floats:
    """Return the highest value in each interval, (m,), from samples (m, k, c): parabolas rise between them."""
    bend = np.abs(np.diff(share, n=2, axis=1)).max(axis=1)
    return np.asarray((share.max(axis=1) + 0.125 * bend).max(axis=1))


def _turning(t: ToolLimits) -> tuple[float, float, float]:
    return t.turn_speed, t.turn_acceleration, t.turn_jerk


def _half_sphere(count: int) -> Floats:
    """Return directions (count, 3) spread evenly over half a sphere."""
    k = np.arange(count, dtype=np.float64) + 0.5
    height, turn = k / count, np.pi * (1.0 + 5.0**0.5) * k
    flat = np.sqrt(1.0 - height**2)
    return np.stack([flat * np.cos(turn), flat * np.sin(turn), height], axis=1)


DIRECTIONS = _half_sphere(32)
"""The jerk of the tool is limited in each of these directions."""
DIRECTIONS_REACH = float(np.abs(_half_sphere(4000) @ DIRECTIONS.T).max(axis=1).min())
"""A vector has at least this share of its length in one of them."""

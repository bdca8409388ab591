"""What a tool may do along a path that many moves made: its limits differ from place to place."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.motion.timing.demands import KEPT, SIDES, ToolDerivatives, samples_of


@dataclass(frozen=True, slots=True, eq=False)
class Slowness:
    """1 / limit on a path: linear between `edges` (k + 1,), from `first` (k,) to `last` (k,); 0 where there is none."""

    edges: Floats
    first: Floats
    last: Floats

    def at(self, s: Floats) -> Floats:
        """Return the values at `s` (m,); an edge belongs to what follows."""
        i = np.clip(np.searchsorted(self.edges, s, side="right") - 1, 0, len(self.first) - 1)
        share = np.clip((s - self.edges[i]) / (self.edges[i + 1] - self.edges[i]), 0.0, 1.0)
        return np.asarray(self.first[i] + (self.last[i] - self.first[i]) * share)

    @property
    def is_free(self) -> bool:
        """Whether nothing is limited anywhere."""
        return not (self.first.any() or self.last.any())


@dataclass(frozen=True, slots=True, eq=False)
class FeedDemands:
    """Limits of the tool's speed (s/m), acceleration (s²/m) and turn speed (s/rad) along its path."""

    tool: ToolDerivatives
    speed: Slowness
    acceleration: Slowness
    turn_speed: Slowness
    is_even: bool = False
    """Whether s is the travel of the tool point everywhere: |dp/ds| = 1."""

    @property
    def has_any(self) -> bool:
        """Whether there is anything to keep."""
        return not (self.speed.is_free and self.acceleration.is_free and self.turn_speed.is_free)

    @property
    def has_bends(self) -> bool:
        """Whether the bends of the path count, and have to be sampled closely."""
        return not self.acceleration.is_free

    def jumps(self) -> Floats:
        """Return the inner places where a limit, or its slope, jumps."""
        rows = [limit for limit in (self.speed, self.acceleration, self.turn_speed) if not limit.is_free]
        edges = self.speed.edges
        changes = np.zeros(len(edges) - 2, dtype=np.bool_)
        for limit in rows:
            slopes = limit.first != limit.last
            changes |= (limit.last[:-1] != limit.first[1:]) | slopes[:-1] | slopes[1:]
        return np.asarray(edges[1:-1][changes])

    def slowness(self, s: Floats) -> Floats:
        """Return the least time per s that the speeds allow at `s` (m,), as if the point moved by all of s."""
        slowest = self.speed.at(s)  # |dp/ds| ≤ 1
        if self.turn_speed.is_free:
            return slowest
        turn = np.linalg.norm(self.tool.derivatives(s)[:, 2], axis=1)
        return np.asarray(np.maximum(slowest, turn * self.turn_speed.at(s)))

    def rows(self, s: Floats, delta: Floats) -> Floats:
        """Return a, b, c of each |a s̈ + b ṡ² + c| ≤ 1 at start, middle and end of intervals: (m, 3, 3, k)."""
        places = samples_of(s, delta)
        none = np.zeros(len(places))
        if self.is_even and self.turn_speed.is_free and self.acceleration.is_free:
            table = np.stack([none, (self.speed.at(places)) ** 2, none])[..., None] / KEPT
            return np.ascontiguousarray(table.reshape(3, len(delta), 3, -1).transpose(1, 0, 2, 3))
        d = self.tool.derivatives(places)
        parts = []
        for first, slowness in ((0, self.speed), (2, self.turn_speed)):
            if not slowness.is_free:
                share = np.linalg.norm(d[:, first], axis=1) * slowness.at(places)
                parts.append(np.stack([none, share**2, none])[..., None])
        if not self.acceleration.is_free:
            parts.append(_polygon(d[:, 0], d[:, 1], self.acceleration.at(places)))
        table = np.concatenate(parts, axis=2) / KEPT
        return np.ascontiguousarray(table.reshape(3, len(delta), 3, -1).transpose(1, 0, 2, 3))


def _polygon(rate: Floats, bend: Floats, slowness: Floats) -> Floats:
    """Return rows (3, m, SIDES) that keep |rate s̈ + bend ṡ²| inside a polygon in the circle of the acceleration."""
    size = np.linalg.norm(rate, axis=1)
    is_still = size <= 1e-12 * size.max(initial=0.0)
    along = np.where(is_still, 0.0, (rate * bend).sum(axis=1) / np.where(is_still, 1.0, size))
    across = np.sqrt(np.maximum((bend * bend).sum(axis=1) - along**2, 0.0))
    angles = np.pi * np.arange(SIDES) / SIDES
    cos, sin = np.cos(angles), np.sin(angles)
    a, b = size[:, None] * cos, along[:, None] * cos + across[:, None] * sin
    return np.asarray(np.stack([a, b, np.zeros_like(a)]) * (slowness[:, None] / np.cos(0.5 * np.pi / SIDES)))

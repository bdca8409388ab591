"""Arcs and splines of canonical motions as geometry: mm, in the axes of the machine."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from armlab.program.gcode.canon import Plane, Point
from armlab.program.gcode.machine import rotated

FULL_TURN = 1e-6
"""rad: an arc that sweeps less goes all the way round, as LinuxCNC has it."""
SHORT_CHORD = 0.1
"""Share of the radius: with a shorter chord the centre is not moved to make both radii equal."""
EQUAL = 1e-10
"""mm: radii that differ by less are equal."""
SPLINE_STEPS = 48
"""Points on a Bézier curve, closer together near its ends, where the spline through them is straight."""

Flat = tuple[float, float, float]


class PartArc(NamedTuple):
    """An arc or helix: a point of its axis, the axis, the angle (rad, signed) and its end."""

    center: Flat
    axis: Flat
    angle: float
    end: Flat

    def points(self, start: Point, count: int) -> list[Flat]:
        """Return points along the first turn from `start` on, the end being the last."""
        (cx, cy, cz), (ux, uy, uz) = self.center, self.axis
        x, y, z = start[0] - cx, start[1] - cy, start[2] - cz
        along = ux * x + uy * y + uz * z
        rise = ux * (self.end[0] - start[0]) + uy * (self.end[1] - start[1]) + uz * (self.end[2] - start[2])
        px, py, pz = x - along * ux, y - along * uy, z - along * uz
        qx, qy, qz = uy * pz - uz * py, uz * px - ux * pz, ux * py - uy * px
        turn = math.copysign(min(abs(self.angle), 2.0 * math.pi), self.angle)
        out: list[Flat] = []
        for i in range(1, count + 1):
            c, s, h = math.cos(turn * i / count), math.sin(turn * i / count), along + rise * i / count
            out.append((cx + c * px + s * qx + h * ux, cy + c * py + s * qy + h * uy, cz + c * pz + s * qz + h * uz))
        return [*out, self.end]


@dataclass(frozen=True, slots=True)
class Travel:
    """Geometry of arcs where the work coordinate system is turned by `rotation` (degrees) about Z."""

    rotation: float = 0.0

    def axes(self, plane: Plane) -> tuple[Flat, Flat, Flat]:
        """Return the plane's first and second axis and the one across it, in machine axes."""
        x, y, z = (*rotated(1.0, 0.0, self.rotation), 0.0), (*rotated(0.0, 1.0, self.rotation), 0.0), (0.0, 0.0, 1.0)
        return {"xy": (x, y, z), "zx": (z, x, y), "yz": (y, z, x)}[plane]

    def arc(self, start: Point, end: Point, center: Point, turns: int, plane: Plane) -> PartArc:
        """Return an arc from start to end; `turns` > 0 is counter-clockwise, and counts how often the end is passed.

        Where the two ends are not equally far from the centre (a program's rounding), the centre is moved onto the
        perpendicular bisector of the chord; where that is too short for it, the arc ends beside `end`, at its angle.
        """
        first, second, across = self.axes(plane)
        c = center[:3]
        a = (_dot(_minus(start, c), first), _dot(_minus(start, c), second))
        b = (_dot(_minus(end, c), first), _dot(_minus(end, c), second))
        ra, rb = math.hypot(*a), math.hypot(*b)
        du, dv = b[0] - a[0], b[1] - a[1]
        chord = math.hypot(du, dv)
        target: Flat = (end[0], end[1], end[2])
        if abs(ra - rb) > EQUAL and chord > SHORT_CHORD * ra:
            shift = (rb * rb - ra * ra) / (2.0 * chord * chord)
            c = _plus(_plus(c, first, shift * du), second, shift * dv)
            a, b = (a[0] - shift * du, a[1] - shift * dv), (b[0] - shift * du, b[1] - shift * dv)
        elif abs(ra - rb) > EQUAL:
            scale = ra / rb - 1.0
            target = _plus(_plus(target, first, scale * b[0]), second, scale * b[1])
        sweep = math.atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]) % (2.0 * math.pi)
        if turns < 0:
            sweep = 2.0 * math.pi - sweep
        if sweep < FULL_TURN or sweep > 2.0 * math.pi - FULL_TURN * 1e-3:
            sweep = 2.0 * math.pi
        angle = math.copysign(sweep + 2.0 * math.pi * (abs(turns) - 1), turns)
        return PartArc((c[0], c[1], c[2]), across, angle, target)


def bezier_points(start: Point, end: Point, controls: tuple[tuple[float, float], ...]) -> list[Point]:
    """Return points on a Bézier curve of second or third degree behind its start, the end being the last."""
    nodes = [(start[0], start[1]), *controls, (end[0], end[1])]
    points = []
    for i in range(1, SPLINE_STEPS + 1):
        level, t = nodes, (1.0 - math.cos(math.pi * i / SPLINE_STEPS)) / 2.0
        while len(level) > 1:
            level = [(p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])) for p, q in pairwise(level)]
        points.append((level[0][0], level[0][1], *end[2:]))
    points[-1] = end
    return points


def _minus(p: Point | Flat, q: Flat) -> Flat:
    return p[0] - q[0], p[1] - q[1], p[2] - q[2]


def _plus(p: Flat, direction: Flat, length: float) -> Flat:
    return p[0] + direction[0] * length, p[1] + direction[1] * length, p[2] + direction[2] * length


def _dot(p: Flat, q: Flat) -> float:
    return p[0] * q[0] + p[1] * q[1] + p[2] * q[2]

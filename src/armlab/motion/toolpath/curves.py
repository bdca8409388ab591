"""Curves through points, or drawn by them: pieces of polynomials over a parameter of their own."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.motion.toolpath.turns import parabola_slopes, quintics

DEGREE = 3


class Curve(NamedTuple):
    """Polynomials over v from 0 to 1 between breaks of a parameter, and the parameter of each given point."""

    breaks: Floats
    """(k + 1,)"""
    coefficients: Floats
    """(k, terms, 3)"""
    nodes: Floats
    """(m,)"""


def blended_parabolas(points: Floats, widths: Floats) -> Curve:
    """Return the curve through `points` (m, 3) that passes over from each node's parabola to that of the next one.

    With weight 3v² - 2v³ the sum of two parabolas is the quintic with the slopes and second derivatives of the one at
    its start and of the other at its end.
    """
    breaks = np.concatenate([[0.0], np.cumsum(widths)])
    slopes = np.diff(points, axis=0) / widths[:, None]
    if len(points) == 2:
        return Curve(breaks, np.stack([points[:-1], np.diff(points, axis=0)], axis=1), breaks)
    d, dd = parabola_slopes(slopes, widths)
    h = widths[:, None]
    ends = (points[:-1], h * d[:-1], h * h * dd[:-1], points[1:], h * d[1:], h * h * dd[1:])
    return Curve(breaks, quintics(*ends), breaks)


def natural_spline(points: Floats, widths: Floats) -> Curve:
    """Return the cubic spline through `points` (m, 3) whose second derivatives are zero at both ends."""
    breaks = np.concatenate([[0.0], np.cumsum(widths)])
    steps = np.diff(points, axis=0)
    bends = np.zeros_like(points)
    if len(points) > 2:
        from scipy.linalg import solve_banded

        band = np.zeros((3, len(points) - 2))
        band[1] = 2.0 * (widths[:-1] + widths[1:])
        band[0, 1:] = band[2, :-1] = widths[1:-1]
        bends[1:-1] = solve_banded((1, 1), band, 6.0 * np.diff(steps / widths[:, None], axis=0))
    h = widths[:, None] ** 2
    linear = steps - h * (2.0 * bends[:-1] + bends[1:]) / 6.0
    coefficients = [points[:-1], linear, 0.5 * h * bends[:-1], h * np.diff(bends, axis=0) / 6.0]
    return Curve(breaks, np.stack(coefficients, axis=1), breaks)


def basis_spline(points: Floats, widths: Floats) -> Curve:
    """Return the cubic B-spline with control `points` (m, 3), even knots and clamped ends; few points lower its degree.

    Args:
        points: the control points
        widths: not used: the knots are even
    """
    del widths
    degree = min(DEGREE, len(points) - 1)
    spans = len(points) - degree
    knots = np.concatenate([np.zeros(degree), np.arange(spans + 1.0), np.full(degree, float(spans))])
    around = np.arange(spans)[:, None] + np.arange(degree + 1)
    bezier = np.stack([_corner(points[around], knots, degree, k) for k in range(degree + 1)], axis=1)
    nodes = np.lib.stride_tricks.sliding_window_view(knots[1:-1], degree).mean(axis=1)
    nodes[[0, -1]] = 0.0, float(spans)
    nodes = np.where(np.abs(nodes - np.round(nodes)) < 1e-12, np.round(nodes), nodes)  # on knots, and not beside them
    return Curve(np.arange(spans + 1.0), _powers_of(bezier), nodes)


def _corner(control: Floats, knots: Floats, degree: int, k: int) -> Floats:
    """Return the k-th Bézier point of each span: de Boor's scheme, k times at the span's end, else at its start."""
    spans = np.arange(len(control))
    points = control.copy()
    for level in range(1, degree + 1):
        x = spans + (1.0 if level <= k else 0.0)
        for j in range(degree, level - 1, -1):
            low, high = knots[spans + j], knots[spans + j + degree + 1 - level]
            share = ((x - low) / (high - low))[:, None]
            points[:, j] = (1.0 - share) * points[:, j - 1] + share * points[:, j]
    return points[:, degree]


def _powers_of(bezier: Floats) -> Floats:
    """Return powers of v for Bézier points (k, degree + 1, 3): differences of them times binomials."""
    degree = bezier.shape[1] - 1
    out, left, binomial = np.empty_like(bezier), bezier, 1.0
    for p in range(degree + 1):
        out[:, p] = binomial * left[:, 0]
        left = np.diff(left, axis=1)
        binomial = binomial * (degree - p) / (p + 1)
    return out

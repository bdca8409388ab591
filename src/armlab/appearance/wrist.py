"""A wrist whose three axes meet: housings so slim that the flange clears the forearm up to the limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from armlab.appearance.skeleton import TINY, Axis, LinkSpan
from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.model.parts import Joint

FLANGE_LINK = 1.5
"""How long the flange's link is, in halves of the flange's disc, where the wrist bends far."""
SLIMMER, LEAST = 0.96, 0.5
"""By which factor housings shrink at a time, and to which share of their size at most."""
GAP = 0.04
"""How far the flange stays from the forearm, as a share of the hinge's radius."""
STEPS = 361


def let_bend(
    joints: Sequence[Joint],
    axes: list[Axis],
    spans: list[LinkSpan],
    fixed: set[int],
    split: Callable[[int], float],
) -> None:
    """Shrink the housings of the last three axes until the wrist can bend to its limits without touching the forearm.

    A manufacturer's limits keep the flange away from the forearm; so must what the arm is drawn and checked with.
    `fixed` are axes whose size is given, `split(i)` says where the two links of an axis join each other.
    """
    n = len(joints)
    if not _is_wrist(n, axes, spans):
        return
    bend = _largest_bend(joints[n - 2], axes, spans, n)
    if not 0.5 * math.pi < bend < math.pi - 0.1 or _room(n, axes, spans, bend) >= 0.0:
        return
    last, flange = axes[n - 1], axes[n]
    mine = [i for i in (n - 3, n - 2, n - 1) if i not in fixed]
    share = 1.0
    while share > LEAST:
        last.split = last.s_out - last.direction * FLANGE_LINK * 2.0 * flange.half
        if _room(n, axes, spans, bend) >= 0.0:
            return
        share *= SLIMMER
        for axis in (*(axes[i] for i in mine), flange):
            axis.radius *= SLIMMER
            axis.half *= SLIMMER
        for i in (n - 3, n - 2):
            axes[i].split = split(i)


def _is_wrist(n: int, axes: list[Axis], spans: list[LinkSpan]) -> bool:
    """Return whether the last three axes meet in one point, with a hinge between two axes that are followed."""
    if n < 4 or any(axis.sliding for axis in axes[n - 3 :]) or not axes[n - 2].is_hinge or axes[n - 3].is_hinge:
        return False
    crossing = all(not span.is_parallel and span.across < TINY for span in spans[n - 2 : n])
    return crossing and spans[n].is_one_line and abs(axes[n - 2].run) < TINY


def _largest_bend(hinge: Joint, axes: list[Axis], spans: list[LinkSpan], n: int) -> float:
    """Return how far (rad) the hinge can bend the last axis away from the line of the forearm."""
    forearm = axes[n - 3].direction * spans[n - 2].a
    outward = hinge.T_parent_joint[:3, :3].T @ forearm
    hand = axes[n - 1].direction * spans[n - 1].b
    turns = [pose.from_xyz_axis_angle([0.0] * 3, hinge.axis, q) for q in np.linspace(hinge.lower, hinge.upper, STEPS)]
    cosines: Floats = np.array([outward @ T[:3, :3] @ hand for T in turns])
    return math.acos(max(-1.0, min(1.0, float(cosines.min()))))


def _room(n: int, axes: list[Axis], spans: list[LinkSpan], bend: float) -> float:
    """Return how far the last link's corners stay from the forearm's outline at the largest bend, less the gap.

    In the plane of the bend, with x along the forearm away from the hinge: the outline is a trapezoid, and a corner at
    the distance s along the last axis and the radius r is at (r sin b - s cos b, s sin b + r cos b).
    """
    hinge, last, flange = axes[n - 2], axes[n - 1], axes[n]
    length = abs(axes[n - 3].s_out - axes[n - 3].split)
    near, far = 0.8 * hinge.radius + 0.5 * spans[n - 2].across, axes[n - 3].radius
    run, least = abs(last.run), math.inf
    for s, r in ((abs(last.split - last.s_in), 0.92 * last.radius), (run - 2.0 * flange.half, flange.radius)):
        x, y = r * math.sin(bend) - s * math.cos(bend), s * math.sin(bend) + r * math.cos(bend)
        share = min(max(x / length, 0.0), 1.0) if length > TINY else 1.0
        least = min(least, y - (near + (far - near) * share))
    return least - GAP * hinge.radius

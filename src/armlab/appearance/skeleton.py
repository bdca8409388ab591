"""The lines that the shapes of an arm follow: along every joint axis, and across from each axis to the next.

Positions on an axis are counted from the joint's origin along its positive direction. A link meets the axis that it
carries at `s_in`, and the link that the joint moves leaves the axis at `s_out`; between the two is the joint's own
part. Both come from the common normals of neighbouring axes: they stay the same when joints move, and whatever
frames the arm is given in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from armlab.arrays import Floats
from armlab.model.parts import Joint

PARALLEL = 0.35
"""The sine of the angle below which two axes count as parallel."""
TINY = 1e-6
"""Lengths (m) below this are none."""
NEAR = 1.6
"""Up to how many radii apart two crossing axes share one piece, without a limb between them."""


@dataclass(slots=True)
class Axis:
    """One joint axis, or last the flange's: where its links meet it and how large its housing is."""

    sliding: bool
    stroke: tuple[float, float] = (0.0, 0.0)
    s_in: float = 0.0
    s_out: float = 0.0
    radius: float = 0.0
    half: float = 0.0
    """Half the length of the housing."""
    split: float = 0.0
    """Where, on an axis that is followed, one link ends and the next begins."""
    goes_on: bool = False
    """Whether the next axis, or the flange's, is the same line."""

    @property
    def run(self) -> float:
        """How far the axis is followed from the link before it to the link after it; signed."""
        return self.s_out - self.s_in

    @property
    def direction(self) -> float:
        """The sign of `run`."""
        return math.copysign(1.0, self.run)

    @property
    def outward(self) -> float:
        """On which side of its sleeve, in the middle of the stroke, a sliding link leaves the axis: 1 or -1."""
        return math.copysign(1.0, self.run + 0.5 * sum(self.stroke))

    @property
    def is_hinge(self) -> bool:
        """Whether both links meet at one place, rather than one behind the other along the axis."""
        return not self.sliding and not self.goes_on and abs(self.run) < 0.9 * self.half


@dataclass(slots=True)
class LinkSpan:
    """One link: the axis that moves it, through its frame's origin; the axis that it carries; and the line across."""

    a: Floats
    """Direction of the axis that moves the link; for the base, up."""
    p: Floats
    """Origin of the next joint, or of the flange."""
    b: Floats
    """Direction of the next axis, or of the flange's z axis."""
    start: Floats = field(default_factory=lambda: np.zeros(3))
    end: Floats = field(default_factory=lambda: np.zeros(3))

    @property
    def is_parallel(self) -> bool:
        """Whether the two axes are (almost) parallel."""
        (ax, ay, az), (bx, by, bz) = self.a.tolist(), self.b.tolist()  # numbers: a tenth of the time of np.cross
        return math.hypot(ay * bz - az * by, az * bx - ax * bz, ax * by - ay * bx) < PARALLEL

    @property
    def is_one_line(self) -> bool:
        """Whether the two axes are one line, so that nothing has to lead across."""
        return self.is_parallel and self.across < TINY

    @property
    def across(self) -> float:
        """How far it is from one axis to the next."""
        return math.dist(self.end.tolist(), self.start.tolist())

    @property
    def middle(self) -> Floats:
        """The point halfway across."""
        return np.asarray(0.5 * (self.start + self.end))

    def on_entry(self, s: float) -> Floats:
        """Return the point `s` along the axis that moves the link."""
        return np.asarray(s * self.a)

    def on_exit(self, s: float) -> Floats:
        """Return the point `s` along the next axis."""
        return np.asarray(self.p + s * self.b)

    def is_crossing(self, entry: Axis, exit_axis: Axis) -> bool:
        """Return whether the axes cross, so near to each other that no limb is needed between them."""
        return not self.is_parallel and self.across < NEAR * max(entry.radius, exit_axis.radius)


def lay_out(
    joints: Sequence[Joint], T_link_flange: Floats, places: Sequence[float | None]
) -> tuple[list[Axis], list[LinkSpan]]:
    """Return the axes (n + 1, the last one the flange's) and the spans (n + 1, the first one the base).

    `places` says per joint where on its axis the link leaves it, if the next axis is parallel and so leaves the
    choice; None means at the joint's origin.
    """
    up = np.array([0.0, 0.0, 1.0])
    axes = [Axis(joint.kind == "prismatic", (joint.lower, joint.upper)) for joint in joints]
    axes.append(Axis(sliding=False))
    frames = [*(joint.T_parent_joint for joint in joints), T_link_flange]
    directions = [*(joint.axis for joint in joints), up]
    spans = [
        LinkSpan(a, T[:3, 3].copy(), T[:3, :3] @ b)
        for a, T, b in zip([up, *directions[:-1]], frames, directions, strict=True)
    ]
    axes[0].s_in = float(-spans[0].p @ spans[0].b)  # the point of the first axis nearest to the base's origin
    spans[0].end = spans[0].on_exit(axes[0].s_in)
    for k, place in enumerate(places, start=1):
        _meet(spans[k], axes[k - 1], axes[k], place or 0.0)
    return axes, spans


def _meet(span: LinkSpan, entry: Axis, exit_axis: Axis, place: float) -> None:
    """Find where a link leaves its own axis and where it meets the next one."""
    along_a, along_b = float(span.p @ span.a), float(span.p @ span.b)
    if not span.is_parallel:
        cosine = float(span.a @ span.b)
        entry.s_out = (along_a - cosine * along_b) / (1.0 - cosine**2)
        exit_axis.s_in = (cosine * along_a - along_b) / (1.0 - cosine**2)
    elif float(np.linalg.norm(span.p - along_a * span.a)) < TINY:
        entry.s_out, exit_axis.s_in = along_a, 0.0
    else:
        entry.s_out = place
        exit_axis.s_in = float((span.on_entry(place) - span.p) @ span.b)
    span.start, span.end = span.on_entry(entry.s_out), span.on_exit(exit_axis.s_in)
    entry.goes_on = span.is_one_line


def total_length(axes: Sequence[Axis], spans: Sequence[LinkSpan]) -> float:
    """Return the length of the whole line from the base's origin to the flange."""
    return math.fsum([abs(axis.run) for axis in axes] + [span.across for span in spans])

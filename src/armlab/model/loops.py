"""Closed loops of an arm: rods beside its serial chain, and the points that hold them; only physics knows them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.optimize import least_squares

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.messages import _
from armlab.model.linkage import Closure, moved
from armlab.model.parts import Joint, Link

CLOSED = 1e-4
"""m: the two sides of a closed loop are not farther apart; files round their numbers."""


class LoopPart(NamedTuple):
    """A link beside the chain, and the joint without a motor that carries it on `parent`.

    Links are counted as the arm's own from the base on, and then the parts, each after the one that carries it.
    """

    link: Link
    joint: Joint
    parent: int


@dataclass(frozen=True, slots=True, eq=False)
class Loops:
    """The parts beside an arm's chain, and the pins that close the loops."""

    parts: tuple[LoopPart, ...]
    pins: tuple[Closure, ...]

    def frames(self, links: Floats, values: Floats) -> Floats:
        """Return the frames of all links, the chain's `links` (n + 1, 4, 4) and the parts' at their joints' values."""
        out = list(links)
        for part, value in zip(self.parts, values, strict=True):
            out.append(out[part.parent] @ part.joint.T_parent_joint @ moved(part.joint, float(value)))
        return np.array(out)

    def gaps(self, links: Floats, values: Floats) -> Floats:
        """Return what is between the two sides of each pin, (k, 3), m in world coordinates."""
        frames = self.frames(links, values)
        return np.array(
            [pose.transform(frames[p.link_a], p.p_a) - pose.transform(frames[p.link_b], p.p_b) for p in self.pins]
        )

    def closed(self, links: Floats, who: str) -> Floats:
        """Return the values of the parts' joints, near zero, at which the loops are closed.

        Raises:
            InvalidInput: if there are none for the arm's present place.
        """
        found = least_squares(lambda values: self.gaps(links, values).ravel(), np.zeros(len(self.parts)), xtol=1e-15)
        gap = float(np.linalg.norm(self.gaps(links, found.x), axis=1).max())
        if gap > CLOSED:
            raise InvalidInput(
                "loop_open",
                _("{who}: its loop cannot be closed here; {gap:.3g} mm are left"),
                who=who,
                gap=1000.0 * gap,
            )
        return np.asarray(found.x, dtype=np.float64)

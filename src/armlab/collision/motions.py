"""Motions of several arms as one curve over time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from armlab.arrays import Floats
from armlab.model.coupling import Coupling
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.trajectory import Trajectory


def expanded(motion: Trajectory, coupling: Coupling | None) -> Trajectory:
    """Return the motion of all joints of an arm's chain, for that of its own joints."""
    if coupling is None:
        return motion
    coefficients = coupling.expand_rates(motion.pieces.coefficients)
    coefficients[:, 0] += coupling.offset
    return Trajectory(PiecewisePolynomial(motion.pieces.breaks, coefficients))


def joined(start: Floats, offsets: Sequence[int], motions: Mapping[int, Trajectory]) -> PiecewisePolynomial:
    """Return the curve of all joints of all arms; an arm without a motion, or after it, stands still.

    Args:
        start: where the joints are of arms that do not move.
        offsets: where each arm's joints start in the row of all joints.
        motions: by number of the arm.
    """
    if len(motions) == 1 and len(offsets) == 2:
        return next(iter(motions.values())).pieces
    breaks = np.unique(np.concatenate([motion.pieces.breaks for motion in motions.values()]))
    terms = max(motion.pieces.coefficients.shape[1] for motion in motions.values())
    out = np.zeros((len(breaks) - 1, terms, len(start)))
    out[:, 0] = start
    for arm, motion in motions.items():
        out[:, :, offsets[arm] : offsets[arm + 1]] = _cut(motion, breaks, terms)
    return PiecewisePolynomial(breaks, out)


def _cut(motion: Trajectory, breaks: Floats, terms: int) -> Floats:
    """Return the coefficients of a motion between other, denser breaks; after its end it stands still."""
    old = motion.pieces.breaks
    out = np.zeros((len(breaks) - 1, terms, motion.dof))
    for i, (low, high) in enumerate(pairwise(breaks)):
        if low >= old[-1]:
            out[i, 0] = motion.end
            continue
        piece = min(int(np.searchsorted(old, low, side="right")) - 1, len(old) - 2)
        width = old[piece + 1] - old[piece]
        u, scale = (low - old[piece]) / width, (high - low) / width
        c = motion.pieces.coefficients[piece]
        for k in range(len(c)):
            out[i, k] = scale**k * sum(math.comb(p, k) * u ** (p - k) * c[p] for p in range(k, len(c)))
    return out

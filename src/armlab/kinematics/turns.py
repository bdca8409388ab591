"""Solutions that differ by whole turns of joints, or lie in one continuum: one per branch, or all of them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.kernels.closed_form.answers import MAX_COPIES
from armlab.kinematics.answers import IkSolution, IkSolutions
from armlab.kinematics.numeric import SAME
from armlab.messages import _
from armlab.model.coupling import repeating
from armlab.model.robot import Robot

TURN = 2.0 * math.pi


def one_per_branch(robot: Robot, weights: Floats, solutions: Sequence[IkSolution]) -> IkSolutions:
    """Return of solutions that differ by whole turns the one nearest to home, of each branch's continuum one member."""
    home = [s if s.free else replace(s, q=_home_turn(robot, s.q)) for s in solutions]
    ordered = nearest_first(robot, weights, _once(home))
    families = [s.branch if s.free else "" for s in ordered]
    kept = [s for i, s in enumerate(ordered) if not s.free or s.branch not in families[:i]]
    return IkSolutions.of(kept, robot.dof)


def every_turn(robot: Robot, weights: Floats, solutions: Sequence[IkSolution]) -> IkSolutions:
    """Return the solutions with every copy by whole turns inside the limits; members of a continuum as they are.

    Raises:
        InvalidInput: if there are very many.
    """
    copies = [replace(s, q=q) for s in solutions for q in ([s.q] if s.free else _whole_turns(robot, s.q))]
    return IkSolutions.of(nearest_first(robot, weights, _once(copies)), robot.dof)


def nearest_first(robot: Robot, weights: Floats, solutions: Sequence[IkSolution]) -> list[IkSolution]:
    """Return the solutions nearest to home first; `weights` (n,) say how much a joint's travel counts."""
    return sorted(solutions, key=lambda s: float(np.linalg.norm((s.q - robot.home) * weights)))


def too_many_turns(robot: Robot) -> InvalidInput:
    """Return the error that the limits allow very many copies of a solution."""
    return InvalidInput(
        "too_many_turns",
        _(
            "{robot}: the limits allow more than {most} copies of a solution by whole turns; "
            "without turns it is listed once"
        ),
        robot=robot.name,
        most=MAX_COPIES,
    )


def _home_turn(robot: Robot, q: Floats) -> Floats:
    first, last = _turns(robot, q)
    shifted = q + TURN * np.clip(np.round((robot.home - q) / TURN), first, last)
    return np.clip(shifted, robot.lower, robot.upper)


def _whole_turns(robot: Robot, q: Floats) -> list[Floats]:
    first, last = _turns(robot, q)
    if np.prod(last - first + 1.0) > MAX_COPIES:
        raise too_many_turns(robot)
    each = [range(int(a), int(b) + 1) for a, b in zip(first, last, strict=True)]
    return [np.clip(q + TURN * np.array(turns), robot.lower, robot.upper) for turns in itertools.product(*each)]


def _turns(robot: Robot, q: Floats) -> tuple[Floats, Floats]:
    """Return the fewest and the most whole turns (n,) that each joint of `q` can be shifted by inside its limits."""
    back: NDArray[np.bool_] = repeating(robot.joints, robot.followers)
    first, last = np.ceil((robot.lower - q) / TURN), np.floor((robot.upper - q) / TURN)
    return np.where(back, np.minimum(first, 0.0), 0.0), np.where(back, np.maximum(last, 0.0), 0.0)


def _once(solutions: Sequence[IkSolution]) -> list[IkSolution]:
    kept: list[IkSolution] = []
    for s in solutions:
        if s.free or not any(np.abs(other.q - s.q).max() < SAME for other in kept):
            kept.append(s)
    return kept

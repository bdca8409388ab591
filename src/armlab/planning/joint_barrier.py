"""Proofs that there is no path: bodies that the first links cannot get past, whatever the other joints do.

The values of the first two joints are cut into cells. A cell is closed where a link touches a body all over it: where
the link, made smaller by as much as it can move within the cell, touches the body at the cell's middle. A path would
have to lead through cells that are open.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import combinations
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.collision import Checker
from armlab.geometry import solid
from armlab.model.robot import Robot
from armlab.model.scene import Body, Scene
from armlab.planning.smaller import smaller_shape

Mask: TypeAlias = NDArray[np.bool_]
JOINTS = 2
CELLS = 90_000
"""Cells in all, at most."""
GUARD = 1e-6
"""m by which links are made smaller in any case, against rounding."""


class Proof(NamedTuple):
    """A way to prove that there is no path, on a grid; it has yet to be seen whether it does."""

    part: str
    """Of the arm, which cannot get through."""
    is_open: Callable[[list[Body]], Mask]
    """Which cells some bodies leave open."""
    is_apart: Callable[[Mask], bool]
    """Whether the open cells join the start to no goal."""


def joint_barrier(arm: Robot, start: Floats, goals: Floats) -> Proof | None:
    """Return the proof for the outermost of the links that the first joints move; None where they have no solids."""
    count = min(JOINTS, arm.dof)
    if arm.coupling is not None:
        return None
    per_joint = int(CELLS ** (1.0 / count))
    lower, upper = arm.lower[:count], arm.upper[:count]
    half = 0.5 * (upper - lower) / per_joint
    core = _core(arm, half)
    solids = [link.name for link in core.links if link.shapes]
    if not solids:
        return None
    axes = [low + step * (2.0 * np.arange(per_joint) + 1.0) for low, step in zip(lower, half, strict=True)]
    rows = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, count)
    cells = np.floor((np.vstack([start, goals])[:, :count] - lower) / (2.0 * half)).astype(int)
    cells = np.clip(cells, 0, per_joint - 1)
    own = list(combinations(solids, 2))

    def is_open(bodies: list[Body]) -> Mask:
        free = Checker(Scene.of(core, bodies=bodies), allowed=own).is_free(rows)
        return np.asarray(free).reshape((per_joint,) * count)

    return Proof(solids[-1], is_open, lambda grid: are_apart(grid, cells))


def are_apart(is_open: Mask, cells: NDArray[np.intp]) -> bool:
    """Return whether open cells of a grid join the first of some cells (k, 2 or 3) to none of the others."""
    from scipy.ndimage import label

    areas, _count = label(is_open, np.ones((3,) * is_open.ndim))
    found = areas[tuple(cells.T)]
    return bool(found.all() and (found[1:] != found[0]).all())


def _core(arm: Robot, half: Floats) -> Robot:
    """Return the first joints of an arm, with links smaller by what they move when each joint moves by half."""
    count = len(half)
    links = [replace(arm.links[0], shapes=(), visuals=())]
    for i in range(1, count + 1):
        link = arm.links[i]
        shapes = [shape for shape in link.shapes if not shape.part]
        points = np.concatenate([np.zeros((1, 3)), *(solid.hull_points(shape) for shape in shapes)])
        size = float(np.linalg.norm(points, axis=1).max())
        far = 0.0
        for j in range(i):
            # no point of the link is farther from the axis of joint j than by this, whatever the joints between do
            reach = size + sum(_step(arm, k) for k in range(j + 1, i))
            far += float(half[j]) * (reach if arm.joints[j].kind == "revolute" else 1.0)
        smaller = [one for shape in shapes if (one := smaller_shape(shape, far + GUARD)) is not None]
        links.append(replace(link, shapes=tuple(smaller), visuals=()))
    home = np.clip(arm.home, arm.lower, arm.upper)[:count]
    return Robot(name="core", joints=arm.joints[:count], links=tuple(links), home=home, source="", base=arm.base)


def _step(arm: Robot, k: int) -> float:
    """Return how far at most the frames of links `k` and `k` + 1 are apart."""
    travel = max(abs(arm.lower[k]), abs(arm.upper[k])) if arm.joints[k].kind == "prismatic" else 0.0
    return float(np.linalg.norm(arm.joints[k].T_parent_joint[:3, 3])) + travel

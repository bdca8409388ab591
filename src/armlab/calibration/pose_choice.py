"""Where to measure: configurations that together show the parameters of an arm best."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.calibration.error_chain import ErrorValues, chain_poses, joint_values
from armlab.calibration.least_squares import UNSEEN, weight_on
from armlab.calibration.measurements import POSITION_NOISE, ROTATION_NOISE
from armlab.calibration.parameters import Model, parameters_of, tool_jacobian
from armlab.collision.checker import Checker
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.threads import one_blas_thread

CANDIDATES = 400
MARGIN = 0.02
"""Share of each joint's range that is left free at both ends."""
SWEEPS = 4
MOST_DRAWS = 50
START = 1e-6
"""Information (1/σ², scaled) that is assumed before the first pose, so that the first determinant exists."""

Region = Callable[[Floats], NDArray[np.bool_]]
"""Tells for tools T_world_tool (m, 4, 4) which of them can be measured."""


@dataclass(frozen=True, slots=True, eq=False)
class PoseChoice:
    """Configurations to measure in, with how well they show the parameters."""

    q: Floats
    """(count, n): in the order of their worth, inside the limits and free of collisions."""
    observability: float
    """O1: the geometric mean of the singular values of the scaled Jacobian over √count; larger is better."""
    random_observability: float
    """The same for as many random configurations, for comparison."""
    directions: int
    """How many directions of the parameters they can show at all."""


def best_poses(
    robot: Robot,
    count: int,
    *,
    model: Model = "full",
    kind: Literal["pose", "position"] = "pose",
    scene: Scene | None = None,
    region: Region | None = None,
    candidates: int = CANDIDATES,
    seed: int = 0,
) -> PoseChoice:
    """Return `count` configurations that make the determinant of the information as large as can be (D-optimal, O1).

    Out of random candidates inside the limits, free of collisions and in the `region` that can be measured, they are
    chosen one by one and then exchanged until no exchange helps.

    Raises:
        InvalidInput: if the count is not from 2 to 1000, or no configuration can be measured.
    """
    if not 2 <= count <= 1000:
        raise InvalidInput("pose_count", _("count: {count} is outside 2 … 1000"), count=count)
    q = _candidates(robot, max(candidates, 2 * count), scene, region, np.random.default_rng(seed))
    if len(q) < count:
        raise InvalidInput(
            "too_few_candidates",
            _("{robot}: only {found} of the {count} configurations are free and can be measured"),
            robot=robot.name,
            found=len(q),
            count=count,
        )
    with one_blas_thread():
        J = _information_rows(robot, q, model, 6 if kind == "pose" else 3)
        V = np.linalg.svd(J.reshape(-1, J.shape[2]), full_matrices=False)
        seen = V[1] > UNSEEN
        rows = J @ V[2][seen].T
        chosen = _exchanged(rows, _greedy(rows, count))
        return PoseChoice(q[chosen], _o1(rows[chosen]), _o1(rows[:count]), int(seen.sum()))


def _candidates(
    robot: Robot, count: int, scene: Scene | None, region: Region | None, rng: np.random.Generator
) -> Floats:
    room = MARGIN * (robot.upper - robot.lower)
    around = Scene.of(robot) if scene is None else scene
    checker = Checker(around)
    name = around.robot().name if scene is None else next(a.name for a in scene.robots if a.robot.name == robot.name)
    found: list[Floats] = []
    have = 0
    for _draw in range(MOST_DRAWS):
        q = rng.uniform(robot.lower + room, robot.upper - room, (count, robot.dof))
        good = np.asarray(checker.is_free(q, robot=name), dtype=np.bool_)
        if region is not None:
            good &= region(robot.fk(q))
        found.append(q[good])
        have += int(good.sum())
        if have >= count:
            break
    return np.concatenate(found)[:count]


def _information_rows(robot: Robot, q: Floats, model: Model, components: int) -> Floats:
    """Return the scaled Jacobian of each candidate in units of the noise, (m, components, p)."""
    values = ErrorValues.none(robot.dof)
    loads = weight_on(robot, q)
    parameters = parameters_of(robot, model, loads)
    poses = chain_poses(robot, values, joint_values(values, q, loads), loads.across)
    J = tool_jacobian(robot, parameters, values, poses, q, loads) * np.array([each.scale for each in parameters])
    J[:, :3] /= POSITION_NOISE
    J[:, 3:] /= ROTATION_NOISE
    return np.asarray(J[:, :components])


def _greedy(rows: Floats, count: int) -> list[int]:
    """Return indices chosen one by one: each adds most to log det Σ JᵀJ = log det M + log det(I + J M⁻¹ Jᵀ)."""
    inverse = np.eye(rows.shape[2]) / START
    chosen: list[int] = []
    for _k in range(count):
        gain = _gains(rows, inverse)
        gain[chosen] = -np.inf
        best = int(np.argmax(gain))
        chosen.append(best)
        inverse = _updated(inverse, rows[best], 1.0)
    return chosen


def _exchanged(rows: Floats, chosen: list[int]) -> list[int]:
    """Return indices after exchanges: each is taken out in turn, and the one that then adds most comes in."""
    for _sweep in range(SWEEPS):
        changed = False
        information = START * np.eye(rows.shape[2]) + np.einsum("mka,mkb->ab", rows[chosen], rows[chosen])
        inverse = np.linalg.inv(information)  # afresh in each sweep, so that rounding does not add up
        for place, old in enumerate(list(chosen)):
            without = _updated(inverse, rows[old], -1.0)
            gain = _gains(rows, without)
            now = gain[old]
            gain[chosen] = -np.inf
            best = int(np.argmax(gain))
            if gain[best] > now + 1e-9:
                chosen[place], changed = best, True
                inverse = _updated(without, rows[best], 1.0)
        if not changed:
            break
    return chosen


def _gains(rows: Floats, inverse: Floats) -> Floats:
    inner = np.eye(rows.shape[1]) + rows @ inverse @ np.swapaxes(rows, 1, 2)
    return np.asarray(np.linalg.slogdet(inner)[1])


def _updated(inverse: Floats, J: Floats, sign: float) -> Floats:
    """Return (M ± JᵀJ)⁻¹ by Woodbury's formula."""
    side = inverse @ J.T
    inner = np.eye(len(J)) + sign * (J @ side)
    return np.asarray(inverse - sign * side @ np.linalg.solve(inner, side.T))


def _o1(rows: Floats) -> float:
    S = np.linalg.svd(rows.reshape(-1, rows.shape[2]), compute_uv=False)
    return float(np.exp(np.log(np.maximum(S, 1e-300)).mean()) / np.sqrt(len(rows)))

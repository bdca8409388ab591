"""From the velocity of the tool to the speeds of the joints, without exploding near singularities.

With the singular values σ of the scaled Jacobian (see armlab.kinematics.scaled), exact speeds grow as 1/σ. Here 1/σ is
replaced by σ/(σ² + λ²), with a damping λ that is zero from the threshold ε on and rises smoothly below it to λ = ε/2:

    λ = ε/2 · (1 − (σ/ε)²),  so that  σ/(σ² + λ²) = 4 s/(1 + s²)² / ε  with s = σ/ε < 1.

Each direction is damped by its own σ: away from singularities nothing changes, and next to one the directions that the
arm still has stay exact. The factor is never above 3√3/(4 ε), and so the speeds are bounded everywhere:

    ‖q̇‖ ≤ 3√3/(4 ε) · ‖twist‖ = 3√3/(8 λ_max) · ‖twist‖,

where lengths count in reaches, as always when metres and radians meet. In the direction that is lost they go to zero.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_rows
from armlab.errors import InvalidInput
from armlab.kinematics.scaled import ScaledTask, scaled_task
from armlab.kinematics.task import TaskLike
from armlab.messages import _
from armlab.model.robot import Robot

THRESHOLD = 0.03
"""ε: below this singular value a direction is damped; at a wrist it is passed at about 3° from the singularity."""
AT_LIMIT = 1e-9
"""How near its limit (rad or m) a joint stands at it."""
STRONGEST = 3.0 * math.sqrt(3.0) / 4.0

AtLimits = Literal["pass", "stop"]


@dataclass(frozen=True, slots=True, eq=False)
class SpeedResult:
    """Joint speeds and what was done to them; for a batch of m every field has a leading axis m."""

    qd: Floats
    """(n,), rad/s or m/s."""
    scale: Any
    """What the whole motion was slowed by so that no joint exceeds its speed limit: 1 where none would."""
    smallest: Any
    """The smallest singular value of the scaled Jacobian."""
    damping: Any
    """λ of the smallest singular value: 0 where the answer is not damped."""
    held: Any
    """True for joints (n,) that stand at a limit and were not let further into it."""


def joint_speeds(
    robot: Robot,
    q: ArrayLike,
    twist: ArrayLike,
    *,
    task: TaskLike = "pose",
    threshold: float = THRESHOLD,
    at_limits: AtLimits = "pass",
) -> Floats:
    """Return the joint speeds q̇ that move the tool with `twist`; `solve_speeds` tells more.

    Args:
        robot: the arm.
        q: the pose (n,), or poses (m, n).
        twist: velocity of the tool point (m/s), then angular velocity (rad/s), in world coordinates: (6,) or (m, 6).
        task: which part of the twist matters.
        threshold: the singular value below which a direction is damped, ε.
        at_limits: `stop` keeps joints that stand at a limit from going further; the others make up for it if they can.

    Raises:
        InvalidInput: if an argument has the wrong shape or is not finite, or the threshold is not above zero.
    """
    return solve_speeds(robot, q, twist, task=task, threshold=threshold, at_limits=at_limits).qd


def solve_speeds(
    robot: Robot,
    q: ArrayLike,
    twist: ArrayLike,
    *,
    task: TaskLike = "pose",
    threshold: float = THRESHOLD,
    at_limits: AtLimits = "pass",
) -> SpeedResult:
    """Return the joint speeds that move the tool with `twist`, and whether they were damped, slowed or held.

    Away from singularities they are exact (of least norm for an arm with more axes than the task has rows, of least
    error for one with fewer). If a joint would exceed its speed limit, all are slowed alike: the direction stays.
    The arguments are those of `joint_speeds`.
    """
    if at_limits not in {"pass", "stop"}:
        template = _("at_limits: '{given}' is neither 'pass' nor 'stop'")
        raise InvalidInput("unknown_at_limits", template, given=at_limits)
    if not (threshold > 0.0 and math.isfinite(threshold)):
        raise InvalidInput("threshold_not_positive", _("threshold must be > 0, got {threshold:g}"), threshold=threshold)
    rows, single = as_rows(q, robot.dof, f"{robot.name}: q")
    twists, single_twist = as_rows(twist, 6, "twist")
    if len(rows) != len(twists) and 1 not in {len(rows), len(twists)}:
        template = _("twist: {twists} twists for {count} configurations; give one, or one for each")
        raise InvalidInput("twist_count", template, twists=len(twists), count=len(rows))
    m = max(len(rows), len(twists))
    rows, twists = (np.ascontiguousarray(np.broadcast_to(a, (m, a.shape[1]))) for a in (rows, twists))
    scaled = scaled_task(robot, task)
    J, aim = scaled.jacobian(rows), scaled.twist(rows, twists)
    qd, smallest = _damped(scaled, J, aim, threshold)
    held = np.zeros(qd.shape, dtype=bool)
    for _round in range(robot.dof if at_limits == "stop" else 0):
        pushed = _into_limits(robot, rows, qd) & ~held
        if not pushed.any():
            break
        held |= pushed
        qd, smallest = _damped(scaled, np.where(held[:, None], 0.0, J), aim, threshold)
    scale = 1.0 / np.maximum(1.0, (np.abs(qd) / robot.velocity).max(axis=1))
    damping = 0.5 * threshold * np.maximum(0.0, 1.0 - (smallest / threshold) ** 2)
    result = SpeedResult(qd * scale[:, None], scale, smallest, damping, held)
    return _first(result) if single and single_twist else result


def speed_bound(robot: Robot, twist: ArrayLike, *, task: TaskLike = "pose", threshold: float = THRESHOLD) -> Floats:
    """Return what ‖q̇‖ never exceeds for `twist`, at any pose: 3√3/(4 ε)·‖twist‖, lengths in reaches on both sides."""
    twists, single = as_rows(twist, 6, "twist")
    length = scaled_task(robot, task).length
    norm = np.linalg.norm(twists / np.array([length, length, length, 1.0, 1.0, 1.0]), axis=1)
    bound = STRONGEST / threshold * norm
    return np.asarray(bound[0] if single else bound)


def _damped(scaled: ScaledTask, J: Floats, aim: Floats, threshold: float) -> tuple[Floats, Floats]:
    """Return damped joint speeds (m, n), not yet limited, and the smallest singular value (m,)."""
    U, sigma, Vt = np.linalg.svd(J, full_matrices=False)
    s = sigma / threshold
    inverse = np.where(s >= 1.0, 1.0 / np.maximum(sigma, threshold), 4.0 * s / (1.0 + s * s) ** 2 / threshold)
    along = np.einsum("mra,mr->ma", U, aim) * inverse
    qd = np.einsum("mak,ma->mk", Vt, along) * scaled.column_scale
    return qd, sigma[:, scaled.rank - 1]


def _into_limits(robot: Robot, q: Floats, qd: Floats) -> Any:
    return ((q <= robot.lower + AT_LIMIT) & (qd < 0.0)) | ((q >= robot.upper - AT_LIMIT) & (qd > 0.0))


def _first(result: SpeedResult) -> SpeedResult:
    scale, smallest, damping = float(result.scale[0]), float(result.smallest[0]), float(result.damping[0])
    return SpeedResult(result.qd[0], scale, smallest, damping, result.held[0])

"""How far an arm is from losing a direction of motion, and what kind of singularity that is.

A pose is singular where the rank of the Jacobian is lower than nearly everywhere else: the tool cannot move in some
direction however fast the joints turn. All numbers are those of the scaled Jacobian (see armlab.kinematics.scaled).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats, as_rows, read_only
from armlab.kinematics.scaled import ScaledTask, scaled_task
from armlab.kinematics.task import TaskLike
from armlab.model.robot import Robot

SingularKind: TypeAlias = Literal["none", "shoulder", "elbow", "wrist", "other"]

SINGULAR = 1e-6
"""A smallest singular value below this is a singularity."""
ZERO = 1e-12
STEPS = 48
LAST_STEPS = 8
LONGEST_STEP = 0.3
GRID = 49
RANDOM_STARTS = 8
FARTHEST_START = 1.5
TAKES_PART = 0.1
CLEARLY = 0.8
"""The share of the motion out of a singularity that makes a group of joints its cause."""


@dataclass(frozen=True, slots=True, eq=False)
class Singularity:
    """How singular a configuration is, and where the nearest singularity was found."""

    manipulability: float
    """Yoshikawa's measure: the product of the singular values."""
    condition: float
    """Largest over smallest singular value; infinite at a singularity."""
    smallest: float
    """The smallest singular value: the speed (in reaches or radians) of the slowest direction per joint speed of 1."""
    kind: SingularKind
    """What is singular at this pose; `none` where nothing is, the first of `kinds` where several things are."""
    kinds: tuple[SingularKind, ...]
    distance: float
    """How far, in joint space (rad), the nearest singularity found is: an upper bound. Infinite if none was found."""
    nearest_q: Floats
    """That pose; where none was found, the pose with the smallest singular value."""
    nearest_kind: SingularKind


def manipulability(robot: Robot, q: ArrayLike, *, task: TaskLike = "pose", length: float | None = None) -> Floats:
    """Return Yoshikawa's manipulability of poses: q (n,) → a number, q (m, n) → (m,).

    It is the product of the singular values of the Jacobian. Lengths count in reaches of the arm, or in `length` (m):
    with `length=1.0` it is √det(J Jᵀ) in plain metres and radians.
    """
    rows, single = as_rows(q, robot.dof, f"{robot.name}: q")
    scaled = scaled_task(robot, task, length)
    J = scaled.jacobian(rows)
    _, r, n = J.shape
    if r == n == scaled.rank:
        values = np.abs(np.linalg.det(J))
    elif scaled.rank == min(r, n):
        gram = J @ np.swapaxes(J, 1, 2) if r < n else np.swapaxes(J, 1, 2) @ J
        values = np.sqrt(np.maximum(np.linalg.det(gram), 0.0))
    else:
        values = np.prod(np.linalg.svd(J, compute_uv=False)[:, : scaled.rank], axis=1)
    return np.asarray(values[0] if single else values)


def condition_number(robot: Robot, q: ArrayLike, *, task: TaskLike = "pose", length: float | None = None) -> Floats:
    """Return the condition number of the Jacobian, 1 or more: q (n,) → a number, q (m, n) → (m,).

    It is infinite at a singularity.
    """
    rows, single = as_rows(q, robot.dof, f"{robot.name}: q")
    values = _condition(scaled_task(robot, task, length).singular_values(rows))
    return np.asarray(values[0] if single else values)


def singularity(robot: Robot, q: ArrayLike, *, task: TaskLike = "pose", length: float | None = None) -> Singularity:
    """Return how singular the configuration `q` (n,) is, of what kind, and the nearest singularity inside the limits.

    The kind is told from which joints lead out of the singularity, and so needs no table of arms. The elbow is the
    first joint whose axis is parallel to the one before it, or the first that slides, or else the middle joint.

    - elbow: no other joint leads out (the arm is stretched or folded);
    - wrist: no joint up to the elbow leads out (axes 4 and 6 in line; for a UR, axis 6 parallel to 2, 3 and 4);
    - shoulder: joints before the elbow lead out, the last ones do not, and the first joint can turn without moving the
      tool (the wrist centre is on axis 1);
    - where none of these holds, as for a wrist whose axes do not meet: the group of joints that leads out fastest;
    - other: no group clearly does.

    The nearest singularity is looked for by Newton steps from fixed starts: along each joint, and around `q`. What is
    found is singular, but a nearer one may have been missed: the distance is an upper bound. A sliding joint's travel
    counts in reaches.

    Raises:
        InvalidInput: if `q` is not n numbers, or the arm can move nothing of the task.
    """
    values = as_floats(q, (robot.dof,), f"{robot.name}: q")
    scaled = scaled_task(robot, task, length)
    sigma = scaled.singular_values(values[None])
    smallest = float(sigma[0, -1])
    is_singular = smallest < SINGULAR
    nearest = values if is_singular else _nearest_singular(scaled, values)
    found = is_singular or float(scaled.singular_values(nearest[None])[0, -1]) < SINGULAR
    there = _kinds(scaled, nearest) if found else ("none",)
    here = there if is_singular else ("none",)
    travel = (nearest - values) / scaled.column_scale
    return Singularity(
        manipulability=float(np.prod(sigma)),
        condition=float(_condition(sigma)[0]),
        smallest=smallest,
        kind=here[0],
        kinds=here,
        distance=float(np.linalg.norm(travel)) if found else np.inf,
        nearest_q=read_only(nearest),
        nearest_kind=there[0],
    )


def _condition(sigma: Floats) -> Floats:
    smallest = sigma[:, -1]
    return np.where(smallest > ZERO, sigma[:, 0] / np.maximum(smallest, ZERO), np.inf)


def _nearest_singular(scaled: ScaledTask, q: Floats) -> Floats:
    """Return the nearest pose found whose smallest singular value is zero, or else the one where it is smallest.

    Joint values are in units of `column_scale`. Each step goes to where the smallest singular value would vanish, and
    along the singular surface towards `q`; the last steps only go to the surface.
    """
    unit = scaled.column_scale
    lower, upper = scaled.robot.lower, scaled.robot.upper
    target, low, high = q / unit, np.minimum(lower, q) / unit, np.maximum(upper, q) / unit
    x = _starts(scaled, target, low, high)
    for step in range(STEPS):
        to_surface, along = _newton_step(scaled, x, target)
        move = to_surface + (0.5 * along if step < STEPS - LAST_STEPS else 0.0)
        size = np.linalg.norm(move, axis=1, keepdims=True)
        x = np.clip(x + move * np.minimum(1.0, LONGEST_STEP / np.maximum(size, ZERO)), low, high)
    smallest = scaled.singular_values(x * unit)[:, -1]
    travel = np.linalg.norm(x - target, axis=1)
    is_singular = smallest < SINGULAR
    best = np.argmin(np.where(is_singular, travel, np.inf)) if is_singular.any() else np.argmin(smallest)
    return np.asarray(x[best] * unit)


def _newton_step(scaled: ScaledTask, x: Floats, target: Floats) -> tuple[Floats, Floats]:
    """Return the step to where the smallest singular value vanishes, and the travel to `target` along that surface."""
    G = _gradient(scaled, x * scaled.column_scale)
    F = np.zeros((len(x), G.shape[1], 1))
    F[:, 0, 0] = scaled.singular_values(x * scaled.column_scale)[:, -1]
    inverse = np.linalg.pinv(G, rcond=1e-4)
    to_target = (target - x)[:, :, None]
    return -(inverse @ F)[:, :, 0], (to_target - inverse @ (G @ to_target))[:, :, 0]


def _gradient(scaled: ScaledTask, q: Floats) -> Floats:
    """Return how each joint changes what must vanish at a singularity: (m, conditions, n).

    With u the left and v the right singular vectors from the smallest on (the kernels too, where the Jacobian is not
    square), uᵀJv has one entry that is not zero, its first: the smallest singular value; uᵀ(∂J/∂q_i)v is its slope.
    """
    J, slopes = scaled.both(q)
    U, _, Vt = np.linalg.svd(J)
    last = scaled.rank - 1
    gradient = np.einsum("mra,mirk,mbk->miab", U[:, :, last:], slopes, Vt[:, last:], optimize=True)
    return np.swapaxes(gradient.reshape(*q.shape, -1), 1, 2)


def _starts(scaled: ScaledTask, x: Floats, low: Floats, high: Floats) -> Floats:
    """Return `x`, along each joint the two dips of the smallest singular value nearest to it, and poses around it."""
    n = len(x)
    lines = np.repeat(x[None], n * GRID, axis=0).reshape(n, GRID, n)
    for i in range(n):
        lines[i, :, i] = np.linspace(low[i], high[i], GRID)
    sigma = scaled.singular_values(lines.reshape(-1, n) * scaled.column_scale)[:, -1].reshape(n, GRID)
    starts = [x]
    for i in range(n):
        padded = np.concatenate([[np.inf], sigma[i], [np.inf]])
        dips = np.flatnonzero((sigma[i] <= padded[:-2]) & (sigma[i] < padded[2:]))
        nearest = dips[np.argsort(np.abs(lines[i, dips, i] - x[i]))][:2]
        starts.extend(lines[i, nearest])
    rng = np.random.default_rng(0)
    around = rng.normal(size=(RANDOM_STARTS, n))
    around *= (np.linspace(0.1, FARTHEST_START, RANDOM_STARTS) / np.linalg.norm(around, axis=1))[:, None]
    return np.asarray(np.clip(np.concatenate([np.array(starts), x + around]), low, high))


def _kinds(scaled: ScaledTask, q: Floats) -> tuple[SingularKind, ...]:
    """Return every kind of singularity at a singular configuration; `singularity` says what they mean."""
    elbow, joints = _elbow(scaled.robot), range(scaled.robot.dof)
    found: list[SingularKind] = []
    if _lost(scaled, q, [i for i in joints if i != elbow]):
        found.append("elbow")
    if _lost(scaled, q, [i for i in joints if i <= elbow]):
        found.append("wrist")
    if _is_shoulder(scaled, q, elbow, int("elbow" in found)):
        found.insert(0, "shoulder")
    if found:
        return tuple(found)
    first_out = next((i for i in joints if not _lost(scaled, q, [i])), None)
    return ("elbow",) if first_out == elbow else (_leading_kind(scaled, q, elbow),)


def _is_shoulder(scaled: ScaledTask, q: Floats, elbow: int, lost_by_elbow: int) -> bool:
    """Whether a direction is lost that the last joints do not bring back, the first can turn in, and others cure."""
    n = scaled.robot.dof
    last = list(range(n - (2 if n >= 6 else 1), n))
    lost = _lost(scaled, q, last)
    if lost <= lost_by_elbow or _lost(scaled, q, [*range(1, elbow), *last]) >= lost:
        return False
    moved = _displaced(scaled, q, last)[:1]
    _, _, Vt = np.linalg.svd(scaled.jacobian(moved)[0])
    return bool(np.linalg.norm(Vt[scaled.rank - lost :, 0]) > TAKES_PART)


def _leading_kind(scaled: ScaledTask, q: Floats, elbow: int) -> SingularKind:
    """Return the kind of the joints that lead out of a singularity fastest, if they clearly do."""
    gradient = _gradient(scaled, q[None])[0]
    share = np.sum(gradient * gradient, axis=0)
    share /= max(float(share.sum()), ZERO)
    at, after = float(share[elbow]) if elbow < len(share) else 0.0, float(share[elbow + 1 :].sum())
    before = float(share[1:elbow].sum())
    if after > CLEARLY:
        return "wrist"
    if at > CLEARLY:
        return "elbow"
    return "shoulder" if before + at > CLEARLY and before > 0.0 else "other"


def _lost(scaled: ScaledTask, q: Floats, moved: list[int]) -> int:
    """Return how many directions stay lost when only the joints `moved` are displaced a little."""
    sigma = scaled.singular_values(_displaced(scaled, q, moved))
    return int((sigma < 10.0 * SINGULAR).sum(axis=1).min())


def _displaced(scaled: ScaledTask, q: Floats, moved: list[int]) -> Floats:
    rng = np.random.default_rng(1)
    shift = np.zeros((3, len(q)))
    shift[:, moved] = rng.uniform(0.05, 0.15, (3, len(moved))) * rng.choice([-1.0, 1.0], (3, len(moved)))
    return np.asarray(q + shift * scaled.column_scale)


def _elbow(robot: Robot) -> int:
    """Return the index of the elbow joint, the number of joints if there is none."""
    turns = robot.chain.revolute > 0.5
    if robot.followers:  # the axis before one in the chain may be a follower's
        return robot.dof
    before = None
    for i, joint in enumerate(robot.joints):
        axis = joint.T_parent_joint[:3, :3] @ joint.axis  # in the frame of the link before, as the axis before it
        if i and turns[i] and turns[i - 1] and before is not None and abs(axis @ before) > 1.0 - 1e-9:
            return i
        before = joint.axis
    sliding = np.flatnonzero(~turns)
    if len(sliding):
        return int(sliding[0])
    return (robot.dof - 1) // 2 if robot.dof >= 5 else robot.dof

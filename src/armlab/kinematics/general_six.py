"""Every posture of a 6R arm without a spherical wrist.

Where axes 2 and 3 are parallel and axes 4 and 5 meet (xArm 6), one unknown is left, the last joint, and a sweep through
a full turn of it finds all postures (armlab.kernels.closed_form.sweep).

Every posture returned is exact to 1e-10. Completeness is sampled: the sweep looks at every half degree, closer where
the arm turns fast and where a branch begins or ends, and starts Newton's method from every zero and every near miss; a
pair of postures could be overlooked only where both are nearer together than that.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kernels.closed_form import sweep as closed_sweep
from armlab.kinematics.closed.lines import TOLERANCE, JointAxes, joint_axes
from armlab.model.robot import Robot

SAMPLES = 720

_WORDS = (("front", "back"), ("up", "down"), ("no-flip", "flip"))
BRANCH_NAMES = tuple(
    f"shoulder {shoulder}, elbow {elbow}, wrist {wrist}" for shoulder, elbow, wrist in itertools.product(*_WORDS)
)
"""What the branches are called. Such an arm has up to 16 postures, so two of them may have the same name.

- shoulder front: W, where axes 4 and 5 meet, is on the side of axis 1 to which joint 2 leans the arm with growing
  values; back: on the other side.
- elbow up: axis 3 is above the line from axis 2 to W, axis 1 pointing up; down: below it.
- wrist no-flip: with joint 4 turned so that axis 5 is parallel to axis 2 (by less than a quarter turn from zero), joint
  5 bends the hand the way that a raised elbow bends the forearm; flip: the other way.
"""


@dataclass(frozen=True, eq=False)
class GeneralSix:
    """A robot that `recognise_general_six` knows: its geometry as the kernel wants it."""

    constants: Floats
    chain: Floats
    branch_names: tuple[str, ...] = BRANCH_NAMES

    def branch_of(self, q: Floats) -> int:
        """Return the number of the branch, 0 to 7, that `q` (6,) belongs to; on a border, of one of the two."""
        return int(self.branches_of(np.asarray(q)[None])[0])

    def branches_of(self, q: Floats) -> NDArray[np.int64]:
        """Return the numbers of the branches, 0 to 7, that the rows of `q` (k, 6) belong to."""
        a = self.constants
        theta3 = a[closed_sweep.SENSE] * q[:, 2]
        upper = a[closed_sweep.UPPER] * np.exp(1j * (q[:, 1] + a[closed_sweep.UPPER_AT]))
        fore = a[closed_sweep.FORE] * np.exp(1j * (q[:, 1] + theta3 + a[closed_sweep.FORE_AT]))
        to_front = _part(a, closed_sweep.POINT_2) - _part(a, closed_sweep.POINT_1)
        front = np.cross(_part(a, closed_sweep.K2), _part(a, closed_sweep.K1))
        in_plane = np.array([_part(a, closed_sweep.U) @ front, _part(a, closed_sweep.V) @ front])
        w = upper + fore
        ahead = w.real * in_plane[0] + w.imag * in_plane[1] + to_front @ front
        above = (upper.conj() * w).imag * np.where(ahead < 0, -1.0, 1.0)
        bent = a[closed_sweep.NO_FLIP] * np.sin(q[:, 4] - a[closed_sweep.STRAIGHT])
        return np.asarray(4 * (ahead < 0) + 2 * (above < 0) + (bent < 0), dtype=np.int64)


def recognise_general_six(robot: Robot) -> GeneralSix | None:
    """Return the arm's geometry if axes 2 and 3 are parallel and axes 4 and 5 meet, otherwise None."""
    if robot.dof != 6 or any(joint.kind != "revolute" for joint in robot.joints):
        return None
    axes = joint_axes(robot)
    if not axes.are_parallel(1, 2) or axes.are_parallel(0, 1) or axes.are_parallel(3, 4):
        return None
    W = axes.crossing(3, 4)
    constants = None if W is None else _arm_row(axes, W)
    return None if constants is None else GeneralSix(constants, robot.chain.constants)


def solve_general_six(
    robot: Robot, arm: GeneralSix, T: Floats, *, samples: int = SAMPLES
) -> tuple[Floats, NDArray[np.int64]]:
    """Return every posture (k, 6) that puts the tool at `T`, angles within (-pi, pi], and their branches (k,).

    Limits are not looked at. Postures are exact to 1e-10 m and rad, and at least 1e-6 rad apart.
    """
    out = np.empty((closed_sweep.MOST_SOLUTIONS, 6))
    count = closed_sweep.sweep_into(arm.constants, robot.chain.constants, np.ascontiguousarray(T), samples, out)
    q = out[:count].copy()
    branch = arm.branches_of(q)
    order = np.lexsort((*q.T[::-1], branch))
    return q[order], branch[order]


def _arm_row(axes: JointAxes, W: Floats) -> Floats | None:
    """Return the row of numbers that the kernel takes, or None for an arm whose joints 2 and 3 are no two-link arm."""
    k, p = axes.z, axes.p
    u = k[0] - (k[0] @ k[1]) * k[1]
    u /= np.linalg.norm(u)
    v = np.cross(k[1], u)
    upper, fore = (complex(d @ u, d @ v) for d in (p[2] - p[1], W - p[2]))
    if min(abs(upper), abs(fore)) < TOLERANCE * axes.size:
        return None
    a, c = k[5] - (k[5] @ k[4]) * k[4], k[3] - (k[3] @ k[4]) * k[4]
    T_tool_world = pose.inverse(axes.T_tool)
    row = np.empty(closed_sweep.ARM_SIZE)
    vectors = (k[0], k[1], k[3], k[4], k[5], p[0], p[1], u, v, p[5], W, T_tool_world[:3, :3].ravel())
    row[: closed_sweep.UPPER] = np.concatenate([*vectors, T_tool_world[:3, 3]])
    row[closed_sweep.UPPER], row[closed_sweep.FORE] = abs(upper), abs(fore)
    row[closed_sweep.UPPER_AT], row[closed_sweep.FORE_AT] = np.angle(upper), np.angle(fore)
    row[closed_sweep.SENSE] = np.sign(k[1] @ k[2])
    row[closed_sweep.ASIDE], row[closed_sweep.SLOPE] = (W - p[0]) @ k[1], k[0] @ k[1]
    row[closed_sweep.ANGLE] = k[3] @ k[4]
    row[closed_sweep.FLAT_4 : closed_sweep.STRAIGHT] = k[3] @ u, k[3] @ v, k[3] @ k[1]
    row[closed_sweep.STRAIGHT] = np.arctan2(np.cross(a, c) @ k[4], a @ c)
    row[closed_sweep.NO_FLIP] = 1.0 if k[4] @ k[1] > -TOLERANCE else -1.0
    return row


def _part(row: Floats, start: int) -> Floats:
    return row[start : start + 3]

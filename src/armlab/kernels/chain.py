"""Forward kinematics and Jacobians of a serial chain.

A `Chain` of n joints: row i of `constants` is the fixed frame in front of joint i, its 3×3 rotation row by row and then
its origin; the joint turns about, or slides along, the z axis of that frame; the last row is what follows the last
joint. `revolute` is 1.0 for a turning joint, 0.0 for a sliding one.

The batch kernels work on blocks of LANES poses, one row of the workspace per matrix element: the inner loops have a
length known at compile time and no branches, so that LLVM turns them into vector instructions.

Kernels do not raise. They return True when every joint value was finite and within ±LARGEST; otherwise what they
wrote is worthless.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.jit import inlined, kernel, short_kernel
from armlab.kernels.trig import LARGEST, sincos

LANES = 64
ORIGIN, SINE, COSINE, WORK_ROWS = 9, 12, 13, 14
"""Rows of a block's workspace `w`, LANES values each: R of the running poses in rows 0 to 8 (element (r, c) in row
3 r + c), their origins in three rows from ORIGIN, and sine and cosine of the joint that is passed."""
KIND = 12
"""The column of `constants` behind the twelve of the frame: the joint's `revolute`, so that one array says all."""


class Chain(NamedTuple):
    """A serial arm in the form that kernels take: `robot.chain`. The arrays are shared and must not be written to."""

    constants: Floats
    """(n + 1, 13): the fixed frame in front of each joint and the joint's kind; last what follows the last joint."""
    revolute: Floats
    """(n,): 1.0 for a joint that turns, 0.0 for one that slides."""
    lower: Floats
    """(n,): limits in rad or m."""
    upper: Floats
    to_link: Floats
    """(n, 3, 3): turns the z-aligned frame of each joint back into the link's own frame."""

    @property
    def length(self) -> float:
        """The sum of the distances from each joint's frame to the next, the tool's being the last (m)."""
        return float(np.linalg.norm(self.constants[1:, 9:12], axis=1).sum())

    @property
    def reach(self) -> float:
        """No point on the chain is farther than this (m) from the first joint's origin within the limits."""
        strokes = np.where(self.revolute > 0.5, 0.0, np.maximum(np.abs(self.lower), np.abs(self.upper)))
        return float(self.length + strokes.sum())


Pose12: TypeAlias = tuple[
    float, float, float, float, float, float, float, float, float, float, float, float
]  # fmt: skip
"""A running pose in registers: its rotation row by row, then its origin."""


@inlined
def first_pose(constants: Floats) -> Pose12:
    """Return the fixed frame in front of the first joint."""
    c = constants[0]
    return c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8], c[9], c[10], c[11]


@inlined
def next_pose(pose: Pose12, is_revolute: bool, value: float, a: Floats) -> Pose12:
    """Move a running pose through one joint and the fixed frame `a` (12,) behind it."""
    r0, r1, r2, r3, r4, r5, r6, r7, r8, x, y, z = pose
    if is_revolute:
        # R ← R Rz(q): only the first two columns change
        s, c = sincos(value)
        r0, r1 = r0 * c + r1 * s, r1 * c - r0 * s
        r3, r4 = r3 * c + r4 * s, r4 * c - r3 * s
        r6, r7 = r6 * c + r7 * s, r7 * c - r6 * s
    else:
        # p ← p + q z, with z the third column of R
        x += r2 * value
        y += r5 * value
        z += r8 * value
    # (R, p) ← (R, p) A = (R R_a, R p_a + p)
    return (
        r0 * a[0] + r1 * a[3] + r2 * a[6],
        r0 * a[1] + r1 * a[4] + r2 * a[7],
        r0 * a[2] + r1 * a[5] + r2 * a[8],
        r3 * a[0] + r4 * a[3] + r5 * a[6],
        r3 * a[1] + r4 * a[4] + r5 * a[7],
        r3 * a[2] + r4 * a[5] + r5 * a[8],
        r6 * a[0] + r7 * a[3] + r8 * a[6],
        r6 * a[1] + r7 * a[4] + r8 * a[7],
        r6 * a[2] + r7 * a[5] + r8 * a[8],
        x + (r0 * a[9] + r1 * a[10] + r2 * a[11]),
        y + (r3 * a[9] + r4 * a[10] + r5 * a[11]),
        z + (r6 * a[9] + r7 * a[10] + r8 * a[11]),
    )


@inlined
def is_row_for(constants: Floats, q: Floats) -> bool:
    """Return whether `q` has one value per joint, side by side in memory: callers may not have looked."""
    return q.shape[0] == constants.shape[0] - 1 and q.strides[0] == 8


@short_kernel
def fk_into(constants: Floats, q: Floats, out: Floats) -> bool:
    """Write the pose of the chain's end at `q` (n,) to `out` (4, 4)."""
    if not is_row_for(constants, q):
        return False
    pose = first_pose(constants)
    usable = True
    # T = A_0 · J_1(q_1) · A_1 · … · J_n(q_n) · A_n, multiplied from the left
    for i in range(q.shape[0]):
        usable = usable and abs(q[i]) <= LARGEST
        pose = next_pose(pose, constants[i, KIND] > 0.5, q[i], constants[i + 1])
    out[0, 0], out[0, 1], out[0, 2], out[0, 3] = pose[0], pose[1], pose[2], pose[9]
    out[1, 0], out[1, 1], out[1, 2], out[1, 3] = pose[3], pose[4], pose[5], pose[10]
    out[2, 0], out[2, 1], out[2, 2], out[2, 3] = pose[6], pose[7], pose[8], pose[11]
    out[3, 0], out[3, 1], out[3, 2], out[3, 3] = 0.0, 0.0, 0.0, 1.0
    return usable


@short_kernel
def jacobian_into(constants: Floats, q: Floats, out: Floats) -> bool:
    """Write the Jacobian at `q` (n,) to `out` (6, n): linear velocity of the end on top.

    Before the second loop `out` holds each joint's axis (upper rows) and origin (lower rows).
    """
    if not is_row_for(constants, q):
        return False
    pose = first_pose(constants)
    usable = True
    for i in range(q.shape[0]):
        usable = usable and abs(q[i]) <= LARGEST
        # axis z_i: the third column of R in front of the joint; origin o_i
        out[0, i], out[1, i], out[2, i] = pose[2], pose[5], pose[8]
        out[3, i], out[4, i], out[5, i] = pose[9], pose[10], pose[11]
        pose = next_pose(pose, constants[i, KIND] > 0.5, q[i], constants[i + 1])
    # column i of J: [z_i × (p - o_i); z_i] where the joint turns, [z_i; 0] where it slides
    for i in range(q.shape[0]):
        zx, zy, zz = out[0, i], out[1, i], out[2, i]
        if constants[i, KIND] > 0.5:
            dx, dy, dz = pose[9] - out[3, i], pose[10] - out[4, i], pose[11] - out[5, i]
            out[0, i], out[1, i], out[2, i] = zy * dz - zz * dy, zz * dx - zx * dz, zx * dy - zy * dx
            out[3, i], out[4, i], out[5, i] = zx, zy, zz
        else:
            out[3, i], out[4, i], out[5, i] = 0.0, 0.0, 0.0
    return usable


@inlined
def start_block(constants: Floats, w: Floats, lanes: int) -> None:
    """Set the running pose of every lane of a block that is `lanes` wide to the first fixed frame."""
    for k in range(12):
        value = constants[0, k]
        for j in range(lanes):
            w[k * lanes + j] = value


@inlined
def advance_block(a: Floats, is_revolute: bool, values: Floats, w: Floats, lanes: int) -> None:
    """Move the running poses of all lanes through one joint with `values` (lanes,) and the fixed frame `a` (12,)."""
    a0, a1, a2, a3, a4, a5 = a[0], a[1], a[2], a[3], a[4], a[5]
    a6, a7, a8, px, py, pz = a[6], a[7], a[8], a[9], a[10], a[11]
    if is_revolute:
        for j in range(lanes):
            s, c = sincos(values[j])
            w[SINE * lanes + j] = s
            w[COSINE * lanes + j] = c
        # R ← R Rz(q) R_a, p ← p + R Rz(q) p_a, one row of the matrices at a time
        for row in range(3):
            o0, o1, o2, op = 3 * row * lanes, (3 * row + 1) * lanes, (3 * row + 2) * lanes, (ORIGIN + row) * lanes
            for j in range(lanes):
                s, c = w[SINE * lanes + j], w[COSINE * lanes + j]
                u0, u1, u2 = w[o0 + j], w[o1 + j], w[o2 + j]
                r0, r1 = u0 * c + u1 * s, u1 * c - u0 * s
                w[op + j] += r0 * px + r1 * py + u2 * pz
                w[o0 + j] = r0 * a0 + r1 * a3 + u2 * a6
                w[o1 + j] = r0 * a1 + r1 * a4 + u2 * a7
                w[o2 + j] = r0 * a2 + r1 * a5 + u2 * a8
    else:
        # R ← R R_a, p ← p + R (p_a + q z)
        for row in range(3):
            o0, o1, o2, op = 3 * row * lanes, (3 * row + 1) * lanes, (3 * row + 2) * lanes, (ORIGIN + row) * lanes
            for j in range(lanes):
                u0, u1, u2 = w[o0 + j], w[o1 + j], w[o2 + j]
                w[op + j] += u0 * px + u1 * py + u2 * (pz + values[j])
                w[o0 + j] = u0 * a0 + u1 * a3 + u2 * a6
                w[o1 + j] = u0 * a1 + u1 * a4 + u2 * a7
                w[o2 + j] = u0 * a2 + u1 * a5 + u2 * a8


@inlined
def load_joint(q: Floats, first: int, count: int, joint: int, values: Floats) -> float:
    """Copy one joint's values of a block to `values`; return how many of them are not usable."""
    bad = 0.0
    for j in range(count):
        value = q[first + j, joint]
        values[j] = value
        bad += 0.0 if abs(value) <= LARGEST else 1.0
    return bad


@kernel
def fk_batch_into(constants: Floats, revolute: Floats, q: Floats, out: Floats) -> bool:
    """Write the poses of the chain's end at the rows of `q` (m, n) to `out` (m, 4, 4)."""
    w = np.empty(WORK_ROWS * LANES)
    values = np.zeros(LANES)
    bad = 0.0
    for first in range(0, q.shape[0], LANES):
        count = min(LANES, q.shape[0] - first)
        # all lanes through all joints; lanes past the last row of q compute with old values, and are not read
        start_block(constants, w, LANES)
        for i in range(q.shape[1]):
            bad += load_joint(q, first, count, i, values)
            advance_block(constants[i + 1], revolute[i] > 0.5, values, w, LANES)
        for j in range(count):
            pose = out[first + j]
            for row in range(3):
                pose[row, 0] = w[3 * row * LANES + j]
                pose[row, 1] = w[(3 * row + 1) * LANES + j]
                pose[row, 2] = w[(3 * row + 2) * LANES + j]
                pose[row, 3] = w[(ORIGIN + row) * LANES + j]
            pose[3, 0], pose[3, 1], pose[3, 2], pose[3, 3] = 0.0, 0.0, 0.0, 1.0
    return bad == 0.0


@kernel
def jacobian_batch_into(constants: Floats, revolute: Floats, q: Floats, out: Floats) -> bool:
    """Write the Jacobians at the rows of `q` (m, n) to `out` (m, 6, n): linear velocity of the end on top."""
    n = q.shape[1]
    w = np.empty(WORK_ROWS * LANES)
    axes = np.empty(6 * n * LANES)  # per joint: z axis (3 rows), origin (3 rows); then column of J in the same place
    values = np.zeros(LANES)
    bad = 0.0
    for first in range(0, q.shape[0], LANES):
        count = min(LANES, q.shape[0] - first)
        start_block(constants, w, LANES)
        # outwards: keep axis z_i and origin o_i in front of each joint
        for i in range(n):
            for row in range(3):
                for j in range(LANES):
                    axes[(6 * i + row) * LANES + j] = w[(3 * row + 2) * LANES + j]
                    axes[(6 * i + 3 + row) * LANES + j] = w[(ORIGIN + row) * LANES + j]
            bad += load_joint(q, first, count, i, values)
            advance_block(constants[i + 1], revolute[i] > 0.5, values, w, LANES)
        # column i of J in their place: [z_i × (p - o_i); z_i] where the joint turns, [z_i; 0] where it slides
        for i in range(n):
            k = 6 * i * LANES
            if revolute[i] > 0.5:
                for j in range(LANES):
                    zx, zy, zz = axes[k + j], axes[k + LANES + j], axes[k + 2 * LANES + j]
                    dx = w[ORIGIN * LANES + j] - axes[k + 3 * LANES + j]
                    dy = w[(ORIGIN + 1) * LANES + j] - axes[k + 4 * LANES + j]
                    dz = w[(ORIGIN + 2) * LANES + j] - axes[k + 5 * LANES + j]
                    axes[k + j] = zy * dz - zz * dy
                    axes[k + LANES + j] = zz * dx - zx * dz
                    axes[k + 2 * LANES + j] = zx * dy - zy * dx
                    axes[k + 3 * LANES + j] = zx
                    axes[k + 4 * LANES + j] = zy
                    axes[k + 5 * LANES + j] = zz
            else:
                for j in range(3 * LANES):
                    axes[k + 3 * LANES + j] = 0.0
        # from one row per element to one matrix per state
        for j in range(count):
            J = out[first + j]
            for row in range(6):
                for i in range(n):
                    J[row, i] = axes[(6 * i + row) * LANES + j]
    return bad == 0.0


@kernel
def frames_batch_into(
    constants: Floats, revolute: Floats, to_link: Floats, base: Floats, q: Floats, out: Floats
) -> bool:
    """Write every frame at the rows of `q` (m, n) to `out` (m, n + 2, 4, 4): base, links, end.

    `to_link` (n, 3, 3) turns the z-aligned frame of each joint back into the link's own frame; `base` (4, 4) is the
    frame of the first link, which no joint moves.
    """
    n = q.shape[1]
    T = np.empty((3, 4))
    usable = True
    for m in range(q.shape[0]):
        # frame 0 is the base; T starts as the fixed frame in front of the first joint
        for row in range(4):
            for column in range(4):
                out[m, 0, row, column] = base[row, column]
        for row in range(3):
            T[row, 0], T[row, 1] = constants[0, 3 * row], constants[0, 3 * row + 1]
            T[row, 2], T[row, 3] = constants[0, 3 * row + 2], constants[0, 9 + row]
        for i in range(n):
            value = q[m, i]
            usable = usable and abs(value) <= LARGEST
            # T ← T J_i(q): R Rz(q) where the joint turns, p + q z where it slides
            if revolute[i] > 0.5:
                s, c = sincos(value)
                for row in range(3):
                    u0, u1 = T[row, 0], T[row, 1]
                    T[row, 0], T[row, 1] = u0 * c + u1 * s, u1 * c - u0 * s
            else:
                for row in range(3):
                    T[row, 3] += T[row, 2] * value
            # the link's own frame T · R_link, and T ← T A_i to the next joint
            link, R, a = out[m, i + 1], to_link[i], constants[i + 1]
            for row in range(3):
                u0, u1, u2 = T[row, 0], T[row, 1], T[row, 2]
                link[row, 0] = u0 * R[0, 0] + u1 * R[1, 0] + u2 * R[2, 0]
                link[row, 1] = u0 * R[0, 1] + u1 * R[1, 1] + u2 * R[2, 1]
                link[row, 2] = u0 * R[0, 2] + u1 * R[1, 2] + u2 * R[2, 2]
                link[row, 3] = T[row, 3]
                T[row, 0] = u0 * a[0] + u1 * a[3] + u2 * a[6]
                T[row, 1] = u0 * a[1] + u1 * a[4] + u2 * a[7]
                T[row, 2] = u0 * a[2] + u1 * a[5] + u2 * a[8]
                T[row, 3] += u0 * a[9] + u1 * a[10] + u2 * a[11]
            link[3, 0], link[3, 1], link[3, 2], link[3, 3] = 0.0, 0.0, 0.0, 1.0
        end = out[m, n + 1]
        for row in range(3):
            for column in range(4):
                end[row, column] = T[row, column]
        end[3, 0], end[3, 1], end[3, 2], end[3, 3] = 0.0, 0.0, 0.0, 1.0
    return usable

"""The numbers of a state, one after the other as 32-bit floats: what a page is told 60 times a second."""

from __future__ import annotations

from armlab.arrays import Floats
from armlab.kernels.jit import inlined, kernel
from armlab.kernels.rotation import quaternion

ROWS = 8
"""Rows of joint values: positions, speeds, accelerations and efforts, as they are and as they are commanded."""
SEVEN = 7
"""Numbers of a pose: x y z, and the quaternion w x y z."""


@kernel
def state_into(joints: Floats, scales: Floats, frames: Floats, bodies: Floats, extras: Floats, out: Floats) -> None:
    """Write joints (8, n) divided by `scales` (n,) but for the efforts, poses (m, 4, 4) as sevens, and extras."""
    n = joints.shape[1]
    at = 0
    for row in range(ROWS):
        is_effort = row % 4 == 3
        for i in range(n):
            out[at] = joints[row, i] / (1.0 if is_effort else scales[i])
            at += 1
    for k in range(len(frames)):
        _seven_into(frames[k], out[at : at + SEVEN])
        at += SEVEN
    for k in range(len(bodies)):
        _seven_into(bodies[k], out[at : at + SEVEN])
        at += SEVEN
    for i in range(len(extras)):
        out[at + i] = extras[i]


@inlined
def _seven_into(T: Floats, out: Floats) -> None:
    out[0], out[1], out[2] = T[0, 3], T[1, 3], T[2, 3]
    out[3], out[4], out[5], out[6] = quaternion(
        T[0, 0], T[0, 1], T[0, 2], T[1, 0], T[1, 1], T[1, 2], T[2, 0], T[2, 1], T[2, 2]
    )

"""What an inertial sensor on a link feels: specific force and angular rate, from joint motion.

One row per time. The chain is that of armlab.kernels.chain; `mount` (12,) is the sensor's frame in the z-aligned frame
of the last joint that moves it, rotation row by row and then origin.

Kernels do not raise. They return True when every joint value was finite and within ±LARGEST.
"""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.kernels.chain import first_pose, next_pose
from armlab.kernels.jit import kernel
from armlab.kernels.rotation import quaternion
from armlab.kernels.trig import LARGEST

GYRO, ACC, TURN, PLACE, SPEED, WIDTH = 0, 3, 6, 10, 13, 16
"""Columns of a row of motion: angular rate and specific force (in the sensor's frame), the quaternion wxyz of
R_world_sensor, position and velocity of the sensor's origin (in the world); and how many columns there are."""


@kernel
def cross(a: tuple[float, float, float], b: tuple[float, float, float]) -> tuple[float, float, float]:
    """Return a × b."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def motion_into(
    constants: Floats,
    revolute: Floats,
    mount: Floats,
    moved_by: int,
    gravity: Floats,
    q: Floats,
    qd: Floats,
    qdd: Floats,
    out: Floats,
) -> bool:
    """Write the motion of a sensor that the first `moved_by` joints move, for rows q, qd, qdd (m, n), to `out`.

    The recursion of velocities and accelerations along the chain, in world coordinates. Through a turning joint:
    ω' = ω + z q̇,  α' = α + z q̈ + ω × z q̇; through a sliding one, over d = z q:
    v' = v + ω × d + z q̇,  a' = a + α × d + ω × (ω × d) + 2 ω × z q̇ + z q̈; over a fixed offset r:
    v' = v + ω × r,  a' = a + α × r + ω × (ω × r). The specific force is Rᵀ (a − g).
    """
    usable = True
    after = np.empty((moved_by + 1, 12))  # the fixed frame behind each joint, the sensor's behind the last
    for i in range(1, moved_by):
        after[i - 1] = constants[i, :12]
    after[max(moved_by - 1, 0)] = mount
    for m in range(q.shape[0]):
        pose = first_pose(constants)
        w, al, v, a = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        for i in range(moved_by):
            value, rate, change = q[m, i], qd[m, i], qdd[m, i]
            usable = usable and abs(value) <= LARGEST and abs(rate) <= LARGEST and abs(change) <= LARGEST**2
            # the joint's axis: the third column of its frame, in the world
            z = (pose[2], pose[5], pose[8])
            turns = revolute[i] > 0.5
            rx, ry, rz = pose[9], pose[10], pose[11]
            pose = next_pose(pose, turns, value, after[i])
            wz = cross(w, z)
            # through the joint: ω, α of a turning one; v, a of a sliding one, with Coriolis' 2 ω × z q̇
            if turns:
                al = (al[0] + z[0] * change + wz[0] * rate, al[1] + z[1] * change + wz[1] * rate,
                      al[2] + z[2] * change + wz[2] * rate)  # fmt: skip
                w = (w[0] + z[0] * rate, w[1] + z[1] * rate, w[2] + z[2] * rate)
            else:
                v = (v[0] + z[0] * rate, v[1] + z[1] * rate, v[2] + z[2] * rate)
                a = (a[0] + z[0] * change + 2.0 * wz[0] * rate, a[1] + z[1] * change + 2.0 * wz[1] * rate,
                     a[2] + z[2] * change + 2.0 * wz[2] * rate)  # fmt: skip
            r = (pose[9] - rx, pose[10] - ry, pose[11] - rz)  # the joint's slide and the fixed offset: one rigid body
            # over the offset r: v + ω × r,  a + α × r + ω × (ω × r)
            wr = cross(w, r)
            ar, wwr = cross(al, r), cross(w, wr)
            v = (v[0] + wr[0], v[1] + wr[1], v[2] + wr[2])
            a = (a[0] + ar[0] + wwr[0], a[1] + ar[1] + wwr[1], a[2] + ar[2] + wwr[2])
        if moved_by == 0:
            pose = (mount[0], mount[1], mount[2], mount[3], mount[4], mount[5], mount[6], mount[7], mount[8],
                    mount[9], mount[10], mount[11])  # fmt: skip
        # specific force a − g, and both readings in the sensor's frame by Rᵀ
        fx, fy, fz = a[0] - gravity[0], a[1] - gravity[1], a[2] - gravity[2]
        row = out[m]
        for k in range(3):
            row[GYRO + k] = pose[k] * w[0] + pose[3 + k] * w[1] + pose[6 + k] * w[2]
            row[ACC + k] = pose[k] * fx + pose[3 + k] * fy + pose[6 + k] * fz
            row[PLACE + k] = pose[9 + k]
            row[SPEED + k] = v[k]
        turn = quaternion(pose[0], pose[1], pose[2], pose[3], pose[4], pose[5], pose[6], pose[7], pose[8])
        row[TURN], row[TURN + 1], row[TURN + 2], row[TURN + 3] = turn
    return usable

"""What an ideal inertial sensor on an arm reads: exact, from the motion of the joints."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.dynamics.forces import GRAVITY
from armlab.errors import InvalidInput
from armlab.kernels.sensing import imu
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.motion.trajectory import Trajectory
from armlab.sensing.imu_record import LONGEST, ImuRecord
from armlab.sensing.mount import Mount, on_chain
from armlab.threads import map_slices

NORTH = (20.0, 0.0, -45.0)
"""A magnetic field in the world (µT) as in the middle of Europe, x north: for magnetometers, unless said otherwise."""


def imu_along(
    robot: Robot,
    trajectory: Trajectory,
    mount: Mount,
    *,
    rate: float = 1000.0,
    gravity: ArrayLike = GRAVITY,
    field: ArrayLike = NORTH,
) -> ImuRecord:
    """Return what an ideal sensor on a link reads while the arm follows `trajectory`, at `rate` samples per second.

    Raises:
        UnknownName: if the arm has no such link.
        InvalidInput: if the rate is not positive, or makes too many samples.
    """
    return imu_at(robot, trajectory, times_of(trajectory.duration, rate), mount, gravity=gravity, field=field)


def imu_at(
    robot: Robot,
    trajectory: Trajectory,
    t: ArrayLike,
    mount: Mount,
    *,
    gravity: ArrayLike = GRAVITY,
    field: ArrayLike = NORTH,
) -> ImuRecord:
    """Return the same at the times `t` (m,) of the trajectory."""
    times = as_floats(t, (None,), "t")
    state = trajectory.sample(times)
    motion = sensor_motion(robot, mount, state.q, state.qd, state.qdd, gravity=gravity)
    return record_of(times, motion, mount.link, field)


def sensor_motion(
    robot: Robot, mount: Mount, q: ArrayLike, qd: ArrayLike, qdd: ArrayLike, *, gravity: ArrayLike = GRAVITY
) -> Floats:
    """Return the motion of a sensor for rows of joint motion (m, n): rows (m, 16) as in armlab.kernels.sensing.imu.

    Raises:
        InvalidInput: if a value is not finite, or too large.
    """
    rows = [as_floats(v, (None, robot.dof), f"{robot.name}: {who}") for who, v in (("q", q), ("qd", qd), ("qdd", qdd))]
    chain, law = robot.uncoupled.chain, robot.coupling
    if law is not None:
        rows = [law.expand(rows[0]), law.expand_rates(rows[1]), law.expand_rates(rows[2])]
    moved_by, frame = on_chain(robot, mount)
    g, out = as_floats(gravity, (3,), "gravity"), np.empty((len(rows[0]), imu.WIDTH))

    def fill(part: slice) -> bool:
        given = (chain.constants, chain.revolute, frame, moved_by, g)
        return imu.motion_into(*given, rows[0][part], rows[1][part], rows[2][part], out[part])

    if not all(map_slices(fill, len(out))):
        raise InvalidInput(
            "joint_motion_too_large", _("{robot}: a joint value, speed or acceleration is too large"), robot=robot.name
        )
    return out


def record_of(t: Floats, motion: Floats, name: str, field: ArrayLike | None = NORTH) -> ImuRecord:
    """Return rows of motion (m, 16) as a record; with a magnetometer where the world has a magnetic `field`."""
    turn = motion[:, imu.TURN : imu.PLACE]
    mag = None if field is None else turned_back(turn, as_floats(field, (3,), "field"))
    return ImuRecord(
        t,
        motion[:, imu.GYRO : imu.ACC],
        motion[:, imu.ACC : imu.TURN],
        mag,
        turn,
        motion[:, imu.PLACE : imu.SPEED],
        motion[:, imu.SPEED :],
        name,
        {"link": name},
    )


def turned_back(quaternions: Floats, v: Floats) -> Floats:
    """Return Rᵀ v (m, 3) for quaternions wxyz (m, 4) and a vector (3,) or vectors (m, 3) of the world."""
    w, u = quaternions[:, :1], -quaternions[:, 1:]
    twice = 2.0 * np.cross(u, np.broadcast_to(v, u.shape))
    return np.asarray(v + w * twice + np.cross(u, twice))


def times_of(duration: float, rate: float) -> Floats:
    """Return sample times from 0 to `duration` at `rate` per second."""
    if not (rate > 0.0 and np.isfinite(rate)):
        raise InvalidInput("rate_not_positive", _("rate must be > 0, got {rate:g} Hz"), rate=rate)
    if duration * rate > LONGEST:
        raise InvalidInput(
            "imu_too_long",
            _("{rate:g} Hz for {duration:g} s makes {count:.3g} samples; at most {most} are kept"),
            rate=rate,
            duration=duration,
            count=duration * rate,
            most=LONGEST,
        )
    return np.arange(int(np.floor(duration * rate + 1e-9)) + 1) / rate

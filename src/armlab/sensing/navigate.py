"""Where is the sensor, and how is it turned: orientation, velocity and position from what it read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.kernels.sensing import eskf, filters, vqf
from armlab.kernels.sensing.vqf_parts import VqfParameters
from armlab.messages import _
from armlab.model.scene import GRAVITY
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.rest import first_rest, standstills
from armlab.sensing.truth import turned_back

FilterName = Literal["strapdown", "complementary", "madgwick", "mahony", "vqf", "eskf"]
FILTERS: tuple[FilterName, ...] = get_args(FilterName)
TIME_CONSTANT = 3.0
"""s, of the complementary filter."""
BETA = 0.06
"""rad/s, of Madgwick's filter: between what suits real recordings (0.1) and simulated motions (docs/sensing.md)."""
KP = 1.0 / TIME_CONSTANT
KI = KP**2 / 100.0
HEADING_WEIGHT = 1.0 / 3.0
"""Gains of Mahony's filter (1/s, 1/s²): the time constant of the complementary filter, a bias that is learnt slowly,
and a heading that follows the field three times as slowly as the tilt does gravity."""
MAG_SIZE, MAG_DIP = 0.1, math.radians(10.0)
"""A field is disturbed if it is off by more than this share of the usual size, or this angle of the usual dip (rad)."""
MAG_PAUSE = 1.0
"""s before and after a disturbed sample in which the field is not used either."""
ESKF_NOISE = eskf.EskfNoise(
    gyro=1e-3, acc=5e-2, gyro_walk=5e-5, acc_walk=2e-4, gyro_scale=0.01, velocity=0.5, rest_velocity=0.005,
    rest_rate=0.01, every=1,
)  # fmt: skip
"""Of a consumer sensor with 1 % of scale error, that is moved at 0.5 m/s and turns back after 0.5 s."""
VELOCITY_RATE = 100.0
"""Hz: the error-state filter takes the velocity for bounded about this often."""
START_TIME = 0.3
"""s from whose accelerations the tilt at the start is found, if the record begins in motion: one reading has all the
noise and all the acceleration of its moment."""
_START = (1e-4, 1e-4, 0.02, 0.05, 0.01)
"""Deviations at the start: position (m), velocity (m/s), tilt (rad), biases (m/s², rad/s)."""


@dataclass(frozen=True, slots=True, eq=False)
class Estimate:
    """What a filter made of a record."""

    filter: FilterName
    t: Floats
    orientation: Floats
    """(m, 4) wxyz of R_world_sensor; heading counts from that at the start."""
    velocity: Floats | None = None
    """(m, 3) m/s; None for filters of orientation only."""
    position: Floats | None = None
    """(m, 3) m."""
    position_deviation: float | None = None
    """How far the position may be off at the end, by the filter's own covariance (m, standard deviation); None where
    that is not known."""
    gyro_bias: Floats | None = None
    """(m, 3) or (3,) rad/s, where it is estimated."""


def navigate(
    record: ImuRecord, how: FilterName = "eskf", *, start: ArrayLike | None = None, gravity: float = GRAVITY
) -> Estimate:
    """Return orientation, and where the filter knows them velocity and position, along a record.

    The start is `start` (wxyz), or the tilt that the accelerations of the first rest or moments show, with the heading
    of the magnetometer or 0. If the record begins at rest, the mean rate there is taken off as the gyroscope's bias. A
    magnetometer is used by madgwick, mahony and vqf.

    Raises:
        UnknownName: if there is no such filter.
        InvalidInput: if readings and time steps are so large that nothing finite follows from them.
    """
    if how not in FILTERS:
        raise UnknownName("filter", how, FILTERS)
    rest = first_rest(record)
    bias = record.gyro[:rest].mean(axis=0) if rest > 1 else np.zeros(3)
    gyro = np.ascontiguousarray(record.gyro - bias)
    q0 = _start(record, max(rest, 1)) if start is None else as_floats(start, (4,), "start")
    out = np.empty((len(record), 4))
    out[0] = q0 / np.linalg.norm(q0)
    mag = np.zeros((0, 3)) if record.mag is None else undisturbed(record.t, gyro, record.acc, record.mag, out[0])
    match how:
        case "strapdown":
            return _strapdown(record, gyro, out[0], gravity)
        case "eskf":
            return _eskf(record, gyro, bias, out[0], gravity)
        case "vqf":
            out = _vqf(record, gyro, out[0])
        case "complementary":
            filters.complementary_into(record.t, gyro, record.acc, TIME_CONSTANT, out)
        case "mahony":
            filters.mahony_into(record.t, gyro, record.acc, mag, (KP, KI, HEADING_WEIGHT), out, np.zeros(3))
        case "madgwick":
            filters.madgwick_into(record.t, gyro, record.acc, mag, BETA, out)
    return Estimate(how, record.t, out, gyro_bias=bias)


def tilt_of(acc: Floats) -> Floats:
    """Return the quaternion (4,) of a sensor at rest that reads `acc` (3,); its heading is 0."""
    size = float(np.linalg.norm(acc))
    x, y, z = acc / size if size > 0.0 else (0.0, 0.0, 1.0)
    roll, pitch = math.atan2(y, z), math.atan2(-x, math.hypot(y, z))
    return np.array(pose.quaternion_of(pose.from_xyz_rpy([0, 0, 0], [roll, pitch, 0.0])))


def _start(record: ImuRecord, rest: int) -> Floats:
    """Return the orientation at the start; the x axis of the world is magnetic north, where that is known."""
    q = tilt_of(record.acc[:rest].mean(axis=0) if rest > 1 else _first_force(record))
    if record.mag is None:
        return q
    x, y, _z = turned_back(q[None] * [1.0, -1.0, -1.0, -1.0], record.mag[:rest].mean(axis=0))[0]
    return np.asarray(about_z(q[None], -math.atan2(y, x))[0])


def _first_force(record: ImuRecord) -> Floats:
    """Return the mean specific force (3,) of the first moments of a motion, in the frame of the first reading."""
    n = min(int(np.searchsorted(record.t, record.t[0] + START_TIME, side="right")), len(record))
    turned = np.zeros((n, filters.STATE))
    turned[0, 0] = 1.0
    gyro, acc = np.ascontiguousarray(record.gyro[:n]), np.ascontiguousarray(record.acc[:n])
    filters.strapdown_into(record.t[:n], gyro, acc, np.zeros(3), turned)
    return np.asarray(turned_back(turned[:, :4] * [1.0, -1.0, -1.0, -1.0], acc).mean(axis=0))


def undisturbed(t: Floats, gyro: Floats, acc: Floats, mag: Floats, q0: Floats) -> Floats:
    """Return `mag` (m, 3) with zeros, which filters pass over, where iron or a magnet disturbs the field of the earth.

    It is disturbed where its size or its dip is not near the median of the record; the vertical is that of the
    complementary filter.
    """
    q = np.empty((len(t), 4))
    q[0] = q0
    filters.complementary_into(t, gyro, acc, TIME_CONSTANT, q)
    size = np.linalg.norm(mag, axis=1)
    level = np.maximum(size, np.finfo(np.float64).tiny)
    dip = np.arcsin(np.clip(turned_back(q * [1.0, -1.0, -1.0, -1.0], mag)[:, 2] / level, -1.0, 1.0))
    usual = np.median(size)
    near = (np.abs(size - usual) <= MAG_SIZE * usual) & (np.abs(dip - np.median(dip)) <= MAG_DIP)
    around = max(1, round(MAG_PAUSE / float(np.median(np.diff(t)))))
    far = np.concatenate([[0], np.cumsum(~near)])
    at = np.arange(len(t))
    clean = far[np.minimum(at + around, len(t) - 1) + 1] == far[np.maximum(at - around, 0)]
    return np.ascontiguousarray(np.where(clean[:, None], mag, 0.0))


def _strapdown(record: ImuRecord, gyro: Floats, q0: Floats, gravity: float) -> Estimate:
    out = np.zeros((len(record), filters.STATE))
    out[0, :4] = q0
    out[0, 7:] = 0.0 if record.position is None else record.position[0]
    out[0, 4:7] = 0.0 if record.velocity is None else record.velocity[0]
    filters.strapdown_into(record.t, gyro, record.acc, np.array([0.0, 0.0, -gravity]), out)
    return Estimate("strapdown", record.t, out[:, :4].copy(), out[:, 4:7].copy(), out[:, 7:].copy())


def _eskf(record: ImuRecord, gyro: Floats, bias: Floats, q0: Floats, gravity: float) -> Estimate:
    out = np.zeros((len(record), eskf.STATE))
    out[0, :4] = q0
    out[0, 7:10] = 0.0 if record.position is None else record.position[0]
    out[0, 4:7] = 0.0 if record.velocity is None else record.velocity[0]
    C = np.diag(np.repeat(np.square(_START), 3))
    C[eskf.H + 2, eskf.H + 2] += 1e-6
    noise = ESKF_NOISE._replace(every=max(1, round(record.rate / VELOCITY_RATE)))
    eskf.eskf_into(record.t, gyro, record.acc, standstills(record).astype(np.float64), gravity, noise, C, out)
    if not np.isfinite(out).all():
        template = _("{name}: filter {filter} does not stay finite: these are not the readings of a sensor")
        raise InvalidInput("filter_not_finite", template, name=record.name, filter="eskf")
    variance = float(np.trace(C[eskf.P : eskf.V, eskf.P : eskf.V]))
    # below 0 where readings are so large (10⁷ rad/s) that rounding leaves nothing of the covariance
    deviation = math.sqrt(variance) if 0.0 <= variance < math.inf else None
    parts = (out[:, :4].copy(), out[:, 4:7].copy(), out[:, 7:10].copy())
    return Estimate("eskf", record.t, *parts, deviation, out[:, 13:].copy() + bias)


def _vqf(record: ImuRecord, gyro: Floats, q0: Floats) -> Floats:
    """Return VQF's orientations (Laidig and Seel 2023), turned about z to the heading of the start."""
    mag = np.zeros((0, 3)) if record.mag is None else np.ascontiguousarray(record.mag)
    out = np.empty((len(record), vqf.COLUMNS))
    vqf.vqf_into(gyro, np.ascontiguousarray(record.acc), mag, 1.0 / record.rate, VqfParameters(), out)
    found = np.ascontiguousarray(out[:, : vqf.BIAS])
    return about_z(found, heading_of(difference(q0[None], found[:1]))[0])


def difference(a: Floats, b: Floats) -> Floats:
    """Return a ⊗ b⁻¹ (m, 4): the turn in the world from b to a."""
    w, x, y, z = a.T
    p, q, r, s = b[:, 0], -b[:, 1], -b[:, 2], -b[:, 3]
    return np.stack(
        [
            w * p - x * q - y * r - z * s,
            w * q + x * p + y * s - z * r,
            w * r - x * s + y * p + z * q,
            w * s + x * r - y * q + z * p,
        ],
        axis=1,
    )


def heading_of(q: Floats) -> Floats:
    """Return the heading (m,) of quaternions (m, 4): the angle about z that is left when the tilt is taken off."""
    return np.asarray(2.0 * np.arctan2(q[:, 3], q[:, 0]))


def about_z(q: Floats, angle: float) -> Floats:
    """Return quaternions (m, 4) turned about the world's z."""
    c, s = math.cos(0.5 * angle), math.sin(0.5 * angle)
    w, x, y, z = q.T
    return np.stack([c * w - s * z, c * x - s * y, c * y + s * x, c * z + s * w], axis=1)

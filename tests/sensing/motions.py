"""Simulated motions of a consumer sensor with known truth: hand, foot, vehicle; what filters are compared on."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, get_args

import numpy as np
from scipy.interpolate import make_interp_spline
from scipy.spatial.transform import Rotation

from armlab.arrays import Floats
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.noise import with_errors
from armlab.sensing.presets import preset
from armlab.sensing.truth import NORTH, turned_back

Motion = Literal["turns", "fast turns", "shifts", "fast shifts", "hand", "fast hand", "foot", "vehicle"]
MOTIONS: tuple[Motion, ...] = get_args(Motion)
RATE = 200.0
G = 9.81
_HAND: dict[str, tuple[float, float, float, float]] = {  # deviations of turn (rad) and place (m), knots of each (s)
    "turns": (0.9, 0.02, 0.9, 0.9),
    "fast turns": (0.9, 0.03, 0.5, 0.4),
    "shifts": (0.1, 0.15, 1.2, 0.8),
    "fast shifts": (0.15, 0.2, 0.8, 0.3),
    "hand": (0.7, 0.12, 0.9, 0.7),
    "fast hand": (0.8, 0.15, 0.55, 0.32),
}


def simulated(
    motion: Motion,
    *,
    seed: int,
    duration: float = 60.0,
    rest: float = 3.0,
    magnet: bool = False,
    sensor: str = "mpu-9250",
) -> ImuRecord:
    """Return what a consumer sensor reads on a motion after `rest` seconds of rest, with the truth.

    With a `magnet`, the field is disturbed by as much as itself for a third of the time.
    """
    rng = np.random.default_rng(seed)
    t = np.arange(round((rest + duration) * RATE) + 1) / RATE
    turn, place = _hand(motion, t, rest, rng) if motion in _HAND else _PATHS[motion](t, rest, rng)
    q, gyro = _rates(t, turn, rng)
    path = make_interp_spline(t, place, 5)
    acc = turned_back(q, path.derivative(2)(t) + np.array([0.0, 0.0, G]))
    field = np.tile(NORTH, (len(t), 1))
    if magnet:
        near = np.clip(-np.cos(2.0 * np.pi * t / 20.0) * 2.0 - 1.0, 0.0, None)
        field = field + near[:, None] * rng.normal(scale=30.0, size=3)
    ideal = ImuRecord(t, gyro, acc, turned_back(q, field), q, place, path.derivative()(t), motion)
    return with_errors(ideal, preset(sensor), seed=seed, temperature=float(rng.uniform(20.0, 35.0)))


def without_magnetometer(record: ImuRecord) -> ImuRecord:
    return replace(record, mag=None)


def _smooth(t: Floats, start: float, knot: float, rng: np.random.Generator) -> Floats:
    """Return a random motion (m, 3) of deviation 1 that begins at rest at `start`: a spline through random knots."""
    knots = np.arange(-8.0 * knot, t[-1] - start + 8.0 * knot, knot)
    values = rng.normal(size=(len(knots), 3))
    moved = make_interp_spline(knots, values, 5)(t - start)
    return np.asarray(moved * _ramp((t - start) / 1.5)[:, None])


def _ramp(x: Floats) -> Floats:
    """Return 0 before 0, 1 after 1, with four continuous derivatives between."""
    x = np.clip(x, 0.0, 1.0)
    return np.asarray(x**5 * (126.0 - 420.0 * x + 540.0 * x**2 - 315.0 * x**3 + 70.0 * x**4))


def _hand(motion: Motion, t: Floats, rest: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    turn, place, turn_knot, place_knot = _HAND[motion]
    return turn * _smooth(t, rest, turn_knot, rng), place * _smooth(t, rest, place_knot, rng)


def _foot(t: Floats, rest: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """A foot: it stands 0.45 s of a stride, swings 1.4 m on in the rest, and tips up by 60°."""
    stride = rng.uniform(1.05, 1.25)
    phase = np.clip((t - rest) / stride, 0.0, None)
    whole, part = np.floor(phase), phase - np.floor(phase)
    on = _ramp((part - 0.4) / 0.6)
    lift = np.sin(np.pi * on) ** 2
    place = np.stack([1.4 * (whole + on), 0.03 * lift, 0.12 * lift], axis=1)
    tip = (
        -1.05 * np.sin(np.pi * _ramp((part - 0.3) / 0.55)) ** 2 + 0.35 * np.sin(np.pi * _ramp((part - 0.7) / 0.3)) ** 2
    )
    return np.stack([0.15 * lift, -tip, 0.1 * lift], axis=1), place


def _vehicle(t: Floats, rest: float, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """A car: speeds of 0 to 15 m/s, curves, the body's vibration."""
    knots = np.arange(0.0, t[-1] + 40.0, 6.0)
    speed = make_interp_spline(knots, rng.uniform(0.0, 15.0, len(knots)), 5)(t)
    speed = np.abs(speed) * _ramp((t - rest) / 6.0)
    curve = make_interp_spline(knots, rng.normal(scale=0.15, size=len(knots)), 5)(t) * _ramp((t - rest) / 6.0)
    heading = np.cumsum(curve) / RATE
    flat = np.cumsum(np.stack([np.cos(heading) * speed, np.sin(heading) * speed], axis=1), axis=0) / RATE
    shake = 0.0004 * _smooth(t, rest, 0.05, rng)
    place = np.concatenate([flat, np.zeros((len(t), 1))], axis=1) + shake
    tilt = 0.03 * _smooth(t, rest, 1.0, rng)
    tilt[:, 2] = heading
    return tilt, place


_PATHS = {"foot": _foot, "vehicle": _vehicle}


def _rates(t: Floats, turn: Floats, rng: np.random.Generator) -> tuple[Floats, Floats]:
    """Return quaternions (m, 4) and rates (m, 3) of Rz(c) Ry(b) Rx(a), turned on the link at random."""
    mounted = Rotation.random(random_state=int(rng.integers(1 << 31)))
    rates = make_interp_spline(t, turn, 5).derivative()(t)
    a, b = turn[:, 0], turn[:, 1]
    ad, bd, cd = rates.T
    body = np.stack(
        [
            ad - cd * np.sin(b),
            bd * np.cos(a) + cd * np.sin(a) * np.cos(b),
            -bd * np.sin(a) + cd * np.cos(a) * np.cos(b),
        ],
        axis=1,
    )
    whole = Rotation.from_euler("ZYX", turn[:, ::-1]) * mounted
    q = whole.as_quat()[:, [3, 0, 1, 2]]
    return np.ascontiguousarray(q), np.asarray(mounted.inv().apply(body))

"""Inertial sensors made of other quantities, as in simulators without an accelerometer (S5): how far they are off.

Each takes an exact record that is sampled at the simulation's step, and returns what such a sensor would have read.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, as_floats
from armlab.dynamics.forces import GRAVITY
from armlab.errors import InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.messages import _
from armlab.sensing.imu_record import ImuRecord

Construction = Literal["exact", "forward", "central", "test_mass"]
STEPS = (0.001, 0.005, 0.02)
"""s: the steps at which constructions are compared."""
STIFFEST = 0.5
"""rad per step: the natural frequency of a test mass on its force sensor; a stiffer one cannot be stepped well."""
DAMPING = 0.05
"""Damping ratio of that force sensor: a stiff spring with little damping."""


class ConstructionError(NamedTuple):
    """How far a construction is from the exact sensor: the largest error of any axis, and the root mean square."""

    construction: Construction
    step: float
    """s."""
    acc_max: float
    acc_rms: float
    gyro_max: float
    gyro_rms: float


def constructed(record: ImuRecord, how: Construction, *, gravity: ArrayLike = GRAVITY) -> ImuRecord:
    """Return what a sensor made in that way would have read; the first and last sample are left out.

    `exact` changes nothing. `forward`: (v₁ − v₀)/dt, as in S5; `central`: (v₁ − v₋₁)/2dt; both minus g and turned into
    the sensor's frame, with the angular rate from R₀ᵀR₁ over the same step. `test_mass`: the force on a small mass on a
    stiff spring, with the angular rate of `forward`.

    Raises:
        InvalidInput: if the record has no truth, or is not sampled evenly.
    """
    if how not in get_args(Construction):
        raise UnknownName("construction", how, get_args(Construction))
    inner, dt = slice(1, -1), _step(record)
    R, v = record.R_world_sensor, _velocity(record)
    g = as_floats(gravity, (3,), "gravity")
    if how == "central":
        a = (v[2:] - v[:-2]) / (2.0 * dt)
        gyro = pose.rotation_vector(np.swapaxes(R[:-2], 1, 2) @ R[2:]) / (2.0 * dt)
    else:
        a = (v[2:] - v[1:-1]) / dt
        gyro = pose.rotation_vector(np.swapaxes(R[1:-1], 1, 2) @ R[2:]) / dt
    acc = np.einsum("mji,mj->mi", R[inner], a - g)
    if how == "exact":
        acc, gyro = record.acc[inner], record.gyro[inner]
    elif how == "test_mass":
        acc = _test_mass(record.acc, dt)[inner]
    return replace(
        record,
        t=record.t[inner],
        gyro=gyro,
        acc=acc,
        mag=None if record.mag is None else record.mag[inner],
        orientation=None if record.orientation is None else record.orientation[inner],
        position=None if record.position is None else record.position[inner],
        velocity=v[inner],
    )


def compare_constructions(
    exact_at: Callable[[float], ImuRecord], steps: Sequence[float] = STEPS, *, gravity: ArrayLike = GRAVITY
) -> list[ConstructionError]:
    """Return the errors of all constructions; `exact_at(step)` gives the exact record at a step (s)."""
    rows = []
    for step in steps:
        exact = exact_at(step)
        for how in get_args(Construction):
            made = constructed(exact, how, gravity=gravity)
            errors = [getattr(made, name) - getattr(exact, name)[1:-1] for name in ("acc", "gyro")]
            sizes = [f(e) for e in errors for f in (_largest, _rms)]
            rows.append(ConstructionError(how, step, *sizes))
    return rows


def _test_mass(force: Floats, dt: float) -> Floats:
    """Return the spring and damper force per mass of a test mass that starts unloaded, stepped semi-implicitly."""
    omega = STIFFEST / dt
    x, v, out = np.zeros(3), np.zeros(3), np.empty_like(force)
    for i, f in enumerate(force):
        held = omega**2 * x + 2.0 * DAMPING * omega * v
        v = v + dt * (f - held)
        x = x + dt * v
        out[i] = held
    return out


def _step(record: ImuRecord) -> float:
    steps = np.diff(record.t)
    dt = float(np.median(steps))
    if len(record) < 3 or np.abs(steps - dt).max() > 1e-6 * dt:
        raise InvalidInput("imu_not_even", _("{name}: the samples are not evenly spaced in time"), name=record.name)
    return dt


def _velocity(record: ImuRecord) -> Floats:
    if record.velocity is None:
        raise InvalidInput("imu_without_velocity", _("{name}: the record has no true velocity"), name=record.name)
    return record.velocity


def _largest(error: Floats) -> float:
    return float(np.abs(error).max())


def _rms(error: Floats) -> float:
    return float(np.sqrt(np.mean(error**2)))

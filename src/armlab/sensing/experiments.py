"""The four experiments of S5: rig (a), cube (b), carousel (c), bars (d), each with a table "paper / ours".

`armlab sense s5-tilt`, `s5-cube`, `s5-carousel` and `s5-bar` write what sensors read in them to files; `experiment_of`
makes the table from records, whether read from such files or run here, in the same scenes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple, get_args

import numpy as np

from armlab.arrays import Floats
from armlab.catalog import load
from armlab.catalog.scenes import load_scene
from armlab.errors import InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.messages import _
from armlab.model.scene import GRAVITY
from armlab.motion.joint import plan_joint
from armlab.motion.limits import limits_of
from armlab.motion.trajectory import Trajectory
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.kinds import imu, imu_record
from armlab.sensing.mount import Mount
from armlab.sensing.sensor import Sensor, attach_all
from armlab.sim.simulation import Simulation

ExperimentName = Literal["a", "b", "c", "d"]
SENSOR_ON_BAR = Mount("bar", pose.from_xyz([0.75, 0.0, 0.0]))
SENSOR_ON_CROSS_BAR = Mount("cross_bar", pose.from_xyz([0.025, 0.0, 0.0]))
TILT_RATE = math.radians(3.0)
REST, TURN = 10.0, 15.0
"""s of experiment a: rests, and turns by 45° between them."""
RADIUS, TURN_RATE = 0.75, math.pi / 4.0
PUSH, CUBE_MASS = 54.05, 5.0
"""N, kg."""
RUN_UPS = ((5, 45, 10), (5, 45, 5), (5, 30, 5), (15, 90, 5), (15, 45, 10), (15, 30, 20))
"""Torque (N m), set speed (°/s) and mass of the bar (kg)."""
RUN_UP_ERRORS = (0.018, 0.008, 0.012, 0.012, 0.012, 0.015)
"""s: what the paper's run-ups were off."""
RUN_UP_START = 0.5
"""s: when the torque begins in the scene."""
INERTIA = 0.265
"""m²: the moment of inertia of a bar per its mass."""


class ExperimentRow(NamedTuple):
    """One line of a table: what was measured, what physics says, and how far the paper and we are off it."""

    what: str
    expected: float
    ours: float
    paper_error: float
    our_error: float
    unit: str


@dataclass(frozen=True, slots=True, eq=False)
class Experiment:
    """An experiment that was run: its table, and what the sensors read."""

    name: ExperimentName
    rows: tuple[ExperimentRow, ...]
    records: tuple[ImuRecord, ...]


def experiment_of(name: ExperimentName, records: Sequence[ImuRecord]) -> Experiment:
    """Return the table of an experiment from what its sensors read.

    Records, in this order: a: `bar@750,0,0`, `cross_bar@25,0,0`; b: `cube`; c: `bar@750,0,0`; d: `bar-1` … `bar-6`.

    Raises:
        UnknownName: if there is no such experiment.
        InvalidInput: if it has another number of sensors, or a record is too short.
    """
    if name not in get_args(ExperimentName):
        raise UnknownName("experiment", name, get_args(ExperimentName))
    count, table = _TABLES[name]
    if len(records) != count:
        raise InvalidInput(
            "experiment_records",
            _("experiment {name}: {count} records are needed, got {given}"),
            name=name,
            count=count,
            given=len(records),
        )
    return Experiment(name, tuple(table(*records)), tuple(records))


def rig_at_rest(*, timestep: float = 0.001, rate: float = 100.0) -> Experiment:
    """Run experiment a: the cross bar turns about x at 3 °/s to 45° and 90°, with rests; sensors on both links."""
    places = [np.array([0.0, math.radians(angle)]) for angle in (0.0, 45.0, 90.0)]
    motion = _turns(places, TILT_RATE, REST)
    return experiment_of("a", _sensed("s5-rig", [SENSOR_ON_BAR, SENSOR_ON_CROSS_BAR], timestep, rate, motion))


def pushed_cube(*, timestep: float = 0.001, rate: float = 200.0) -> Experiment:
    """Run experiment b: a cube of 5 kg rests until 2.5 s, is pushed up by 54.05 N until 5 s, and falls."""
    return experiment_of("b", _sensed("s5-cube", [Mount("cube")], timestep, rate, 5.5))


def carousel(*, timestep: float = 0.001, rate: float = 100.0) -> Experiment:
    """Run experiment c: a sensor 0.75 m from the axis turns once, with π/4 rad/s."""
    motion = _turns([np.zeros(2), np.array([2.0 * math.pi, 0.0])], TURN_RATE, 2.0)
    return experiment_of("c", _sensed("s5-rig", [SENSOR_ON_BAR], timestep, rate, motion))


def run_ups(*, timestep: float = 0.001) -> Experiment:
    """Run experiment d: torques turn bars up to set speeds; the end is where the line of the ramp meets the speed."""
    bars = [Mount(f"bar-{i}") for i in range(1, len(RUN_UPS) + 1)]
    return experiment_of("d", _sensed("s5-bar", bars, timestep, 1.0 / timestep, 1.5))


def all_experiments() -> tuple[Experiment, ...]:
    """Run the four experiments with the exact sensor at 1 ms."""
    return rig_at_rest(), pushed_cube(), carousel(), run_ups()


def ramp_line(t: Floats, rate: Floats, speed: float) -> tuple[float, float]:
    """Return slope and level of the regression line through the ramp of `rate` (m,), up to 95 % of the set speed."""
    end = int(np.argmax(rate >= 0.95 * speed))
    begin = int(np.argmax(rate >= 0.05 * speed))
    if end - begin < 2:
        raise InvalidInput("ramp_missing", _("no ramp up to {speed:g} rad/s in the record"), speed=speed)
    slope, level = np.polyfit(t[begin:end], rate[begin:end], 1)
    return float(slope), float(level)


def ramp_end(t: Floats, rate: Floats, speed: float) -> float:
    """Return when the regression line through the ramp of `rate` (m,) meets the set `speed`."""
    slope, level = ramp_line(t, rate, speed)
    return (speed - level) / slope


def _tilt_rows(bar: ImuRecord, cross: ImuRecord) -> list[ExperimentRow]:
    rows = []
    for i, angle in enumerate((0.0, math.pi / 4.0, math.pi / 2.0)):
        shown, end = round(math.degrees(angle)), REST + i * (TURN + REST)
        at = _between(cross, end - 0.2 * REST, end - 0.1)
        force = GRAVITY * np.array([0.0, math.sin(angle), math.cos(angle)])
        off = float(np.abs(cross.acc[at] - force).max())
        size, split = float(cross.acc[at, 1].mean()), float(force[1])
        rows.append(
            ExperimentRow(
                f"y axis at {shown}°, at rest", split / GRAVITY, size / GRAVITY, 1e-4 / GRAVITY, off / GRAVITY, "g"
            )
        )
        still = float(np.abs(cross.gyro[at]).max())
        rows.append(
            ExperimentRow(f"rate at {shown}°, at rest", 0.0, float(cross.gyro[at, 0].mean()), 5e-7, still, "rad/s")
        )
    for i, shown in enumerate((45, 90)):
        start = REST + i * (TURN + REST)
        at = _between(cross, start + 0.2 * TURN, start + 0.8 * TURN)
        turning = float(np.abs(cross.gyro[at] - [TILT_RATE, 0.0, 0.0]).max())
        mean = float(cross.gyro[at, 0].mean())
        rows.append(ExperimentRow(f"rate in the turn to {shown}°", TILT_RATE, mean, 5e-7, turning, "rad/s"))
    level = float(np.abs(bar.acc[_between(bar, 0.0, REST)] - [0.0, 0.0, GRAVITY]).max())
    size = float(bar.acc[_between(bar, 0.0, REST), 2].mean())
    return [*rows, ExperimentRow("z axis of the sensor on the bar", GRAVITY, size, 1e-4, level, "m/s²")]


def _cube_rows(cube: ImuRecord) -> list[ExperimentRow]:
    rows = []
    for what, start, end, expected in (
        ("rest", 2.0, 2.5, GRAVITY),
        ("push of 54.05 N", 2.5, 5.0, PUSH / CUBE_MASS),
        ("free fall", 5.0, 5.5, 0.0),
    ):
        part = cube.acc[_between(cube, start, end)]
        off = float(np.abs(part - [0.0, 0.0, expected]).max())
        rows.append(ExperimentRow(what, expected, float(part[:, 2].mean()), 1e-4, off, "m/s²"))
    return rows


def _carousel_rows(bar: ImuRecord) -> list[ExperimentRow]:
    at, radial = _between(bar, 3.0, 9.0), TURN_RATE**2 * RADIUS
    off = float(np.abs(bar.acc[at] - [-radial, 0.0, GRAVITY]).max())
    rate_off = float(np.abs(bar.gyro[at] - [0.0, 0.0, TURN_RATE]).max())
    return [
        ExperimentRow("radial acceleration", radial, float(-bar.acc[at, 0].mean()), 1e-4, off, "m/s²"),
        ExperimentRow("rate about z", TURN_RATE, float(bar.gyro[at, 2].mean()), 1e-4, rate_off, "rad/s"),
    ]


def _run_up_rows(*bars: ImuRecord) -> list[ExperimentRow]:
    rows = []
    for record, (torque, speed, mass), paper in zip(bars, RUN_UPS, RUN_UP_ERRORS, strict=True):
        omega = math.radians(speed)
        found, expected = ramp_end(record.t, record.gyro[:, 2], omega) - RUN_UP_START, INERTIA * mass * omega / torque
        what = f"M = {torque} N m, ω = {speed} °/s, m = {mass} kg"
        rows.append(ExperimentRow(what, expected, found, paper, abs(found - expected), "s"))
    return rows


_TABLES: dict[ExperimentName, tuple[int, Callable[..., list[ExperimentRow]]]] = {
    "a": (2, _tilt_rows),
    "b": (1, _cube_rows),
    "c": (1, _carousel_rows),
    "d": (len(RUN_UPS), _run_up_rows),
}
"""How many records an experiment has, and what makes its table of them."""


def _between(record: ImuRecord, start: float, end: float) -> slice:
    """Return the samples with start ≤ t < end."""
    first, last = (int(np.searchsorted(record.t, time - 1e-9)) for time in (start, end))
    if last - first < 1:
        raise InvalidInput(
            "experiment_record_short",
            _("{name}: the record has no samples from {start:g} to {end:g} s"),
            name=record.name,
            start=start,
            end=end,
        )
    return slice(first, last)


def _turns(places: Sequence[Floats], speed: float, rest: float) -> Trajectory:
    """Return a motion of the rig: rests (s) at `places` (2,), and turns between them with that speed (rad/s)."""
    rig = load("s5-rig")
    moved = int(np.argmax(np.abs(places[-1])))
    limits = limits_of(rig)
    limits = limits.scaled(speed=speed / float(limits.velocity[moved]))
    whole = Trajectory.rest(places[0], rest)
    for one, two in pairwise(places):
        whole = whole.then(plan_joint(rig, [one, two], limits=limits)).then(Trajectory.rest(two, rest))
    return whole


def _sensed(
    scene: str, mounts: Sequence[Mount], timestep: float, rate: float, motion: Trajectory | float
) -> list[ImuRecord]:
    """Return what exact sensors read while the rig of a shipped scene moves, or stands for some seconds."""
    simulation = Simulation(load_scene(scene), timestep=timestep)
    sensors = [Sensor(imu(mount, rate=rate)) for mount in mounts]
    attach_all(sensors, simulation)
    if isinstance(motion, Trajectory):
        told = motion.sample(motion.times(timestep)[1:])
        simulation.follow(told.q, told.qd)
    else:
        simulation.step(round(motion / timestep))
    return [imu_record(sensor.spec, sensor.samples()) for sensor in sensors]

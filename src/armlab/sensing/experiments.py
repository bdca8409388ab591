"""The four experiments of S5 in simulation: rig, cube, carousel and bar, each with a table "paper / ours"."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.catalog import load
from armlab.catalog.scenes import load_scene
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia
from armlab.model.robot import Robot
from armlab.model.scene import GRAVITY, Scene
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.kinds import Imu
from armlab.sensing.mount import Mount
from armlab.sim.simulation import Simulation

ExperimentName = Literal["a", "b", "c", "d"]
SENSOR_ON_BAR = Mount("bar", pose.from_xyz([0.75, 0.0, 0.0]))
SENSOR_ON_CROSS_BAR = Mount("cross_bar", pose.from_xyz([0.025, 0.0, 0.0]))
RADIUS, TURN_RATE = 0.75, math.pi / 4.0
PUSH = 54.05
"""N, on a cube of 5 kg."""
RUN_UPS = ((5, 45, 10), (5, 45, 5), (5, 30, 5), (15, 90, 5), (15, 45, 10), (15, 30, 20))
"""Torque (N m), set speed (°/s) and mass of the bar (kg)."""
RUN_UP_ERRORS = (0.018, 0.008, 0.012, 0.012, 0.012, 0.015)
"""s: what the paper's run-ups were off."""
INERTIA = 0.265
"""m²: the moment of inertia about the rig's axis per mass of the bar; the catalog's rig has it to 1e-9."""
BAR_MASS = 10.0
"""kg: the catalog's rig."""


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
    """An experiment that was run: its table, and what the exact sensors read."""

    name: ExperimentName
    rows: tuple[ExperimentRow, ...]
    records: tuple[ImuRecord, ...]


def rig_at_rest(*, pause: float = 10.0, timestep: float = 0.001, rate: float = 100.0) -> Experiment:
    """Run experiment a: the cross bar turns about x at 3 °/s to 45° and 90°, with pauses (s); sensors on both links.

    At rest gravity is split over the axes; in the turn the gyroscope reads 3 °/s.
    """
    simulation = Simulation(Scene.of(load("s5-rig")), timestep=timestep, contacts="none")
    sensors = [Imu(mount, rate=rate) for mount in (SENSOR_ON_BAR, SENSOR_ON_CROSS_BAR)]
    for sensor in sensors:
        sensor.attach(simulation)
    speed, steps = math.radians(3.0), round(15.0 / timestep)
    marks = []
    for angle in (0.0, math.pi / 4.0, math.pi / 2.0):
        if angle > 0.0:
            start = angle - math.pi / 4.0
            q = np.zeros((steps, 2))
            q[:, 1] = start + speed * timestep * np.arange(1, steps + 1)
            simulation.follow(q, np.tile([0.0, speed], (steps, 1)))
            marks.append((simulation.time, angle, speed))
        simulation.command(q=[0.0, angle], qd=[0.0, 0.0])
        simulation.step(round(pause / timestep))
        marks.append((simulation.time, angle, 0.0))
    records = tuple(sensor.record() for sensor in sensors)
    rows = []
    for time, angle, turning in marks:
        state = "at rest" if turning == 0.0 else "in the turn, before the end"
        at = int(np.searchsorted(records[1].t, time - 1e-9))
        place = angle - turning * (time - records[1].t[at])
        force = GRAVITY * np.array([0.0, math.sin(place), math.cos(place)])
        shown = round(math.degrees(angle))
        off = float(np.abs(records[1].acc[at] - force).max())
        size = float(np.abs(records[1].acc[at, 1])) / GRAVITY
        rows.append(
            ExperimentRow(
                f"y axis at {shown}°, {state}", abs(force[1]) / GRAVITY, size, 1e-4 / GRAVITY, off / GRAVITY, "g"
            )
        )
        rate_off = float(np.abs(records[1].gyro[at] - np.array([turning, 0.0, 0.0])).max())
        rows.append(
            ExperimentRow(f"rate at {shown}°, {state}", turning, float(records[1].gyro[at, 0]), 5e-7, rate_off, "rad/s")
        )
    return Experiment("a", tuple(rows), records)


def pushed_cube(*, timestep: float = 0.001, rate: float = 200.0) -> Experiment:
    """Run experiment b: a cube of 5 kg rests until 2.5 s, is pushed up by 54.05 N until 5 s, and falls."""
    simulation = Simulation(load_scene("s5-rig"), timestep=timestep)
    sensor = Imu(Mount("cube"), rate=rate)
    sensor.attach(simulation)
    simulation.step(round(2.5 / timestep))
    simulation.push("cube", [0.0, 0.0, PUSH])
    simulation.step(round(2.5 / timestep))
    simulation.push("cube")
    simulation.step(round(0.5 / timestep))
    record = sensor.record()
    rows = []
    for what, start, end, expected in (
        ("rest", 2.0, 2.5, GRAVITY),
        ("push of 54.05 N", 3.0, 5.0, PUSH / 5.0),
        ("free fall", 5.05, 5.5, 0.0),
    ):
        part = record.acc[(record.t > start) & (record.t <= end - 0.5 / rate)]
        off = float(np.abs(part - [0.0, 0.0, expected]).max())
        rows.append(ExperimentRow(what, expected, float(part[:, 2].mean()), 1e-4, off, "m/s²"))
    return Experiment("b", tuple(rows), (record,))


def carousel(*, seconds: float = 4.0, timestep: float = 0.001, rate: float = 100.0) -> Experiment:
    """Run experiment c: a sensor 0.75 m from the axis turns with π/4 rad/s."""
    simulation = Simulation(Scene.of(load("s5-rig")), timestep=timestep, contacts="none")
    sensor = Imu(SENSOR_ON_BAR, rate=rate)
    simulation.command(qd=[TURN_RATE, 0.0])
    simulation.step(round(2.0 / timestep))
    sensor.attach(simulation)
    simulation.step(round(seconds / timestep))
    record = sensor.record()
    radial = TURN_RATE**2 * RADIUS
    off = float(np.abs(record.acc - [-radial, 0.0, GRAVITY]).max())
    rate_off = float(np.abs(record.gyro - [0.0, 0.0, TURN_RATE]).max())
    rows = (
        ExperimentRow("radial acceleration", radial, float(-record.acc[:, 0].mean()), 1e-4, off, "m/s²"),
        ExperimentRow("rate about z", TURN_RATE, float(record.gyro[:, 2].mean()), 1e-4, rate_off, "rad/s"),
    )
    return Experiment("c", rows, (record,))


def run_ups(*, timestep: float = 0.001) -> Experiment:
    """Run experiment d: a torque turns the bar up to a set speed; the end is where the line of the ramp meets it."""
    rows, records = [], []
    for (torque, speed, mass), paper in zip(RUN_UPS, RUN_UP_ERRORS, strict=True):
        omega, inertia = math.radians(speed), INERTIA * mass
        record = _run_up(torque, omega, mass, timestep)
        records.append(record)
        found, expected = ramp_end(record.t, record.gyro[:, 2], omega), inertia * omega / torque
        what = f"M = {torque} N m, ω = {speed} °/s, m = {mass} kg"
        rows.append(ExperimentRow(what, expected, found, paper, abs(found - expected), "s"))
    return Experiment("d", tuple(rows), tuple(records))


def ramp_end(t: Floats, rate: Floats, speed: float) -> float:
    """Return when the regression line through the ramp of `rate` (m,) meets the set `speed`."""
    ramp = slice(0, int(np.argmax(rate >= 0.95 * speed)))
    slope, level = np.polyfit(t[ramp], rate[ramp], 1)
    return float((speed - level) / slope)


def all_experiments() -> tuple[Experiment, ...]:
    """Run the four experiments with the exact sensor at 1 ms."""
    return rig_at_rest(), pushed_cube(), carousel(), run_ups()


def _run_up(torque: float, omega: float, mass: float, timestep: float) -> ImuRecord:
    robot = _scaled(load("s5-rig"), mass / BAR_MASS)
    simulation = Simulation(Scene.of(robot), timestep=timestep, contacts="none")
    sensor = Imu(SENSOR_ON_BAR, rate=1.0 / timestep)
    sensor.attach(simulation)
    simulation.command(tau=[torque, 0.0])
    while simulation.state().qd[0] < omega:
        simulation.step()
    simulation.command(qd=[omega, 0.0])
    simulation.step(round(0.1 / timestep))
    return sensor.record()


def _scaled(robot: Robot, share: float) -> Robot:
    """Return the arm with all masses multiplied."""
    links = tuple(
        replace(link, inertia=Inertia(link.inertia.mass * share, link.inertia.com, link.inertia.matrix * share))
        for link in robot.links
    )
    return replace(robot, links=links, configurations=dict(robot.configurations))

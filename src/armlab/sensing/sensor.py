"""A sensor is a description with its own clock, delay, noise and seed; it listens to the steps of a simulation."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.sim.probe import SimProbe
from armlab.sim.simulation import Simulation

Kind = Literal["imu", "encoders", "torques", "wrench", "laser", "proximity", "contact", "camera", "other"]
KINDS: tuple[Kind, ...] = ("imu", "encoders", "torques", "wrench", "laser", "proximity", "contact", "camera", "other")

Read = Callable[[SimProbe], ArrayLike]
Errors = Callable[[Floats], Floats]
"""From the next true values (m, …) to readings (m, …): it goes on where it was, and blocks make no difference."""
Noise = Callable[[float, int], Errors]
"""Begins the errors of a sensor with a rate (Hz) and a seed."""


class Reading(NamedTuple):
    """One value, stamped with the time that it is about, not the time at which it arrived (s)."""

    time: float
    arrived: float
    value: Floats


class SensorSamples(NamedTuple):
    """Readings in the order in which they were taken."""

    t: Floats
    """(m,) s, when they were taken."""
    true: Floats
    """(m, …): what was there."""
    read: Floats
    """(m, …): what the sensor says. Of an inertial unit: rate, force and field (m, 9), of a true motion (m, 16)."""


@dataclass(frozen=True, slots=True, eq=False)
class SensorSpec:
    """What a sensor measures, how often (Hz), how late (s) and how badly; the same wherever it is simulated."""

    name: str
    read: Read
    rate_hz: float
    delay_s: float = 0.0
    noise: Noise | None = None
    """None: exact."""
    seed: int = 0
    """Of its errors: two sensors with the same seed and the same motion read the same, to the bit."""
    kind: Kind = "other"
    place: str = ""
    """The link, body or arm that it is on."""
    preset: str = ""

    def __post_init__(self) -> None:
        if not (self.delay_s >= 0.0 and math.isfinite(self.delay_s)):
            raise InvalidInput(
                "delay_negative",
                _("sensor '{name}': delay must be ≥ 0, got {delay:g} s"),
                name=self.name,
                delay=self.delay_s,
            )
        if self.seed < 0:
            raise InvalidInput("seed_negative", _("seed must be ≥ 0, got {seed}"), seed=self.seed)


class Sensor:
    """A sensor in one simulation: it reads when it is due, and hands out what has arrived."""

    def __init__(self, spec: SensorSpec) -> None:
        self.spec = spec
        self._errors = None if spec.noise is None else spec.noise(spec.rate_hz, spec.seed)
        self._under_way: deque[tuple[float, Floats]] = deque()

    def attach(self, simulation: Simulation) -> Callable[[], None]:
        """Read at the sensor's rate from now on; return how to end that.

        Raises:
            InvalidInput: if the simulation's step does not allow the rate.
        """
        return attach_all([self], simulation)

    def take(self, probe: SimProbe) -> None:
        """Read now; the reading arrives after the delay."""
        true = np.atleast_1d(np.asarray(self.spec.read(probe), dtype=np.float64))
        self._under_way.append((probe.time, true))

    def samples(self, now: float = math.inf) -> SensorSamples:
        """Hand out, once, what has arrived until `now` (s)."""
        due: list[tuple[float, Floats]] = []
        while self._under_way and self._under_way[0][0] + self.spec.delay_s <= now + 1e-12:
            due.append(self._under_way.popleft())
        if not due:
            return SensorSamples(np.empty(0), np.empty((0, 0)), np.empty((0, 0)))
        true = np.array([value for _time, value in due])
        read = true if self._errors is None else self._errors(true)
        return SensorSamples(np.array([time for time, _value in due]), true, read)

    def readings(self, now: float = math.inf) -> Iterator[Reading]:
        """Hand out the same one by one."""
        t, _true, read = self.samples(now)
        for time, value in zip(t.tolist(), read, strict=True):
            yield Reading(time, time + self.spec.delay_s, value)


def attach_all(sensors: Iterable[Sensor], simulation: Simulation) -> Callable[[], None]:
    """Attach sensors so that those of the same rate share one measurement of the state; return how to end that."""
    by_rate: dict[float, list[Sensor]] = {}
    for sensor in sensors:
        by_rate.setdefault(sensor.spec.rate_hz, []).append(sensor)

    def listener(group: list[Sensor]) -> Callable[[Simulation], None]:
        def listen(simulation: Simulation) -> None:
            probe = simulation.measure()
            for sensor in group:
                sensor.take(probe)

        return listen

    ends = [simulation.every(rate, listener(group)) for rate, group in by_rate.items()]

    def end() -> None:
        for stop in ends:
            stop()

    return end


def gaussian(deviation: float | Floats) -> Noise:
    """Return white noise of that standard deviation: one for all numbers of a reading, or one for each."""

    def begin(_rate: float, seed: int) -> Errors:
        random = np.random.default_rng(seed)
        return lambda true: true + deviation * random.standard_normal(true.shape)

    return begin


def quantised(resolution: float, offset: float = 0.0) -> Noise:
    """Return the error of an encoder: a constant offset, then steps of `resolution`."""
    return lambda _rate, _seed: lambda true: np.round((true + offset) / resolution) * resolution

"""A sensor is a description with its own clock, delay, noise and seed; it listens to the steps of a simulation."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.sim.probe import SimProbe
from armlab.sim.simulation import Simulation

Read = Callable[[SimProbe], ArrayLike]
Noise = Callable[[Floats, np.random.Generator], Floats]


class Reading(NamedTuple):
    """One value, stamped with the time that it is about, not the time at which it arrived (s)."""

    time: float
    arrived: float
    value: Floats


@dataclass(frozen=True, slots=True, eq=False)
class SensorSpec:
    """What a sensor measures, how often (Hz), how late (s) and how badly."""

    name: str
    read: Read
    rate_hz: float
    delay_s: float = 0.0
    noise: Noise | None = None
    """From the true value and a random generator to the reading; None: exact."""

    def __post_init__(self) -> None:
        if not (self.delay_s >= 0.0 and math.isfinite(self.delay_s)):
            raise InvalidInput(
                "delay_negative",
                _("sensor '{name}': delay must be ≥ 0, got {delay:g} s"),
                name=self.name,
                delay=self.delay_s,
            )


class Sensor:
    """A sensor in one simulation: it reads when it is due, and hands out what has arrived.

    Args:
        spec: what it is.
        seed: of its noise; two sensors with the same seed and the same motion read the same.
    """

    def __init__(self, spec: SensorSpec, *, seed: int = 0) -> None:
        self.spec, self.seed = spec, seed
        self._random = np.random.default_rng(seed)
        self._under_way: deque[Reading] = deque()

    def attach(self, simulation: Simulation) -> Callable[[], None]:
        """Read at the sensor's rate from now on; return how to end that.

        Raises:
            InvalidInput: if the simulation's step does not allow the rate.
        """
        return simulation.every(self.spec.rate_hz, lambda s: self.take(s.measure()))

    def take(self, probe: SimProbe) -> None:
        """Read now; the reading arrives after the delay."""
        true = np.atleast_1d(np.asarray(self.spec.read(probe), dtype=np.float64))
        value = true if self.spec.noise is None else self.spec.noise(true, self._random)
        self._under_way.append(Reading(probe.time, probe.time + self.spec.delay_s, value))

    def readings(self, now: float = math.inf) -> Iterator[Reading]:
        """Hand out, once, what has arrived until `now` (s)."""
        while self._under_way and self._under_way[0].arrived <= now + 1e-12:
            yield self._under_way.popleft()


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


def gaussian(deviation: float) -> Noise:
    """Return white noise of that standard deviation."""
    return lambda value, random: value + deviation * random.standard_normal(value.shape)


def quantised(resolution: float, offset: float = 0.0) -> Noise:
    """Return the error of an encoder: a constant offset, then steps of `resolution`."""
    return lambda value, _random: np.round((value + offset) / resolution) * resolution

"""Errors of inertial sensors as data sheets state them, for whole records or block by block; seeded."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace

import numpy as np

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.kernels.sensing import noise as kernels
from armlab.messages import _
from armlab.sensing.imu_record import ImuRecord

SECTIONS_PER_DECADE = 1.5
SLOWEST = 1e-6
"""Hz: 1/f noise goes on down to here, a period of 12 days."""
REFERENCE_TEMPERATURE = 25.0
"""°C: biases and scale factors of data sheets hold there."""


@dataclass(frozen=True, slots=True, eq=False)
class TriadModel:
    """The errors of three axes of the same kind, in units of the quantity u: rad/s, m/s² or µT.

    The reading is `M (1 + scale) u` plus bias, noise and what leaks in from other quantities, low-passed, quantised and
    clipped. Ranges such as `bias` are the standard deviation from one sensor to the next: each seed draws its own.
    """

    noise_density: float = 0.0
    """White noise, u/√Hz: the N of the Allan deviation, σ(τ) = N/√τ."""
    bias: float = 0.0
    """Turn-on bias (u): standard deviation."""
    bias_instability: float = 0.0
    """1/f noise (u): the B of the Allan deviation, whose floor is 0.664 B."""
    random_walk: float = 0.0
    """Rate random walk, u·√Hz: the K of the Allan deviation, σ(τ) = K √(τ/3)."""
    scale: float = 0.0
    """Scale factor error, as a share: standard deviation."""
    misalignment: float = 0.0
    """Angle (rad) by which an axis points elsewhere: standard deviation."""
    g_sensitivity: float = 0.0
    """What linear acceleration adds, u per m/s²: standard deviation (gyroscopes)."""
    temperature_bias: float = 0.0
    """u per °C away from 25 °C: standard deviation."""
    temperature_scale: float = 0.0
    """Share per °C away from 25 °C: standard deviation."""
    resolution: float = 0.0
    """The step of the output (u); 0: not quantised."""
    saturation: float = math.inf
    """The largest output (u)."""
    bandwidth: float = math.inf
    """Hz, −3 dB, of a second-order low-pass (Butterworth); infinite: none."""

    def __post_init__(self) -> None:
        for what in TriadModel.__dataclass_fields__:
            value = getattr(self, what)
            least = 0.0 if what not in {"saturation", "bandwidth"} else 1e-12
            if not (isinstance(value, int | float) and value >= least):
                raise InvalidInput(
                    "noise_value",
                    _("sensor model: {what} must be a number ≥ 0, got {value}"),
                    what=what,
                    value=repr(value),
                )


@dataclass(frozen=True, slots=True, eq=False)
class ImuModel:
    """An inertial sensor with its errors."""

    name: str
    gyroscope: TriadModel = field(default_factory=TriadModel)
    accelerometer: TriadModel = field(default_factory=TriadModel)
    magnetometer: TriadModel | None = None
    latency: float = 0.0
    """s from the time that a reading is about to the time that it arrives."""
    source: str = ""
    """Where the numbers come from."""


IDEAL = ImuModel("ideal", magnetometer=TriadModel(), source="no errors")


class NoiseStream:
    """The noise of one triad, block by block: the same seed gives the same numbers, whatever the blocks."""

    def __init__(self, model: TriadModel, rate: float, seed: np.random.SeedSequence) -> None:
        self._model = model
        constants, self._drawn = (np.random.default_rng(s) for s in seed.spawn(2))
        draw = constants.standard_normal
        self._bias, self._thermal = model.bias * draw(3), model.temperature_bias * draw(3)
        self._scale, self._scale_thermal = model.scale * draw(3), model.temperature_scale * draw(3)
        self._leak = model.g_sensitivity * draw((3, 3))
        turn = model.misalignment * draw((3, 3))
        self._axes = np.eye(3) + turn - np.diag(np.diag(turn))
        self._white, self._walk = model.noise_density * math.sqrt(rate), model.random_walk / math.sqrt(rate)
        self._sections, gain = flicker_sections(rate)
        self._flicker = gain * model.bias_instability
        self._memory, self._walked = np.zeros((len(self._sections), 3)), np.zeros(3)
        self._low_pass = low_pass(model.bandwidth, rate)
        self._filtered: Floats | None = None

    def noise(self, count: int) -> Floats:
        """Return the next `count` samples of noise (m, 3), without constant errors."""
        out = np.empty((count, 3))
        if self._model.noise_density == self._model.bias_instability == self._model.random_walk == 0.0:
            out[:] = 0.0
            return out
        normals = self._drawn.standard_normal((count, 9))
        three = np.ones(3)
        kernels.noise_into(
            normals, self._white * three, self._walk * three, self._flicker * three, self._sections, self._memory,
            self._walked, out,
        )  # fmt: skip
        return out

    def read(self, truth: Floats, acceleration: Floats, temperature: float = REFERENCE_TEMPERATURE) -> Floats:
        """Return what the triad reads for the next samples of `truth` (m, 3), felt with `acceleration` (m, 3)."""
        warmer, model = temperature - REFERENCE_TEMPERATURE, self._model
        values = _times(truth * (1.0 + self._scale + self._scale_thermal * warmer), self._axes)
        values += self._bias + self._thermal * warmer + _times(acceleration, self._leak)
        values = self._slowed(values)
        values += self.noise(len(values))
        if model.resolution > 0.0:
            values = np.round(values / model.resolution) * model.resolution
        return np.clip(values, -model.saturation, model.saturation) if math.isfinite(model.saturation) else values

    def _slowed(self, values: Floats) -> Floats:
        if self._low_pass is None or not len(values):
            return values
        b, a = self._low_pass
        if self._filtered is None:  # as if the first value had stood for ever
            self._filtered = np.stack([(1.0 - b[0]) * values[0], (b[2] - a[2]) * values[0]])
        out = np.empty_like(values)
        kernels.low_pass_into(np.ascontiguousarray(values), b, a, self._filtered, out)
        return out


def _times(rows: Floats, M: Floats) -> Floats:
    """Return rows (m, 3) times Mᵀ; written out, for a matrix product rounds differently with the number of rows."""
    return rows[:, :1] * M[:, 0] + rows[:, 1:2] * M[:, 1] + rows[:, 2:] * M[:, 2]


class ImuStream:
    """The errors of one inertial sensor, block by block."""

    def __init__(self, model: ImuModel, rate: float, seed: int) -> None:
        self.model = model
        triads = (model.gyroscope, model.accelerometer, model.magnetometer or TriadModel())
        parts = np.random.SeedSequence(seed).spawn(3)
        self._triads = [NoiseStream(triad, rate, part) for triad, part in zip(triads, parts, strict=True)]

    def read(
        self, gyro: Floats, acc: Floats, mag: Floats | None = None, temperature: float = REFERENCE_TEMPERATURE
    ) -> tuple[Floats, Floats, Floats | None]:
        """Return the readings for the next samples of the truth, (m, 3) each."""
        values = [acc if truth is None else truth for truth in (gyro, acc, mag)]
        read = [triad.read(v, acc, temperature) for triad, v in zip(self._triads, values, strict=True)]
        return read[0], read[1], None if mag is None or self.model.magnetometer is None else read[2]


def with_errors(
    record: ImuRecord, model: ImuModel, *, seed: int, temperature: float = REFERENCE_TEMPERATURE
) -> ImuRecord:
    """Return what a sensor with the errors of `model` reads where an ideal one reads `record`.

    Raises:
        InvalidInput: if the seed is negative, or the temperature is not a number.
    """
    if seed < 0:
        raise InvalidInput("seed_negative", _("seed must be ≥ 0, got {seed}"), seed=seed)
    warm = float(as_floats(temperature, (), "temperature"))
    gyro, acc, mag = ImuStream(model, record.rate, seed).read(record.gyro, record.acc, record.mag, warm)
    notes = {**record.notes, "preset": model.name, "seed": str(seed)}
    return replace(record, gyro=gyro, acc=acc, mag=mag, notes=notes)


def still_record(model: ImuModel, duration: float, rate: float, *, seed: int) -> ImuRecord:
    """Return what a sensor reads that lies still, with its z axis up: the record for an Allan deviation."""
    from armlab.sensing.truth import times_of

    t = times_of(duration, rate)
    truth = np.broadcast_to([0.0, 0.0, 9.81], (len(t), 3))
    still = ImuRecord(t, np.zeros((len(t), 3)), truth, name=model.name)
    return with_errors(still, model, seed=seed)


def noise_record(model: ImuModel, duration: float, rate: float, *, seed: int) -> ImuRecord:
    """Return the same of its noise alone: resolution and bandwidth would hide what an Allan deviation is asked for."""
    triads = [replace(t, resolution=0.0, bandwidth=math.inf) for t in (model.gyroscope, model.accelerometer)]
    return still_record(replace(model, gyroscope=triads[0], accelerometer=triads[1]), duration, rate, seed=seed)


def flicker_sections(rate: float) -> tuple[Floats, float]:
    """Return poles and zeros (k, 2) of the 1/f chain at `rate`, and its gain for a bias instability of one.

    With it the power per Hz (both signs of f) is 1/(2π|f|) between SLOWEST and a fifth of the rate, to 1 %.
    """
    fastest = 0.5 * rate
    count = max(2, math.ceil(SECTIONS_PER_DECADE * math.log10(fastest / SLOWEST)))
    edges = SLOWEST * (fastest / SLOWEST) ** ((np.arange(2 * count) + 0.5) / (2 * count))
    turns = np.exp(-2.0 * math.pi * edges / rate)
    sections = np.ascontiguousarray(turns.reshape(count, 2))
    f = np.geomspace(SLOWEST * 10.0, fastest / 50.0, 400)
    z = np.exp(2j * math.pi * f / rate)[:, None]
    power = np.prod(np.abs((z - sections[:, 1]) / (z - sections[:, 0])) ** 2, axis=1) / rate
    return sections, float(np.exp(-0.5 * np.mean(np.log(power * 2.0 * math.pi * f))))


def low_pass(bandwidth: float, rate: float) -> tuple[Floats, Floats] | None:
    """Return b, a (3,) of a second-order Butterworth low-pass; None where `bandwidth` is above what the rate shows."""
    if bandwidth >= 0.5 * rate:
        return None
    k = math.tan(math.pi * bandwidth / rate)
    norm = 1.0 / (1.0 + math.sqrt(2.0) * k + k * k)
    b = np.array([1.0, 2.0, 1.0]) * k * k * norm
    a = np.array([1.0, 2.0 * (k * k - 1.0) * norm, (1.0 - math.sqrt(2.0) * k + k * k) * norm])
    return b, a

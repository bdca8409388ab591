"""Inertial sensors that can be bought, with the errors that their data sheets state.

Data sheets give tolerances (±20 °/s); a preset takes a third of one as the standard deviation from sensor to sensor, so
that almost all drawn sensors are within it; where a sheet states one standard deviation, three of them are given here.
A change over the whole temperature range (−40 … 85 °C) counts per half of it, 62.5 °C. `source` says where the numbers
are from, and which of them no public copy or quotation of the sheet confirmed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from types import MappingProxyType

from armlab.errors import UnknownName
from armlab.sensing.noise import IDEAL, ImuModel, TriadModel

DEG = math.pi / 180.0
G = 9.80665
"""m/s²: the g of data sheets."""
_THIRD = 1.0 / 3.0
_BITS = 2.0**15
_ESTIMATED = "bias instability, random walk and latency are not in it: estimated"


def _gyro(
    density: float, bias: float, instability: float, walk: float, *, scale: float, cross: float, per_g: float,
    per_degree: float, full: float, bandwidth: float, resolution: float | None = None, scale_per_degree: float = 0.0,
) -> TriadModel:  # fmt: skip
    """Return a gyroscope: °/s/√Hz, ±°/s, °/h, °/s·√Hz, ±share, ±share, °/s/g, °/s/°C, ±°/s, Hz, °/s, share/°C."""
    return TriadModel(
        noise_density=density * DEG,
        bias=bias * DEG * _THIRD,
        bias_instability=instability * DEG / 3600.0,
        random_walk=walk * DEG,
        scale=scale * _THIRD,
        misalignment=cross * _THIRD,
        g_sensitivity=per_g * DEG / G * _THIRD,
        temperature_bias=per_degree * DEG * _THIRD,
        temperature_scale=scale_per_degree * _THIRD,
        resolution=(full / _BITS if resolution is None else resolution) * DEG,
        saturation=full * DEG,
        bandwidth=bandwidth,
    )


def _accelerometer(
    density: float, bias: float, instability: float, walk: float, *, scale: float, cross: float, per_degree: float,
    full: float, bandwidth: float, resolution: float | None = None, scale_per_degree: float = 0.0,
) -> TriadModel:  # fmt: skip
    """Return an accelerometer: µg/√Hz, ±mg, µg, µg·√Hz, ±share, ±share, mg/°C, ±g, Hz, g, share/°C."""
    return TriadModel(
        noise_density=density * 1e-6 * G,
        bias=bias * 1e-3 * G * _THIRD,
        bias_instability=instability * 1e-6 * G,
        random_walk=walk * 1e-6 * G,
        scale=scale * _THIRD,
        misalignment=cross * _THIRD,
        temperature_bias=per_degree * 1e-3 * G * _THIRD,
        temperature_scale=scale_per_degree * _THIRD,
        resolution=(full / _BITS if resolution is None else resolution) * G,
        saturation=full * G,
        bandwidth=bandwidth,
    )


def _magnetometer(noise: float, resolution: float, full: float) -> TriadModel:
    """Return a magnetometer: µT/√Hz, µT, ±µT."""
    return TriadModel(noise_density=noise, resolution=resolution, saturation=full)


_MODELS = (
    IDEAL,
    ImuModel(
        "mpu-6050",
        _gyro(0.005, 20, 15, 5e-5, scale=0.03, cross=0.02, per_g=0.1, per_degree=0.32, full=500, bandwidth=188,
              scale_per_degree=0.00032),
        _accelerometer(400, 50, 100, 5, scale=0.03, cross=0.02, per_degree=0.78, full=4, bandwidth=184,
                       scale_per_degree=0.0002),
        latency=0.002,
        source="InvenSense PS-MPU-6000A-00 rev. 3.4, sections 6.1 and 6.2 (pages 12 and 13, copies at manualshelf.com "
        f"and 123dok.com); {_ESTIMATED}",
    ),
    ImuModel(
        "mpu-9250",
        _gyro(0.01, 5, 15, 5e-5, scale=0.03, cross=0.02, per_g=0.1, per_degree=0.48, full=500, bandwidth=184,
              scale_per_degree=0.00064),
        _accelerometer(300, 60, 100, 5, scale=0.03, cross=0.02, per_degree=1.5, full=4, bandwidth=184,
                       scale_per_degree=0.00026),
        _magnetometer(0.1, 0.15, 4800.0),
        latency=0.003,
        source="InvenSense PS-MPU-9250A-01 rev. 1.0, sections 3.1 and 3.2 (pages 8 and 9, copies at manualshelf.com, "
        "total noise as MathWorks quotes it); magnetometer AK8963: range from the same sheet, noise estimated; "
        f"sensitivity to acceleration as of the MPU-6050; {_ESTIMATED}",
    ),
    ImuModel(
        "bmi088",
        _gyro(0.014, 1, 2, 2e-5, scale=0.01, cross=0.01, per_g=0.1, per_degree=0.015, full=500, bandwidth=116),
        _accelerometer(175, 20, 50, 3, scale=0.01, cross=0.005, per_degree=0.2, full=6, bandwidth=145),
        latency=0.003,
        source="Bosch BST-BMI088-DS001: noise densities as several public flight programs quote its tables; offset of "
        "the gyroscope and its change with temperature as in Bosch's CISS manual for the BMG160 (easymanua.ls); "
        f"offsets, scale and cross axis of the accelerometer not confirmed; {_ESTIMATED}",
    ),
    ImuModel(
        "icm-20948",
        _gyro(0.015, 5, 10, 4e-5, scale=0.015, cross=0.02, per_g=0.1, per_degree=0.05, full=500, bandwidth=196),
        _accelerometer(230, 50, 80, 4, scale=0.005, cross=0.02, per_degree=0.8, full=4, bandwidth=246,
                       scale_per_degree=0.00026),
        _magnetometer(0.1, 0.15, 4900.0),
        latency=0.002,
        source="TDK InvenSense DS-000189 rev. 1.3: sections 3.2 and 3.3 (pages 12 and 13, copies at manualshelf.com), "
        "section 3.1 as public drivers and filters quote it (noise, offset, cross axis, temperature); scale of the "
        "gyroscope, sensitivity to acceleration and noise of the magnetometer AK09916 not confirmed; "
        f"{_ESTIMATED}",
    ),
    ImuModel(
        "adis16448",
        _gyro(
            0.0135, 1.5, 14.5, 2e-5, scale=0.01, cross=0.0009, per_g=0.015, per_degree=0.005, full=1000, bandwidth=330,
            resolution=0.04,
        ),
        _accelerometer(
            230, 60, 250, 5, scale=0.005, cross=0.0009, per_degree=0.15, full=18, bandwidth=330, resolution=0.833e-3
        ),
        _magnetometer(0.03, 0.01429, 190.0),
        latency=0.001,
        source="Analog Devices ADIS16448 data sheet: noise densities, at 25 Hz for the gyroscope, and random "
        "walks of angle (0.66 °/√h) and velocity (0.11 m/s/√h), as ethz-asl/kalibr issue 63 and rotors_simulator issue "
        "720 quote them; repeatability of the biases, 0.5 °/s and 20 mg as one standard deviation, as in RotorS' IMU "
        "plugin; in-run stability as public programs quote it; steps of the output as in Linux' driver adis16400; "
        "cross axis, temperature and magnetometer not confirmed; random walk of the biases and latency estimated",
    ),
    ImuModel(
        "xsens-mti",
        _gyro(0.01, 0.2, 10, 1e-5, scale=0.0005, cross=0.0005, per_g=0.003, per_degree=0.002, full=450, bandwidth=415),
        _accelerometer(60, 3, 15, 1, scale=0.0005, cross=0.0005, per_degree=0.02, full=20, bandwidth=375),
        _magnetometer(0.02, 0.025, 800.0),
        latency=0.002,
        source="Movella MTi-300 leaflet, May 2023 (ranges, noise densities, in-run stability, bandwidths, sensitivity "
        "to acceleration, magnetometer), and the user manual MT0605P as rpng/kalibr_allan quotes it (noise densities); "
        "biases, scale, cross axis and temperature not confirmed; random walk and latency estimated",
    ),
)  # fmt: skip

PRESETS: Mapping[str, ImuModel] = MappingProxyType({model.name: model for model in _MODELS})


def preset(name: str) -> ImuModel:
    """Return the sensor of that name.

    Raises:
        UnknownName: if there is none.
    """
    found = PRESETS.get(name.lower())
    if found is None:
        raise UnknownName("preset", name, PRESETS)
    return found

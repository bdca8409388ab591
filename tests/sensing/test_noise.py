"""Noise of sensors: its Allan deviation is what the data sheet says, and the same seed gives the same numbers."""

from __future__ import annotations

import numpy as np
import pytest

from armlab.errors import InvalidInput, UnknownName
from armlab.sensing.allan import FLOOR, allan_deviation, noise_of
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.noise import IDEAL, ImuModel, NoiseStream, TriadModel, low_pass, still_record, with_errors
from armlab.sensing.presets import PRESETS, preset

SEED = np.random.SeedSequence


def noise(model: TriadModel, rate: float, count: int) -> np.ndarray:
    return NoiseStream(model, rate, SEED(11)).noise(count)


def test_white_noise_falls_with_the_root_of_the_averaging_time() -> None:
    curve = allan_deviation(noise(TriadModel(noise_density=0.3), 50.0, 100_000), 50.0)
    short = curve.tau < 10.0
    np.testing.assert_allclose(curve.deviation[short].mean(axis=1), 0.3 / np.sqrt(curve.tau[short]), rtol=0.03)


def test_a_random_walk_rises_with_the_root_of_the_averaging_time() -> None:
    curve = allan_deviation(noise(TriadModel(random_walk=0.3), 50.0, 200_000), 50.0)
    middle = (curve.tau > 1.0) & (curve.tau < 20.0)
    np.testing.assert_allclose(curve.deviation[middle].mean(axis=1), 0.3 * np.sqrt(curve.tau[middle] / 3.0), rtol=0.1)


def test_one_over_f_noise_is_flat_at_its_floor() -> None:
    curve = allan_deviation(noise(TriadModel(bias_instability=0.3), 50.0, 200_000), 50.0)
    middle = (curve.tau > 0.4) & (curve.tau < 20.0)
    np.testing.assert_allclose(curve.deviation[middle].mean(axis=1), FLOOR * 0.3, rtol=0.05)


def test_the_allan_deviation_of_a_sine_is_the_known_one() -> None:
    """For sin(2πft) it is sin²(πfτ)/(πfτ), whatever the amplitude one."""
    rate, f = 1000.0, 1.0
    t = np.arange(100_000) / rate
    curve = allan_deviation(np.sin(2 * np.pi * f * t), rate)
    known = np.sin(np.pi * f * curve.tau) ** 2 / (np.pi * f * curve.tau)
    few = curve.tau < 3.0
    np.testing.assert_allclose(curve.deviation[few, 0], known[few], atol=0.01)


@pytest.mark.parametrize("name", [name for name in PRESETS if name != "ideal"])
def test_the_numbers_of_a_preset_are_found_in_its_noise(name: str) -> None:
    for triad in (preset(name).gyroscope, preset(name).accelerometer):
        fast, slow, slowest = (noise_of(allan_deviation(noise(triad, r, 60_000), r)) for r in (50.0, 2.0, 0.01))
        assert np.mean(fast.noise_density) == pytest.approx(triad.noise_density, rel=0.03)
        assert np.mean(slow.bias_instability) == pytest.approx(triad.bias_instability, rel=0.25)
        assert np.mean(slowest.random_walk) == pytest.approx(triad.random_walk, rel=0.1)
        assert preset(name).source


def test_noise_in_blocks_is_the_noise_at_once() -> None:
    model = TriadModel(noise_density=1.0, bias_instability=1.0, random_walk=1.0)
    whole, parts = NoiseStream(model, 100.0, SEED(3)), NoiseStream(model, 100.0, SEED(3))
    np.testing.assert_array_equal(whole.noise(100), np.concatenate([parts.noise(n) for n in (1, 9, 30, 60)]))


def test_an_ideal_sensor_reads_the_truth() -> None:
    record = moving()
    read = with_errors(record, IDEAL, seed=1)
    np.testing.assert_array_equal(read.gyro, record.gyro)
    np.testing.assert_array_equal(read.acc, record.acc)


def moving() -> ImuRecord:
    rng = np.random.default_rng(2)
    return ImuRecord(
        np.arange(500) / 100.0, rng.normal(size=(500, 3)), 5.0 * rng.normal(size=(500, 3)), np.ones((500, 3))
    )


def test_constant_errors_are_those_of_the_seed_and_linear() -> None:
    model = ImuModel("m", TriadModel(bias=0.1, scale=0.05, misalignment=0.02, g_sensitivity=0.01))
    record = moving()
    one, same, other = (with_errors(record, model, seed=s) for s in (1, 1, 2))
    np.testing.assert_array_equal(one.gyro, same.gyro)
    assert np.abs(one.gyro - other.gyro).max() > 0.01
    columns = np.hstack([record.gyro, record.acc, np.ones((500, 1))])
    residual = np.linalg.lstsq(columns, one.gyro, rcond=None)[1]
    np.testing.assert_allclose(residual, 0.0, atol=1e-20)


def test_a_warm_sensor_has_other_biases() -> None:
    model = ImuModel("m", TriadModel(temperature_bias=0.01))
    record = moving()
    shift = with_errors(record, model, seed=1, temperature=45.0).gyro - with_errors(record, model, seed=1).gyro
    half = with_errors(record, model, seed=1, temperature=35.0).gyro - with_errors(record, model, seed=1).gyro
    np.testing.assert_allclose(shift, 2.0 * half, atol=1e-12)
    assert np.abs(shift).max() > 0.0


def test_readings_are_quantised_and_clipped() -> None:
    model = ImuModel("m", accelerometer=TriadModel(resolution=0.5, saturation=4.0))
    acc = with_errors(moving(), model, seed=1).acc
    np.testing.assert_array_equal(acc, np.round(acc / 0.5) * 0.5)
    assert np.abs(acc).max() == 4.0


def test_the_bandwidth_halves_the_power_of_a_sine_at_its_edge() -> None:
    rate, edge = 1000.0, 40.0
    t = np.arange(4000) / rate
    sine = np.sin(2 * np.pi * edge * t)[:, None] * np.ones(3)
    record = ImuRecord(t, sine, np.ones((4000, 3)))
    read = with_errors(record, ImuModel("m", TriadModel(bandwidth=edge), TriadModel(bandwidth=edge)), seed=1)
    assert np.std(read.gyro[1000:]) / np.std(sine[1000:]) == pytest.approx(np.sqrt(0.5), rel=1e-3)
    np.testing.assert_allclose(read.acc, 1.0, atol=1e-12)
    assert low_pass(600.0, rate) is None


def test_a_still_sensor_reads_g_and_its_noise() -> None:
    record = still_record(preset("bmi088"), 20.0, 100.0, seed=4)
    assert np.linalg.norm(record.acc.mean(axis=0)) == pytest.approx(9.81, rel=0.02)


def test_wrong_models_and_presets_are_refused() -> None:
    with pytest.raises(InvalidInput):
        TriadModel(noise_density=-1.0)
    with pytest.raises(UnknownName) as refused:
        preset("mpu6050")
    assert refused.value.parameters["near"][0] == "mpu-6050"
    with pytest.raises(InvalidInput):
        with_errors(moving(), IDEAL, seed=-1)
    with pytest.raises(InvalidInput):
        allan_deviation(np.zeros(5), 1.0)

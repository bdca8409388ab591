"""The versatile quaternion-based filter against its authors' package, parameter by parameter."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
import vqf
from sensing.motions import MOTIONS, Motion, simulated

from armlab.arrays import Floats
from armlab.kernels.sensing.vqf import AT_REST, BIAS, COLUMNS, IS_DISTURBED, vqf_into
from armlab.kernels.sensing.vqf_parts import VqfParameters
from armlab.sensing.imu_record import ImuRecord

DEGREE = math.radians(1.0)
NAMES = {
    "tau_acc": ("tauAcc", 1.0),
    "tau_mag": ("tauMag", 1.0),
    "estimates_bias_in_motion": ("motionBiasEstEnabled", 1.0),
    "estimates_bias_at_rest": ("restBiasEstEnabled", 1.0),
    "rejects_disturbed_field": ("magDistRejectionEnabled", 1.0),
    "bias_start": ("biasSigmaInit", DEGREE),
    "bias_forgetting_time": ("biasForgettingTime", 1.0),
    "bias_clip": ("biasClip", DEGREE),
    "bias_motion": ("biasSigmaMotion", DEGREE),
    "bias_vertical_forgetting": ("biasVerticalForgettingFactor", 1.0),
    "bias_rest": ("biasSigmaRest", DEGREE),
    "rest_time": ("restMinT", 1.0),
    "rest_tau": ("restFilterTau", 1.0),
    "rest_rate": ("restThGyr", DEGREE),
    "rest_acceleration": ("restThAcc", 1.0),
    "field_tau": ("magCurrentTau", 1.0),
    "reference_tau": ("magRefTau", 1.0),
    "field_size": ("magNormTh", 1.0),
    "field_dip": ("magDipTh", DEGREE),
    "new_field_time": ("magNewTime", 1.0),
    "first_field_time": ("magNewFirstTime", 1.0),
    "new_field_rate": ("magNewMinGyr", DEGREE),
    "undisturbed_time": ("magMinUndisturbedTime", 1.0),
    "rejection_time": ("magMaxRejectionTime", 1.0),
    "rejection_factor": ("magRejectionFactor", 1.0),
}
"""Our parameters, theirs, and the unit of theirs."""
SAME = 1e-9
"""rad; sums of 12,000 steps."""


@cache
def record_of(motion: Motion, *, magnet: bool = True, duration: float = 40.0) -> ImuRecord:
    return simulated(motion, seed=7 + MOTIONS.index(motion), duration=duration, magnet=magnet, sensor="mpu-9250")


def readings(record: ImuRecord) -> tuple[Floats, Floats, Floats]:
    assert record.mag is not None
    return np.ascontiguousarray(record.gyro), np.ascontiguousarray(record.acc), np.ascontiguousarray(record.mag)


def filtered(record: ImuRecord, by: VqfParameters = VqfParameters()) -> Floats:  # noqa: B008 - a frozen value
    out = np.empty((len(record), COLUMNS))
    vqf_into(*readings(record), 1.0 / record.rate, by, out)
    return out


def assert_theirs(record: ImuRecord, ours: Floats, **theirs: float) -> None:
    expected = vqf.VQF(1.0 / record.rate, **theirs).updateBatchFullState(*readings(record))
    same_sign = np.sign((ours[:, :BIAS] * expected["quat9D"]).sum(axis=1))[:, None]
    assert 2.0 * np.linalg.norm(ours[:, :BIAS] - same_sign * expected["quat9D"], axis=1).max() < SAME
    assert np.abs(ours[:, BIAS:AT_REST] - expected["bias"]).max() < SAME
    if not theirs:
        np.testing.assert_array_equal(ours[:, AT_REST] != 0.0, expected["restDetected"])
        np.testing.assert_array_equal(ours[:, IS_DISTURBED] != 0.0, expected["magDistDetected"])


@pytest.mark.parametrize("motion", MOTIONS)
@pytest.mark.parametrize("magnet", [False, True])
def test_the_filter_is_its_authors(motion: Motion, magnet: bool) -> None:
    record = record_of(motion, magnet=magnet)
    assert_theirs(record, filtered(record))


def test_the_parameters_have_the_values_of_the_paper() -> None:
    assert tuple(NAMES) == VqfParameters._fields
    theirs = vqf.VQF(0.01).params
    assert set(theirs) == {name for name, _ in NAMES.values()}
    for (name, unit), value in zip(NAMES.values(), VqfParameters(), strict=True):
        assert value == pytest.approx(theirs[name] * unit, rel=1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_each_parameter_means_what_theirs_does(name: str) -> None:
    record = record_of("turns", duration=90.0)  # rests, moves, and is near a magnet for longer than a field must be new
    usual, changed = filtered(record), 0.0
    for factor in (0.1, 2.5):
        value = getattr(VqfParameters(), name)
        value = not value if isinstance(value, bool) else factor * value
        theirs, unit = NAMES[name]
        ours = filtered(record, VqfParameters()._replace(**{name: value}))
        assert_theirs(record, ours, **{theirs: value if isinstance(value, bool) else value / unit})
        changed = max(changed, float(np.abs(ours - usual).max()))
    assert changed > 100.0 * SAME  # else the record says nothing of this parameter


def test_a_sensor_that_falls_or_lies_upside_down_gives_finite_numbers() -> None:
    still = np.zeros((400, 3))
    for acc in (still, still - [0.0, 0.0, 9.81]):
        record = ImuRecord(np.arange(400) / 200.0, still, acc, still, None)
        made = filtered(record)
        assert np.isfinite(made).all()
        np.testing.assert_allclose(np.linalg.norm(made[:, :BIAS], axis=1), 1.0, atol=1e-12)
    assert abs(made[-1, 1]) == pytest.approx(1.0)  # half a turn about x

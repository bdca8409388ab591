"""Navigation: filters against known motions, laws of integration, and other people's implementations."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

import armlab
from armlab.arrays import Floats
from armlab.errors import InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.kernels.sensing import filters
from armlab.model.scene import GRAVITY
from armlab.motion.trajectory import Trajectory
from armlab.sensing.evaluate import evaluate, orientation_errors
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.mount import Mount
from armlab.sensing.navigate import BETA, FILTERS, KI, KP, Estimate, FilterName, about_z, heading_of, navigate, tilt_of
from armlab.sensing.noise import with_errors
from armlab.sensing.presets import preset
from armlab.sensing.rest import first_rest, rests, standstills
from armlab.sensing.truth import imu_along, turned_back


def arm_record(rate: float = 200.0) -> ImuRecord:
    """A KUKA rests, moves through three points, and rests again; the sensor is on its last link."""
    robot = armlab.load("kuka-kr6-r700")
    points = [robot.home, robot.home + 0.5, robot.home + np.array([-0.4, 0.2, -0.3, 0.8, -0.5, 1.0]), robot.home]
    whole = Trajectory.rest(robot.home, 2.0)
    for a, b in pairwise(points):
        move = armlab.plan_joint(robot, [a, b], limits=armlab.limits_of(robot).scaled(speed=0.3))
        whole = whole.then(move).then(Trajectory.rest(b, 0.5))
    return imu_along(robot, whole, Mount("link_6", pose.from_xyz([0, 0, 0.05])), rate=rate)


def coning(rate: float) -> ImuRecord:
    """A sensor whose z axis goes round a cone: the classic motion that naive integration drifts in."""
    t = np.arange(round(4.0 * rate) + 1) / rate
    half, omega = 0.2, 2.0 * math.pi * 5.0
    q = np.stack(
        [
            np.full_like(t, math.cos(half)),
            math.sin(half) * np.cos(omega * t),
            math.sin(half) * np.sin(omega * t),
            0.0 * t,
        ],
        axis=1,
    )
    s, c = math.sin(2.0 * half), math.cos(2.0 * half)
    gyro = np.stack(
        [-omega * s * np.sin(omega * t), omega * s * np.cos(omega * t), np.full_like(t, -omega * (1.0 - c))], axis=1
    )
    acc = turned_back(q, np.array([0.0, 0.0, 9.81]))
    return ImuRecord(t, gyro, acc, None, q, np.zeros((len(t), 3)), np.zeros((len(t), 3)))


def strapdown_error(record: ImuRecord) -> tuple[float, float]:
    assert record.orientation is not None
    estimate = navigate(record, "strapdown", start=record.orientation[0])
    assert estimate.position is not None
    total = orientation_errors(estimate, record).total
    return float(total[-1]), float(np.linalg.norm(estimate.position[-1]))


def test_strapdown_integration_follows_a_cone_and_its_error_falls_with_the_step() -> None:
    coarse, fine = strapdown_error(coning(100.0)), strapdown_error(coning(400.0))
    assert coarse[0] < 0.05
    assert fine[0] < coarse[0] / 30.0  # of third order at least, less what is rounded
    assert fine[1] < coarse[1] / 30.0


def test_without_the_coning_term_a_cone_drifts_more() -> None:
    record = coning(100.0)
    q = np.array(record.orientation)[0]
    naive = np.empty((len(record), 4))
    naive[0] = q
    filters.complementary_into(record.t, record.gyro, record.acc, 1e12, naive)
    drifted = orientation_errors(Estimate("complementary", record.t, naive), record).total[-1]
    assert drifted > 5.0 * strapdown_error(record)[0]


def test_an_ideal_sensor_on_an_arm_navigates_to_where_the_arm_is() -> None:
    record = arm_record(1000.0)
    assert record.orientation is not None
    error = evaluate(navigate(record, "strapdown", start=record.orientation[0]), record)
    assert error.total < 1e-5
    assert error.position is not None
    assert error.position < 1e-4


@pytest.mark.parametrize("how", FILTERS)
@pytest.mark.parametrize("with_mag", [False, True])
def test_every_filter_keeps_the_inclination_of_an_arm_with_a_cheap_sensor(how: Any, with_mag: bool) -> None:
    record = with_errors(arm_record(), preset("mpu-9250"), seed=3)
    if not with_mag:
        record = ImuRecord(
            record.t, record.gyro, record.acc, None, record.orientation, record.position, record.velocity
        )
    error = evaluate(navigate(record, how), record)
    assert math.degrees(error.inclination) < 4.0
    assert math.degrees(error.total) < 6.0


def test_at_rest_zero_velocity_updates_hold_the_position() -> None:
    record = with_errors(arm_record(), preset("mpu-6050"), seed=5)
    free, held = (evaluate(navigate(record, how), record).position for how in ("strapdown", "eskf"))
    assert free is not None
    assert held is not None
    assert held < 0.5
    assert held < free


def test_the_error_state_filter_finds_the_bias_of_its_gyroscope() -> None:
    t = np.arange(4000) / 100.0
    bias = np.array([0.02, -0.01, 0.015])
    record = ImuRecord(t, np.tile(bias, (4000, 1)), np.tile([0.0, 0.0, 9.81], (4000, 1)))
    found = navigate(record, "eskf").gyro_bias
    assert found is not None
    np.testing.assert_allclose(found[-1], bias, atol=1e-4)


@pytest.mark.parametrize("with_mag", [False, True])
def test_ahrs_has_the_same_madgwick_filter(with_mag: bool) -> None:
    ahrs = pytest.importorskip("ahrs", reason="ahrs is not installed")
    record = with_errors(arm_record(100.0), preset("mpu-9250"), seed=1)  # theirs does nothing where the rate is 0
    assert record.mag is not None
    mag = record.mag if with_mag else np.zeros((0, 3))
    ours = np.empty((len(record), 4))
    ours[0] = tilt_of(record.acc[0])
    filters.madgwick_into(record.t, record.gyro, record.acc, mag, BETA, ours)
    peer = ahrs.filters.Madgwick(frequency=100.0, gain=BETA)
    q = ours[0]
    for i in range(1, 200):
        step = {"gyr": record.gyro[i], "acc": record.acc[i]}
        q = peer.updateMARG(q, **step, mag=record.mag[i]) if with_mag else peer.updateIMU(q, **step)
        np.testing.assert_allclose(ours[i], q, atol=1e-9)


def test_ahrs_has_the_same_mahony_filter() -> None:
    ahrs = pytest.importorskip("ahrs", reason="ahrs is not installed")
    record = arm_record(100.0)
    ours = np.empty((len(record), 4))
    ours[0] = tilt_of(record.acc[0])
    filters.mahony_into(record.t, record.gyro, record.acc, np.zeros((0, 3)), (KP, KI, 1.0), ours, np.zeros(3))
    peer = ahrs.filters.Mahony(frequency=100.0, k_P=KP, k_I=KI)
    q = ours[0]
    for i in range(1, 200):
        q = peer.updateIMU(q, gyr=record.gyro[i], acc=record.acc[i])
        np.testing.assert_allclose(ours[i], q, atol=1e-9)


def test_imufusion_agrees_about_the_inclination() -> None:
    imufusion = pytest.importorskip("imufusion", reason="imufusion is not installed")
    record = arm_record(200.0)
    peer, theirs = imufusion.Ahrs(), np.empty((len(record), 4))
    peer.set_sample_period(1.0 / 200.0)
    for i in range(len(record)):
        peer.update_no_magnetometer(np.degrees(record.gyro[i]), record.acc[i] / 9.81)
        theirs[i] = peer.get_quaternion()
    error = evaluate(Estimate("madgwick", record.t, theirs), record)
    ours = evaluate(navigate(record, "madgwick"), record)
    assert math.degrees(error.inclination) < 3.0
    assert abs(error.inclination - ours.inclination) < math.radians(2.0)


def test_rest_is_found_where_the_arm_stands_and_not_in_a_steady_turn() -> None:
    record = with_errors(arm_record(), preset("mpu-6050"), seed=2)
    still = rests(record)
    assert 1.8 < first_rest(record) / record.rate < 2.1
    moves = np.linalg.norm(np.asarray(record.velocity), axis=1) > 0.05
    assert not (still & moves).any()
    t = np.arange(1000) / 100.0
    turning = ImuRecord(t, np.where(t[:, None] < 3.0, 0.0, [[0.0, 0.0, 0.5]]), np.tile([0.0, 0.0, 9.81], (1000, 1)))
    assert not rests(turning)[400:].any()


def test_a_slow_steady_turn_after_a_rest_is_not_rest_whatever_the_bias() -> None:
    t = np.arange(1000) / 50.0
    bias, turn = np.array([-0.06, 0.02, 0.01]), np.where(t[:, None] < 4.0, 0.0, [[0.0524, 0.0, 0.0]])
    noise = np.random.default_rng(3).normal(scale=1e-3, size=(1000, 3))
    record = ImuRecord(t, bias + turn + noise, np.tile([0.0, 0.0, 9.81], (1000, 1)))
    assert 180 < first_rest(record) < 205
    assert not rests(record)[250:].any()


def straight(seconds: float, speed: float = 0.25) -> ImuRecord:
    """A sensor rests, moves straight on at a constant speed for some seconds, stops, and rests again."""
    ends = np.cumsum([2.0, 0.2, seconds, 0.2, 2.0])
    t = np.arange(round(ends[-1] * 100.0)) / 100.0
    pull = np.where((t >= ends[0]) & (t < ends[1]), speed / 0.2, 0.0)
    pull -= np.where((t >= ends[2]) & (t < ends[3]), speed / 0.2, 0.0)
    acc = np.stack([pull, 0.0 * t, np.full_like(t, 9.81)], axis=1)
    velocity = np.cumsum(pull) / 100.0
    zeros = np.zeros((len(t), 3))
    place, speeds = zeros.copy(), zeros.copy()
    place[:, 0], speeds[:, 0] = np.cumsum(velocity) / 100.0, velocity
    return ImuRecord(t, zeros, acc, None, np.tile([1.0, 0, 0, 0], (len(t), 1)), place, speeds)


def test_a_short_line_at_constant_speed_is_not_taken_for_rest() -> None:
    ideal = straight(0.45)
    record = with_errors(ideal, preset("bmi088"), seed=1)
    moves = np.asarray(ideal.velocity)[:, 0] > 0.2
    assert (rests(record) & moves).any()  # it reads like one
    assert not (standstills(record) & moves).any()
    assert standstills(record)[:150].all()
    error = evaluate(navigate(record, "eskf"), record)
    assert error.position is not None
    assert error.position < 0.03


@pytest.mark.parametrize("seed", range(6))
def test_the_filter_knows_how_far_its_position_may_be_off(seed: int) -> None:
    record = with_errors(arm_record(), preset("mpu-6050"), seed=seed)
    estimate = navigate(record, "eskf")
    off = evaluate(estimate, record).position
    assert off is not None
    assert estimate.position_deviation is not None
    assert off < 3.0 * estimate.position_deviation < 10.0


def test_filters_agree_on_the_heading_of_a_sensor_that_hangs_upside_down() -> None:
    t = np.arange(600) / 100.0
    record = ImuRecord(t, np.zeros((600, 3)), np.tile([0.05, -0.1, -9.81], (600, 1)))
    ends = [navigate(record, how).orientation[-1] for how in FILTERS]
    for end in ends:
        assert abs(float(end @ ends[0])) > math.cos(0.5 * math.radians(1.0))


def test_errors_of_known_turns_are_split_into_heading_and_inclination() -> None:
    truth = np.tile([1.0, 0.0, 0.0, 0.0], (3, 1))
    record = ImuRecord(np.arange(3.0), np.random.default_rng(1).normal(size=(3, 3)), np.ones((3, 3)), None, truth)
    tilted = np.stack([truth[0], [math.cos(0.1), math.sin(0.1), 0, 0], about_z(truth[:1], 0.3)[0]])
    errors = orientation_errors(Estimate("mahony", record.t, tilted), record)
    np.testing.assert_allclose(errors.heading, [0.0, 0.0, 0.3], atol=1e-12)
    np.testing.assert_allclose(errors.inclination, [0.0, 0.2, 0.0], atol=1e-12)
    assert heading_of(about_z(truth[:1], 0.3))[0] == pytest.approx(0.3)


def test_unknown_filters_and_missing_truth_are_refused() -> None:
    record = ImuRecord(np.arange(30) / 10.0, np.zeros((30, 3)), np.tile([0.0, 0.0, 9.81], (30, 1)))
    with pytest.raises(UnknownName):
        navigate(record, "kalmann")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput):
        evaluate(navigate(record, "mahony"), record)


def _norms(q: Floats) -> Floats:
    return np.asarray(np.linalg.norm(q, axis=1))


def test_orientations_stay_of_length_one() -> None:
    record = with_errors(arm_record(), preset("icm-20948"), seed=9)
    for how in FILTERS:
        np.testing.assert_allclose(_norms(navigate(record, how).orientation), 1.0, atol=1e-9)


@pytest.mark.parametrize("how", ["strapdown", "complementary", "eskf"])
def test_a_record_that_begins_in_motion_starts_from_more_than_one_reading(how: FilterName) -> None:
    """The tilt at the start is as exact as the mean of 0.3 s: σ / (g √n) on each axis, by a sensor that turns."""
    sigma, rate, speed = 0.5, 200.0, 3.0
    errors = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        t = np.arange(60) / rate
        truth = np.stack([np.cos(0.5 * speed * t), np.sin(0.5 * speed * t), 0.0 * t, 0.0 * t], axis=1)  # about x
        acc = turned_back(truth, np.array([0.0, 0.0, GRAVITY])) + sigma * rng.normal(size=(60, 3))
        record = ImuRecord(t, np.tile([speed, 0.0, 0.0], (60, 1)), acc)
        first = navigate(record, how).orientation[:1]
        errors.append(np.degrees(2.0 * np.arccos(np.minimum(np.hypot(first[:, 0], first[:, 3]), 1.0)))[0])
    expected = np.degrees(np.sqrt(2.0 / 60.0) * sigma / GRAVITY)
    assert 0.7 * expected < np.sqrt(np.mean(np.square(errors))) < 1.4 * expected


def test_place_and_velocity_of_the_error_state_filter_are_those_of_the_sensor() -> None:
    record = arm_record()
    estimate = navigate(record, "eskf")
    assert record.position is not None
    assert record.velocity is not None
    assert estimate.position is not None
    assert estimate.velocity is not None
    assert estimate.position_deviation is not None
    np.testing.assert_allclose(estimate.position, record.position, atol=3.0 * estimate.position_deviation)
    np.testing.assert_allclose(estimate.velocity, record.velocity, atol=0.2)
    np.testing.assert_allclose(estimate.velocity[:100], 0.0, atol=1e-3)


def test_marks_of_movement_are_yes_or_no() -> None:
    record = ImuRecord(np.arange(4.0), np.zeros((4, 3)), np.ones((4, 3)), movement=np.array([0.0, 1.0, 0.3, 0.9]))
    assert record.movement is not None
    assert record.movement.dtype == bool
    assert record.movement.tolist() == [False, True, False, True]

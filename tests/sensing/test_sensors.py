"""Sensors in a simulation: their clocks and delays, and what each kind reads."""

from __future__ import annotations

import math

import numpy as np
import pytest

import armlab
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.sensing.kinds import (
    contact,
    encoders,
    ideal_record,
    imu,
    imu_record,
    joint_torques,
    laser_distance,
    proximity,
    wrist_wrench,
)
from armlab.sensing.mount import Mount
from armlab.sensing.noise import with_errors
from armlab.sensing.presets import preset
from armlab.sensing.sensor import Sensor, SensorSpec, attach_all, gaussian, quantised


def simulation(timestep: float = 0.001) -> armlab.Simulation:
    return armlab.Simulation(armlab.Scene.of(armlab.load("planar2")), timestep=timestep, contacts="none")


def test_a_delayed_reading_keeps_the_time_it_was_taken() -> None:
    made = simulation()
    sensor = Sensor(SensorSpec("clock", lambda probe: probe.time, rate_hz=100.0, delay_s=0.025))
    sensor.attach(made)
    made.step(40)
    arrived = list(sensor.readings(made.time))
    assert [reading.time for reading in arrived] == pytest.approx([0.01])
    assert arrived[0].arrived == pytest.approx(0.035)
    assert arrived[0].value[0] == pytest.approx(0.01)
    made.step(40)
    assert [reading.time for reading in sensor.readings(made.time)] == pytest.approx([0.02, 0.03, 0.04, 0.05])


def test_sensors_have_their_own_noise_and_seed() -> None:
    made = simulation()
    sensors = [Sensor(encoders(500.0, noise=gaussian(1e-3), seed=seed)) for seed in (1, 1, 2)]
    exact = Sensor(encoders(500.0))
    end = attach_all([*sensors, exact], made)
    made.step(200)
    first, same, other, true = ([r.value for r in s.readings()] for s in (*sensors, exact))
    np.testing.assert_array_equal(first, same)
    assert np.abs(np.array(first) - other).max() > 1e-4
    assert np.std(np.array(first) - true) == pytest.approx(1e-3, rel=0.15)
    end()
    made.step(10)
    assert list(exact.readings()) == []


def test_an_encoder_has_steps_and_an_offset() -> None:
    made = simulation()
    made.command(q=[0.3, 0.2])
    sensor = Sensor(encoders(100.0, noise=quantised(0.01, offset=0.004)))
    sensor.attach(made)
    made.step(1000)
    last = list(sensor.readings())[-1].value
    np.testing.assert_allclose(last, np.round((made.state().motor_q + 0.004) / 0.01) * 0.01)


def test_drives_and_wrist_carry_the_weight() -> None:
    robot = armlab.load("kuka-kr6-r700", tool="gripper")
    made = armlab.Simulation(armlab.Scene.of(robot), contacts="none")
    torque, wrench = Sensor(joint_torques(1000.0)), Sensor(wrist_wrench(1000.0))
    attach_all([torque, wrench], made)
    made.step(1500)
    expected = armlab.dynamics.gravity_torque(robot, made.state().q)
    np.testing.assert_allclose(list(torque.readings())[-1].value, expected, atol=1e-6)
    felt = list(wrench.readings())[-1].value
    mass = robot.links[-1].inertia.mass + robot.tool.inertia.mass
    assert np.linalg.norm(felt[:3]) == pytest.approx(9.81 * mass, rel=1e-6)
    R = made.state().frames[-2][:3, :3] @ robot.flange[:3, :3]
    np.testing.assert_allclose(R @ felt[:3], [0.0, 0.0, 9.81 * mass], atol=1e-5)


def test_a_laser_and_a_proximity_sensor_see_the_floor_and_a_body_that_rests_is_felt() -> None:
    scene = armlab.load_scene("s5-rig")
    made = armlab.Simulation(scene)
    down = pose.from_xyz_rpy([0, 0, -0.059], [math.pi, 0, 0])
    sensors = [
        Sensor(laser_distance(Mount("bar", pose.from_xyz_rpy([0.6, 0, -0.03], [math.pi, 0, 0])), 100.0)),
        Sensor(proximity(Mount("cube", down), 100.0)),
        Sensor(laser_distance(Mount("bar", pose.from_xyz([0.6, 0, 0.1])), 100.0)),
        Sensor(contact(["cube", "bar"], 100.0)),
    ]
    attach_all(sensors, made)
    made.step(1000)
    floor, near, sky, force = (list(sensor.readings())[-1].value for sensor in sensors)
    assert floor[0] == pytest.approx(0.5 - 0.03 + 0.0005, abs=1e-3)
    assert near[0] < 0.002
    assert sky[0] == math.inf
    assert force[0] == pytest.approx(5.0 * 9.81, rel=1e-3)


def test_an_imu_reads_the_same_in_blocks_as_at_once_and_gives_its_truth() -> None:
    robot = armlab.load("kuka-kr6-r700")
    made = armlab.Simulation(armlab.Scene.of(robot), contacts="none")
    spec = imu(Mount("link_6"), preset("mpu-6050"), 200.0, seed=6)
    sensor = Sensor(spec)
    sensor.attach(made)
    made.play(armlab.plan_joint(robot, [robot.home, robot.home + 0.2]))
    samples = sensor.samples()
    record, ideal = imu_record(spec, samples), ideal_record(spec, samples)
    again = with_errors(ideal, preset("mpu-6050"), seed=6)
    np.testing.assert_allclose(record.acc, again.acc, atol=1e-12)
    assert record.notes["preset"] == "mpu-6050"
    assert record.position is not None
    np.testing.assert_allclose(record.position[-1], robot.frames(made.state().q)[6, :3, 3], atol=1e-2)


def test_rates_and_delays_that_cannot_be_are_refused() -> None:
    with pytest.raises(InvalidInput):
        SensorSpec("late", lambda probe: probe.time, 100.0, delay_s=-1.0)
    with pytest.raises(InvalidInput):
        encoders(seed=-1)
    with pytest.raises(InvalidInput):
        Sensor(encoders(5000.0)).attach(simulation())


@pytest.mark.parametrize("offset", [0.0004, -0.0007])
def test_an_encoder_reads_its_offset_and_the_nearest_step(offset: float) -> None:
    values = np.random.default_rng(4).uniform(-3.0, 3.0, 1000)
    read = quantised(0.001, offset)(100.0, 0)(values)
    np.testing.assert_allclose(read / 0.001, np.round(read / 0.001), atol=1e-9)
    assert np.abs(read - (values + offset)).max() <= 0.0005 + 1e-12
    assert (read - values).mean() == pytest.approx(offset, abs=5e-5)

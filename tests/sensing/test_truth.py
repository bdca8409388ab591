"""An ideal inertial sensor on an arm: compared with Pinocchio, MuJoCo and differences of its own motion."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import armlab
from armlab.arrays import Floats
from armlab.errors import InvalidInput, NotSupported, UnknownName
from armlab.formats.urdf import urdf_text
from armlab.geometry import pose
from armlab.kernels.sensing import imu
from armlab.model.robot import Robot
from armlab.motion.trajectory import Trajectory
from armlab.sensing.constructions import compare_constructions, constructed
from armlab.sensing.imu_record import ImuRecord
from armlab.sensing.kinds import motion_row
from armlab.sensing.mount import Mount
from armlab.sensing.truth import imu_along, imu_at, sensor_motion, turned_back

T_LINK_SENSOR = pose.from_xyz_rpy([0.1, -0.05, 0.2], [0.4, -0.7, 1.1])
ARMS = ("kuka-kr6-r700", "scara", "stanford", "s5-rig", "braccio")


def states(robot: Robot, count: int) -> tuple[Floats, Floats, Floats]:
    rng = np.random.default_rng(5)
    return tuple(rng.normal(size=(count, robot.dof)) for _ in range(3))  # type: ignore[return-value]


@pytest.mark.parametrize("name", ARMS)
def test_pinocchio_has_the_same_accelerations_on_every_link(name: str) -> None:
    pin: Any = pytest.importorskip("pinocchio", reason="Pinocchio has no wheels for this platform")
    robot = armlab.load(name)
    q, qd, qdd = states(robot, 5)
    for link in robot.frame_names:
        ours = sensor_motion(robot, Mount(link, T_LINK_SENSOR), q, qd, qdd)
        model = pin.buildModelFromXML(urdf_text(robot))
        at = model.frames[model.getFrameId(link, pin.FrameType.BODY)]
        place = at.placement * pin.SE3(T_LINK_SENSOR)
        sensor = model.addFrame(pin.Frame("sensor", at.parentJoint, 0, place, pin.FrameType.OP_FRAME))
        data = model.createData()
        for i, row in enumerate(ours):
            pin.forwardKinematics(model, data, q[i], qd[i], qdd[i])
            pin.updateFramePlacements(model, data)
            R = data.oMf[sensor].rotation
            a = pin.getFrameClassicalAcceleration(model, data, sensor, pin.LOCAL).linear
            w = pin.getFrameVelocity(model, data, sensor, pin.LOCAL).angular
            v = pin.getFrameVelocity(model, data, sensor, pin.LOCAL_WORLD_ALIGNED).linear
            np.testing.assert_allclose(row[imu.GYRO : imu.ACC], w, atol=1e-12)
            np.testing.assert_allclose(row[imu.ACC : imu.TURN], a + R.T @ [0.0, 0.0, 9.81], atol=1e-11)
            np.testing.assert_allclose(row[imu.PLACE : imu.SPEED], data.oMf[sensor].translation, atol=1e-12)
            np.testing.assert_allclose(row[imu.SPEED :], v, atol=1e-12)
            np.testing.assert_allclose(
                turned_back(row[None, imu.TURN : imu.PLACE], np.eye(3)[0])[0], R.T[:, 0], atol=1e-12
            )


def test_the_simulation_feels_what_the_chain_predicts_for_its_own_motion() -> None:
    robot = armlab.load("kuka-kr6-r700")
    simulation = armlab.Simulation(armlab.Scene.of(robot), contacts="none")
    errors: list[float] = []

    def compare(simulation: armlab.Simulation) -> None:
        probe = simulation.measure()
        state = probe.state()
        for link in ("base", "link_2", "link_6", "tool"):
            felt = probe.motion(link, T_LINK_SENSOR)
            row = sensor_motion(robot, Mount(link, T_LINK_SENSOR), state.q[None], state.qd[None], state.qdd[None])[0]
            ours = np.concatenate([felt.angular_rate, felt.specific_force, felt.T_world[:3, 3], felt.velocity])
            errors.append(float(np.abs(ours - np.delete(row, range(imu.TURN, imu.PLACE))).max()))

    simulation.every(20.0, compare)
    simulation.play(armlab.plan_joint(robot, [robot.home, robot.home + 0.4]))
    assert len(errors) > 20
    assert max(errors) < 1e-9


def test_a_sensor_at_rest_reads_g_upwards_and_in_free_fall_nothing() -> None:
    body = armlab.Body("stone", (armlab.load("planar2").links[1].shapes[0],), pose.from_xyz([0, 0, 5.0]), mass=2.0)
    robot = armlab.load("planar2")
    simulation = armlab.Simulation(armlab.Scene.of(robot, bodies=[body]))
    simulation.step(20)
    probe = simulation.measure()
    np.testing.assert_allclose(probe.motion("stone", np.eye(4)).specific_force, 0.0, atol=1e-12)
    np.testing.assert_allclose(probe.motion("base", np.eye(4)).specific_force, [0.0, 0.0, 9.81], atol=1e-12)


def test_a_pushed_body_feels_the_push_only() -> None:
    body = armlab.Body("stone", (armlab.load("planar2").links[1].shapes[0],), pose.from_xyz([0, 0, 5.0]), mass=2.0)
    simulation = armlab.Simulation(armlab.Scene.of(armlab.load("planar2"), bodies=[body]))
    simulation.push("stone", [0.0, 3.0, 0.0])
    simulation.step(5)
    centre = pose.from_xyz(body.inertia.com)
    np.testing.assert_allclose(simulation.measure().motion("stone", centre).specific_force, [0, 1.5, 0], atol=1e-12)
    simulation.push("stone")
    simulation.step(5)
    np.testing.assert_allclose(simulation.measure().motion("stone", centre).specific_force, 0.0, atol=1e-12)


def test_in_a_hierarchy_links_move_by_their_joints_and_nothing_else_is_felt() -> None:
    robot = armlab.load("planar2")
    simulation = armlab.Simulation(armlab.Scene.of(robot), "hierarchy")
    simulation.follow([[0.001, 0.0]], [[1.0, 0.0]])
    T = pose.from_xyz([0.1, 0.0, 0.02])
    motion, now = simulation.measure().motion("link_2", T), simulation.state()
    expected = sensor_motion(robot, Mount("link_2", T), now.q[None], now.qd[None], 0.0 * now.qd[None])
    np.testing.assert_allclose(motion_row(motion), expected[0], atol=1e-12)
    np.testing.assert_allclose(motion.T_world, robot.frames(now.q)[2] @ T, atol=1e-12)
    with pytest.raises(NotSupported):
        simulation.measure().flange_wrench()
    with pytest.raises(NotSupported):
        simulation.measure().motion("stone", np.eye(4))


def carousel(rate: float, radius: float = 0.75) -> ImuRecord:
    """S5's experiment c by kinematics: a sensor on the rig's bar at a constant π/4 rad/s."""
    robot = armlab.load("s5-rig")
    turn = Trajectory.rest([0.0, 0.0], 4.0)
    pieces = turn.pieces
    coefficients = np.zeros((1, 2, 2))
    coefficients[0, 1, 0] = math.pi / 4.0 * 4.0
    moving = Trajectory(type(pieces)(pieces.breaks, coefficients))
    return imu_along(robot, moving, Mount("bar", pose.from_xyz([radius, 0, 0])), rate=rate)


def test_on_a_carousel_the_exact_sensor_reads_the_centripetal_acceleration() -> None:
    record = carousel(1000.0)
    np.testing.assert_allclose(
        record.acc[1:-1], [[-0.75 * (math.pi / 4) ** 2, 0.0, 9.81]] * (len(record) - 2), atol=1e-12
    )
    np.testing.assert_allclose(record.gyro[1:-1], [[0.0, 0.0, math.pi / 4]] * (len(record) - 2), atol=1e-12)


def test_differences_of_velocity_err_as_their_taylor_series_say() -> None:
    """On a carousel the forward difference errs by ω a dt/2 along the path, the central one by ω² a dt²/6 radially."""
    omega, a = math.pi / 4, 0.75 * (math.pi / 4) ** 2
    rows = {(row.construction, row.step): row for row in compare_constructions(lambda step: carousel(1.0 / step))}
    for step in (0.001, 0.005, 0.02):
        assert rows["exact", step].acc_max == 0.0
        assert rows["forward", step].acc_max == pytest.approx(omega * a * step / 2.0, rel=1e-3)
        assert rows["central", step].acc_max == pytest.approx(omega**2 * a * step**2 / 6.0, rel=1e-2)
        assert rows["test_mass", step].acc_max > 100.0 * rows["forward", step].acc_max
        assert rows["forward", step].gyro_max < 1e-9


def test_a_record_is_even_and_knows_its_truth_before_a_sensor_is_constructed() -> None:
    record = carousel(100.0)
    uneven = ImuRecord(record.t**1.01, record.gyro, record.acc, None, record.orientation, None, record.velocity)
    with pytest.raises(InvalidInput) as refused:
        constructed(uneven, "forward")
    assert refused.value.code == "imu_not_even"
    with pytest.raises(InvalidInput) as refused:
        constructed(ImuRecord(record.t, record.gyro, record.acc), "central")
    assert refused.value.code == "imu_without_truth"
    with pytest.raises(UnknownName):
        constructed(record, "magic")  # type: ignore[arg-type]


def test_a_record_with_times_that_run_backwards_names_the_row() -> None:
    with pytest.raises(InvalidInput) as refused:
        ImuRecord(np.array([0.0, 0.1, 0.1]), np.zeros((3, 3)), np.zeros((3, 3)))
    assert refused.value.code == "imu_time_backwards"
    assert refused.value.parameters["row"] == 3


def test_unknown_links_and_impossible_rates_are_refused() -> None:
    robot = armlab.load("planar2")
    trajectory = Trajectory.rest(robot.home, 1.0)
    with pytest.raises(UnknownName):
        imu_along(robot, trajectory, Mount("elbowe"))
    with pytest.raises(InvalidInput):
        imu_along(robot, trajectory, Mount("tool"), rate=0.0)
    with pytest.raises(InvalidInput):
        imu_at(robot, trajectory, [0.0, math.nan], Mount("tool"))
    with pytest.raises(UnknownName):
        armlab.Simulation(armlab.Scene.of(robot)).measure().motion("nothing", np.eye(4))

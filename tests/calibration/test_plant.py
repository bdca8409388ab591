"""The real arm as a plant: commanded as the nominal arm, moving as the real one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import armlab
from armlab.arrays import Floats
from armlab.calibration import Friction, RealArm, real_arm, real_fk
from armlab.calibration.plant import RealSimulation
from armlab.calibration.servo import Servo
from armlab.errors import InvalidInput, UnknownName
from armlab.model.scene import Scene
from armlab.sim.simulation import Simulation

SIX = "kuka-kr6-r700"
GRAVITY = np.array([0.0, 0.0, -9.81])


def servo(real: RealArm, timestep: float = 0.001) -> Servo:
    return Servo(real, real.nominal.home.copy(), timestep, np.full(real.dof, 1e9), GRAVITY)


def along(real: RealArm, joint: int, rows: Floats) -> Floats:
    """Return where one joint goes when it is told these positions, one per timestep, and the others stand still."""
    made, home, out = servo(real), real.nominal.home, []
    for value in rows:
        q = home.copy()
        q[joint] += value
        out.append(made.follow(q, np.zeros(real.dof))[0][joint] - home[joint])
    return np.array(out)


def test_a_perfect_servo_goes_where_it_is_told() -> None:
    real = RealArm(armlab.load(SIX))
    told = 0.001 * np.sin(np.linspace(0, 6, 50))
    np.testing.assert_allclose(along(real, 2, told), told, atol=1e-15)


def test_a_delay_shifts_the_command_in_time() -> None:
    real = RealArm(armlab.load(SIX)).with_joint(2, delay=0.005)
    told = np.linspace(0.0, 0.02, 40)
    np.testing.assert_allclose(along(real, 2, told)[5:], told[:-5], atol=1e-15)


def test_play_is_a_loop_as_wide_as_the_backlash() -> None:
    real = RealArm(armlab.load(SIX)).with_joint(2, backlash=0.004)
    told = np.concatenate([np.linspace(0, 0.05, 100), np.linspace(0.05, 0.0, 100)])
    went = along(real, 2, told)
    assert went[99] == pytest.approx(0.05 - 0.002)
    assert went[150] - told[150] == pytest.approx(0.002)
    assert (np.diff(went[100:107]) == 0.0).all()  # the motor moves alone


def test_hysteresis_closes_smoothly_to_its_width() -> None:
    real = RealArm(armlab.load(SIX)).with_joint(2, hysteresis=0.001)
    told = np.concatenate([np.linspace(0, 0.05, 200), np.linspace(0.05, 0.0, 200)])
    went = along(real, 2, told)
    assert told[199] - went[199] == pytest.approx(0.0005, rel=1e-3)
    assert went[399] - told[399] == pytest.approx(0.0005, rel=1e-3)
    assert (np.diff(went[201:399]) < 0.0).all()


def test_dead_band_resolution_and_speed() -> None:
    base = RealArm(armlab.load(SIX))
    small = along(base.with_joint(2, dead_band=0.01), 2, np.array([0.009, -0.009, 0.011, 0.02, 0.02, 0.02]))
    np.testing.assert_allclose(small[[0, 1, 5]], [0.0, 0.0, 0.011], atol=1e-15)
    home = float(base.nominal.home[2])
    stepped = along(base.with_joint(2, resolution=0.01), 2, np.repeat([0.013, 0.047], 10))[[9, 19]]
    np.testing.assert_allclose((stepped + home) / 0.01, np.rint((stepped + home) / 0.01), atol=1e-9)
    np.testing.assert_allclose(along(base.with_joint(2, speed=1.0), 2, np.ones(5)), np.arange(1, 6) * 1e-3, atol=1e-14)


def test_friction_holds_the_joint_behind() -> None:
    real = RealArm(armlab.load(SIX)).with_joint(2, friction=Friction(viscous=10.0))
    made = Servo(real, real.nominal.home.copy(), 0.001, np.full(6, 1e5), GRAVITY)
    speeds = np.array([0, 0, 0.5, 0, 0, 0])
    q, _qd = made.follow(real.nominal.home.copy(), speeds)
    np.testing.assert_allclose((q - real.nominal.home)[2], -10.0 * 0.5 / 1e5)


@pytest.mark.parametrize("structure", ["articulation", "hierarchy"])
def test_a_real_arm_at_rest_is_where_real_fk_says(structure: str) -> None:
    robot = armlab.load(SIX)
    full = real_arm(robot, "industrial", seed=7)
    quiet = {"backlash": 0.0, "hysteresis": 0.0, "resolution": 0.0, "dead_band": 0.0, "friction": Friction()}
    real = replace(full, joints=tuple(replace(joint, **quiet) for joint in full.joints))  # type: ignore[arg-type]
    simulation = RealSimulation(Scene.of(robot), {robot.name: real}, structure)  # type: ignore[arg-type]
    q = robot.home + np.radians([10.0, -5.0, 8.0, 5.0, -4.0, 3.0])
    simulation.command(q=q)
    simulation.step(1500)
    tool = simulation.state().frames[-1]
    expected = real_fk(real, q, time=simulation.time)
    assert np.linalg.norm(tool[:3, 3] - expected[:3, 3]) < 2e-6
    assert np.linalg.norm(tool[:3, 3] - robot.fk(q)[:3, 3]) > 3e-4


def test_a_perfect_real_arm_moves_as_the_nominal_one() -> None:
    robot = armlab.load(SIX)
    path = armlab.plan_joint(robot, [robot.home, robot.home + 0.3])
    plain = Simulation(Scene.of(robot)).play(path)
    real = RealSimulation(Scene.of(robot), {robot.name: RealArm(robot)}).play(path)
    np.testing.assert_allclose(real.q, plain.q, atol=1e-6)


def test_a_snapshot_of_a_real_arm_goes_on_bit_by_bit() -> None:
    robot = armlab.load(SIX)
    simulation = RealSimulation(Scene.of(robot), {robot.name: real_arm(robot, "hobby", seed=1)})
    simulation.command(q=robot.home + 0.2)
    simulation.step(50)
    kept = simulation.snapshot()
    simulation.step(100)
    first = simulation.state().q
    simulation.restore(kept)
    simulation.step(100)
    np.testing.assert_array_equal(simulation.state().q, first)
    other = RealSimulation(Scene.of(robot), {robot.name: RealArm(robot)})
    with pytest.raises(InvalidInput):
        other.restore(kept)


def test_a_name_that_the_scene_does_not_have_is_refused() -> None:
    robot = armlab.load(SIX)
    with pytest.raises(UnknownName):
        RealSimulation(Scene.of(robot), {"other": RealArm(robot)})

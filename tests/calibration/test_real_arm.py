"""Real arms: other libraries put their tools at the same place, and files keep them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import armlab
from armlab.calibration import (
    TOLERANCES,
    FrameError,
    Friction,
    RealArm,
    Thermal,
    read_real_arm,
    real_arm,
    real_fk,
    real_joints,
    real_robot,
    write_real_arm,
)
from armlab.calibration.static_pose import loads_on
from armlab.dynamics import gravity_torque
from armlab.errors import CatalogError, InvalidInput, UnknownName
from armlab.formats.urdf import urdf_text
from oracles.arms import joint_values, random_arm

SIX = "kuka-kr6-r700"
ODD = random_arm("odd", ("revolute", "prismatic", "revolute", "revolute"), seed=4)


def test_an_arm_without_errors_is_the_nominal_arm() -> None:
    for robot in (armlab.load(SIX), ODD):
        q = joint_values(robot, 30, seed=1)
        np.testing.assert_allclose(real_fk(RealArm(robot), q), robot.fk(q), atol=1e-12)


def test_pinocchio_puts_the_tool_of_a_perturbed_arm_at_the_same_place() -> None:
    pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheels for this platform")
    for robot in (armlab.load(SIX), ODD):
        real = real_arm(robot, "hobby", seed=2)
        model = pin.buildModelFromXML(urdf_text(real_robot(real)))
        data, tool = model.createData(), model.getFrameId("tool", pin.BODY)
        stiff = replace(real, joints=tuple(replace(j, bending_stiffness=np.inf) for j in real.joints))
        for q in joint_values(robot, 50, seed=3):
            pin.framesForwardKinematics(model, data, real_joints(stiff, q))
            np.testing.assert_allclose(real_fk(stiff, q), data.oMf[tool].homogeneous, atol=1e-9)


def test_loads_about_the_axes_are_what_the_drives_hold() -> None:
    for robot in (armlab.load(SIX), armlab.load("stanford"), ODD):
        q = joint_values(robot, 30, seed=5)
        np.testing.assert_allclose(loads_on(RealArm(robot), q).along, -gravity_torque(robot, q), atol=1e-10)


def test_a_soft_joint_gives_by_its_torque_over_its_stiffness() -> None:
    robot = armlab.load(SIX)
    real = RealArm(robot).with_joint(1, stiffness=2e4)
    q = joint_values(robot, 20, seed=6)
    sag = real_joints(real, q) - q
    np.testing.assert_allclose(sag[:, 1], -gravity_torque(robot, q)[:, 1] / 2e4, atol=1e-15)
    assert not sag[:, [0, 2, 3, 4, 5]].any()


def test_bending_lowers_a_stretched_arm_and_more_payload_lowers_it_more() -> None:
    robot = armlab.load(SIX)
    stretched = np.radians([0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
    soft = RealArm(robot).with_joint(0, bending_stiffness=1e5)
    loaded = replace(soft, payload=replace(robot.tool.inertia, mass=5.0))
    heights = [float(real_fk(real, stretched)[2, 3]) for real in (RealArm(robot), soft, loaded)]
    assert heights[0] > heights[1] > heights[2]


def test_ratio_eccentricity_and_offset_add_to_the_joint_value() -> None:
    robot = armlab.load(SIX)
    real = RealArm(robot).with_joint("A3", offset=0.01, ratio=0.002, eccentricity=np.array([3e-4, -2e-4]))
    q = joint_values(robot, 20, seed=7)
    expected = q.copy()
    expected[:, 2] += 0.01 + 0.002 * q[:, 2] + 3e-4 * np.sin(q[:, 2]) - 2e-4 * np.cos(q[:, 2])
    np.testing.assert_allclose(real_fk(real, q), robot.fk(expected), atol=1e-14)


def test_the_two_directions_of_approach_are_backlash_and_hysteresis_apart() -> None:
    robot = armlab.load(SIX)
    real = real_arm(robot, "industrial", seed=3)
    up, down = (real_joints(real, robot.home, approach=np.full(6, side)) for side in (1.0, -1.0))
    np.testing.assert_allclose(down - up, real.column("backlash") + real.column("hysteresis"), atol=1e-15)


def test_a_warm_arm_has_grown_and_its_zeros_have_shifted() -> None:
    robot = armlab.load(SIX)
    warm = replace(RealArm(robot), thermal=Thermal(rise=20.0, time_constant=600.0, expansion=1e-5))
    late = real_fk(warm, robot.home, time=1e6)
    bare = robot.fk(robot.home)
    np.testing.assert_allclose(late[:3, 3], bare[:3, 3] * (1.0 + 2e-4), atol=1e-9)
    drifting = warm.with_joint(0, drift=1e-5)
    np.testing.assert_allclose((real_joints(drifting, robot.home, time=600.0) - robot.home)[0], 2e-4 * (1 - np.exp(-1)))


def test_friction_falls_with_speed_before_it_rises() -> None:
    friction = Friction(coulomb=2.0, viscous=1.0, breakaway=1.0, stribeck_speed=0.1)
    slow, middle, fast = friction.torque([1e-6, 0.3, 5.0])
    assert slow == pytest.approx(3.0, rel=1e-3)
    assert middle < slow < fast
    assert friction.torque(0.0) == 0.0
    np.testing.assert_array_equal(friction.torque([-0.3]), -friction.torque([0.3]))


@pytest.mark.parametrize("tolerance", TOLERANCES)
def test_what_is_drawn_lies_within_its_tolerance_and_has_its_seed(tolerance: str) -> None:
    robot, within = armlab.load(SIX), TOLERANCES[tolerance]
    for seed in range(20):
        real = real_arm(robot, tolerance, seed=seed)
        assert np.abs(real.column("offset")).max() <= within.offset
        assert np.abs([joint.frame.xyz for joint in real.joints]).max() <= within.length
        assert np.abs([joint.frame.rotation for joint in real.joints]).max() <= within.angle
        assert real.column("backlash").min() >= within.backlash[0]
        same, other = real_arm(robot, tolerance, seed=seed), real_arm(robot, tolerance, seed=seed + 1)
        np.testing.assert_array_equal(same.column("offset"), real.column("offset"))
        assert (other.column("offset") != real.column("offset")).all()


def test_better_tolerances_make_better_arms() -> None:
    robot = armlab.load(SIX)
    q = joint_values(robot, 50, seed=8)
    errors = {
        name: np.mean(
            [np.linalg.norm((real_fk(real_arm(robot, name, seed=s), q) - robot.fk(q))[:, :3, 3]) for s in range(10)]
        )
        for name in TOLERANCES
    }
    assert errors["iso"] < errors["industrial"] < errors["hobby"]


def test_a_file_keeps_the_whole_arm(tmp_path: Path) -> None:
    for name in (SIX, "stanford", "braccio"):
        robot = armlab.load(name)
        real = real_arm(robot, "hobby", seed=5)
        write_real_arm(real, tmp_path / "real.toml")
        again = read_real_arm(tmp_path / "real.toml")
        q = joint_values(robot, 10, seed=9)
        side = np.ones(robot.dof)
        np.testing.assert_allclose(
            real_fk(again, q, approach=side, time=900.0), real_fk(real, q, approach=side, time=900.0), atol=1e-13
        )
        for what in ("resolution", "dead_band", "delay", "speed", "drift"):
            np.testing.assert_allclose(again.column(what), real.column(what), rtol=1e-12)
        assert [j.friction for j in again.joints] == [j.friction for j in real.joints]
        assert again.source == real.source


def test_a_file_of_another_arm_is_refused(tmp_path: Path) -> None:
    write_real_arm(RealArm(armlab.load(SIX)), tmp_path / "real.toml")
    with pytest.raises(CatalogError) as refused:
        read_real_arm(tmp_path / "real.toml", armlab.load("ur5e"))
    assert refused.value.code == "real_arm_of_another"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("schema = 1\nrobot = 'kuka-kr6-r700'\nbacklash = 2\n[[joint]]\nname = 'A1'\n", "key_unknown"),
        ("schema = 1\nrobot = 'kuka-kr6-r700'\n[[joint]]\nname = 'A1'\nbacklash = -1.0\n", "below_least"),
        ("schema = 1\nrobot = 'kuka-kr6-r700'\n[[joint]]\nname = 'A1'\n", "real_joint_names"),
        ("schema = 1\nrobot = 'kuka-kr6-r700'\n[[joint]]\nname = 'A1'\nxyz = [nan, 0.0, 0.0]\n", "not_finite"),
        ("schema = ", "toml_ends_early"),
    ],
)
def test_a_wrong_file_says_where(tmp_path: Path, text: str, code: str) -> None:
    path = tmp_path / "real.toml"
    path.write_text(text)
    with pytest.raises(CatalogError) as refused:
        read_real_arm(path)
    assert refused.value.code == code
    assert str(path) in str(refused.value)


def test_values_that_no_joint_has_are_refused() -> None:
    real = RealArm(armlab.load(SIX))
    for wrong in ({"stiffness": 0.0}, {"backlash": -1e-3}, {"offset": np.nan}, {"friction": Friction(coulomb=-1.0)}):
        with pytest.raises(InvalidInput):
            real.with_joint(0, **wrong)
    with pytest.raises(UnknownName):
        real_arm(real.nominal, "perfect", seed=1)


def test_a_frame_error_is_a_shift_and_then_a_rotation() -> None:
    T = FrameError(np.array([1e-3, 0, 0]), np.array([0, 0, np.pi / 6])).pose
    np.testing.assert_allclose(T[:3, 3], [1e-3, 0, 0])
    np.testing.assert_allclose(T[:2, 0], [np.cos(np.pi / 6), np.sin(np.pi / 6)])

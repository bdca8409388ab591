from __future__ import annotations

import math

import numpy as np
import pytest
from refusals import refused
from scipy.spatial.transform import Rotation

import armlab
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.kinematics.why import why_not


def test_a_reachable_target_is_called_so() -> None:
    robot = armlab.load("kuka-kr6-r900")
    diagnosis = why_not(robot, robot.fk(robot.home))
    assert diagnosis.reachable
    assert diagnosis.position_gap < 1e-6


def test_a_point_too_far_away_is_out_of_reach_by_the_right_amount() -> None:
    robot = armlab.load("planar2")  # 300 + 200 mm
    diagnosis = why_not(robot, pose.from_xyz([0.62, 0, 0]), task="planar")
    assert diagnosis.code == "out_of_reach"
    assert diagnosis.position_gap == pytest.approx(0.12, abs=1e-6)
    assert str(diagnosis.summary) == "the point is 120.0 mm out of reach"
    np.testing.assert_allclose(diagnosis.nearest_T[:2, 3], [0.5, 0], atol=1e-5)


def test_a_singular_arm_is_told() -> None:
    robot = armlab.load("kuka-kr6-r900")
    straight = np.radians([10, -80, 100, 30, 0, 20])
    bent = np.radians([10, -80, 100, 30, 40, 20])
    assert why_not(robot, robot.fk(straight)).singular
    assert not why_not(robot, robot.fk(bent)).singular
    assert why_not(armlab.load("planar2"), pose.from_xyz([0.62, 0, 0]), task="planar").singular
    upward = [False, False, True, False, False, False]
    assert why_not(armlab.load("planar2"), pose.from_xyz([0.3, 0, 0.5]), task=upward).singular


def test_a_point_inside_the_hole_is_out_of_reach_too() -> None:
    diagnosis = why_not(armlab.load("planar2"), pose.from_xyz([0.03, 0.04, 0]), task="planar")
    assert diagnosis.code in {"out_of_reach", "limits"}
    assert diagnosis.position_gap >= 0.05 - 1e-6


@pytest.mark.parametrize("name", ["puma560", "kuka-kr6-r900", "ur5e", "franka-panda", "braccio"])
def test_what_can_be_reached_is_never_called_out_of_reach(name: str) -> None:
    robot = armlab.load(name)
    rng = np.random.default_rng(11)
    for T in robot.fk(rng.uniform(robot.lower, robot.upper, (150, robot.dof))):
        assert why_not(robot, T).reachable


def test_a_stroke_in_the_way_is_a_limit_with_a_name() -> None:
    robot = armlab.load("scara")
    T = robot.fk(robot.home)
    T[2, 3] = robot.fk(np.where(robot.chain.revolute > 0.5, robot.home, robot.upper))[2, 3] + 0.1
    diagnosis = why_not(robot, T)
    assert diagnosis.code == "limits"
    assert all(b.joint == "Z" and b.excess == pytest.approx(0.1, abs=1e-9) for b in diagnosis.branches)


def test_why_not_takes_one_target() -> None:
    robot = armlab.load("planar2")
    for batch in (np.stack([np.eye(4)] * 2), np.zeros((0, 4, 4))):
        with refused("diagnose_one_pose", InvalidInput):
            why_not(robot, batch)


def test_a_limit_in_the_way_is_named_with_joint_and_amount() -> None:
    robot = armlab.load("kuka-kr6-r900")
    q = np.radians([0, -90, 90, 0, 30, 0])
    q[4] = math.radians(125.0)  # A5 ends at 120°
    beyond = why_not(robot, robot.fk(q))
    assert not beyond.reachable
    assert beyond.code == "limits"
    mine = [b for b in beyond.branches if b.joint == "A5" and abs(b.excess - math.radians(5.0)) < 1e-9]
    assert mine
    assert mine[0].sentence.code == "branch_outside_limit"
    assert mine[0].sentence.parameters["joint"] == "A5"
    assert mine[0].sentence.parameters["excess"] == pytest.approx(5.0, abs=1e-6)


def test_too_few_axes_for_an_orientation_are_told() -> None:
    robot = armlab.load("scara")
    T = robot.fk(robot.home) @ pose.from_xyz_rpy([0, 0, 0], [0.5, 0, 0])
    assert why_not(robot, T).reachable  # point and yaw, which a SCARA can choose
    diagnosis = why_not(robot, T, task="pose")
    assert diagnosis.code == "too_few_axes"
    assert diagnosis.rotation_gap == pytest.approx(0.5, abs=1e-3)
    assert "4 axes cannot give the tool this orientation" in str(diagnosis.summary)


def test_an_orientation_that_the_point_does_not_allow_is_told() -> None:
    robot = armlab.load("kuka-kr6-r900")
    outward = robot.fk(np.radians([0, -20, 20, 0, 0, 0]))
    outward[:3, 3] *= 1.02
    inward = outward @ pose.from_xyz_rpy([0, 0, 0], [math.pi, 0, 0])
    diagnosis = why_not(robot, inward)
    assert not diagnosis.reachable
    assert diagnosis.code in {"orientation", "out_of_reach", "limits"}
    assert diagnosis.position_gap + diagnosis.rotation_gap > 1e-3


def test_the_nearest_yaw_of_a_scara_is_the_one_that_geometry_gives() -> None:
    robot, rng = armlab.load("scara"), np.random.default_rng(13)
    T_home = robot.fk(robot.home)
    for T in robot.fk(rng.uniform(robot.lower, robot.upper, (20, robot.dof))):
        R = Rotation.random(random_state=rng).as_matrix()
        T[:3, :3] = R
        # the tool turns about the vertical alone, freely: of the turn from upright, (w, x, y, z), w and z can be met
        w, z = Rotation.from_matrix(R @ T_home[:3, :3].T).as_quat()[[3, 2]]
        diagnosis = why_not(robot, T, task="pose")
        assert diagnosis.code == "too_few_axes"
        assert diagnosis.rotation_gap == pytest.approx(2.0 * math.acos(min(math.hypot(w, z), 1.0)), abs=1e-6)


def test_the_nearest_yaw_of_two_links_is_that_of_the_nearer_elbow() -> None:
    robot, rng = armlab.load("planar2"), np.random.default_rng(14)
    for T in robot.fk(rng.uniform(robot.lower, robot.upper, (20, 2))):
        yaws = [solution.q.sum() for solution in armlab.all_ik(robot, T, task="planar")]
        wanted = rng.uniform(-math.pi, math.pi)
        T[:3, :3] = pose.from_xyz_rpy([0, 0, 0], [0, 0, wanted])[:3, :3]
        diagnosis = why_not(robot, T, task="planar-pose")
        assert diagnosis.code == "too_few_axes"
        assert diagnosis.rotation_gap == pytest.approx(
            min(abs(math.remainder(yaw - wanted, math.tau)) for yaw in yaws), abs=1e-5
        )


def test_a_torch_held_against_its_limits_is_turned_by_as_little_as_possible() -> None:
    robot = armlab.load("kuka-kr6-r700", tool="torch")
    diagnosis = why_not(robot, pose.from_mm_deg([540, 0, 210, 0, 45, 180]))
    assert diagnosis.code == "orientation"
    # 50 degrees about the world's y axis can be reached, so the nearest is no farther
    assert why_not(robot, pose.from_mm_deg([540, 0, 210, 0, -5, 180])).reachable
    assert diagnosis.rotation_gap < math.radians(50.0)


@pytest.mark.parametrize("name", ["kuka-kr6-r700", "ur5e", "franka-panda", "braccio", "scara", "xarm6"])
def test_no_place_is_nearer_to_a_point_out_of_reach_than_the_nearest(name: str) -> None:
    robot, rng = armlab.load(name), np.random.default_rng(15)
    origin = robot.frames(robot.home)[1, :3, 3]
    for T in robot.fk(rng.uniform(robot.lower, robot.upper, (5, robot.dof))):
        T[:3, 3] = origin + (T[:3, 3] - origin) * 1.1 * robot.chain.reach / np.linalg.norm(T[:3, 3] - origin)
        diagnosis = why_not(robot, T, task="pose")
        assert diagnosis.code == "out_of_reach"
        q = rng.uniform(robot.lower, robot.upper, (20_000, robot.dof))
        # anywhere, and around the nearest one
        around = diagnosis.nearest_q + 0.03 * rng.standard_normal((10_000, robot.dof))
        q[10_000:] = np.clip(around, robot.lower, robot.upper)
        gaps = np.linalg.norm(robot.fk(q)[:, :3, 3] - T[:3, 3], axis=1)
        assert gaps.min() >= diagnosis.position_gap - 1e-6


@pytest.mark.parametrize("name", armlab.robot_names())
def test_the_nearest_pose_is_inside_the_limits_and_truly_where_it_says(name: str) -> None:
    robot = armlab.load(name)
    T = pose.from_xyz_rpy([3.0, 2.0, 1.0], [0.3, 0.2, 0.1]) if robot.dof > 2 else pose.from_xyz([3.0, 2.0, 0.0])
    diagnosis = why_not(robot, T)
    assert not diagnosis.reachable
    assert ((diagnosis.nearest_q >= robot.lower) & (diagnosis.nearest_q <= robot.upper)).all()
    np.testing.assert_allclose(robot.fk(diagnosis.nearest_q), diagnosis.nearest_T)
    gap = float(np.linalg.norm(diagnosis.nearest_T[:3, 3] - T[:3, 3]))
    assert diagnosis.position_gap == pytest.approx(gap, abs=1e-6)
    assert diagnosis.summary.code in {"out_of_reach", "point_beyond_limits", "beyond_limits_nearest", "orientation"}

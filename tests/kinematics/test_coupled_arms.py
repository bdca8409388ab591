"""Arms with coupled joints: inverse kinematics, singularities and paths know the law."""

from __future__ import annotations

import numpy as np
import pytest
from coupled_arms import ARMS, all_values, coupled_arm, random_rows

from armlab.catalog import load_text
from armlab.collision.checker import Checker
from armlab.errors import InvalidInput, NotSupported
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.kinematics.all_ik import all_ik
from armlab.kinematics.ik import attempt_ik, solve_ik
from armlab.kinematics.reach import reach
from armlab.kinematics.scaled import scaled_task
from armlab.kinematics.task import default_task
from armlab.kinematics.why import why_not
from armlab.kinematics.workspace import branch_atlas
from armlab.model.coupling import repeating
from armlab.model.scene import Body, PlacedRobot, Scene
from armlab.motion.follow.follow import follow
from armlab.motion.joint import plan_joint
from armlab.motion.toolpath.through import through
from armlab.sensing.mount import Mount
from armlab.sensing.truth import sensor_motion


def test_a_palletiser_is_asked_for_its_point_and_its_yaw() -> None:
    assert default_task(coupled_arm("palletiser")).name == "scara"
    T = coupled_arm("palletiser").fk(random_rows(coupled_arm("palletiser")))
    np.testing.assert_allclose(T[:, 2, 2], -1.0, atol=1e-12)


@pytest.mark.parametrize("task", ["scara", "position", "pose", "approach"])
def test_inverse_kinematics_finds_what_forward_kinematics_gave(task: str) -> None:
    robot = coupled_arm("palletiser")
    T = robot.fk(random_rows(robot))
    found = attempt_ik(robot, T, task=task)
    assert found.converged.all()
    np.testing.assert_allclose(robot.fk(found.q)[:, :3, 3], T[:, :3, 3], atol=1e-6)
    one = solve_ik(robot, T[4], task=task, start=robot.home)
    np.testing.assert_allclose(robot.fk(one)[:3, 3], T[4, :3, 3], atol=1e-6)


def test_all_solutions_are_inside_the_limits_and_at_the_target() -> None:
    robot = coupled_arm("palletiser")
    for q in random_rows(robot, 4):
        solutions = all_ik(robot, robot.fk(q), turns=True)
        assert any(np.abs(solution.q - q).max() < 1e-6 for solution in solutions)
        for solution in solutions:
            assert ((solution.q >= robot.lower) & (solution.q <= robot.upper)).all()
            np.testing.assert_allclose(robot.fk(solution.q), robot.fk(q), atol=1e-6)


def test_a_point_out_of_reach_is_said_to_be() -> None:
    robot = coupled_arm("palletiser")
    assert attempt_ik(robot, pose.from_xyz([3.0, 0.0, 0.5]) @ np.diag([1.0, -1.0, -1.0, 1.0])).converged is False


@pytest.mark.parametrize("name", ARMS)
def test_slopes_of_the_jacobian_are_those_of_differences(name: str) -> None:
    robot = coupled_arm(name)
    scaled, q, h = scaled_task(robot, "position"), random_rows(robot, 6), 1e-6
    _J, slopes = scaled.both(q)
    for i in range(robot.dof):
        step = h * np.eye(robot.dof)[i] * scaled.column_scale
        differences = (scaled.jacobian(q + step) - scaled.jacobian(q - step)) / (2.0 * h)
        np.testing.assert_allclose(slopes[:, i], differences, atol=1e-8)


@pytest.mark.parametrize("task", ["scara", "position"])
def test_a_straight_line_is_followed_by_the_tool_itself(task: str) -> None:
    robot = coupled_arm("palletiser")
    start, end = np.array([0.2, 0.3, 0.2, 0.5]), np.array([-0.4, 0.5, -0.2, -0.3])
    path = through(robot.fk(np.array([start, end])))
    followed = follow(robot, path, start=start, task=task).path
    assert followed is not None
    s = np.linspace(0.0, path.length, 101)
    q = followed.values(s)[:, 0]
    np.testing.assert_allclose(robot.fk(q)[:, :3, 3], path.at(s)[:, :3, 3], atol=1e-7)


def test_a_checker_sees_the_followers_where_their_law_has_them() -> None:
    robot = coupled_arm("palletiser")
    own, whole = Checker(Scene.of(robot)), Checker(Scene.of(robot.uncoupled))
    names = [joint.name for joint in robot.uncoupled.joints]
    for q in random_rows(robot, 8):
        other = all_values("palletiser", robot, q, names)
        assert own.distance(q).value == pytest.approx(whole.distance(other).value, abs=1e-9)
        assert own.is_free(q) == whole.is_free(other)


def test_a_sweep_finds_where_a_coupled_arm_first_touches() -> None:
    robot = coupled_arm("palletiser")
    motion = plan_joint(robot, [robot.home, robot.home + np.array([0.0, 0.6, 0.2, 0.0])])
    in_the_way = Body("box", (Shape("box", (0.05, 0.05, 0.05), np.eye(4)),), pose.from_xyz(robot.fk(motion.end)[:3, 3]))
    checker = Checker(Scene("cell", (PlacedRobot("arm", robot, robot.home),), (in_the_way,)))
    report = checker.sweep(motion)
    assert report.first_contact is not None
    assert report.first_contact.q.shape == (4,)
    times = np.linspace(0.0, motion.duration, 2001)
    free = checker.is_free(np.ascontiguousarray(motion.sample(times).q))
    assert report.first_contact.time == pytest.approx(times[np.argmin(free)], abs=2.0 * motion.duration / 2000)


def test_a_sensor_beyond_a_follower_moves_as_its_link() -> None:
    robot = coupled_arm("palletiser")
    rng, (q,) = np.random.default_rng(0), random_rows(robot, 1)
    qd, qdd, h = rng.normal(size=4), rng.normal(size=4), 1e-4
    place = [robot.frames(q + t * qd + 0.5 * t * t * qdd)[6, :3, 3] for t in (-h, 0.0, h)]
    acceleration = (place[0] - 2.0 * place[1] + place[2]) / h**2
    row = sensor_motion(robot, Mount("hand"), q[None], qd[None], qdd[None])[0]
    R = robot.frames(q)[6, :3, :3]
    np.testing.assert_allclose(R @ row[3:6], acceleration + np.array([0.0, 0.0, 9.81]), atol=1e-5)


def test_a_map_of_branches_is_refused() -> None:
    with pytest.raises(NotSupported) as caught:
        branch_atlas(coupled_arm("palletiser"))
    assert caught.value.code == "coupled_joints"


def test_values_of_the_whole_chain_are_refused() -> None:
    with pytest.raises(InvalidInput):
        coupled_arm("palletiser").fk(np.zeros(6))


HALVES = """
schema = 1
name = "halves"
title = "Halves"
source = "a belt of two to one"
home = [0, 0]

[[joint]]
name = "swing"
kind = "revolute"
axis = [0, 1, 0]
limits = { lower = -20, upper = 20 }

[[joint]]
name = "lead"
kind = "revolute"
xyz = [400, 0, 0]
axis = [0, 1, 0]
limits = { lower = 0, upper = 700 }

[[joint]]
name = "half"
kind = "revolute"
xyz = [400, 0, 0]
axis = [0, 1, 0]
limits = { lower = -720, upper = 720 }
follows = { joint = "lead", multiplier = 0.5, offset = 170 }

[[joint]]
name = "slide"
kind = "prismatic"
xyz = [300, 0, 0]
axis = [1, 0, 0]
limits = { lower = 0, upper = 720 }
follows = { joint = "lead", multiplier = 0.5 }
"""


def test_a_whole_turn_of_a_leader_is_another_pose_where_its_follower_makes_half_a_turn() -> None:
    robot = load_text(HALVES)
    assert repeating(robot.joints, robot.followers).tolist() == [True, False]
    q = np.random.default_rng(0).uniform(robot.lower, robot.upper, (100_000, 2))
    farthest = np.linalg.norm(robot.fk(q)[:, [0, 2], 3], axis=1).max()
    assert farthest - 1e-9 <= reach(robot) <= farthest + 1e-3
    for lead in (1.0, 1.0 + 2.0 * np.pi):
        found = all_ik(robot, robot.fk([0.1, lead]), turns=True)
        assert any(np.abs(solution.q - [0.1, lead]).max() < 1e-6 for solution in found)
        assert why_not(robot, robot.fk([0.1, lead])).code == "reachable"
    beyond = robot.fk([0.5, 10.0])  # past the limit of the first joint alone
    assert why_not(robot, beyond).code == "limits"

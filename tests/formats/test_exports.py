"""Arms written as MJCF and USD: MuJoCo computes the same poses, and what is read again is the same arm."""

from __future__ import annotations

import re
from pathlib import Path

import mujoco
import numpy as np
import pytest

import armlab
from armlab.catalog import robot_names
from armlab.catalog.importing import import_arm
from armlab.formats.mjcf_write import mjcf_text
from armlab.formats.usd_write import usd_text
from armlab.model.robot import Robot

ARMS = [name for name in ("kuka-kr6-r700", "ur5e", "scara", "panda", "planar2") if name in robot_names()]


def sampled(robot: Robot, count: int = 20) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.random.default_rng(3).uniform(robot.lower, robot.upper, (count, robot.dof))


@pytest.mark.parametrize("name", ARMS)
def test_mujoco_puts_the_tool_of_an_exported_arm_where_armlab_does(name: str) -> None:
    robot = armlab.load(name, tool="gripper").with_base(armlab.pose.from_xyz_rpy([0.3, -0.2, 0.5], [0.1, 0.2, 0.3]))
    model = mujoco.MjModel.from_xml_string(mjcf_text(robot))
    data = mujoco.MjData(model)
    body = model.body("tool").id
    for q in sampled(robot):
        data.qpos[: robot.dof] = q
        mujoco.mj_kinematics(model, data)
        T = robot.fk(q)
        np.testing.assert_allclose(data.xpos[body], T[:3, 3], atol=1e-12)
        np.testing.assert_allclose(data.xmat[body].reshape(3, 3), T[:3, :3], atol=1e-12)
    weights = [link.inertia.mass for link in robot.links]
    if all(weights):
        assert model.body_mass.sum() == pytest.approx(sum(weights) + robot.tool.inertia.mass, abs=1e-5)


@pytest.mark.parametrize("name", ARMS)
def test_an_arm_written_as_mjcf_and_read_again_is_the_same(name: str, tmp_path: Path) -> None:
    robot = armlab.load(name)
    (tmp_path / "arm.xml").write_text(mjcf_text(robot), encoding="utf-8")
    made = import_arm(tmp_path / "arm.xml")
    q = sampled(robot)
    np.testing.assert_allclose(made.robot.fk(q), robot.fk(q), atol=1e-12)
    np.testing.assert_allclose(made.robot.lower, robot.lower, atol=1e-15)
    np.testing.assert_allclose(made.robot.effort, robot.effort)
    assert [len(link.shapes) for link in made.robot.links[:-1]] == [len(link.shapes) for link in robot.links[:-1]]
    assert not [finding for finding in made.findings if finding.severity == "warning"]


@pytest.mark.parametrize("name", ARMS)
def test_usd_has_every_link_where_it_is_at_zero(name: str) -> None:
    robot = armlab.load(name)
    text = usd_text(robot)
    found = re.findall(r"matrix4d xformOp:transform = \( (.*) \)", text)
    matrices = [
        np.array([float(number) for number in re.findall(r"[-\d.e+]+", each)]).reshape(4, 4).T for each in found
    ]
    np.testing.assert_allclose(matrices, robot.frames(np.zeros(robot.dof)), atol=1e-15)
    assert text.count("def PhysicsRevoluteJoint") + text.count("def PhysicsPrismaticJoint") == robot.dof
    assert text.count("{") == text.count("}")

"""Arms written as MJCF and USD: MuJoCo computes the same poses, and what is read again is the same arm."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import mujoco
import numpy as np
import pytest

import armlab
from armlab.catalog import robot_names
from armlab.catalog.importing import import_arm
from armlab.cli.main import run
from armlab.formats.mjcf_write import mjcf_text
from armlab.formats.urdf import urdf_text
from armlab.formats.usd_write import usd_text
from armlab.model.jaws import jaws_of
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


@pytest.mark.parametrize("name", [*ARMS, "franka-panda", "braccio", "stanford"])
def test_actuators_of_mjcf_hold_home_under_gravity_and_follow_within_their_force(name: str) -> None:
    robot = armlab.load(name, tool="none" if name == "braccio" else "gripper")  # too heavy for hobby servos
    model = mujoco.MjModel.from_xml_string(mjcf_text(robot))
    jaws = jaws_of(robot.tool)
    closed = [] if jaws is None else [jaws.travel]  # one drive for all fingers
    assert model.nu == robot.dof + len(closed)
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    np.testing.assert_allclose(data.ctrl, [*robot.home, *np.zeros(len(closed))])
    model.geom_contype[:] = 0  # nothing but the drives holds it
    most = np.where(model.actuator_forcelimited, model.actuator_forcerange[:, 1], np.inf)
    np.testing.assert_allclose(most[: robot.dof], robot.effort)
    inside = np.clip(robot.home + 0.1, robot.lower, robot.upper)
    for target in ([*robot.home, *np.zeros(len(closed))], [*inside, *closed]):
        data.ctrl[:] = target
        for _ in range(1500):
            mujoco.mj_step(model, data)
        assert np.abs(data.actuator_length - target).max() < 0.004
        assert (np.abs(data.actuator_force) < 0.9 * most).all()
        assert np.abs(data.qvel).max() < 1e-3
    if jaws is not None:
        np.testing.assert_allclose(data.qpos[robot.uncoupled.dof :], jaws.travel, atol=1e-3)


@pytest.mark.parametrize("name", ARMS)
def test_each_joint_of_usd_has_the_drive_of_mjcf_in_degrees(name: str) -> None:
    robot = armlab.load(name)
    text, model = usd_text(robot), mujoco.MjModel.from_xml_string(mjcf_text(robot))
    joints = re.findall(
        r'def Physics(Revolute|Prismatic)Joint "[^"]+" '
        r'\(prepend apiSchemas = \["PhysicsDriveAPI:(\w+)"\]\)\n(.*?)\n    }',
        text,
        re.DOTALL,
    )
    assert len(joints) == robot.dof
    for i, (kind, freedom, body) in enumerate(joints):
        assert freedom == ("angular" if kind == "Revolute" else "linear")
        given = dict(re.findall(rf"float drive:{freedom}:physics:(\w+) = (\S+)", body))
        unit = np.pi / 180.0 if kind == "Revolute" else 1.0
        assert float(given["stiffness"]) == pytest.approx(model.actuator_gainprm[i, 0] * unit)
        assert float(given["damping"]) == pytest.approx(-model.actuator_biasprm[i, 2] * unit)
        assert float(given["targetPosition"]) == pytest.approx(robot.home[i] / unit)
        if np.isfinite(robot.effort[i]):
            assert float(given["maxForce"]) == pytest.approx(robot.effort[i])
        assert f'drive:{freedom}:physics:type = "force"' in body


def renamed(robot: Robot) -> Robot:
    """Return an arm whose names ROS does not take, and which differ only in what it does not take."""
    links = tuple(replace(link, name=name) for link, name in zip(robot.links, LINKS, strict=False))
    joints = tuple(replace(joint, name=name) for joint, name in zip(robot.joints, JOINTS, strict=True))
    return replace(robot, name="my arm", links=links, joints=joints)


LINKS = ("base link", "base-link", "2nd", "плечо", "upper arm", "world", "flange")
JOINTS = ("joint 1", "joint.1", "joint/1", "3", "локоть", "wrist (roll)")


def test_names_of_urdf_are_those_of_ros_and_the_arm_is_the_same(tmp_path: Path) -> None:
    robot = renamed(armlab.load("kuka-kr6-r700").with_base(armlab.pose.from_xyz([0.1, 0.0, 0.2])))
    text = urdf_text(robot)
    for kind in ("link", "joint"):
        names = re.findall(rf'<{kind} name="([^"]*)"', text)
        assert len(set(names)) == len(names) >= 7
        assert all(re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) for name in names)
    (tmp_path / "arm.urdf").write_text(text, encoding="utf-8")
    made = import_arm(tmp_path / "arm.urdf").robot
    q = sampled(robot)
    np.testing.assert_allclose(made.fk(q), robot.fk(q), atol=1e-12)
    np.testing.assert_allclose(made.lower, robot.lower, atol=1e-15)


@pytest.mark.parametrize(
    ("kind", "name"),
    [("urdf", "a.usda"), ("mjcf", "a.urdf"), ("usd-ascii", "a.usdc"), ("usd-ascii", "a.usdz"), ("glb", "a.gltf")],
)
def test_a_file_that_is_not_what_its_name_says_is_refused(kind: str, name: str, tmp_path: Path) -> None:
    assert run(["export", "ur5e", "--to", kind, "-o", str(tmp_path / name)]) == 2
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", ["usd", "usda", "USD-ASCII", "xacro"])
def test_a_format_that_is_not_known_is_refused_with_the_list(kind: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["export", "ur5e", "--to", kind]) == 2
    said = capsys.readouterr().err
    assert all(known in said for known in ("urdf", "mjcf", "dh", "toml", "glb", "usd-ascii"))

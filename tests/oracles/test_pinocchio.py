"""Pinocchio reads what `urdf_text` writes; it must then say the same as armlab about every arm."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from armlab import catalog
from armlab.arrays import Floats
from armlab.formats.urdf import read_urdf, urdf_text, write_urdf
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia
from armlab.model.dh import dh_table
from armlab.model.robot import Robot
from oracles.arms import joint_values, made_up_arms, pose_distance

pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheels for this platform")

TOLERANCE = 1e-12
MADE_UP = {robot.name: robot for robot in made_up_arms()}
NAMES = (*MADE_UP, *catalog.robot_names())


@pytest.fixture(params=NAMES)
def arm(request: pytest.FixtureRequest) -> Robot:
    name = request.param
    return MADE_UP[name] if name in MADE_UP else catalog.load(name)


def size_of(robot: Robot) -> float:
    """Return what an error is measured against: the arm's largest coordinate, at least 1 m."""
    return max(1.0, float(np.abs(robot.frames(joint_values(robot, 20, seed=9))[..., :3, 3]).max()))


def pinocchio_model(robot: Robot) -> tuple[Any, Any]:
    model = pin.buildModelFromXML(urdf_text(robot))
    assert list(model.names)[1:] == [in_ros(joint.name) for joint in robot.joints]
    return model, model.createData()


def in_ros(name: str) -> str:
    """Return a name as ROS takes it."""
    return re.sub(r"[^A-Za-z0-9_]", "_", name)


def frame(model: Any, data: Any, name: str) -> Floats:
    return np.array(data.oMf[model.getFrameId(in_ros(name), pin.BODY)].homogeneous)


def test_pinocchio_puts_every_link_and_the_tool_at_the_same_place(arm: Robot) -> None:
    model, data = pinocchio_model(arm)
    worst = 0.0
    for q in joint_values(arm, 200, seed=11):
        pin.framesForwardKinematics(model, data, q)
        for name, T in zip(arm.frame_names, arm.frames(q), strict=True):
            worst = max(worst, pose_distance(T, frame(model, data, name)))
    assert worst < TOLERANCE * size_of(arm)


def test_pinocchio_has_the_same_jacobian_at_the_tool(arm: Robot) -> None:
    model, data = pinocchio_model(arm)
    tool = model.getFrameId("tool", pin.BODY)
    for q in joint_values(arm, 50, seed=12):
        J = pin.computeFrameJacobian(model, data, q, tool, pin.LOCAL_WORLD_ALIGNED)
        np.testing.assert_allclose(arm.jacobian(q), J.reshape(6, arm.dof), rtol=0, atol=TOLERANCE * size_of(arm))


def parts_in_world(robot: Robot, q: Floats) -> list[tuple[Inertia, Floats]]:
    frames = robot.frames(q)
    parts = [(link.inertia, T) for link, T in zip(robot.links, frames[:-1], strict=True)]
    return [*parts, (robot.tool.inertia, frames[-2] @ robot.flange)]


def test_pinocchio_weighs_the_same_and_finds_the_same_centre_of_mass(arm: Robot) -> None:
    model, data = pinocchio_model(arm)
    base = model.inertias[0]  # what does not move: Pinocchio leaves it out of its own sums
    for q in joint_values(arm, 20, seed=13):
        parts = parts_in_world(arm, q)
        mass = sum(inertia.mass for inertia, _ in parts)
        moment = sum((inertia.mass * pose.transform(T, inertia.com) for inertia, T in parts), np.zeros(3))
        moving = pin.computeTotalMass(model)
        theirs = base.mass * base.lever + (moving * pin.centerOfMass(model, data, q) if moving else 0.0)
        assert moving + base.mass == pytest.approx(mass, rel=1e-14, abs=1e-14)
        np.testing.assert_allclose(theirs, moment, rtol=0, atol=TOLERANCE * max(1.0, mass) * size_of(arm))


def test_pinocchio_needs_the_same_energy_to_move_the_links(arm: Robot) -> None:
    """Kinetic energy at random speeds sees every inertia matrix, and the frame that it is given in."""
    model, data = pinocchio_model(arm)
    rng = np.random.default_rng(14)
    for q in joint_values(arm, 10, seed=14):
        qd = rng.normal(size=arm.dof)
        energy = sum(kinetic_energy(arm, q, qd))
        assert pin.computeKineticEnergy(model, data, q, qd) == pytest.approx(energy, rel=1e-6, abs=1e-9)


def kinetic_energy(robot: Robot, q: Floats, qd: Floats) -> list[float]:
    """Return the energy of every part from a central difference of the frames."""
    h = 1e-6
    energies = []
    pairs = zip(parts_in_world(robot, q + h * qd), parts_in_world(robot, q - h * qd), strict=True)
    for (inertia, T_ahead), (_, T_behind) in pairs:
        v = (pose.transform(T_ahead, inertia.com) - pose.transform(T_behind, inertia.com)) / (2 * h)
        spin = pose.rotation_vector(T_ahead[:3, :3] @ T_behind[:3, :3].T) / (2 * h)
        R = parts_rotation(T_ahead, T_behind)
        energies.append(0.5 * inertia.mass * float(v @ v) + 0.5 * float(spin @ R @ inertia.matrix @ R.T @ spin))
    return energies


def parts_rotation(T_ahead: Floats, T_behind: Floats) -> Floats:
    return 0.5 * (T_ahead[:3, :3] + T_behind[:3, :3])


def test_what_is_written_and_read_again_is_the_same_arm(arm: Robot, tmp_path: Path) -> None:
    write_urdf(arm, tmp_path / "arm.urdf")
    again = read_urdf(tmp_path / "arm.urdf")
    q = joint_values(arm, 200, seed=15)
    for T, T_again in zip(arm.fk(q), again.fk(q), strict=True):
        assert pose_distance(T, T_again) < TOLERANCE * size_of(arm)
    for limit in ("lower", "upper", "velocity", "effort"):
        np.testing.assert_array_equal(getattr(again, limit), getattr(arm, limit))


@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_both_tables_are_at_the_same_place(arm: Robot, convention: Any) -> None:
    q = joint_values(arm, 200, seed=16)
    for T, T_table in zip(arm.fk(q), dh_table(arm, convention).fk(q), strict=True):
        assert pose_distance(T, T_table) < TOLERANCE * size_of(arm)

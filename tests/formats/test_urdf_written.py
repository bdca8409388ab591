"""URDF files that are written: what comes back from them, and what cannot be written."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refused

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.formats.urdf import read_urdf, urdf_text, write_urdf
from armlab.formats.urdf_write import exact_rpy
from armlab.geometry import pose, solid
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.model.parts import Joint, Link, Tool
from armlab.model.robot import Robot
from oracles.arms import joint_values, made_up_arms, pose_distance
from strategies import angles, robots_with_q

MADE_UP = [pytest.param(robot, id=robot.name) for robot in made_up_arms()]


@given(robot_with_q=robots_with_q())
def test_every_arm_comes_back_from_its_own_urdf(
    tmp_path_factory: pytest.TempPathFactory, robot_with_q: tuple[Robot, Floats]
) -> None:
    robot, q = robot_with_q
    path = tmp_path_factory.getbasetemp() / "arm.urdf"
    write_urdf(robot, path)
    again = read_urdf(path)
    np.testing.assert_allclose(again.frames(q), robot.frames(q), atol=1e-12)
    for limit in ("lower", "upper", "velocity", "effort"):
        np.testing.assert_array_equal(getattr(again, limit), getattr(robot, limit))
    assert again.frame_names == robot.frame_names


def whole_inertia(robot: Robot, q: Floats) -> tuple[float, Floats, Floats]:
    """Return mass, its first moment and its inertia about the world's origin, tool included."""
    frames = robot.frames(q)
    parts = [(k.inertia, T) for k, T in zip(robot.links, frames[:-1], strict=True)]
    parts.append((robot.tool.inertia, frames[-2] @ robot.flange))
    mass, moment, matrix = 0.0, np.zeros(3), np.zeros((3, 3))
    for inertia, T in parts:
        R, p = T[:3, :3], pose.transform(T, inertia.com)
        mass, moment = mass + inertia.mass, moment + inertia.mass * p
        matrix += R @ inertia.matrix @ R.T + inertia.mass * (p @ p * np.eye(3) - np.outer(p, p))
    return mass, moment, matrix


@pytest.mark.parametrize("robot", MADE_UP)
def test_mass_and_inertia_come_back(robot: Robot, tmp_path: Path) -> None:
    write_urdf(robot, tmp_path / "arm.urdf")
    again = read_urdf(tmp_path / "arm.urdf")
    for q in joint_values(robot, 10, seed=31):
        ours, theirs = whole_inertia(robot, q), whole_inertia(again, q)
        np.testing.assert_allclose(theirs[0], ours[0], rtol=1e-14)
        np.testing.assert_allclose(theirs[1], ours[1], atol=1e-12)
        np.testing.assert_allclose(theirs[2], ours[2], atol=1e-12)


@pytest.mark.parametrize("robot", MADE_UP[:3])
def test_primitive_shapes_come_back(robot: Robot, tmp_path: Path) -> None:
    write_urdf(robot, tmp_path / "arm.urdf")
    again = read_urdf(tmp_path / "arm.urdf")
    for one, other in zip(robot.links[:-1], again.links[:-1], strict=True):
        assert [(s.kind, s.size, s.finish) for s in other.shapes] == [(s.kind, s.size, s.finish) for s in one.shapes]
        for s, t in zip(one.shapes, other.shapes, strict=True):
            assert pose_distance(s.T_link_shape, t.T_link_shape) < 2e-15
    assert len(again.links[-1].shapes) == len(robot.links[-1].shapes) + len(robot.tool.shapes)


@pytest.mark.parametrize("size", [(0.1, 0.2, 0.05, 0.3, 0.6), (0.1, 0.2, 0.05, 0.1, 0.6, 0.02, 0.03, 0.01, 0.2, -0.3)])
def test_a_loft_is_written_as_a_box_that_just_contains_it(
    robot: Robot, tmp_path: Path, size: tuple[float, ...]
) -> None:
    loft = Shape("loft", size, pose.from_xyz_rpy([0.1, 0.2, 0.3], [0.3, 0.2, 0.1]))
    links = (robot.links[0], Link("link_1", shapes=(loft,)), *robot.links[2:])
    write_urdf(robot._changed(links=links), tmp_path / "arm.urdf")
    (box,) = read_urdf(tmp_path / "arm.urdf").links[1].shapes
    points = pose.transform(pose.inverse(box.T_link_shape), solid.mesh(loft).vertices)
    half = np.array(box.size[:3]) / 2
    assert (np.abs(points) <= half + 1e-9).all()
    np.testing.assert_allclose(np.abs(points).max(axis=0), half, rtol=0.05)


def test_limits_that_nobody_states_come_back_infinite(tmp_path: Path) -> None:
    endless = Joint("A1", "revolute", np.eye(4), np.array([0, 0, 1.0]), -2.0, 2.0)
    robot = Robot(name="endless", joints=(endless,), links=(Link("a"), Link("b")), home=np.zeros(1), source="made up")
    write_urdf(robot, tmp_path / "arm.urdf")
    again = read_urdf(tmp_path / "arm.urdf").joints[0]
    assert (again.velocity, again.effort) == (math.inf, math.inf)
    assert "inf" not in urdf_text(robot)
    text = urdf_text(robot).replace('lower="-2.0"', 'lower="-1e9"').replace('upper="2.0"', 'upper="1e9"')
    (tmp_path / "arm.urdf").write_text(text, encoding="utf-8")
    free = read_urdf(tmp_path / "arm.urdf").joints[0]
    assert (free.lower, free.upper) == (-2 * math.pi, 2 * math.pi)


def test_names_that_the_writer_needs_may_be_taken(tmp_path: Path) -> None:
    T = pose.from_xyz([0, 0, 1])
    robot = Robot(
        name="clash",
        joints=(Joint("flange_joint", "revolute", T, np.array([0, 0, 1.0]), -1, 1),),
        links=(Link("base"), Link("flange", Inertia(1.0))),
        home=np.zeros(1),
        source="made up",
        base=T,
        tool=Tool("pen", "pen", T, Inertia(2.0)),
    )
    write_urdf(robot, tmp_path / "arm.urdf")
    again = read_urdf(tmp_path / "arm.urdf")
    np.testing.assert_allclose(again.frames([0.3]), robot.frames([0.3]), atol=1e-15)
    assert again.links[1].inertia.mass == 3.0


def test_awkward_names_get_underscores(robot: Robot, tmp_path: Path) -> None:
    links = (Link('<base> & "co"'), *robot.links[1:])
    write_urdf(robot._changed(links=links, name="bell\x07"), tmp_path / "arm.urdf")
    again = read_urdf(tmp_path / "arm.urdf")
    assert again.links[0].name == "_base_____co_"
    assert again.name == "bell", "an underscore at the end is no part of a name"


def test_a_file_is_written_whole_or_not_at_all(robot: Robot, tmp_path: Path) -> None:
    write_urdf(robot, tmp_path / "arm.urdf")
    before = (tmp_path / "arm.urdf").read_text(encoding="utf-8")
    assert before == urdf_text(robot)
    (tmp_path / "folder.urdf").mkdir()
    for path in (tmp_path / "none" / "arm.urdf", tmp_path / "folder.urdf"):
        with refused("file_unwritable", InvalidInput):
            write_urdf(robot, path)
    with refused("file_suffix", InvalidInput):
        write_urdf(robot, tmp_path / "arm.txt")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["arm.urdf", "folder.urdf"]


@given(
    roll=angles,
    yaw=angles,
    pitch=st.one_of(angles, st.sampled_from((-1, 1)).map(lambda s: s * math.pi / 2)),
    off=st.sampled_from((0.0, 1e-16, 1e-15, 1e-14, 1e-12, 1e-9, 1e-7, 1e-4)),
)
def test_roll_pitch_yaw_give_the_rotation_back_to_the_last_digits(
    roll: float, yaw: float, pitch: float, off: float
) -> None:
    T = pose.from_xyz_rpy([0, 0, 0], [roll, pitch - off, yaw])
    A = pose.from_xyz_axis_angle([0, 0, 0], [1, 2, 3], roll)
    for R in (T[:3, :3], (A @ (pose.inverse(A) @ T))[:3, :3]):  # exact elements, and rounded ones
        again = pose.from_xyz_rpy([0, 0, 0], exact_rpy(R))[:3, :3]
        assert np.abs(again - R).max() < 1.5e-15

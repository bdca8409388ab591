"""URDF files of real arms, as others publish them: armlab and Pinocchio must read the same arm.

The files are looked for in the folder that ARMLAB_REAL_ARMS names, or in ../shared/data/urdf from the repository.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from lxml import etree

from armlab.arrays import Floats
from armlab.formats.chain import chains_of
from armlab.formats.urdf import read_urdf, write_urdf
from armlab.formats.urdf_read import read_urdf_description
from armlab.model.dh import dh_table
from armlab.model.robot import Robot
from oracles.arms import joint_values, pose_distance

pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheels for this platform")

BESIDE = Path(__file__).resolve().parents[3] / "shared" / "data" / "urdf"
FOLDER = Path(os.environ.get("ARMLAB_REAL_ARMS", BESIDE))
FILES = sorted(FOLDER.rglob("*.urdf"))
EACH_FILE = [pytest.param(path, id=path.stem) for path in FILES]

pytestmark = pytest.mark.skipif(not FILES, reason="no URDF files of real arms: set ARMLAB_REAL_ARMS to a folder")
each_file = pytest.mark.parametrize("path", EACH_FILE)

TOLERANCE = 1e-12


def model_of(path: Path) -> tuple[Any, Any]:
    model = pin.buildModelFromUrdf(str(path))
    return model, model.createData()


def their_q(model: Any, robot: Robot, q: Any) -> Any:
    """Return Pinocchio's vector: our joints by name, every other joint at zero."""
    values = pin.neutral(model)
    for joint, value in zip(robot.joints, q, strict=True):
        values[model.joints[model.getJointId(joint.name)].idx_q] = value
    return values


def place_of(model: Any, data: Any, link: str) -> Floats:
    return np.array(data.oMf[model.getFrameId(link, pin.BODY)].homogeneous)


def link_names(path: Path) -> list[str]:
    return [link.get("name") for link in etree.parse(str(path)).getroot().iterchildren("link")]


def ends_of(path: Path) -> list[str]:
    """Return all links that hang below the last axis of the file's longest chain."""
    last = read_urdf(path).joints[-1].name
    model, _ = model_of(path)
    below = model.getJointId(last)
    carriers = {name: model.frames[model.getFrameId(name, pin.BODY)].parentJoint for name in link_names(path)}
    return [name for name, carrier in carriers.items() if carrier == below]


@each_file
def test_pinocchio_puts_every_possible_end_of_the_arm_at_the_same_place(path: Path) -> None:
    model, data = model_of(path)
    ends = ends_of(path)
    assert ends
    for tip in ends:
        robot = read_urdf(path, tip=tip)
        for q in joint_values(robot, 200, seed=21):
            pin.framesForwardKinematics(model, data, their_q(model, robot, q))
            assert pose_distance(robot.fk(q), place_of(model, data, tip)) < TOLERANCE


@each_file
def test_pinocchio_puts_every_link_at_the_same_place_and_has_the_same_limits(path: Path) -> None:
    model, data = model_of(path)
    robot = read_urdf(path)
    for q in joint_values(robot, 50, seed=22):
        pin.framesForwardKinematics(model, data, their_q(model, robot, q))
        for name, T in zip(robot.frame_names[:-1], robot.frames(q)[:-1], strict=True):
            assert pose_distance(T, place_of(model, data, name)) < TOLERANCE
    for joint in robot.joints:
        place = model.joints[model.getJointId(joint.name)].idx_q
        assert (joint.lower, joint.upper) == (
            model.lowerPositionLimit[place],
            model.upperPositionLimit[place],
        )


@each_file
def test_pinocchio_weighs_every_link_the_same_with_all_that_is_fixed_to_it(path: Path) -> None:
    whole, _ = model_of(path)
    robot = read_urdf(path, tip=chains_of(read_urdf_description(path))[0].tip)  # with its fingers
    chain = {joint.name for joint in robot.joints}
    others = [whole.getJointId(name) for name in list(whole.names)[1:] if name not in chain]
    model = pin.buildReducedModel(whole, others, pin.neutral(whole)) if others else whole
    for joint, link in zip(robot.joints, robot.links[1:], strict=True):
        theirs = model.inertias[model.getJointId(joint.name)]
        assert link.inertia.mass == pytest.approx(theirs.mass, rel=1e-14, abs=1e-14)
        np.testing.assert_allclose(link.inertia.com, theirs.lever, atol=1e-14)
        np.testing.assert_allclose(link.inertia.matrix, theirs.inertia, atol=1e-13)


@each_file
@pytest.mark.parametrize("convention", ["standard", "modified"])
def test_both_tables_are_at_the_same_place(path: Path, convention: Any) -> None:
    robot = read_urdf(path)
    q = joint_values(robot, 200, seed=23)
    for T, T_table in zip(robot.fk(q), dh_table(robot, convention).fk(q), strict=True):
        assert pose_distance(T, T_table) < TOLERANCE


@each_file
def test_a_real_arm_written_and_read_again_is_the_same(path: Path, tmp_path: Path) -> None:
    robot = read_urdf(path)
    write_urdf(robot, tmp_path / "again.urdf")
    again = read_urdf(tmp_path / "again.urdf")
    q = joint_values(robot, 200, seed=24)
    for T, T_again in zip(robot.fk(q), again.fk(q), strict=True):
        assert pose_distance(T, T_again) < TOLERANCE
    assert again.frame_names == robot.frame_names


@each_file
def test_a_real_arm_looks_like_something_and_can_stand_at_home(path: Path) -> None:
    robot = read_urdf(path)
    assert all(link.shapes for link in robot.links[1:3])
    assert ((robot.home >= robot.lower) & (robot.home <= robot.upper)).all()

"""The fingers of a gripper in URDF and MJCF: joints that slide, coupled, as MuJoCo reads them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import mujoco
import numpy as np
import pytest

import armlab
from armlab.arrays import Floats
from armlab.formats.mjcf_write import mjcf_text
from armlab.formats.urdf_write import urdf_text
from armlab.model.jaws import jaws_of
from armlab.model.robot import Robot

ARMS = [("ur5e", "gripper"), ("braccio", "braccio-gripper")]
WRITERS = {"urdf": urdf_text, "xml": mjcf_text}


def written(robot: Robot, suffix: str, tmp_path: Path) -> Path:
    path = tmp_path / f"arm.{suffix}"
    path.write_text(WRITERS[suffix](robot), encoding="utf-8")
    return path


def finger_places(model: Any, q: float) -> Floats:
    """Return where the fingers are in the world, all slid by `q` (m)."""
    data = mujoco.MjData(model)
    data.qpos[-2:] = q
    mujoco.mj_forward(model, data)
    return np.array([data.body(f"finger_{k}").xpos for k in (1, 2)])


@pytest.mark.parametrize(("arm", "tool"), ARMS)
@pytest.mark.parametrize("suffix", WRITERS)
def test_fingers_slide_towards_each_other_as_far_and_as_hard_as_their_file_says(
    arm: str, tool: str, suffix: str, tmp_path: Path
) -> None:
    robot = armlab.load(arm, tool=tool)
    jaws = jaws_of(robot.tool)
    assert jaws is not None
    model = mujoco.MjModel.from_xml_path(str(written(robot, suffix, tmp_path)))
    assert model.nq == robot.dof + 2
    assert list(model.jnt_type[-2:]) == [mujoco.mjtJoint.mjJNT_SLIDE] * 2
    np.testing.assert_allclose(model.jnt_range[-2:], [[0.0, jaws.travel]] * 2)
    np.testing.assert_allclose(model.jnt_actfrcrange[-2:], [[-jaws.force, jaws.force]] * 2)
    moved = finger_places(model, jaws.travel) - finger_places(model, 0.0)
    np.testing.assert_allclose(moved[0], -moved[1], atol=1e-12)
    assert np.linalg.norm(moved[0]) == pytest.approx(jaws.travel)
    assert model.neq == 1  # one finger follows the other
    assert set(model.eq_obj1id) | set(model.eq_obj2id) == {robot.dof, robot.dof + 1}


@pytest.mark.parametrize("suffix", WRITERS)
def test_an_arm_written_with_its_gripper_is_read_as_the_same_arm(suffix: str, tmp_path: Path) -> None:
    robot = armlab.load("ur5e", tool="gripper")
    read = armlab.load(written(robot, suffix, tmp_path))
    assert read.dof == robot.dof
    np.testing.assert_allclose(read.fk(robot.home), robot.fk(robot.home), atol=1e-12)
    weights = (sum(link.inertia.mass for link in one.links) + one.tool.inertia.mass for one in (robot, read))
    assert next(weights) == pytest.approx(next(weights))

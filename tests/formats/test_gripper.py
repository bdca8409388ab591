"""Grippers whose fingers follow one another are no part of the arm's chain, whatever their joints are called."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from coupled_arms import PALLETISER, body, mimic, moving

from armlab.formats.chain import arm_of
from armlab.formats.urdf_read import read_urdf_description
from armlab.model.robot import Robot

BLOCK = "0.02 0.02 0.02"
ARM = (
    body("base", 5.0, "0 0 0", BLOCK)
    + body("upper", 2.0, "0 0 0.1", BLOCK)
    + body("lower", 1.0, "0 0 0.1", BLOCK)
    + moving("A1", "base", "upper", "0 0 0.2", "0 0 1", "-3 3 2")
    + moving("A2", "upper", "lower", "0 0 0.3", "0 1 0", "-2 2 2")
)
PALM = body("palm", 0.5, "0 0 0", BLOCK) + (
    '<joint name="mount" type="fixed"><parent link="lower"/><child link="palm"/><origin xyz="0 0 0.1"/></joint>'
)


def part(name: str) -> str:
    return body(name, 0.05, "0 0 0.02", BLOCK)


def knuckles(outer: str, inner: str, tip: str) -> str:
    """Return a gripper as two-finger ones are described: one knuckle leads, all else follows it, tips in series."""
    text = PALM + "".join(part(side + name) for side in ("l_", "r_") for name in (outer, inner, tip))
    lead = f"l_{outer}_j"
    for side, axis, y in (("l_", "0 0 -1", "0.03"), ("r_", "0 0 1", "-0.03")):
        law = "" if side == "l_" else mimic(lead)
        text += moving(f"{side}{outer}_j", "palm", side + outer, f"0 {y} 0.05", axis, "0 0.8 2", law)
        text += moving(f"{side}{inner}_j", "palm", side + inner, f"0 {y} 0.06", axis, "0 0.8 2", mimic(lead))
        text += moving(f"{side}{tip}_j", side + outer, side + tip, "0 0 0.04", axis, "-0.8 0 2", mimic(lead, -1.0))
    return text


def slides(one: str, other: str) -> str:
    """Return two jaws that slide towards each other."""
    text = PALM + part("left_part") + part("right_part")
    text += moving(one, "palm", "left_part", "0 0 0.05", "0 1 0", "0 0.04 0.1", kind="prismatic")
    return text + moving(other, "palm", "right_part", "0 0 0.05", "0 -1 0", "0 0.04 0.1", mimic(one), "prismatic")


def read(folder: Path, text: str) -> Robot:
    file = folder / "arm.urdf"
    file.write_text(f'<robot name="arm">{text}</robot>', encoding="utf-8")
    return arm_of(read_urdf_description(file)).robot


@pytest.mark.parametrize(
    "gripper",
    [
        knuckles("outer_knuckle", "inner_knuckle", "finger_tip"),
        knuckles("driver", "coupler", "pad"),
        slides("finger_joint1", "finger_joint2"),
        slides("slide_a", "slide_b"),
    ],
    ids=["named knuckles", "unnamed linkage", "named fingers", "unnamed slides"],
)
def test_a_gripper_that_closes_by_laws_is_left_out_of_the_chain(tmp_path: Path, gripper: str) -> None:
    robot = read(tmp_path, ARM + gripper)
    assert [joint.name for joint in robot.joints] == ["A1", "A2"]
    assert robot.followers == ()
    parts = gripper.count('<mass value="0.05"/>')
    assert sum(link.inertia.mass for link in robot.links) == pytest.approx(8.5 + 0.05 * parts)


def test_an_arm_lifted_by_a_parallelogram_keeps_its_lever_and_its_level_end(tmp_path: Path) -> None:
    lever = body("turned", 1.0, "0 0 0", BLOCK) + part("lever") + part("rod") + part("end")
    lever += moving("turn", "base", "turned", "0 0 0.1", "0 0 1", "-3 3 2")
    lever += moving("lift", "turned", "lever", "0 0 0.1", "0 1 0", "-1 1 2")
    lever += moving("beside", "turned", "rod", "0 0 0.15", "0 1 0", "-1 1 2", mimic("lift"))
    lever += moving("level", "lever", "end", "0.4 0 0", "0 1 0", "-1 1 2", mimic("lift", -1.0))
    robot = read(tmp_path, body("base", 5.0, "0 0 0", BLOCK) + lever)
    assert [joint.name for joint in robot.joints] == ["turn", "lift"]
    np.testing.assert_allclose(robot.fk([0.0, 0.6])[:3, :3], np.eye(3), atol=1e-12)


def test_a_gripper_leaves_the_coupled_joints_of_its_arm_alone(tmp_path: Path) -> None:
    arm = PALLETISER.removeprefix('<robot name="palletiser">').removesuffix("</robot>")
    robot = read(tmp_path, arm + knuckles("driver", "coupler", "pad").replace('"lower"', '"hand"'))
    assert [joint.name for joint in robot.joints] == ["turn", "shoulder", "lift", "spin"]
    assert [follower.joint.name for follower in robot.followers] == ["upright", "level"]

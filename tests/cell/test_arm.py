"""Arms of the catalog with other lengths, limits, tools and bases."""

from __future__ import annotations

import numpy as np
import pytest
from cell.dh_rows import dh_values

from armlab.catalog import load, load_tool, robot_names
from armlab.catalog.write import robot_toml
from armlab.cell.arm import build_arm
from armlab.cell.project import ArmChoice
from armlab.errors import CatalogError


@pytest.mark.parametrize("name", robot_names())
def test_an_arm_with_its_own_rows_is_the_same_arm(name: str) -> None:
    robot = load(name)
    again = build_arm(ArmChoice(name=name, dh=dh_values(robot)))
    rng = np.random.default_rng(8)
    q = rng.uniform(robot.lower, robot.upper, (20, robot.dof))
    plain = robot.with_tool(load_tool("none"))
    np.testing.assert_allclose(again.fk(q), plain.fk(q), atol=1e-9)
    np.testing.assert_allclose(again.frames(robot.home)[0], robot.frames(robot.home)[0], atol=1e-12)


def test_the_base_moves_the_whole_arm() -> None:
    plain, moved = build_arm(ArmChoice(name="ur5e")), build_arm(ArmChoice(name="ur5e", base=(100, 0, 0, 0, 0, 0)))
    np.testing.assert_allclose(moved.fk(plain.home)[:3, 3] - plain.fk(plain.home)[:3, 3], [0.1, 0, 0], atol=1e-12)


def test_the_tool_is_the_catalogs() -> None:
    tool = build_arm(ArmChoice(name="ur5e", tool="pen")).tool
    np.testing.assert_array_equal(tool.T_flange_tool, load_tool("pen").T_flange_tool)


def test_a_longer_link_makes_a_longer_reach_and_a_home_inside_the_limits() -> None:
    rows = list(dh_values(load("scara")))
    rows[0] = rows[0].model_copy(update={"a": rows[0].a + 50.0})
    arm = build_arm(ArmChoice(name="scara", dh=tuple(rows)))
    straight = np.zeros(arm.dof)
    longer = np.linalg.norm(arm.fk(straight)[:2, 3]) - np.linalg.norm(load("scara", tool="none").fk(straight)[:2, 3])
    assert longer == pytest.approx(0.05)
    assert "dimensions" in arm.estimated


def test_the_same_choice_gives_the_same_arm() -> None:
    assert build_arm(ArmChoice(name="ur5e")) is build_arm(ArmChoice(name="ur5e"))


def test_an_arm_of_its_own_file_is_changed_like_one_of_the_catalog() -> None:
    text = robot_toml(load("scara"))
    own = build_arm(ArmChoice(name="mine", file=text, tool="pen", base=(100, 0, 0, 0, 0, 0)))
    same = build_arm(ArmChoice(name="scara", tool="pen", base=(100, 0, 0, 0, 0, 0)))
    assert own.name == "mine"
    np.testing.assert_allclose(own.fk(own.home), same.fk(same.home), atol=1e-12)


def test_a_file_that_is_no_arm_is_refused_with_its_key() -> None:
    with pytest.raises(CatalogError) as refused:
        build_arm(ArmChoice(name="mine", file="schema = 1\nname = 'x'\n"))
    assert "title" in str(refused.value)

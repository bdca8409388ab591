"""Robot files that are wrong say so with file and key; those that are right become the robot they describe."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from refusals import refused

import armlab
from armlab.errors import CatalogError, InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.reports.robots import robot_sheet

GOOD = """
schema = 1
name = "demo"
title = "Demo"
maker = "nobody"
source = "made up for a test"
home = [10, 50]
[[joint]]
name = "A1"
kind = "revolute"
xyz = [0, 0, 100]
axis = [0, 0, -1]
limits = { lower = -170, upper = 170, velocity = 90, effort = 7 }
[[joint]]
name = "A2"
kind = "prismatic"
xyz = [0, 50, 0]
rpy = [90, 0, 0]
axis = [0, 0, 1]
limits = { lower = 0, upper = 200 }
"""


def _write(folder: Path, text: str) -> Path:
    path = folder / "demo.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_millimetres_and_degrees_become_metres_and_radians(tmp_path: Path) -> None:
    robot = armlab.load(_write(tmp_path, GOOD))
    np.testing.assert_allclose(robot.home, [np.radians(10), 0.05])
    np.testing.assert_allclose(robot.upper, [np.radians(170), 0.2])
    np.testing.assert_allclose(robot.velocity, [np.radians(90), np.inf])
    assert robot.effort[0] == 7.0
    T = pose.from_xyz_rpy([0, 0, 0.1], [0, 0, -0.3]) @ pose.from_xyz_rpy([0, 0.05, 0], [np.pi / 2, 0, 0])
    np.testing.assert_allclose(robot.fk([0.3, 0.1]), T @ pose.from_xyz([0, 0, 0.1]), atol=1e-15)


def test_dh_rows_give_the_arm_of_the_formula(tmp_path: Path) -> None:
    text = """
schema = 1
name = "demo"
title = "Demo"
maker = "nobody"
source = "made up for a test"
home = [0]
dh = "standard"
flange = { xyz = [0, 0, 30] }
[[joint]]
name = "A1"
kind = "revolute"
dh = { theta = 20, d = 100, a = 50, alpha = 90 }
limits = { lower = -170, upper = 170 }
link = { mass = 2, com = [-10, 0, 0], inertia = [0.01, 0.02, 0.02, 0, 0, 0] }
"""
    robot = armlab.load(_write(tmp_path, text))
    turn = pose.from_xyz_rpy([0, 0, 0], [0, 0, np.radians(20) + 0.4])
    rest = pose.from_xyz_rpy([0.05, 0, 0.1], [np.pi / 2, 0, 0])
    np.testing.assert_allclose(robot.fk([0.4]), turn @ rest @ pose.from_xyz([0, 0, 0.03]), atol=1e-15)
    com = robot.frames([0.4])[1] @ [*robot.links[1].inertia.com, 1]
    np.testing.assert_allclose(com, turn @ rest @ [-0.01, 0, 0, 1], atol=1e-15)


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('source = "made up for a test"\n', "", "source: is missing"),
        ("home = [10, 50]", "home = [10]", "home: expected 2 joint values, got 1"),
        ("home = [10, 50]", "home = [10, 500]", "home: joint 'A2': 500.0 mm is outside 0.0 mm … 200.0 mm"),
        ("home = [10, 50]", "home = [10, 50]\ncolour = 3", "colour: unknown key"),
        (
            "lower = -170, upper = 170",
            "lower = 170, upper = -170",
            "joint[1].limits: lower 170 is not below upper -170",
        ),
        (
            "velocity = 90",
            "velocity = -90",
            "joint[1].limits.velocity: must be > 0, got -90",
        ),
        ("velocity = 90", 'velocity = "fast"', "joint[1].limits.velocity"),
        ("velocity = 90", "velocity = nan", "joint[1].limits.velocity"),
        ("axis = [0, 0, -1]", "axis = [0, 0, 0]", "joint[1]: axis: [0, 0, 0] has no direction"),
        ("axis = [0, 0, -1]", "", "joint[1]: axis is missing"),
        ("axis = [0, 0, -1]", "axis = [0, 0]", "joint[1].axis[3]: is missing"),
        ("axis = [0, 0, -1]", "dh = { d = 3 }", "joint[1]: give either dh, or xyz, rpy and axis, not both"),
        ('kind = "prismatic"', 'kind = "sliding"', "joint[2].kind"),
        ("schema = 1", "schema = 2", "schema: must be one of 1, got 2"),
        ('name = "demo"', 'name = "Demo Arm"', "name: must match"),
        ('name = "A2"', 'name = "A1"', "two joints are named 'A1'"),
        ("home = [10, 50]", 'home = [10, 50]\ndh = "standard"', "joint 'A1' has no dh row"),
        ("home = [10, 50]", "home = [10, 50]\nmass = -1", "mass: must be > 0"),
        ("home = [10, 50]", "home = [10, 50]\nestimated = ['luck']", "estimated[1]"),
        (
            "home = [10, 50]",
            "home = [10, 50]\npalette = { body = 'red' }",
            "palette.body: must match",
        ),
    ],
)
def test_each_mistake_names_the_file_and_the_key(tmp_path: Path, old: str, new: str, sentence: str) -> None:
    assert old in GOOD
    path = _write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(CatalogError, match=re.escape(sentence)) as caught:
        armlab.load(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)


def test_all_mistakes_are_told_at_once(tmp_path: Path) -> None:
    text = GOOD.replace("title", "titel").replace('kind = "prismatic"', 'kind = "sliding"')
    with pytest.raises(CatalogError) as caught:
        armlab.load(_write(tmp_path, text))
    for word in ("title: is missing", "titel: unknown key", "joint[2].kind"):
        assert word in str(caught.value)


def test_a_file_too_large_or_too_deep_is_refused(tmp_path: Path) -> None:
    with refused("file_too_large", CatalogError):
        armlab.load(_write(tmp_path, "#" * 1_000_001))
    with refused("nested_too_deeply", CatalogError):
        armlab.load(_write(tmp_path, "a." * 50_000 + "a = 1"))
    with refused("toml_number_too_long", CatalogError):
        armlab.load(_write(tmp_path, "payload = 1" + "0" * 5000))
    with refused("nested_too_deeply", CatalogError):
        armlab.load(_write(tmp_path, "a = " + "[" * 90_000))


@pytest.mark.parametrize("name", armlab.robot_names())
def test_every_arm_of_the_catalog_is_whole(name: str) -> None:
    robot = armlab.load(name)
    sheet = robot_sheet(robot)
    assert robot.name == name
    assert robot.title
    assert len(robot.source) > 20
    assert ((robot.lower <= robot.home) & (robot.home <= robot.upper)).all()
    assert np.isfinite(robot.velocity).all()
    assert np.isfinite(robot.acceleration).all()
    assert np.isfinite(robot.effort).all()
    assert len(robot.configurations) >= 1
    assert 0.01 < sheet.reach / 1000 < 5
    for link in robot.links:
        assert link.shapes, f"{name}: {link.name} has no looks"
        assert link.inertia.mass > 0 or link.name == "base"


def test_the_catalog_has_the_arms_that_were_promised() -> None:
    promised = {
        *("scara", "scara-s3", "planar2", "planar3", "braccio", "epson-ls3", "s5-rig", "puma560", "stanford"),
        *("kuka-kr3-r540", "kuka-kr6-r700", "kuka-kr6-r900", "kuka-kr16-2", "kuka-kr210-r2700", "kuka-iiwa14"),
        *("abb-irb120", "abb-irb2400", "fanuc-lrmate200id", "motoman-motomini", "staubli-tx60", "xarm6"),
        *("ur3e", "ur5e", "ur10e", "franka-panda"),
    }
    assert promised <= set(armlab.robot_names())


def test_masses_that_no_file_gives_are_called_estimated(tmp_path: Path) -> None:
    assert set(armlab.load(_write(tmp_path, GOOD)).estimated) == {"mass", "link masses"}
    weighed = armlab.load(_write(tmp_path, GOOD.replace("[[joint]]", "mass = 3.0\n[[joint]]", 1)))
    assert weighed.estimated == ("link masses",)
    assert sum(link.inertia.mass for link in weighed.links) == pytest.approx(3.0)


def test_masses_that_are_not_given_come_from_the_whole_and_the_shapes() -> None:
    robot = armlab.load("kuka-kr6-r900")
    masses = [link.inertia.mass for link in robot.links]
    assert min(masses) > 0
    assert sum(masses) == pytest.approx(52.0)
    assert "link masses" in robot.estimated
    assert "mass" not in robot.estimated


@pytest.mark.parametrize("name", armlab.tool_names())
def test_every_tool_can_be_put_on_an_arm(name: str) -> None:
    tool = armlab.load_tool(name)
    bare, tooled = armlab.load("ur5e"), armlab.load("ur5e", tool=name)
    np.testing.assert_allclose(tooled.fk(bare.home), bare.fk(bare.home) @ tool.T_flange_tool, atol=1e-14)
    assert (tool.inertia.mass > 0) == (name != "none")


@pytest.mark.parametrize("odd", [None, 5, b"planar2", "a\0.toml", "\ud800.toml", Path("/dev/null"), Path("planar2")])
def test_what_is_not_a_robot_is_refused_with_the_reason(odd: object) -> None:
    for call in (armlab.load, armlab.load_tool):
        with pytest.raises((InvalidInput, UnknownName)):
            call(odd)  # type: ignore[arg-type]


def test_unknown_robots_and_tools_offer_near_names() -> None:
    with refused("unknown_robot", UnknownName, name="ur55"):
        armlab.load("ur55")
    with refused("unknown_tool", UnknownName, name="penn"):
        armlab.load_tool("penn")

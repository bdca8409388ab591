"""The health check finds what is put wrong, and leaves good arms alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from armlab import catalog
from armlab.dynamics import check_inertias, gravity_torque
from armlab.geometry.inertia import Inertia
from armlab.model.parts import Joint, Link
from armlab.model.robot import Robot
from oracles.arms import joint_values

KUKA = catalog.load("kuka-kr6-r700")


def changed(index: int, inertia: Inertia) -> Robot:
    """Return the KUKA with another inertia of one link."""
    links = list(KUKA.links)
    links[index] = Link(links[index].name, inertia, links[index].shapes)
    return rebuilt(links)


def rebuilt(links: Sequence[Link], joints: Sequence[Joint] = KUKA.joints) -> Robot:
    return Robot(
        name="changed", joints=tuple(joints), links=tuple(links), home=KUKA.home, source="made up", flange=KUKA.flange
    )


def codes(robot: Robot, level: str = "") -> list[str]:
    return [f.code for f in check_inertias(robot) if not level or f.severity == level]


def sentence(robot: Robot, code: str) -> str:
    return next(str(f.message) for f in check_inertias(robot) if f.code == code)


@pytest.mark.parametrize("name", catalog.robot_names())
def test_no_arm_of_the_catalog_has_an_error(name: str) -> None:
    assert codes(catalog.load(name), "error") == []


def test_a_good_arm_has_nothing_but_a_note_about_estimates() -> None:
    assert codes(KUKA) == ["masses_estimated"]
    assert codes(rebuilt(KUKA.links)) == []


def test_a_moving_link_without_mass_is_a_warning() -> None:
    robot = changed(4, Inertia())
    assert codes(robot) == ["no_mass"]
    assert sentence(robot, "no_mass").endswith("a simulation estimates it from the shapes")


def test_a_base_without_mass_is_no_matter() -> None:
    assert codes(changed(0, Inertia())) == []


def test_a_last_link_without_mass_leaves_a_joint_that_moves_nothing() -> None:
    robot = changed(6, Inertia())
    assert codes(robot, "warning") == codes(robot) == ["no_mass", "no_inertia_moved"]
    assert sentence(robot, "no_inertia_moved") == "joint 'A6': it moves no inertia"


def test_mass_without_inertia_is_a_point() -> None:
    own = KUKA.links[3].inertia
    assert codes(changed(3, Inertia(own.mass, own.com))) == ["no_inertia"]


def test_inertia_without_mass_is_an_error() -> None:
    assert codes(changed(3, Inertia(0.0, np.zeros(3), np.eye(3))), "error") == ["inertia_without_mass"]


def test_moments_that_belong_to_no_body_are_errors_however_small() -> None:
    own = KUKA.links[6].inertia
    triangle = Inertia(own.mass, own.com, np.diag([1e-10, 1e-10, 5e-10]))
    negative = Inertia(own.mass, own.com, np.diag([-1e-10, 1e-10, 1e-10]))
    assert "inertia_triangle" in codes(changed(6, triangle), "error")
    assert "inertia_negative" in codes(changed(6, negative), "error")


def test_a_line_is_a_warning() -> None:
    own = KUKA.links[3].inertia
    assert codes(changed(3, Inertia(own.mass, own.com, np.diag([0.0, 0.05, 0.05])))) == ["inertia_thin"]


@pytest.mark.parametrize("factor", [1e-3, 1e3, 1e6])
def test_inertia_in_another_unit_is_a_warning(factor: float) -> None:
    own = KUKA.links[3].inertia
    robot = changed(3, Inertia(own.mass, own.com, own.matrix * factor))
    assert codes(robot) == ["inertia_off"]
    assert sentence(robot, "inertia_off").endswith("is it in another unit?")


def test_a_centre_of_mass_far_from_the_shapes_is_a_warning() -> None:
    own = KUKA.links[3].inertia
    robot = changed(3, Inertia(own.mass, own.com + np.array([0.0, 1.5, 0.0]), own.matrix))
    assert "centre_outside" in codes(robot, "warning")
    assert "mm outside its shapes, which measure" in sentence(robot, "centre_outside")


@pytest.mark.parametrize(("factor", "word"), [(1e-3, "little"), (1e3, "much")])
def test_masses_in_another_unit_are_a_warning(factor: float, word: str) -> None:
    def scaled(inertia: Inertia) -> Inertia:
        return Inertia(inertia.mass * factor, inertia.com, inertia.matrix * factor)

    robot = rebuilt([Link(k.name, scaled(k.inertia), k.shapes) for k in KUKA.links])
    assert "mass_off" in codes(robot, "warning")
    assert f"kg is {word} for a robot" in sentence(robot, "mass_off")


def test_a_drive_that_cannot_hold_the_arm_is_an_error_with_the_force_it_needs() -> None:
    needed = float(np.abs(gravity_torque(KUKA, joint_values(KUKA, 20_000, 1))[:, 1]).max())
    for effort, expected in ((needed * 0.99, ["cannot_hold_itself"]), (needed * 1.2, [])):
        assert codes(rebuilt(KUKA.links, joints_of(effort))) == expected
    assert "holding the robot needs up to" in sentence(rebuilt(KUKA.links, joints_of(needed / 2)), "cannot_hold_itself")


def joints_of(effort: float) -> list[Joint]:
    return [replace(j, effort=effort) if j.name == "A2" else j for j in KUKA.joints]


def test_a_drive_that_cannot_hold_the_rated_payload_is_a_warning() -> None:
    robot = Robot(
        name="weak", joints=tuple(joints_of(90.0)), links=KUKA.links, home=KUKA.home, source="made up",
        flange=KUKA.flange, payload=60.0,
    )  # fmt: skip
    assert "cannot_hold_payload" in codes(robot, "warning")
    assert "holding the payload of 60 kg at the tool" in sentence(robot, "cannot_hold_payload")


def test_an_arm_without_masses_is_told_so(robot: Robot) -> None:
    assert codes(robot) == ["no_mass", "no_mass", "no_mass", "no_inertia_moved"]
    assert codes(robot, "error") == ["no_inertia_moved"]
    assert sentence(robot, "no_mass").endswith("no mass stated, and no shape to estimate it from")

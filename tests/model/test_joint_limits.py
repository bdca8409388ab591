"""Joint values outside their limits: one check, one code, the same facts in SI wherever they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from refusals import refused

from armlab import load
from armlab.calibration.checks import check_measurements
from armlab.calibration.measurements import Poses
from armlab.catalog import load_text
from armlab.errors import LimitViolation
from armlab.kernels.gate import LIMIT_SLACK
from armlab.kinematics.ik import attempt_ik
from armlab.model.joint_limits import check_joint_limits, violations
from armlab.model.robot import Robot
from armlab.model.scene import PlacedRobot, Scene
from armlab.motion.joint import plan_joint
from armlab.planning.plan import plan_free
from armlab.sim.simulation import Simulation


def test_limits_are_inclusive_and_rounding_is_no_violation(robot: Robot) -> None:
    for end in (robot.lower, robot.upper):
        check_joint_limits(robot, end)
    check_joint_limits(robot, robot.upper + 0.9 * LIMIT_SLACK)
    with refused("joint_outside", LimitViolation):
        check_joint_limits(robot, robot.upper + 1.1 * LIMIT_SLACK)


def test_every_value_outside_is_listed(robot: Robot) -> None:
    q = robot.upper + np.array([0.01, -0.01, 0.01])
    assert [one.parameters["joint"] for one in violations(robot, q)] == [robot.joints[0].name, robot.joints[2].name]
    assert violations(robot, robot.home) == []


@pytest.mark.parametrize(("language", "texts"), [("en", ("°", "mm", "°")), ("ru", ("°", "мм", "°"))])
def test_facts_are_in_si_and_the_text_in_the_units_of_the_joint(
    robot: Robot, language: str, texts: tuple[str, ...]
) -> None:
    for i, unit in enumerate(texts):
        q = robot.home.copy()
        q[i] = robot.upper[i] + 0.01
        with pytest.raises(LimitViolation) as caught:
            check_joint_limits(robot, q, "start")
        facts = caught.value.parameters
        assert facts["value"] == q[i]
        assert (facts["lower"], facts["upper"]) == (robot.lower[i], robot.upper[i])
        assert caught.value.message.render(language).startswith("start: ")
        assert unit in caught.value.message.render(language)


def test_the_digits_shown_tell_a_value_from_its_limit(robot: Robot) -> None:
    q = robot.home.copy()
    q[0] = robot.upper[0] + 1e-7
    with pytest.raises(LimitViolation) as caught:
        check_joint_limits(robot, q)
    _joint, _is, shown = str(caught.value).partition(": ")
    value, _outside, limits = shown.partition(" is outside ")
    assert value not in limits


def _by(what: str, arm: Robot, q: np.ndarray) -> Any:
    rows = np.stack([arm.home, q])
    match what:
        case "start of a search":
            return attempt_ik(arm, arm.fk(arm.home), start=q)
        case "points of a motion":
            return plan_joint(arm, rows)
        case "goal of a plan":
            return plan_free(Scene.of(arm), arm.home, q)
        case "scene":
            return PlacedRobot("one", arm, q)
        case "simulation":
            return Simulation(Scene.of(arm)).set_state(q=q)
        case _:
            many = np.concatenate([np.linspace(arm.lower, arm.upper, 40), [q]])
            return check_measurements(arm, [Poses(many, arm.fk(many))], "offsets")


@pytest.mark.parametrize(
    "what", ["start of a search", "points of a motion", "goal of a plan", "scene", "simulation", "measurements"]
)
def test_one_fault_is_one_error_wherever_it_is_given(what: str) -> None:
    arm = load("kuka-kr6-r700")
    q = arm.home.copy()
    q[2] = 4.0
    limits = {"lower": arm.lower[2], "upper": arm.upper[2]}
    with refused("joint_outside", LimitViolation, joint="A3", value=4.0, **limits):
        _by(what, arm, q)


def test_an_arms_file_is_refused_with_the_same_error() -> None:
    text = (
        'schema = 1\nname = "slide"\ntitle = "Slide"\nsource = "made up"\nhome = [500]\n'
        '[[joint]]\nname = "A1"\nkind = "prismatic"\n'
        "axis = [0, 0, 1]\nlimits = { lower = 0, upper = 200, velocity = 100 }\n"
    )
    with refused("joint_outside", joint="A1", value=0.5, lower=0.0, upper=0.2):
        load_text(text)

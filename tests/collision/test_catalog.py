"""Every configuration that the catalog names is one that the arm can be in, and go to."""

from __future__ import annotations

import numpy as np
import pytest

import armlab
from armlab.catalog import robot_names
from armlab.collision import Checker
from armlab.model.scene import Scene
from armlab.motion.joint import plan_joint
from armlab.sim import Simulation


@pytest.mark.parametrize("name", robot_names())
def test_no_named_configuration_touches_itself(name: str) -> None:
    robot = armlab.load(name)
    checker = Checker(Scene.of(robot))
    for configuration, q in {"home": robot.home, **robot.configurations}.items():
        found = [(contact.first, contact.second) for contact in checker.contacts(q)]
        assert not found, configuration
        state = Simulation(Scene.of(robot, q=q)).state()
        assert not [contact for contact in state.contacts if contact.depth > 0.0], configuration


@pytest.mark.parametrize("name", robot_names())
def test_the_straight_motion_from_home_to_a_named_configuration_is_free(name: str) -> None:
    robot = armlab.load(name)
    checker = Checker(Scene.of(robot))
    for configuration, q in robot.configurations.items():
        if not np.array_equal(q, robot.home):
            assert checker.sweep(plan_joint(robot, np.array([robot.home, q]), scheme="quintic")).is_free, configuration

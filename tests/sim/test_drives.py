"""Drives: what they must be, and how they are chosen."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from refusals import refused

from armlab.catalog import load, robot_names
from armlab.dynamics import mass_matrix
from armlab.errors import InvalidInput
from armlab.model.scene import Scene
from armlab.sim.drive_choice import choose_drives
from armlab.sim.drives import FREE, Drive
from armlab.sim.simulation import Simulation
from oracles.arms import joint_values


@pytest.mark.parametrize("name", robot_names())
def test_chosen_drives_damp_every_mode_in_every_pose(name: str) -> None:
    robot = load(name)
    drives = choose_drives(robot)
    K, C = (np.array([getattr(d, what) for d in drives]) for what in ("stiffness", "damping"))
    scale = 1.0 / np.sqrt(C**2 / (4.0 * K))
    for M in mass_matrix(robot, joint_values(robot, 40, seed=8)):
        heaviest = np.linalg.eigvalsh(scale[:, None] * M * scale).max()
        assert heaviest <= 1.0  # M s² + C s + K has real roots only where damping² / (4 stiffness) is above M
    np.testing.assert_array_equal([drive.effort for drive in drives], robot.effort)


def test_long_timesteps_get_softer_drives() -> None:
    robot = load("scara")
    fast, slow = choose_drives(robot, 0.001), choose_drives(robot, 0.01)
    assert all(a.stiffness > b.stiffness for a, b in zip(fast, slow, strict=True))
    frequency = [drive.stiffness / drive.damping * 2.0 / (2.0 * math.pi) for drive in fast]
    np.testing.assert_allclose(frequency, 25.0)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"stiffness": -1.0}, "drive: stiffness must be a finite number ≥ 0, got -1.0"),
        ({"damping": math.nan}, "drive: damping must be a finite number ≥ 0, got nan"),
        ({"armature": math.inf}, "drive: armature must be a finite number ≥ 0, got inf"),
        ({"effort": 0.0}, "drive: effort must be > 0, got 0.0"),
        ({"stiffness": "hard"}, "drive: stiffness must be a finite number ≥ 0, got 'hard'"),
        ({"backlash": 0.01}, "a gear with backlash needs an armature"),
    ],
)
def test_drives_that_cannot_be_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Drive(**{"stiffness": 1.0, "damping": 1.0, **given})


def test_an_arm_needs_one_drive_for_each_joint_and_one_opinion_of_gravity() -> None:
    scene = Scene.of(load("planar2"))
    with refused("drive_count", InvalidInput, robot="planar2", needed=2, given=1):
        Simulation(scene, drives=[FREE])
    with refused("gravity_compensation_mixed", InvalidInput, robot="planar2"):
        Simulation(scene, drives=[FREE, Drive(1.0, 1.0)])

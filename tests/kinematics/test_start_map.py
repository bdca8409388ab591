"""The map of starts is what single traces say, cell by cell."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from armlab import catalog
from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.kinematics.all_ik import all_ik, branch_of
from armlab.kinematics.lm_trace import LmSettings, lm_trace
from armlab.kinematics.start_map import lm_ends, start_map
from armlab.model.robot import Robot

PAPER = pose.from_xyz([-0.010, 0.035, 0.0])


def some_target(robot: Robot, seed: int = 3) -> Floats:
    share = np.random.default_rng(seed).uniform(0.3, 0.7, robot.dof)
    return np.asarray(robot.fk(robot.lower + (robot.upper - robot.lower) * share))


@pytest.mark.parametrize("arm", ["planar2", "planar3", "scara", "braccio", "kuka-kr6-r700"])
@pytest.mark.parametrize("settings", [LmSettings(), LmSettings(damping=10.0, max_steps=25, shrink=0.5, grow=3.0)])
def test_many_starts_together_end_where_each_ends_alone(arm: str, settings: LmSettings) -> None:
    robot = catalog.load(arm)
    T = some_target(robot)
    starts = robot.lower + (robot.upper - robot.lower) * np.random.default_rng(1).random((25, robot.dof))
    ends = lm_ends(robot, T, starts, settings=settings)
    for i, start in enumerate(starts):
        trace = lm_trace(
            robot,
            T,
            start,
            damping=settings.damping,
            max_steps=settings.max_steps,
            shrink=settings.shrink,
            grow=settings.grow,
        )
        assert ends.converged[i] == trace.converged
        if trace.converged:
            assert ends.steps[i] == len(trace.steps)
            np.testing.assert_allclose(ends.q[i], trace.q, atol=1e-6)


def test_each_cell_names_the_solution_that_its_own_start_ends_in() -> None:
    robot = catalog.load("planar2")
    T = some_target(robot)
    found = start_map(robot, T, robot.home, cells=9)
    assert not found.is_continuum
    for row, up in enumerate(found.up):
        for column, across in enumerate(found.across):
            trace = lm_trace(robot, T, [across, up])
            number = found.solution[row, column]
            assert (number >= 0) == trace.converged
            if trace.converged:
                np.testing.assert_allclose(found.solutions[number].q, trace.q, atol=1e-3)
    assert {s.branch for s in found.solutions} == {s.branch for s in all_ik(robot, T)}
    assert sum(s.cells for s in found.solutions) == (found.solution >= 0).sum()


def test_solutions_of_a_continuum_are_told_apart_by_their_branch() -> None:
    robot = catalog.load("planar3")
    found = start_map(robot, some_target(robot), robot.home, joints=(0, 1), cells=12)
    assert found.is_continuum
    assert {s.branch for s in found.solutions} == {"elbow left", "elbow right"}
    assert all(branch_of(robot, s.q) == s.branch for s in found.solutions)


def test_a_target_out_of_reach_is_reached_from_nowhere() -> None:
    found = start_map(catalog.load("planar3"), pose.from_xyz([0.2, 0.0, 0.0]), np.radians([30.0, 30.0, 20.0]), cells=6)
    assert (found.solution == -1).all()
    assert found.solutions == ()


@pytest.mark.parametrize(
    ("joints", "cells", "code"),
    [((0, 0), 10, "map_joints"), ((0, 9), 10, "map_joints"), ((0, 1), 1000, "cells_outside")],
)
def test_what_makes_no_map_is_refused(joints: tuple[int, int], cells: int, code: str) -> None:
    robot = catalog.load("planar3")
    with pytest.raises(InvalidInput) as caught:
        start_map(robot, PAPER, robot.home, joints, cells=cells)
    assert caught.value.code == code


@pytest.mark.parametrize(("shrink", "grow"), [(2.0, 10.0), (0.1, 1.0), (0.0, 10.0), (0.1, float("nan"))])
def test_factors_that_do_not_steer_the_damping_are_refused(shrink: float, grow: float) -> None:
    robot = catalog.load("planar3")
    with pytest.raises(InvalidInput):
        lm_trace(robot, PAPER, robot.home, shrink=shrink, grow=grow)


def test_the_damping_follows_the_factors() -> None:
    robot = catalog.load("planar3")
    steps = lm_trace(robot, PAPER, robot.home, task="planar", shrink=0.25, grow=7.0).steps
    for here, after in itertools.pairwise(steps):
        assert after.damping == pytest.approx(here.damping * (0.25 if here.accepted else 7.0))

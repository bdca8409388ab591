"""The reach volume: cubes where the tool point can be, and nothing else."""

from __future__ import annotations

import math

import numpy as np
import pytest

from armlab import catalog
from armlab.errors import InvalidInput
from armlab.kinematics.all_ik import branch_names
from armlab.kinematics.reach import reach
from armlab.kinematics.reach_volume import ReachVolume, reach_volume
from armlab.kinematics.singularity import manipulability


def small(arm: str, cells: int = 20, samples: int = 60_000) -> ReachVolume:
    return reach_volume(catalog.load(arm), cells=cells, samples=samples)


@pytest.mark.parametrize("arm", ["scara", "kuka-kr6-r700", "franka-panda"])
def test_random_poses_fall_into_cubes_that_are_reached(arm: str) -> None:
    robot = catalog.load(arm)
    found = small(arm, samples=200_000)
    q = robot.lower + (robot.upper - robot.lower) * np.random.default_rng(9).random((20_000, robot.dof))
    place = np.floor((robot.fk(q)[:, :3, 3] - found.low) / found.cell).astype(int)
    assert ((place >= 0) & (place < found.shape)).all()
    cubes = np.ravel_multi_index(tuple(place.T), found.shape)
    assert np.isin(cubes, found.reached).mean() > 0.998


@pytest.mark.parametrize("arm", ["planar3", "kuka-kr6-r700"])
def test_no_cube_is_farther_away_than_the_arm_reaches(arm: str) -> None:
    robot, found = catalog.load(arm), small(arm)
    first = (robot.base @ robot.joints[0].T_parent_joint)[:2, 3]
    away = np.linalg.norm(found.centres()[:, :2] - first, axis=1)
    assert away.max() < reach(robot) + found.cell
    assert away.max() > reach(robot) - 2.0 * found.cell


def test_an_arm_in_a_plane_fills_one_layer_with_the_area_of_its_ring() -> None:
    """Two equal links that turn nearly all the way: a disc less the little that the limits leave out."""
    robot = catalog.load("planar2")
    found = reach_volume(robot, cells=40, samples=150_000)
    assert found.shape[2] == 1
    q = robot.lower + (robot.upper - robot.lower) * np.random.default_rng(1).random((200_000, 2))
    radius = np.linalg.norm(robot.fk(q)[:, :2, 3], axis=1)
    ring = math.pi * (radius.max() ** 2 - radius.min() ** 2)
    assert found.volume / found.cell == pytest.approx(ring, rel=0.06)


def test_the_best_of_a_cube_is_what_some_pose_in_it_has_and_no_random_one_beats_by_much() -> None:
    robot, found = catalog.load("scara"), small("scara", samples=200_000)
    q = robot.lower + (robot.upper - robot.lower) * np.random.default_rng(3).random((20_000, robot.dof))
    place = np.floor((robot.fk(q)[:, :3, 3] - found.low) / found.cell).astype(int)
    cubes = np.ravel_multi_index(tuple(place.T), found.shape)
    best = np.full(math.prod(found.shape), np.nan)
    best[found.reached] = found.best
    assert (manipulability(robot, q) <= 1.1 * best[cubes] + 0.01).mean() > 0.99
    assert found.best.max() <= manipulability(robot, q).max() * 1.01


def test_no_point_has_more_branches_than_the_arm_and_some_have_all() -> None:
    found = small("kuka-kr6-r700")
    assert found.branches is not None
    assert found.branches.min() >= 1
    assert found.branches.max() == len(branch_names(found.robot))
    assert small("franka-panda").branches is None


def test_progress_counts_up_and_may_end_the_search() -> None:
    told: list[tuple[int, int]] = []
    reach_volume(catalog.load("planar2"), cells=10, samples=50_000, progress=lambda *both: told.append(both))
    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]

    def enough(done: int, _total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        reach_volume(catalog.load("planar2"), cells=10, samples=50_000, progress=enough)


@pytest.mark.parametrize(("cells", "samples", "code"), [(1, 100, "cells_outside"), (20, 0, "samples_outside")])
def test_numbers_out_of_bounds_are_refused(cells: int, samples: int, code: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        reach_volume(catalog.load("planar2"), cells=cells, samples=samples)
    assert caught.value.code == code

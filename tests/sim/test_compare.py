"""The three structures side by side."""

from __future__ import annotations

import numpy as np
import pytest

from armlab.catalog import load, robot_names
from armlab.errors import InvalidInput
from armlab.motion.trajectory import Trajectory
from armlab.sim.compare import compare, energy_drift, standard_motion


@pytest.mark.parametrize("name", robot_names())
def test_every_arm_puts_the_structures_in_the_same_order(name: str) -> None:
    metrics = compare(load(name), duration=0.2).metrics
    hierarchy, joints, articulation = (metrics[s] for s in ("hierarchy", "joints", "articulation"))
    assert hierarchy.tracking_rms < 1e-12
    assert hierarchy.gap == articulation.gap == 0.0
    assert 0.0 < joints.gap < 1e-5
    assert hierarchy.energy_drift is None
    assert articulation.energy_drift is not None
    assert joints.energy_drift is not None
    assert articulation.energy_drift < joints.energy_drift
    assert hierarchy.unknowns < articulation.unknowns < joints.unknowns
    assert joints.tracking_rms == pytest.approx(articulation.tracking_rms, rel=0.2)
    assert all(f.us_per_step > 0.0 for f in metrics.values())


@pytest.mark.parametrize("name", robot_names())
def test_the_standard_motion_keeps_the_limits_and_comes_home(name: str) -> None:
    robot = load(name)
    path = standard_motion(robot, 1.0)
    np.testing.assert_array_equal(path.start, robot.home)
    np.testing.assert_allclose(path.end, robot.home, atol=1e-12)
    place, speed = path.pieces.extremes(), path.pieces.extremes(1)
    assert (place.low >= robot.lower - 1e-12).all()
    assert (place.high <= robot.upper + 1e-12).all()
    assert (np.maximum(-speed.low, speed.high) <= 0.5 * robot.velocity).all()
    assert (place.high - place.low > 1e-4).all()


def test_shorter_steps_bring_tied_links_closer_together() -> None:
    robot = load("planar2")
    gaps = [compare(robot, duration=0.4, timestep=dt).metrics["joints"].gap for dt in (0.002, 0.001, 0.0005)]
    assert gaps[0] > 2.0 * gaps[1] > 4.0 * gaps[2]


def test_a_free_arm_keeps_its_energy_only_in_joint_coordinates() -> None:
    robot = load("kuka-kr6-r700")
    assert energy_drift(robot, "articulation") < 1e-6
    assert energy_drift(robot, "joints") > 1e-3


def test_wrong_motions_are_refused() -> None:
    with pytest.raises(InvalidInput) as caught:
        compare(load("planar2"), Trajectory.rest([0.0, 0.0, 0.0], 1.0))
    assert caught.value.code == "joint_count_differs"
    assert (caught.value.parameters["given"], caught.value.parameters["needed"]) == (3, 2)
    for duration in (0.0, -1.0, float("nan"), float("inf"), 1e200):
        with pytest.raises(InvalidInput) as caught:
            compare(load("planar2"), duration=duration)
        assert caught.value.code == "duration_outside"
    with pytest.raises(InvalidInput) as caught:
        compare(load("planar2"), duration=1e4)
    assert caught.value.code == "comparison_too_long"


def test_progress_grows_from_nothing_to_all() -> None:
    shares: list[float] = []
    compare(load("planar2"), duration=0.5, on_progress=shares.append)
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)
    assert len(shares) > 6

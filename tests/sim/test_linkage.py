"""Closed chains: what they are, and that both physical structures hold them closed."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from refusals import refused

from armlab.errors import InvalidInput, NotSupported
from armlab.model.linkage import Closure, Linkage, four_bar, parallelogram, rocker_angle
from armlab.sim.drive_choice import choose_drives
from armlab.sim.simulation import Simulation
from armlab.sim.state import Structure

PHYSICAL: tuple[Structure, ...] = ("articulation", "joints")
BARS = (0.1, 0.3, 0.25, 0.3)
each_structure = pytest.mark.parametrize("structure", PHYSICAL)


def freudenstein(theta: float, crank: float, coupler: float, rocker: float, ground: float) -> tuple[float, float]:
    """Return both rocker angles of Freudenstein's equation K1 cos φ - K2 cos θ + K3 = cos(θ - φ)."""
    k1, k2 = ground / crank, ground / rocker
    k3 = (crank**2 - coupler**2 + rocker**2 + ground**2) / (2.0 * crank * rocker)
    a = math.cos(theta) - k1 - k2 * math.cos(theta) + k3
    b = -2.0 * math.sin(theta)
    c = k1 - (k2 + 1.0) * math.cos(theta) + k3
    root = math.sqrt(b * b - 4.0 * a * c)
    return 2.0 * math.atan2(-b - root, 2.0 * a), 2.0 * math.atan2(-b + root, 2.0 * a)


def apart(a: float, b: float) -> float:
    return abs(math.remainder(a - b, 2.0 * math.pi))


def test_the_rocker_angle_solves_freudensteins_equation() -> None:
    for theta in np.linspace(0.0, 2.0 * math.pi, 50):
        phi = rocker_angle(*BARS, float(theta))
        assert min(apart(phi, other) for other in freudenstein(float(theta), *BARS)) < 1e-9


@each_structure
def test_a_four_bar_stays_closed_and_its_rocker_is_where_freudenstein_says(structure: Structure) -> None:
    simulation = Simulation.of_linkage(four_bar(*BARS), structure)
    simulation.command(qd=[2.0 * math.pi])
    gap = error = 0.0
    for _ in range(250):
        simulation.step(5)
        state = simulation.state()
        gap = max(gap, state.gap)
        theta, phi = float(state.q[0]), float(state.q[2])
        error = max(error, min(apart(phi, other) for other in freudenstein(theta, *BARS)))
    assert state.q[0] > 1.0 + 2.0 * math.pi * 1.2  # it has gone all the way round
    assert state.frames.shape == (4, 4, 4)
    assert gap < 2e-5
    assert math.degrees(error) < 0.01


@each_structure
def test_a_parallelogram_keeps_its_coupler_level(structure: Structure) -> None:
    simulation = Simulation.of_linkage(parallelogram(0.2, 0.4), structure)
    simulation.command(q=[1.0])
    simulation.step(1500)
    state = simulation.state()
    np.testing.assert_allclose(state.q, [1.0, -1.0, 1.0], atol=np.radians(0.01))
    np.testing.assert_allclose(state.frames[2, :3, :3], np.eye(3), atol=1e-5)
    assert state.gap < 2e-5
    assert state.closure_gaps.shape == (1,)


@each_structure
def test_a_closed_chain_stands_still_under_its_weight(structure: Structure) -> None:
    linkage = four_bar(*BARS)
    simulation = Simulation.of_linkage(linkage, structure)
    simulation.step(1000)
    np.testing.assert_allclose(simulation.state().q, linkage.start, atol=np.radians(0.01))


def test_only_driven_joints_are_commanded_and_only_they_have_motors() -> None:
    linkage = four_bar(*BARS)
    simulation = Simulation.of_linkage(linkage)
    assert simulation.driven() == (0,)
    with refused("wrong_shape", InvalidInput, who="four-bar: q", expected="(1,)", got="(3,)"):
        simulation.command(q=linkage.start)
    assert [drive.is_free for drive in choose_drives(linkage)] == [False, True, True]


def test_a_hierarchy_cannot_hold_a_closed_chain() -> None:
    with refused("hierarchy_of_closed_chain", NotSupported, linkage="four-bar"):
        Simulation.of_linkage(four_bar(*BARS), "hierarchy")


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: four_bar(0.1, 0.0, 0.2, 0.3), "four-bar: coupler must be > 0, got 0 m"),
        (lambda: four_bar(0.1, math.nan, 0.2, 0.3), "four-bar: coupler must be > 0, got nan m"),
        (lambda: four_bar(0.1, 0.1, 0.1, 1.0), "coupler and rocker do not meet"),
        (lambda: parallelogram(0.2, 0.4, angle=0.0), "all bars lie on one line"),
        (lambda: replace(four_bar(*BARS), start=np.array([1.0, 1.0, 1.0])), "at the start the chain is open by"),
        (lambda: replace(four_bar(*BARS), parents=(0, 3, 0)), "joint 'coupler': parent must be 0 to 1, got 3"),
        (lambda: replace(four_bar(*BARS), parents=(0, 1)), "3 joints need 3 parents and one link more"),
        (lambda: replace(four_bar(*BARS), driven=(5,)), "driven joint must be 0 to 2, got 5"),
        (lambda: replace(four_bar(*BARS), joints=()), "0 joints given"),
        (lambda: Closure(0, np.zeros(3), 1, np.zeros(3), np.zeros(3)), r"axis \[0, 0, 0\] has no direction"),
    ],
)
def test_linkages_that_cannot_be_are_refused(build: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        build()


def test_a_closure_needs_two_links() -> None:
    linkage = four_bar(*BARS)
    pin = Closure(2, np.zeros(3), 2, np.zeros(3), np.array([0.0, 1.0, 0.0]))
    with refused("linkage_closure", InvalidInput, most=3, a=2, b=2):
        Linkage(
            name="odd",
            links=linkage.links,
            joints=linkage.joints,
            parents=linkage.parents,
            closures=(pin,),
            driven=(0,),
            start=linkage.start,
        )

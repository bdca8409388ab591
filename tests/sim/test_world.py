"""The model that MuJoCo gets: links that may touch are excluded from contacts, by the same rule as everywhere."""

from __future__ import annotations

import pytest

from armlab.catalog import load, load_tool, robot_names
from armlab.collision.pairs import excluded_pairs, touching_at_home
from armlab.model.scene import Scene
from armlab.sim import Simulation
from armlab.sim.physics import Physics


def excluded(simulation: Simulation) -> set[tuple[str, str]]:
    """Return the pairs of bodies that have no contacts, by name."""
    core = simulation._core
    assert isinstance(core, Physics)
    model = core.model
    pairs = [(int(signature) >> 16, int(signature) & 0xFFFF) for signature in model.exclude_signature]
    return {tuple(sorted((model.body(a).name, model.body(b).name))) for a, b in pairs}


@pytest.mark.parametrize("name", robot_names())
def test_links_that_may_touch_are_the_ones_without_contacts(name: str) -> None:
    robot = load(name)
    number = {link.name: i for i, link in enumerate(robot.links)}
    pairs = {tuple(sorted((f"m0.l{number[a]}", f"m0.l{number[b]}"))) for a, b in excluded_pairs(robot)}
    assert touching_at_home(robot) == ()
    assert excluded(Simulation(Scene.of(robot))) == pairs


def test_fingers_may_touch_the_palm_that_carries_them() -> None:
    robot = load("ur5e").with_tool(load_tool("gripper"))
    pairs = excluded(Simulation(Scene.of(robot), grasp="friction"))
    assert {("m0.l6", "m0.l7"), ("m0.l6", "m0.l8"), ("m0.l6.0", "m0.l7"), ("m0.l6.0", "m0.l8")} <= pairs
    assert ("m0.l7", "m0.l8") not in pairs

"""Scenes of odd sizes, places, masses and limits either can be simulated or are refused in words of our own."""

from __future__ import annotations

import os

import numpy as np
import pytest

from armlab.arrays import Floats
from armlab.errors import ArmlabError
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.model.parts import Joint, Link
from armlab.model.robot import Robot
from armlab.model.scene import Body, Scene
from armlab.sim import Simulation

SCENES = 40 * int(os.environ.get("ARMLAB_FUZZ", "1"))


class Odd:
    """A seeded source of numbers that are often far too large or too small."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.spread = float(self.rng.choice([1.0, 6.0, 30.0, 200.0]))

    def size(self) -> float:
        """Return a number above zero, up to `spread` orders of magnitude from 0.1."""
        return float(10.0 ** (-1.0 + self.rng.uniform(-1.0, 1.0) * self.rng.choice([0.3, self.spread])))

    def pose(self) -> Floats:
        """Return a pose at such a distance."""
        place, angle = self.rng.normal(size=3) * self.size(), self.rng.uniform(0.0, 3.0)
        return pose.from_xyz_axis_angle(place, self.rng.normal(size=3), angle)

    def shape(self) -> Shape:
        """Return a shape of any kind."""
        kind = self.rng.choice(["box", "cylinder", "sphere", "loft", "hull"])
        counts = {"box": (3, 4), "cylinder": (2, 3), "sphere": (1, 1), "loft": (5, 8), "hull": (0, 0)}
        size = tuple(self.size() for _ in range(int(self.rng.integers(*counts[kind], endpoint=True))))
        points = self.rng.normal(size=(12, 3)) * [self.size() for _ in range(3)] if kind == "hull" else None
        return Shape(kind, size, self.pose(), points=points)

    def robot(self) -> Robot:
        """Return an arm of one to four joints."""
        n = int(self.rng.integers(1, 5))
        joints = []
        for i in range(n):
            lower = -self.size()
            limits = [np.inf if self.rng.random() < 0.3 else self.size() for _ in range(3)]
            kind = self.rng.choice(["revolute", "prismatic"])
            joints.append(Joint(f"j{i}", kind, self.pose(), self.rng.normal(size=3), lower, self.size(), *limits))
        links = [Link("base"), *(self.link(i) for i in range(n))]
        return Robot(name="odd", joints=tuple(joints), links=tuple(links), home=np.zeros(n), source="made up")

    def link(self, i: int) -> Link:
        """Return a link with or without a mass of its own."""
        mass = 0.0 if self.rng.random() < 0.4 else self.size()
        shapes = tuple(self.shape() for _ in range(int(self.rng.integers(0, 3))))
        return Link(f"l{i}", Inertia(mass, np.zeros(3), np.eye(3) * mass * self.size()), shapes)

    def scene(self) -> Scene:
        """Return a scene with an arm and perhaps bodies."""
        bodies = []
        for i in range(int(self.rng.integers(0, 3))):
            mass = None if self.rng.random() < 0.5 else self.size()
            bodies.append(Body(f"b{i}", (self.shape(),), self.pose(), mass=mass))
        return Scene.of(self.robot(), bodies=bodies)


@pytest.mark.parametrize("structure", ["articulation", "joints", "hierarchy"])
@pytest.mark.parametrize("block", range(4))
def test_any_scene_is_simulated_or_refused_with_a_reason(structure: str, block: int) -> None:
    done = refused = 0
    for seed in range(block * SCENES // 4, (block + 1) * SCENES // 4):
        odd = Odd(seed)
        try:
            simulation = Simulation(odd.scene(), structure, contacts=odd.rng.choice(["all", "none"]))  # type: ignore[arg-type]
            simulation.step(20)
            state = simulation.state()
        except ArmlabError:
            refused += 1
            continue
        assert np.isfinite(state.q).all()
        assert np.isfinite(state.frames).all()
        done += 1
    assert done + refused == SCENES // 4

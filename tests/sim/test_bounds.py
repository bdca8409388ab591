"""What cannot be simulated is refused in words of our own, with the name of the part."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import armlab
from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.model.robot import Robot
from armlab.model.scene import Body, Scene
from armlab.sim import Simulation
from armlab.sim.engine import compile_model, engine

ASIDE = pose.from_xyz([3.0, 3.0, 3.0])


@pytest.fixture(scope="module")
def planar() -> Robot:
    """Return a small arm."""
    return armlab.load("planar3")


def refused(robot: Robot, *shapes: Shape, place: Floats = ASIDE, mass: float | None = None) -> InvalidInput:
    """Return the error of a scene with one odd body."""
    with pytest.raises(InvalidInput) as caught:
        Simulation(Scene.of(robot, bodies=[Body("odd", shapes, place, mass=mass)]))
    return caught.value


@pytest.mark.parametrize("mass", [None, 1.0])
@pytest.mark.parametrize(
    ("kind", "size"),
    [
        ("loft", (1e-9, 1e-9, 1e-9, 1e-9, 1e-9)),
        ("loft", (1.0, 1.0, 1.0, 1.0, 1e-9)),
        ("box", (1e-5, 1e-5, 1e-5, 1e-6)),
        ("cylinder", (1e-8, 1e-8, 1e-9)),
    ],
)
def test_a_rounded_solid_that_is_too_thin_is_refused(
    planar: Robot, kind: str, size: tuple[float, ...], mass: float | None
) -> None:
    error = refused(planar, Shape(kind, size, np.eye(4)), mass=mass)  # type: ignore[arg-type]
    assert error.code == "shape_too_thin"
    assert str(error.parameters["who"]) == "body 'odd'"
    assert error.parameters["thickness"] < error.parameters["least"]


def test_a_hull_as_flat_as_paper_a_kilometre_wide_is_refused(planar: Robot) -> None:
    points = np.random.default_rng(0).normal(size=(20, 3)) * [1e3, 1e3, 1e-3]
    shape = Shape("hull", (), np.eye(4), points=points)
    assert refused(planar, shape, place=pose.from_xyz([0.0, 0.0, 9e3])).code == "shape_too_thin"


@pytest.mark.parametrize("mass", [None, 1.0])
def test_sizes_and_places_beyond_all_bounds_are_refused(planar: Robot, mass: float | None) -> None:
    small = Shape("sphere", (0.1,), np.eye(4))
    assert refused(planar, Shape("sphere", (1e160,), np.eye(4)), mass=mass).code == "too_large_to_simulate"
    assert refused(planar, small, place=pose.from_xyz([1e200, 0.0, 0.0]), mass=mass).code == "too_large_to_simulate"


@pytest.mark.parametrize("structure", ["articulation", "joints", "hierarchy"])
def test_an_arm_longer_than_can_be_computed_with_is_refused_by_its_joint(planar: Robot, structure: str) -> None:
    far = replace(planar.joints[1], T_parent_joint=pose.from_xyz([1e170, 0.0, 0.0]))
    robot = replace(
        planar, joints=(planar.joints[0], far, *planar.joints[2:]), configurations=dict(planar.configurations)
    )
    with pytest.raises(InvalidInput) as caught:
        Simulation(Scene.of(robot), structure)  # type: ignore[arg-type]
    assert caught.value.code == "too_large_to_simulate"
    assert f"joint '{far.name}'" in str(caught.value.parameters["who"])


def test_what_the_engine_itself_refuses_becomes_an_error_of_ours() -> None:
    spec = engine().MjSpec()
    spec.worldbody.add_body(name="a").add_freejoint()
    with pytest.raises(InvalidInput) as caught:
        compile_model(spec)
    assert caught.value.code == "not_simulable"
    assert "\n" not in str(caught.value)

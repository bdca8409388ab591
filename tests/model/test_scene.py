"""Scenes and bodies as values: what they refuse, and what changes when one is put elsewhere."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from refusals import refused

from armlab.errors import InvalidInput, UnknownName
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.model.robot import Robot
from armlab.model.scene import MAX_BODIES, Body, PlacedRobot, Scene

CUBE = Shape("box", (0.1, 0.1, 0.1), np.eye(4))


@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        ({"name": ""}, "a name has 1 to 200 printable letters"),
        ({"name": "a\nb"}, "a name has 1 to 200 printable letters"),
        ({"shapes": ()}, "0 shapes given; 1 to 5000 are allowed"),
        ({"mass": 0.0}, "mass must be > 0, got 0 kg; a fixed body has no mass"),
        ({"mass": -1.0}, "mass must be > 0, got -1 kg"),
        ({"mass": math.nan}, "mass must be > 0, got nan kg"),
        ({"friction": -0.1}, "friction must be ≥ 0, got -0.1"),
        ({"friction": math.inf}, "friction must be ≥ 0, got inf"),
        ({"colour": "red"}, "colour 'red' is not written as #rrggbb"),
        ({"belt": np.array([0.1, 0, 0]), "mass": 1.0}, "a conveyor is fixed; give it no mass"),
        ({"belt": np.array([math.nan, 0, 0])}, "is not a finite number"),
        ({"T_world_body": np.full((4, 4), 2.0)}, "the last row of a pose must be 0 0 0 1"),
        ({"own_inertia": Inertia(1.0)}, "its inertia is for 1 kg, which is not its mass"),
        ({"own_inertia": Inertia(1.0), "mass": 2.0}, "its inertia is for 1 kg, which is not its mass"),
    ],
)
def test_a_body_that_cannot_be_is_refused_in_a_sentence(keys: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidInput, match=sentence):
        Body(**{"name": "thing", "shapes": (CUBE,), **keys})


def test_the_mass_of_a_body_is_spread_evenly_unless_it_has_its_own_inertia() -> None:
    even = Body("cube", (CUBE,), mass=6.0)
    np.testing.assert_allclose(even.inertia.matrix, np.eye(3) * 0.01, atol=1e-15)
    own = Inertia(6.0, np.array([0.01, 0, 0]), np.diag([0.02, 0.02, 0.03]))
    assert Body("cube", (CUBE,), mass=6.0, own_inertia=own).inertia is own
    assert Body("table", (CUBE,)).is_fixed
    assert not even.is_fixed


def test_a_body_put_elsewhere_is_the_same_at_another_place() -> None:
    body = Body("cube", (CUBE,), mass=1.0, colour="#ff0000")
    moved = body.at(pose.from_xyz([1, 2, 3]))
    assert moved.colour == "#ff0000"
    np.testing.assert_allclose(moved.T_world_body[:3, 3], [1, 2, 3])
    np.testing.assert_allclose(body.T_world_body, np.eye(4))


def test_a_robot_starts_inside_its_limits(robot: Robot) -> None:
    assert PlacedRobot("arm", robot, robot.home).q.tolist() == robot.home.tolist()
    with refused("joint_outside", joint="slide", value=0.5, lower=0.0, upper=0.4):
        PlacedRobot("arm", robot, np.array([0.0, 0.5, 0.0]))
    with refused("wrong_shape", InvalidInput, expected="(3,)", got="(2,)"):
        PlacedRobot("arm", robot, np.array([0.0, 0.5]))
    with refused("name_not_printable", InvalidInput, most=200):
        PlacedRobot("", robot, robot.home)


def test_things_are_found_by_name_and_names_are_unique(robot: Robot) -> None:
    bodies = [Body("red", (CUBE,)), Body("blue", (CUBE,))]
    scene = Scene.of(robot, bodies=bodies)
    assert scene.robot() is scene.robot("made-up")
    assert scene.body("blue") is bodies[1]
    with refused("unknown_scene_body", UnknownName, name="blu", owner="made-up"):
        scene.body("blu")
    with refused("unknown_scene_robot", UnknownName, name="arm", owner="made-up"):
        scene.robot("arm")
    with refused("unknown_scene_robot", UnknownName):
        Scene("empty").robot()
    with refused("scene_name_twice", InvalidInput, name="red"):
        Scene("twice", bodies=(bodies[0], bodies[0]))
    with refused("scene_name_twice", InvalidInput, scene="made-up", name="made-up"):
        Scene.of(robot, bodies=[Body("made-up", (CUBE,))])


def test_a_body_is_added_or_replaced_in_its_place(robot: Robot) -> None:
    scene = Scene.of(robot, bodies=[Body("red", (CUBE,)), Body("blue", (CUBE,))])
    assert [body.name for body in scene.with_body(Body("green", (CUBE,))).bodies] == ["red", "blue", "green"]
    swapped = scene.with_body(Body("red", (CUBE,), mass=2.0))
    assert [(body.name, body.mass) for body in swapped.bodies] == [("red", 2.0), ("blue", None)]


def test_a_scene_that_is_too_large_or_falls_nowhere_is_refused() -> None:
    many = tuple(Body(f"b{i}", (CUBE,)) for i in range(MAX_BODIES + 1))
    with refused("scene_too_large", InvalidInput, bodies=1001, most_robots=16, most_bodies=1000):
        Scene("crowd", bodies=many)
    with refused("not_finite", InvalidInput):
        Scene("odd", gravity=np.array([0.0, 0.0, math.nan]))

"""An arm that was brought, as the store of assets keeps it: all that it had is there again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import trimesh

from armlab.assets import asset_store
from armlab.catalog import load
from armlab.cell.arm import own_arm
from armlab.cell.project import ArmChoice
from armlab.geometry.shape import Shape
from armlab.geometry.visual import Visual, is_closed, moments
from armlab.model.rescale import rescaled
from armlab.model.robot import Robot
from armlab.server.brought_arm import free_name, keep_arm


def covered(robot: Robot, parts: int, corners: int) -> Robot:
    """Return an arm whose links are made of that many convex parts."""
    rng = np.random.default_rng(5)

    def part() -> Shape:
        points = rng.normal(size=(corners, 3))
        points *= 0.1 / np.linalg.norm(points, axis=1, keepdims=True)
        return Shape("hull", (), np.eye(4), points=points)

    return replace(
        robot, links=tuple(replace(link, shapes=tuple(part() for _part in range(parts))) for link in robot.links)
    )


def again_of(arm: Robot) -> Robot:
    """Return an arm from the file that is kept of it."""
    return own_arm(ArmChoice(name=arm.name, file=keep_arm(arm, asset_store())))


def test_an_arm_of_convex_parts_is_the_same_after_its_file_is_read() -> None:
    arm = covered(load("scara"), parts=2, corners=30)
    again = again_of(arm)
    q = np.random.default_rng(0).uniform(arm.lower, arm.upper, (20, arm.dof))
    np.testing.assert_allclose(again.fk(q), arm.fk(q), atol=1e-12)
    for link, other in zip(arm.links, again.links, strict=True):
        assert [shape.kind for shape in other.shapes] == ["hull", "hull"]
        corners, copies = (
            np.array(sorted(np.sort(shape.hull.points, axis=0).tolist() for shape in each.shapes))
            for each in (link, other)
        )
        np.testing.assert_allclose(copies, corners, atol=1e-12)


def shown(robot: Robot, subdivisions: int) -> Robot:
    """Return an arm whose links look like red balls of 0.1 m, with two parts each."""
    ball = trimesh.creation.icosphere(subdivisions, radius=0.1)
    arm = covered(robot, parts=2, corners=20)
    red = Visual(np.asarray(ball.vertices), np.asarray(ball.faces), "#ff0000")
    return replace(arm, links=tuple(replace(link, visuals=(red,)) for link in arm.links))


def test_an_arm_keeps_every_triangle_and_every_corner() -> None:
    arm = shown(load("scara"), subdivisions=4)
    for link, other in zip(arm.links, again_of(arm).links, strict=True):
        (one,), (copy,) = link.visuals, other.visuals
        assert copy.colour == "#ff0000"
        assert len(copy.faces) == len(one.faces)
        assert is_closed(copy)
        assert moments(copy)[0] == pytest.approx(moments(one)[0], rel=1e-5)
        assert [len(shape.hull.points) for shape in other.shapes] == [len(shape.hull.points) for shape in link.shapes]


def test_the_same_arm_is_the_same_file() -> None:
    arm = shown(load("scara"), subdivisions=1)
    assert keep_arm(arm, asset_store()) == keep_arm(arm, asset_store())
    assert keep_arm(replace(arm, title="another"), asset_store()) != keep_arm(arm, asset_store())


def test_names_of_the_catalog_are_not_taken() -> None:
    assert free_name("ur5e") == "ur5e-own"
    assert free_name("my-arm") == "my-arm"
    assert free_name("a" * 80) == "a" * 50


def test_an_arm_scaled_there_and_back_is_the_same_arm() -> None:
    arm = shown(load("scara"), subdivisions=1)
    again = rescaled(rescaled(arm, 25.4), 1 / 25.4)
    np.testing.assert_allclose(again.fk(arm.home), arm.fk(arm.home), atol=1e-12)
    np.testing.assert_allclose(again.lower, arm.lower, atol=1e-12)
    for link, other in zip(arm.links, again.links, strict=True):
        np.testing.assert_allclose(other.inertia.matrix, link.inertia.matrix, atol=1e-12)
        np.testing.assert_allclose(other.visuals[0].vertices, link.visuals[0].vertices, atol=1e-12)
    assert np.ptp(rescaled(arm, 2.0).links[1].visuals[0].vertices) == np.ptp(2.0 * arm.links[1].visuals[0].vertices)

"""An arm as a project carries it: one text with all its shapes, simpler ones where it would be too long."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import trimesh

from armlab.catalog import load, load_text
from armlab.geometry.shape import Shape
from armlab.geometry.visual import Visual, is_closed, moments
from armlab.model.rescale import rescaled
from armlab.model.robot import Robot
from armlab.server.brought_arm import arm_file, free_name


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


def test_an_arm_of_convex_parts_is_the_same_after_its_file_is_read() -> None:
    arm = covered(load("scara"), parts=2, corners=30)
    file = arm_file(arm)
    again = load_text(file.text)
    assert not file.simplified
    q = np.random.default_rng(0).uniform(arm.lower, arm.upper, (20, arm.dof))
    np.testing.assert_allclose(again.fk(q), arm.fk(q), atol=1e-12)
    for link, other in zip(arm.links, again.links, strict=True):
        assert [shape.kind for shape in other.shapes] == ["hull", "hull"]
        for shape, copy in zip(link.shapes, other.shapes, strict=True):
            assert shape.points is not None
            assert copy.points is not None
            np.testing.assert_allclose(np.sort(copy.points, axis=0), np.sort(shape.points, axis=0), atol=1e-6)


def test_parts_with_too_many_corners_become_larger_ones_with_fewer() -> None:
    arm = covered(load("scara"), parts=2, corners=150)
    file = arm_file(arm, longest=20_000)
    assert file.simplified
    assert len(file.text) <= 20_000
    again = load_text(file.text)
    for link, other in zip(arm.links, again.links, strict=True):
        for shape, copy in zip(link.shapes, other.shapes, strict=True):
            assert shape.points is not None
            for axis in np.eye(3):
                assert (copy.hull.points @ axis).max() >= (shape.points @ axis).max() - 1e-6


def test_an_arm_of_too_many_parts_gets_a_generated_skin() -> None:
    arm = covered(load("scara"), parts=20, corners=5)
    again = load_text(arm_file(arm, longest=8_000).text)
    assert all(shape.kind != "hull" for link in again.links for shape in link.shapes)
    np.testing.assert_allclose(again.fk(arm.home), arm.fk(arm.home), atol=1e-12)


def shown(robot: Robot, subdivisions: int) -> Robot:
    """Return an arm whose links look like red balls of 0.1 m, with two parts each."""
    ball = trimesh.creation.icosphere(subdivisions, radius=0.1)
    arm = covered(robot, parts=2, corners=20)
    red = Visual(np.asarray(ball.vertices), np.asarray(ball.faces), "#ff0000")
    return replace(arm, links=tuple(replace(link, visuals=(red,)) for link in arm.links))


def test_an_arm_keeps_its_own_surfaces_and_small_ones_every_triangle() -> None:
    arm = shown(load("scara"), subdivisions=3)
    file = arm_file(arm)
    assert not file.simplified
    for link, other in zip(arm.links, load_text(file.text).links, strict=True):
        (one,), (copy,) = link.visuals, other.visuals
        assert copy.colour == "#ff0000"
        assert len(copy.faces) == len(one.faces)
        assert is_closed(copy)
        assert moments(copy)[0] == pytest.approx(moments(one)[0], rel=1e-3)


def test_surfaces_become_coarser_until_the_file_is_short_enough() -> None:
    arm = shown(load("scara"), subdivisions=6)
    file = arm_file(arm, longest=150_000)
    assert len(file.text) <= 150_000
    for other in load_text(file.text).links:
        (copy,) = other.visuals
        assert 500 < len(copy.faces) < len(arm.links[0].visuals[0].faces)
        assert moments(copy)[0] == pytest.approx(4.0 / 3.0 * np.pi * 0.1**3, rel=0.05)
        np.testing.assert_allclose(np.linalg.norm(copy.vertices, axis=1), 0.1, rtol=0.03)


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

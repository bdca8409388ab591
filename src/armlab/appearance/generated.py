"""Shapes, and masses by their volume, for an arm that has only its kinematics."""

from __future__ import annotations

from dataclasses import replace

from armlab.appearance.skin import LinkSkin, make_skin
from armlab.geometry import solid
from armlab.geometry.shape import Shape
from armlab.model.robot import Robot


def generated_shapes(robot: Robot) -> tuple[tuple[Shape, ...], ...]:
    """Return what each link of an arm looks like by its kinematics alone, base first."""
    return make_skin(robot.uncoupled.joints, robot.flange, [LinkSkin() for _link in robot.links])


def with_body(robot: Robot) -> Robot:
    """Return an arm without shapes and masses with generated ones, which count as estimated."""
    links = tuple(
        replace(link, shapes=shapes, inertia=solid.inertia(shapes))
        for link, shapes in zip(robot.links, generated_shapes(robot), strict=True)
    )
    return replace(robot, links=links, estimated=tuple(dict.fromkeys([*robot.estimated, "mass", "link masses"])))

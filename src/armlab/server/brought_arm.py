"""An arm that somebody brought, as a project can carry it: the text of one robot file, not too long."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from armlab.appearance.generated import generated_shapes
from armlab.catalog import load_text, robot_names
from armlab.catalog.write import robot_toml
from armlab.cell.project import MAX_ARM_FILE
from armlab.formats.surface_text import surfaces_within
from armlab.geometry import hull
from armlab.geometry.shape import Shape
from armlab.model.robot import Robot

CORNERS = (64, 32, 16, 10)
"""How many corners convex parts keep, tried in turn, where the file would be too long."""
LONGEST_NAME = 50
SHARE_OF_PARTS = 0.5
"""Of the letters, for everything but the surfaces."""
SPARE = 2000
"""Letters, for the names of the surfaces' keys."""


class ArmFile(NamedTuple):
    """The text of a robot file, and whether its shapes were made simpler for that."""

    text: str
    simplified: bool


def free_name(name: str) -> str:
    """Return a name for an arm that no arm of the catalog has."""
    short = name[:LONGEST_NAME].strip("-") or "arm"
    return f"{short}-own" if short in robot_names() else short


def arm_file(robot: Robot, longest: int = MAX_ARM_FILE) -> ArmFile:
    """Return the file of an arm, at most `longest` letters: for that, convex parts get fewer corners and more room.

    An arm with surfaces of its own keeps them, as fine as the rest of the letters allows.

    Raises:
        CatalogError: if a number of the arm has no place in a robot file.
    """
    has_surfaces = any(link.visuals for link in robot.links)
    whole = robot_toml(robot)
    kept, text = _within(robot, whole, int(longest * SHARE_OF_PARTS) if has_surfaces else longest)
    surfaces = (
        surfaces_within([link.visuals for link in robot.links], longest - len(text) - SPARE) if has_surfaces else None
    )
    simplified = text != whole
    if surfaces is not None:
        text = robot_toml(kept, surfaces=surfaces)
    load_text(text, robot.name)
    return ArmFile(text, simplified)


def _within(robot: Robot, text: str, longest: int) -> tuple[Robot, str]:
    """Return the arm with parts so simple that its text is not too long, and that text."""
    kept = robot
    for most in CORNERS:
        if len(text) <= longest:
            return kept, text
        kept = _simplified(robot, most)
        text = robot_toml(kept)
    if len(text) > longest:  # so many parts that no number of corners helps
        kept = _generated(robot)
        text = robot_toml(kept)
    return kept, text


def _simplified(robot: Robot, most: int) -> Robot:
    links = (replace(link, shapes=tuple(_coarse(shape, most) for shape in link.shapes)) for link in robot.links)
    return replace(robot, links=tuple(links))


def _coarse(shape: Shape, most: int) -> Shape:
    return shape if shape.points is None else replace(shape, points=hull.outer_hull(shape.hull, most).points)


def _generated(robot: Robot) -> Robot:
    links = (replace(link, shapes=made) for link, made in zip(robot.links, generated_shapes(robot), strict=True))
    kept = {link.name for link in robot.links} | {"tool"}
    rules = tuple(rule for rule in robot.pair_rules if {rule.first, rule.second} <= kept)
    return replace(robot, links=tuple(links), pair_rules=rules)

"""Robots to URDF, exact to the last digit of a double.

What URDF cannot say: acceleration limits, named configurations and the payload are left out; an infinite limit is
written as UNLIMITED; rounded edges become sharp; a loft, or a hull of points, becomes the box that contains it; names
have underscores for what ROS does not take. The tool's mass and shapes are on the link `flange`, because they are given
in its frame; the fingers of a gripper slide on that, the others following the first. The link `tool` is the tool's tip.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

from armlab.arrays import Floats
from armlab.files import checked_suffix, write_whole
from armlab.formats.xml_attributes import UNLIMITED, digits, new_name
from armlab.geometry.inertia import Inertia
from armlab.geometry.pose import from_xyz
from armlab.geometry.shape import Palette, Shape
from armlab.model.hand import Hand, hand_of
from armlab.model.parts import Joint
from armlab.model.robot import Robot

SUFFIXES = (".urdf", ".xml")
OUTSIDE, OUTSIDE_NAME = re.compile(r"[^A-Za-z0-9_]"), re.compile(r"[^A-Za-z0-9_-]")
"""What names of links and joints cannot have in ROS, and the arm's own name."""


def write_urdf(robot: Robot, path: Path | str) -> None:
    """Write the robot to a `.urdf` file, whole or not at all.

    Raises:
        InvalidInput: if the file's name does not end in .urdf or .xml, or it cannot be written.
    """
    write_whole(checked_suffix(Path(path), SUFFIXES), urdf_text(robot).encode())


def urdf_text(robot: Robot) -> str:
    """Return the robot as URDF.

    Links: `world`, where the arm does not stand at the origin; the robot's own; `flange`; `tool`.
    """
    root = _robot_element(robot)
    etree.indent(root)
    text: str = etree.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{text}\n'


def _robot_element(robot: Robot) -> Any:
    root = etree.Element("robot", name=_ros_name(robot.name, OUTSIDE_NAME))
    joints, laws = robot.uncoupled.joints, {follower.joint.name: follower for follower in robot.followers}
    names = _ros_names(link.name for link in robot.links)
    joint_names = _ros_names(joint.name for joint in joints)
    own = dict(zip((joint.name for joint in joints), joint_names, strict=True))
    for name, link in zip(names, robot.links, strict=True):
        root.append(_link(name, link.inertia, link.shapes, robot.palette))
    for joint, parent, child in zip(joints, names[:-1], names[1:], strict=True):
        element = _moving(own[joint.name], joint, parent, child)
        if joint.name in laws:
            _place, leader, multiplier, offset = laws[joint.name][1:]
            law = {"multiplier": digits(multiplier), "offset": digits(offset)}
            etree.SubElement(element, "mimic", {"joint": own[robot.joints[leader].name]} | law)
        root.append(element)
    if not np.array_equal(robot.base, np.eye(4)):
        world = new_name("world", names)
        root.insert(0, etree.Element("link", name=world))
        root.append(_fixed(new_name("world_joint", joint_names), world, names[0], robot.base))
    flange, tool = new_name("flange", names), new_name("tool", names)
    hand = hand_of(robot.tool, np.eye(4))
    held = (robot.tool.inertia, robot.tool.shapes) if hand is None else (hand.palm_inertia, hand.jaws.palm)
    root.append(_link(flange, *held, robot.palette))
    root.append(_fixed(new_name("flange_joint", joint_names), names[-1], flange, robot.flange))
    if hand is not None:
        root.extend(_fingers(hand, flange, robot.palette, [*names, flange, tool], joint_names))
    root.append(etree.Element("link", name=tool))
    root.append(_fixed(new_name("tool_joint", joint_names), flange, tool, robot.tool.T_flange_tool))
    return root


def _fingers(hand: Hand, flange: str, palette: Palette, links: list[str], joints: list[str]) -> Iterator[Any]:
    """Yield the fingers of a gripper, and the joints by which they slide; all but the first follow it."""
    leader = ""
    for joint, finger in zip(hand.joints, hand.jaws.fingers, strict=True):
        plain = _ros_name(joint.name, OUTSIDE)
        name, link = new_name(f"{plain}_joint", joints), new_name(plain, links)
        yield _link(link, finger.inertia, finger.shapes, palette)
        element = _moving(name, joint, flange, link)
        if leader:
            etree.SubElement(element, "mimic", {"joint": leader, "multiplier": "1", "offset": "0"})
        leader = leader or name
        yield element


def _ros_names(given: Iterable[str]) -> list[str]:
    """Return names of links or joints as ROS takes them: letters, digits and underscores, each only once."""
    names: list[str] = []
    for name in given:
        names.append(new_name(_ros_name(name, OUTSIDE), names))
    return names


def _ros_name(name: str, outside: re.Pattern[str]) -> str:
    plain = outside.sub("_", name) or "_"
    return plain if plain[0].isalpha() or plain[0] == "_" else f"_{plain}"


def _link(name: str, inertia: Inertia, shapes: Iterable[Shape], palette: Palette) -> Any:
    link = etree.Element("link", name=name)
    inertial = etree.SubElement(link, "inertial")
    inertial.append(_origin(from_xyz(inertia.com)))
    etree.SubElement(inertial, "mass", value=digits(inertia.mass))
    rows, columns, keys = (0, 0, 0, 1, 1, 2), (0, 1, 2, 1, 2, 2), ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
    moments = {key: digits(inertia.matrix[i, j]) for i, j, key in zip(rows, columns, keys, strict=True)}
    etree.SubElement(inertial, "inertia", moments)
    for shape in shapes:
        visual, collision = etree.SubElement(link, "visual"), etree.SubElement(link, "collision")
        for element in (visual, collision):
            _put_solid(element, shape)
        material = etree.SubElement(visual, "material", name=shape.finish)
        etree.SubElement(material, "color", rgba=_rgba(getattr(palette, shape.finish)))
    return link


def _put_solid(element: Any, shape: Shape) -> None:
    T_link_solid = shape.T_link_shape
    geometry = etree.Element("geometry")
    if shape.kind == "sphere":
        etree.SubElement(geometry, "sphere", radius=digits(shape.size[0]))
    elif shape.kind == "cylinder":
        etree.SubElement(geometry, "cylinder", radius=digits(shape.size[0]), length=digits(shape.size[1]))
    elif shape.kind == "box":
        etree.SubElement(geometry, "box", size=digits(*shape.size[:3]))
    else:
        size, centre = _box_round_points(shape.hull.points) if shape.kind == "hull" else _box_round(shape.size)
        etree.SubElement(geometry, "box", size=digits(*size))
        T_link_solid = T_link_solid @ from_xyz(centre)
    element.append(_origin(T_link_solid))
    element.append(geometry)


def _box_round(size: Sequence[float]) -> tuple[Floats, Floats]:
    """Return the lengths and the centre of the box round a loft."""
    bottom, top, shift = np.array(size[0:2]), np.array(size[2:4]), np.array(size[8:10])
    low, high = np.minimum(-bottom, shift - top), np.maximum(bottom, shift + top)
    return np.append(high - low, size[4]), np.append((low + high) / 2.0, 0.0)


def _box_round_points(points: Floats) -> tuple[Floats, Floats]:
    """Return the lengths and the centre of the box round points."""
    low, high = points.min(axis=0), points.max(axis=0)
    return high - low, (low + high) / 2.0


def _moving(name: str, joint: Joint, parent: str, child: str) -> Any:
    element = _joint(name, joint.kind, parent, child, joint.T_parent_joint)
    etree.SubElement(element, "axis", xyz=digits(*joint.axis))
    limits = {key: digits(_finite(getattr(joint, key))) for key in ("lower", "upper", "velocity", "effort")}
    etree.SubElement(element, "limit", limits)
    return element


def _fixed(name: str, parent: str, child: str, T_parent_child: Floats) -> Any:
    return _joint(name, "fixed", parent, child, T_parent_child)


def _joint(name: str, kind: str, parent: str, child: str, T_parent_child: Floats) -> Any:
    element = etree.Element("joint", name=name, type=kind)
    element.append(_origin(T_parent_child))
    etree.SubElement(element, "parent", link=parent)
    etree.SubElement(element, "child", link=child)
    return element


def _origin(T: Floats) -> Any:
    return etree.Element("origin", xyz=digits(*T[:3, 3]), rpy=digits(*exact_rpy(T[:3, :3])))


def exact_rpy(R: Floats) -> tuple[float, float, float]:
    """Return roll, pitch, yaw that give back `R` to the last digits, at and next to pitch = ±90° as well.

    There yaw alone is badly known, but roll, taken from what is left after yaw and not from `R` itself, makes
    up for it.
    """
    level = float(np.hypot(R[0, 0], R[1, 0]))
    yaw = float(np.arctan2(R[1, 0], R[0, 0]) if level > 1e-15 else np.arctan2(-R[0, 1], R[1, 1]))
    s, c = np.sin(yaw), np.cos(yaw)
    roll = np.arctan2(s * R[0, 2] - c * R[1, 2], c * R[1, 1] - s * R[0, 1])
    return float(roll), float(np.arctan2(-R[2, 0], level)), yaw


def _finite(limit: float) -> float:
    return min(max(limit, -UNLIMITED), UNLIMITED)


def _rgba(colour: str) -> str:
    return digits(*(int(colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5)), 1.0)

"""Robots to MJCF, MuJoCo's own format, exact to the last digits of a double.

A position actuator on each joint holds what it is told, within the joint's effort; the keyframe `home` begins there.
Lofts and hulls become meshes with their corners in the file. What MJCF cannot say (speed and acceleration limits, named
configurations, surfaces that are not convex) is left out. Body `flange` carries the tool's mass and shapes, the fingers
of a gripper slide on it, coupled; body `tool` is the tool's tip.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from lxml import etree

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.formats.drive_gains import drive_gains, finger_gains, weight_of
from armlab.formats.xml_attributes import digits, new_name
from armlab.geometry import pose, solid
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Palette, Shape
from armlab.messages import _
from armlab.model.hand import Hand, hand_of
from armlab.model.parts import Joint
from armlab.model.robot import Robot
from armlab.validation import shown

TIMESTEP = 0.001
"""s: short enough for the stiffest drive of a light wrist."""
LEAST_MASS, LEAST_INERTIA = 1e-6, 1e-9
"""kg and kg·m²: MuJoCo refuses moving bodies that weigh nothing."""


Law = tuple[str, str, float, float]
"""A joint, the one that it follows, and by which multiplier and offset."""


def mjcf_text(robot: Robot) -> str:
    """Return the robot as MJCF; links without a mass weigh what their solids do."""
    try:
        root = _Writer(robot).root
    except ValueError as error:
        if isinstance(error, InvalidInput):
            raise
        raise InvalidInput(
            "xml_text", _("{robot}: its names have characters that XML does not allow"), robot=shown(robot.name)
        ) from None
    etree.indent(root)
    return str(etree.tostring(root, encoding="unicode")) + "\n"


class _Writer:
    def __init__(self, robot: Robot) -> None:
        self.root = etree.Element("mujoco", model=robot.name)
        etree.SubElement(self.root, "option", integrator="implicitfast", timestep=digits(TIMESTEP))
        compiler = {"angle": "radian", "autolimits": "true", "boundmass": digits(LEAST_MASS)}
        etree.SubElement(self.root, "compiler", compiler | {"boundinertia": digits(LEAST_INERTIA)})
        self._asset, world = etree.SubElement(self.root, "asset"), etree.SubElement(self.root, "worldbody")
        self._palette, self._meshes = robot.palette, 0
        names = [link.name for link in robot.links]
        flange, tool = new_name("flange", names), new_name("tool", names)
        body = self._body(world, names[0], robot.base, robot.links[0].inertia, robot.links[0].shapes)
        for joint, link in zip(robot.uncoupled.joints, robot.links[1:], strict=True):
            body = self._body(body, link.name, joint.T_parent_joint, link.inertia, link.shapes)
            body.insert(0, _joint(joint))
        hand = hand_of(robot.tool, np.eye(4))
        held = (robot.tool.inertia, robot.tool.shapes) if hand is None else (hand.palm_inertia, hand.jaws.palm)
        body = self._body(body, flange, robot.flange, *held)
        laws = [
            (joint.name, robot.joints[leader].name, multiplier, offset)
            for joint, _place, leader, multiplier, offset in robot.followers
        ]
        fingers: list[str] = []
        if hand is not None:
            fingers = self._fingers(body, hand, names, [joint.name for joint in robot.uncoupled.joints])
            laws += [(name, fingers[0], 1.0, 0.0) for name in fingers[1:]]
        tip = self._body(body, tool, robot.tool.T_flange_tool, Inertia(), ())
        etree.SubElement(tip, "site", name=new_name("tip", names))
        if not len(self._asset):
            self.root.remove(self._asset)
        self._drives(robot, hand, fingers)
        if laws:
            equality = etree.SubElement(self.root, "equality")
        for follower, leading, multiplier, offset in laws:
            law = {"joint1": follower, "joint2": leading}
            etree.SubElement(equality, "joint", law | {"polycoef": digits(offset, multiplier, 0.0, 0.0, 0.0)})

    def _fingers(self, flange: Any, hand: Hand, links: list[str], joints: list[str]) -> list[str]:
        """Write the fingers of a gripper, and return the names of their joints."""
        names = [new_name(joint.name, (*links, *joints)) for joint in hand.joints]
        for name, joint, finger in zip(names, hand.joints, hand.jaws.fingers, strict=True):
            body = self._body(flange, name, joint.T_parent_joint, finger.inertia, finger.shapes)
            body.insert(0, _joint(replace(joint, name=name)))
        return names

    def _drives(self, robot: Robot, hand: Hand | None, fingers: list[str]) -> None:
        """Add an actuator for each joint that does not follow another one, and the configuration that they hold.

        One actuator drives all fingers by the first: it gives what each of them has at most.
        """
        actuators = etree.SubElement(self.root, "actuator")
        for joint, gains in zip(robot.joints, drive_gains(robot), strict=True):
            own = {"name": joint.name, "joint": joint.name, "kp": digits(gains.stiffness), "kv": digits(gains.damping)}
            if math.isfinite(joint.lower) and math.isfinite(joint.upper):
                own["ctrlrange"] = digits(joint.lower, joint.upper)
            if math.isfinite(gains.effort):
                own["forcerange"] = digits(-gains.effort, gains.effort)
            etree.SubElement(actuators, "position", own)
        if hand is not None:
            gains = finger_gains(hand)
            own = {"name": fingers[0], "joint": fingers[0], "ctrlrange": digits(0.0, hand.jaws.travel)}
            own |= {"kp": digits(gains.stiffness), "kv": digits(gains.damping)}
            etree.SubElement(actuators, "position", own | {"forcerange": digits(-gains.effort, gains.effort)})
        keyframe, grip = etree.SubElement(self.root, "keyframe"), [0.0] * len(fingers)
        at_home = digits(*robot.uncoupled.home, *grip)
        etree.SubElement(keyframe, "key", name="home", qpos=at_home, ctrl=digits(*robot.home, *grip[:1]))

    def _body(self, parent: Any, name: str, T: Floats, inertia: Inertia, shapes: Iterable[Shape]) -> Any:
        body = etree.SubElement(parent, "body", {"name": name} | _place(T))
        weight = weight_of(inertia, tuple(shapes))
        if weight.mass > 0.0:
            m = weight.matrix
            six = (m[0, 0], m[1, 1], m[2, 2], m[0, 1], m[0, 2], m[1, 2])
            own = {"pos": digits(*weight.com), "mass": digits(weight.mass), "fullinertia": digits(*six)}
            etree.SubElement(body, "inertial", own)
        for shape in shapes:
            etree.SubElement(body, "geom", self._geom(shape))
        return body

    def _geom(self, shape: Shape) -> dict[str, str]:
        common = _place(shape.T_link_shape) | {"rgba": _rgba(self._palette, shape)}
        size = shape.size
        if shape.kind == "sphere":
            return {"type": "sphere", "size": digits(size[0])} | common
        if shape.kind == "cylinder":
            return {"type": "cylinder", "size": digits(size[0], size[1] / 2.0)} | common
        if shape.kind == "box":
            return {"type": "box", "size": digits(*(length / 2.0 for length in size[:3]))} | common
        self._meshes += 1
        name = f"hull_{self._meshes}"
        points = pose.transform(pose.inverse(shape.T_link_shape), solid.surface_points(shape))
        etree.SubElement(self._asset, "mesh", name=name, vertex=digits(*points.reshape(-1)))
        return {"type": "mesh", "mesh": name} | common


def _joint(joint: Joint) -> Any:
    kind = "slide" if joint.kind == "prismatic" else "hinge"
    limits = {"range": digits(joint.lower, joint.upper)}
    if math.isfinite(joint.effort):
        limits["actuatorfrcrange"] = digits(-joint.effort, joint.effort)
    return etree.Element("joint", {"name": joint.name, "type": kind, "axis": digits(*joint.axis)} | limits)


def _place(T: Floats) -> dict[str, str]:
    if np.array_equal(T, np.eye(4)):
        return {}
    return {"pos": digits(*T[:3, 3]), "quat": digits(*pose.quaternion_of(T))}


def _rgba(palette: Palette, shape: Shape) -> str:
    colour = getattr(palette, shape.finish)
    return digits(*(round(int(colour[i : i + 2], 16) / 255.0, 4) for i in (1, 3, 5)), 1.0)

"""An arm whose lengths were given in another unit than metres: every length of it scaled."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armlab.arrays import Floats
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.geometry.visual import Visual
from armlab.model.coupling import Follower
from armlab.model.loops import LoopPart, Loops
from armlab.model.parts import Joint, Link
from armlab.model.robot import Robot


def rescaled(robot: Robot, factor: float) -> Robot:
    """Return the arm with every length times `factor` > 0; angles and masses stay, inertias go with its square."""
    joints = tuple(_joint(joint, factor) for joint in robot.joints)
    slides = np.array([factor if joint.kind == "prismatic" else 1.0 for joint in robot.joints])
    return replace(
        robot,
        joints=joints,
        links=tuple(_link(link, factor) for link in robot.links),
        home=robot.home * slides,
        configurations={name: q * slides for name, q in robot.configurations.items()},
        base=_moved(robot.base, factor),
        flange=_moved(robot.flange, factor),
        loops=None if robot.loops is None else _loops(robot.loops, factor),
        followers=tuple(_follower(follower, float(slides[follower.leader]), factor) for follower in robot.followers),
    )


def _follower(follower: Follower, leader: float, factor: float) -> Follower:
    own = factor if follower.joint.kind == "prismatic" else 1.0
    return follower._replace(
        joint=_joint(follower.joint, factor),
        multiplier=follower.multiplier * own / leader,
        offset=follower.offset * own,
    )


def _loops(loops: Loops, factor: float) -> Loops:
    parts = (LoopPart(_link(part.link, factor), _joint(part.joint, factor), part.parent) for part in loops.parts)
    pins = (replace(pin, p_a=pin.p_a * factor, p_b=pin.p_b * factor) for pin in loops.pins)
    return Loops(tuple(parts), tuple(pins))


def _joint(joint: Joint, factor: float) -> Joint:
    moved = replace(joint, T_parent_joint=_moved(joint.T_parent_joint, factor))
    if joint.kind != "prismatic":
        return moved
    ends = ("lower", "upper", "velocity", "acceleration")
    return replace(moved, **{end: getattr(joint, end) * factor for end in ends})


def _link(link: Link, factor: float) -> Link:
    inertia = Inertia(link.inertia.mass, link.inertia.com * factor, link.inertia.matrix * factor**2)
    visuals = tuple(Visual(each.vertices * factor, each.faces, each.colour) for each in link.visuals)
    return Link(link.name, inertia, tuple(_shape(shape, factor) for shape in link.shapes), visuals)


def _shape(shape: Shape, factor: float) -> Shape:
    points = None if shape.points is None else shape.points * factor
    size = tuple(value * factor for value in shape.size)
    return Shape(shape.kind, size, _moved(shape.T_link_shape, factor), shape.finish, points, shape.part)


def _moved(T: Floats, factor: float) -> Floats:
    out = np.array(T)
    out[:3, 3] *= factor
    return out

"""What a simulation can compute with: sizes, places, masses and moments whose squares and cubes are still numbers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry.inertia import Inertia
from armlab.geometry.shape import Shape
from armlab.messages import Message, _, term
from armlab.model.linkage import Linkage
from armlab.model.parts import Joint, Link
from armlab.model.robot import Robot
from armlab.model.scene import Scene

FARTHEST = 1e5
"""m: nothing is larger than this, or further from the frame that it is given in."""
LIGHTEST, HEAVIEST = 1e-6, 1e9
"""kg: what can be simulated; the engine's numbers fail beyond."""


def check_scene(scene: Scene) -> None:
    """Raise InvalidInput if an arm or a body of a scene is too large, too far away or too heavy to compute with."""
    for placed in scene.robots:
        who = term(_("robot '{robot}'"), robot=placed.name)
        _check_place(placed.robot.base, who)
        check_machine(placed.robot, placed.name)
    for body in scene.bodies:
        who = term(_("body '{body}'"), body=body.name)
        _check_place(body.T_world_body, who)
        _check_shapes(body.shapes, who)
        if body.own_inertia is not None:
            _check_inertia(body.own_inertia, who)


def check_machine(machine: Robot | Linkage, name: str) -> None:
    """Raise the same for the parts of an arm or a closed chain."""
    for joint in machine.uncoupled.joints if isinstance(machine, Robot) else machine.joints:
        _check_joint(joint, term(_("{robot}: joint '{joint}'"), robot=name, joint=joint.name))
    for link in machine.links:
        _check_link(link, term(_("{robot}: link '{link}'"), robot=name, link=link.name))
    if isinstance(machine, Robot):
        tool = machine.tool
        who = term(_("{robot}: tool '{tool}'"), robot=name, tool=tool.name)
        for T in (machine.flange, tool.T_flange_tool):
            _check_place(T, who)
        _check_shapes(tool.shapes, who)
        _check_inertia(tool.inertia, who)


def check_mass(mass: float, who: Message) -> None:
    """Raise InvalidInput if no body of that mass can be simulated."""
    if not LIGHTEST <= mass <= HEAVIEST:
        raise InvalidInput(
            "mass_not_simulable",
            _("{who}: {mass:g} kg cannot be simulated; {lightest:g} to {heaviest:g} kg can"),
            who=who,
            mass=mass,
            lightest=LIGHTEST,
            heaviest=HEAVIEST,
        )


def joint_count_differs(robot: str, given: int, needed: int) -> InvalidInput:
    """Return the error of a trajectory that is of another arm."""
    return InvalidInput(
        "joint_count_differs",
        _("{robot}: the trajectory has {given} joints, the robot {needed}"),
        robot=robot,
        given=given,
        needed=needed,
    )


def _check_joint(joint: Joint, who: Message) -> None:
    _check_place(joint.T_parent_joint, who)
    if joint.kind == "prismatic":
        _check_lengths([joint.lower, joint.upper], who)


def _check_link(link: Link, who: Message) -> None:
    _check_shapes(link.shapes, who)
    _check_inertia(link.inertia, who)


def _check_shapes(shapes: Iterable[Shape], who: Message) -> None:
    for shape in shapes:
        _check_lengths(shape.size, who)
        _check_place(shape.T_link_shape, who)
        if shape.points is not None:
            _check_lengths(shape.points, who)


def _check_place(T: Floats, who: Message) -> None:
    _check_lengths(T[:3, 3], who)


def _check_lengths(lengths: Floats | Iterable[float], who: Message) -> None:
    longest = float(np.abs(np.asarray(lengths)).max(initial=0.0))
    if longest > FARTHEST:
        raise InvalidInput(
            "too_large_to_simulate",
            _("{who}: a size or distance of {longest:.3g} m cannot be simulated; {most:g} m can"),
            who=who,
            longest=longest,
            most=FARTHEST,
        )


def _check_inertia(inertia: Inertia, who: Message) -> None:
    if inertia.mass > HEAVIEST:
        check_mass(inertia.mass, who)
    _check_lengths(inertia.com, who)
    largest = float(np.abs(inertia.matrix).max())
    if largest > HEAVIEST * FARTHEST:
        raise InvalidInput(
            "inertia_not_simulable",
            _("{who}: an inertia of {largest:.3g} kg m² cannot be simulated; {most:g} kg m² can"),
            who=who,
            largest=largest,
            most=HEAVIEST * FARTHEST,
        )

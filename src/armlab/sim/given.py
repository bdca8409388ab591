"""What a user gives a simulation: its timestep and its drives, checked and completed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput, NotSupported, UnknownName
from armlab.messages import _
from armlab.model.linkage import Linkage
from armlab.model.parts import Joint
from armlab.model.scene import Body, Scene
from armlab.sim.bounds import check_machine
from armlab.sim.drive_choice import choose_drives
from armlab.sim.drives import FREE, Drive, check_drives
from armlab.sim.engine import LONGEST_STEP, SHORTEST_STEP
from armlab.sim.hand import finger_drive
from armlab.sim.mechanism import Mechanism
from armlab.sim.state import Structure
from armlab.sim.world import Contacts

Drives = Sequence[Drive] | Mapping[str, Sequence[Drive]]
Grasp = Literal["exact", "friction"]
MOST_STEPS = 100_000_000
STRONGEST = 1e9
"""N m or N: the engine ignores what is ten times more."""


def check_given(scene: Scene, grasp: str, structure: str, contacts: str) -> None:
    """Check that there is a scene with an arm, and that the kind of grasp is possible."""
    if not isinstance(scene, Scene):
        raise InvalidInput(
            "not_a_scene",
            _("scene: expected a Scene, got {given}; Scene.of(robot) makes one"),
            given=f"{scene!r:.60}",
        )
    if not scene.robots:
        raise InvalidInput("scene_without_robot", _("scene '{scene}': it has no robot"), scene=scene.name)
    if grasp not in get_args(Grasp):
        raise UnknownName("grasp", grasp, get_args(Grasp))
    if grasp == "friction" and (structure == "hierarchy" or contacts == "none"):
        raise NotSupported(
            "no_friction",
            _("grasp: a hierarchy has no friction, nor has a simulation without contacts; use grasp='exact'"),
        )


def check_names(structure: str, contacts: str) -> None:
    """Raise UnknownName if there is no such structure, or no such way of contacts."""
    if structure not in get_args(Structure):
        raise UnknownName("structure", structure, get_args(Structure))
    if contacts not in get_args(Contacts):
        raise UnknownName("contact_mode", contacts, get_args(Contacts))


def check_linkage(linkage: Linkage, structure: str) -> None:
    """Check that a closed chain can be simulated in a structure.

    Raises:
        InvalidInput: if it is too large or too heavy.
        NotSupported: for a hierarchy.
    """
    if structure == "hierarchy":
        raise NotSupported(
            "hierarchy_of_closed_chain",
            _("{linkage}: a hierarchy of transforms cannot hold a closed chain"),
            linkage=linkage.name,
        )
    check_machine(linkage, linkage.name)


def check_forces(robot: str, tau: Floats) -> None:
    """Raise InvalidInput if the engine would ignore forces of that size."""
    largest = float(np.abs(tau).max())
    if largest > STRONGEST:
        raise InvalidInput(
            "tau_too_large",
            _("{robot}: tau: {largest:g} N m or N is more than {most:g}"),
            robot=robot,
            largest=largest,
            most=STRONGEST,
        )


def check_grip(made: Mechanism, has_forces: bool, width: float) -> None:
    """Raise InvalidInput if an arm has no moving fingers, or the width is not a number ≥ 0."""
    if made.opening is None or not has_forces:
        raise InvalidInput(
            "no_fingers", _("{robot}: no moving fingers; they need a gripper and grasp='friction'"), robot=made.name
        )
    if not (width >= 0.0 and math.isfinite(width)):
        raise InvalidInput(
            "negative_width", _("{robot}: width must be ≥ 0, got {width:g} m"), robot=made.name, width=float(width)
        )


def check_free(body: Body, holder: str | None) -> None:
    """Raise InvalidInput if a body cannot be attached: it is fixed, or an arm named `holder` holds it."""
    if body.is_fixed:
        raise InvalidInput(
            "body_is_fixed", _("body '{body}': it is fixed; only a body with a mass can be attached"), body=body.name
        )
    if holder is not None:
        raise InvalidInput("body_is_held", _("body '{body}': '{robot}' holds it already"), body=body.name, robot=holder)


def checked_count(n: object) -> int:
    """Return a number of steps that can be made at once.

    Raises:
        InvalidInput: if it is not a whole number from 1 to MOST_STEPS.
    """
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 1 <= n <= MOST_STEPS:
        raise InvalidInput(
            "step_count",
            _("step: expected an integer from 1 to {most}, got {given}"),
            most=MOST_STEPS,
            given=repr(n),
        )
    return int(n)


def checked_timestep(timestep: float) -> float:
    """Return a timestep (s) that the engine can take.

    Raises:
        InvalidInput: if it is not a number, too short or too long.
    """
    value = float(timestep) if isinstance(timestep, int | float | np.number) else math.nan
    if not SHORTEST_STEP <= value <= LONGEST_STEP:
        raise InvalidInput(
            "timestep_outside",
            _("timestep: {given} s is outside {shortest:g} … {longest:g} s"),
            given=repr(timestep),
            shortest=SHORTEST_STEP,
            longest=LONGEST_STEP,
        )
    return value


def all_drives(
    mechanisms: Sequence[Mechanism], drives: Drives | None, timestep: float
) -> tuple[tuple[Drive, ...], ...]:
    """Return the drives of every arm: the given ones, and chosen ones where none are given."""
    if drives is None:
        given: Mapping[str, Sequence[Drive]] = {}
    elif isinstance(drives, Mapping):
        given = drives
    elif len(mechanisms) > 1:
        raise InvalidInput(
            "drives_by_name", _("drives: give them by the names of the {count} robots"), count=len(mechanisms)
        )
    else:
        given = {mechanisms[0].name: drives}
    names = [mechanism.name for mechanism in mechanisms]
    for name in given:
        if name not in names:
            raise UnknownName("simulated_robot", name, names)
    return tuple(
        _with_fingers(
            m,
            check_drives(given[m.name], _with_drives(m), m.name)
            if m.name in given
            else choose_drives(m.source, timestep),
        )
        for m in mechanisms
    )


def _with_drives(mechanism: Mechanism) -> tuple[Joint, ...]:
    """Return the joints of an arm that a drive is to be given for: not those that follow others."""
    places = {follower.place for follower in mechanism.followers}
    return tuple(joint for i, joint in enumerate(mechanism.joints[: mechanism.arm_dof]) if i not in places)


def _with_fingers(mechanism: Mechanism, drives: tuple[Drive, ...]) -> tuple[Drive, ...]:
    """Return the drives of an arm and, where it has them, of its fingers; followers and parts of loops move freely."""
    is_weightless = drives[0].gravity_compensation
    free = replace(FREE, gravity_compensation=is_weightless)
    rest, places = iter(drives), {follower.place for follower in mechanism.followers}
    drives = tuple(free if i in places else next(rest) for i in range(len(drives) + len(places)))
    moved = (finger_drive(mechanism.joints[part - 1]) for part in mechanism.fingers)
    fingers = [replace(drive, gravity_compensation=is_weightless) for drive in moved]
    return (*drives, *fingers, *[free] * (mechanism.dof - len(drives) - len(fingers)))

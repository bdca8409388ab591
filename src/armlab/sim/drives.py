"""Drives: how stiff, how damped and how strong the motor of each joint is, and a choice that holds every arm still."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.model.linkage import Linkage
from armlab.model.parts import Joint
from armlab.model.robot import Robot

FREQUENCY = 25.0
"""Hz: the natural frequency of a chosen drive, unless the timestep is too long for it."""
ANGLE_PER_STEP = 0.2
"""A drive turns at most this phase (rad) of its natural frequency per timestep."""
POSES = 32
MARGIN = 1.2
"""How much heavier than in the sampled poses an arm may be in others."""
CARRIED = 5.0
"""The same for a closed chain, whose joints turn at other speeds than the one that drives them."""


@dataclass(frozen=True, slots=True)
class Drive:
    """The motor of one joint, with its gear and its controller, seen from the joint (N m and rad, or N and m).

    Commanded a position it pulls with `stiffness` times the position error plus `damping` times the speed error;
    commanded a speed, with the damping alone; never with more than `effort`. `armature` is the rotor's inertia times
    the gear ratio squared, `friction` the dry friction, `backlash` the whole play of the gear: motor and link are two
    joints in series, and the second moves freely over that play. Gravity compensation holds the arm's own weight.
    """

    stiffness: float
    damping: float
    effort: float = math.inf
    armature: float = 0.0
    friction: float = 0.0
    backlash: float = 0.0
    gravity_compensation: bool = True

    def __post_init__(self) -> None:
        for what in ("stiffness", "damping", "armature", "friction", "backlash"):
            value = getattr(self, what)
            if not (isinstance(value, int | float) and value >= 0.0 and math.isfinite(value)):
                raise InvalidInput(f"drive: {what} {value} is not a finite number of zero or more")
        if not (isinstance(self.effort, int | float) and self.effort > 0.0):
            raise InvalidInput(f"drive: effort {self.effort} is not above zero")
        if self.backlash > 0.0 and not self.armature > 0.0:
            raise InvalidInput("drive: a gear with backlash needs an armature: the rotor moves alone in the play")

    @property
    def is_free(self) -> bool:
        """Whether the joint swings freely: no stiffness, no damping."""
        return self.stiffness == 0.0 and self.damping == 0.0


FREE = Drive(0.0, 0.0, gravity_compensation=False)
"""No motor at all: the joint swings."""


def choose_drives(machine: Robot | Linkage, timestep: float = 0.001) -> tuple[Drive, ...]:
    """Return drives that hold the arm still in every pose, neither sagging nor shaking; efforts are the joints' own.

    With the largest diagonal of the mass matrix over sampled poses, scaled so that no direction is heavier, as D:
    stiffness ω²D and damping 2ωD make every mode of the arm at least critically damped, in every pose. ω is 25 Hz, or
    0.2 rad per timestep where that is less. In a linkage, only driven joints get motors, and these hold its weight by
    their stiffness alone.
    """
    from armlab.sim.articulation import mass_matrices

    heavy = _heaviest(mass_matrices(machine, _poses(machine)), coupled=isinstance(machine, Linkage))
    omega = min(2.0 * math.pi * FREQUENCY, ANGLE_PER_STEP / timestep)
    holds = isinstance(machine, Robot)
    driven = range(machine.dof) if isinstance(machine, Robot) else machine.driven
    return tuple(
        Drive(omega**2 * float(heavy[i]), 2.0 * omega * float(heavy[i]), joint.effort, gravity_compensation=holds)
        if i in driven
        else FREE
        for i, joint in enumerate(machine.joints)
    )


def check_drives(drives: Sequence[Drive], joints: Sequence[Joint], who: str) -> tuple[Drive, ...]:
    """Return the drives of one arm if there is one for each joint, and all or none hold its weight."""
    if len(drives) != len(joints):
        raise InvalidInput(f"{who}: {len(joints)} joints need {len(joints)} drives, got {len(drives)}")
    for drive in drives:
        if not isinstance(drive, Drive):
            raise InvalidInput(f"{who}: {drive!r} is no Drive")
    if len({drive.gravity_compensation for drive in drives}) > 1:
        raise InvalidInput(f"{who}: either all drives compensate gravity or none does")
    return tuple(drives)


def _poses(machine: Robot | Linkage) -> Floats:
    """Return seeded joint values inside the limits, the first at home."""
    if isinstance(machine, Linkage):
        return machine.start[None]
    turns = np.array([joint.kind == "revolute" for joint in machine.joints])
    low = np.where(turns, np.maximum(machine.lower, -math.pi), machine.lower)
    high = np.where(turns, np.minimum(machine.upper, math.pi), machine.upper)
    share = np.random.default_rng(1).uniform(size=(POSES, machine.dof))
    return np.concatenate([machine.home[None], low + share * (high - low)])


def _heaviest(masses: Floats, *, coupled: bool) -> Floats:
    """Return D (n,): diag(D) - M is positive for every mass matrix M of `masses` (m, n, n), and a margin more.

    In a closed chain one joint carries all others along, so that it feels the whole row.
    """
    if coupled:
        return np.asarray(CARRIED * np.abs(masses).sum(axis=(1, 2)).max() * np.ones(masses.shape[1]))
    diagonal = np.einsum("kii->ki", masses).max(axis=0)
    scale = 1.0 / np.sqrt(diagonal)
    largest = float(np.linalg.eigvalsh(scale[:, None] * masses * scale).max())
    return np.asarray(MARGIN * largest * diagonal)

"""The choice of drives: stiff and damped enough to hold every arm still, in every pose."""

from __future__ import annotations

import math

import numpy as np

from armlab.arrays import Floats
from armlab.dynamics.bodies import chain_with
from armlab.kernels import rigid
from armlab.model.linkage import Linkage
from armlab.model.robot import Robot
from armlab.model.scene import PlacedRobot
from armlab.sim.articulation import tree_mass_matrix
from armlab.sim.drives import FREE, Drive
from armlab.sim.mechanism import check_masses, of_linkage, of_robot, thickened

FREQUENCY = 25.0
"""Hz: the natural frequency of a chosen drive, unless the timestep is too long for it."""
ANGLE_PER_STEP = 0.2
"""A drive turns at most this phase (rad) of its natural frequency per timestep."""
POSES = 32
MARGIN = 1.2
"""How much heavier than in the sampled poses an arm may be in others."""
CARRIED = 5.0
"""The same for a closed chain, whose joints turn at other speeds than the one that drives them."""


def choose_drives(machine: Robot | Linkage, timestep: float = 0.001) -> tuple[Drive, ...]:
    """Return drives that hold the arm still in every pose, neither sagging nor shaking; efforts are the joints' own.

    With the largest diagonal of the mass matrix over sampled poses, scaled so that no direction is heavier, as D:
    stiffness ω²D and damping 2ωD make every mode of the arm at least critically damped, in every pose. ω is 25 Hz, or
    0.2 rad per timestep where that is less. In a linkage, only driven joints get motors, and these hold its weight by
    their stiffness alone.
    """
    heavy = _heaviest(_mass_matrices(machine), coupled=isinstance(machine, Linkage))
    omega = min(2.0 * math.pi * FREQUENCY, ANGLE_PER_STEP / timestep)
    holds = isinstance(machine, Robot)
    driven = range(machine.dof) if isinstance(machine, Robot) else machine.driven
    return tuple(
        Drive(omega**2 * float(heavy[i]), 2.0 * omega * float(heavy[i]), joint.effort, gravity_compensation=holds)
        if i in driven
        else FREE
        for i, joint in enumerate(machine.joints)
    )


def _mass_matrices(machine: Robot | Linkage) -> Floats:
    """Return mass matrices (m, n, n): of an arm in sampled poses, of a closed chain that of its tree at the start."""
    if isinstance(machine, Linkage):
        mechanism = of_linkage(machine)
        check_masses(mechanism)
        return tree_mass_matrix(mechanism)[None]
    mechanism = of_robot(PlacedRobot(machine.name, machine, np.clip(machine.home, machine.lower, machine.upper)))
    check_masses(mechanism)
    inertias = [(part.inertia.mass, part.inertia.com, thickened(part.inertia)) for part in mechanism.parts[1:]]
    poses = _poses(machine)
    arm, law = machine.uncoupled, machine.coupling
    out = np.empty((len(poses), arm.dof, arm.dof))
    rows = poses if law is None else law.expand(poses)
    is_usable = rigid.mass_matrix_into(*chain_with(arm, inertias).arrays, rows, out)
    assert is_usable  # the limits of joints are
    return out if law is None else law.fold_matrix(out)


def _poses(machine: Robot) -> Floats:
    """Return seeded joint values inside the limits, the first at home."""
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

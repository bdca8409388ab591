"""Drives that are told the load: what an arm holds makes its chosen drives stiffer, as load data do on a real arm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.geometry.inertia import Inertia, combined
from armlab.model.robot import Robot
from armlab.sim.drive_choice import choose_drives
from armlab.sim.world import Wiring

Gains = tuple[Floats, Floats]
"""Stiffness and damping of every joint of a mechanism, (n,) each."""


def own_gains(wiring: Wiring) -> Gains:
    """Return the gains of the drives as they were given or chosen."""
    return np.array([d.stiffness for d in wiring.drives]), np.array([d.damping for d in wiring.drives])


def gains_with(wiring: Wiring, timestep: float, held: Sequence[tuple[Inertia, Floats]]) -> Gains:
    """Return the gains of an arm that holds bodies, each with its inertia and T_last_body.

    Drives that were chosen are chosen again for the arm with what it holds; those that somebody gave stay.
    """
    stiffness, damping = own_gains(wiring)
    robot, driven = wiring.mechanism.source, list(wiring.mechanism.driven)
    if not held or not isinstance(robot, Robot):
        return stiffness, damping
    if choose_drives(robot, timestep) != tuple(wiring.drives[i] for i in driven):
        return stiffness, damping
    T_flange_last = pose.inverse(robot.flange)
    parts = [(robot.tool.inertia, np.eye(4)), *((inertia, T_flange_last @ T) for inertia, T in held)]
    loaded = robot.with_tool(replace(robot.tool, inertia=combined(parts)))
    drives = choose_drives(loaded, timestep)
    stiffness[driven], damping[driven] = [d.stiffness for d in drives], [d.damping for d in drives]
    return stiffness, damping

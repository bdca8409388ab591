"""An arm that is not the selected one: it stands, goes on to its goal, or plays on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from armlab.arrays import Floats
from armlab.cell.frames import joint_rows
from armlab.cell.mover import Mover
from armlab.cell.player import Player
from armlab.model.joint_units import joint_scales
from armlab.model.robot import Robot
from armlab.motion.limits import Limits, limits_of
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimState


class Played(Protocol):
    """What has a player: a session for its selected arm, or a companion."""

    player: Player | None
    is_approaching: bool
    """Whether the arm is still on its way to where the player starts."""


@dataclass(slots=True, eq=False)
class Companion:
    """One arm besides the selected one; what it is told comes from its mover or its player."""

    name: str
    robot: Robot
    limits: Limits
    scales: Floats
    """From the joints' units (° or mm) to SI, (n,)."""
    mover: Mover
    state: SimState
    joints: Floats
    """(8, n), see `joint_rows`."""
    player: Player | None = None
    is_approaching: bool = False
    breakpoints: frozenset[int] = frozenset()

    @classmethod
    def at(cls, name: str, robot: Robot, q: Floats, simulation: Simulation) -> Companion:
        """Return an arm that stands at `q` (n,)."""
        limits = limits_of(robot)
        mover, state = Mover(limits, q), simulation.state(name)
        return cls(name, robot, limits, joint_scales(robot.joints), mover, state, joint_rows(robot, state, mover.state))

    @property
    def is_idle(self) -> bool:
        """Whether it stands, plays nothing and holds nothing."""
        return is_at_rest(self, self.mover) and not self.state.held

    def look(self, simulation: Simulation) -> None:
        """Read where it is now."""
        self.state = simulation.state(self.name)
        self.joints = joint_rows(self.robot, self.state, self.mover.state)

    def stop(self) -> None:
        """End what is played, and brake."""
        self.player, self.is_approaching = None, False
        self.mover.stop()

    def halt(self) -> None:
        """Be at rest where the simulation has it, and forget what it was told."""
        self.player, self.is_approaching = None, False
        self.mover.place(np.clip(self.state.q, self.limits.lower, self.limits.upper))

    def take_over(self, before: Companion) -> None:
        """Go on with what the same arm did in another setup."""
        self.mover, self.player = before.mover, before.player
        self.is_approaching, self.breakpoints = before.is_approaching, before.breakpoints


def is_at_rest(arm: Played, mover: Mover) -> bool:
    """Tell whether an arm stands, and nothing is played."""
    return not mover.is_moving and (arm.player is None or arm.player.is_still)


def is_moved_by_hand(arm: Played, mover: Mover) -> bool:
    """Tell whether the mover moves the arm: nothing is played, or the arm is still on its way to where that starts."""
    if arm.player is None:
        return True
    arm.is_approaching = arm.is_approaching and mover.is_moving
    return arm.is_approaching

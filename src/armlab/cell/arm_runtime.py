"""One arm of a session: what moves it, what it plays, and where it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.cell.dragging import Dragger
from armlab.cell.events import Holding, PlayerProgress, PlayerReport
from armlab.cell.frames import joint_rows
from armlab.cell.jogging import Jogger
from armlab.cell.mover import Mover
from armlab.cell.player import NO_PLAYER, Player
from armlab.errors import InvalidInput
from armlab.geometry.pose import inverse
from armlab.messages import _
from armlab.model.jaws import held_width, jaws_of
from armlab.model.joint_units import joint_scales
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.motion.limits import Limits, limits_of
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimState
from armlab.units import MM_PER_M


@dataclass(slots=True, eq=False)
class ArmRuntime:
    """One arm among others, none of them special; what it is told comes from its mover or its player."""

    name: str
    """What it is called in its scene and in commands."""
    robot: Robot
    limits: Limits
    scales: Floats
    """From the joints' units (° or mm) to SI, (n,)."""
    mover: Mover
    jogger: Jogger
    dragger: Dragger
    state: SimState
    """The newest one; a value that nobody changes."""
    joints: Floats
    """(8, n), see `joint_rows`."""
    player: Player | None = None
    is_approaching: bool = False
    """Whether the arm is still on its way to where the player starts."""
    breakpoints: frozenset[int] = frozenset()

    @classmethod
    def at(cls, name: str, robot: Robot, q: Floats, simulation: Simulation) -> ArmRuntime:
        """Return an arm that stands at `q` (n,)."""
        limits = limits_of(robot)
        mover, state = Mover(limits, q), simulation.state(name)
        rows = joint_rows(robot, state, mover.state)
        return cls(name, robot, limits, joint_scales(robot.joints), mover, Jogger(limits), Dragger(robot), state, rows)

    @property
    def is_playing(self) -> bool:
        """Whether a motion is being played and not paused."""
        return self.player is not None and not self.player.is_still

    @property
    def is_at_rest(self) -> bool:
        """Whether it stands, and nothing is played."""
        return not self.mover.is_moving and not self.is_playing

    @property
    def is_idle(self) -> bool:
        """Whether it stands, plays nothing and holds nothing."""
        return self.is_at_rest and not self.state.held

    @property
    def held(self) -> str | None:
        """The name of the body that the tool holds, or None."""
        return self.state.held[0] if self.state.held else None

    @property
    def report(self) -> PlayerReport:
        """What the player holds."""
        report = NO_PLAYER if self.player is None else self.player.report(self.robot)
        return report.model_copy(update={"arm": self.name})

    @property
    def progress(self) -> PlayerProgress:
        """Where the player is."""
        progress = PlayerProgress() if self.player is None else self.player.progress()
        return progress.model_copy(update={"arm": self.name})

    def playing(self) -> Player:
        """Return the player.

        Raises:
            InvalidInput: if nothing is being played.
        """
        if self.player is None:
            raise InvalidInput("nothing_played", _("nothing is being played"))
        return self.player

    def is_moved_by_hand(self) -> bool:
        """Tell whether the mover moves the arm: nothing is played, or it is still on its way to where that starts."""
        if self.player is None:
            return True
        self.is_approaching = self.is_approaching and self.mover.is_moving
        return self.is_approaching

    def read(self, simulation: Simulation) -> None:
        """Look where it is now."""
        self.state = simulation.state(self.name)
        self.joints = joint_rows(self.robot, self.state, self.mover.state)

    def let_go(self) -> None:
        """Stop what a page held down."""
        if self.jogger.is_active:
            self.jogger.end()
            self.mover.stop()

    def halt(self) -> None:
        """Be at rest where the simulation has it, and forget what it was told."""
        self.player, self.is_approaching = None, False
        self.jogger.end()
        self.dragger.end()
        self.mover.place(np.clip(self.state.q, self.limits.lower, self.limits.upper))

    def go_on_from(self, before: ArmRuntime) -> None:
        """Go on with what the same arm did in another world."""
        self.mover, self.player = before.mover, before.player
        self.is_approaching, self.breakpoints = before.is_approaching, before.breakpoints

    def holding(self, scene: Scene) -> Holding:
        """Return what the tool holds, and how far its jaws have closed on that."""
        if self.held is None:
            return Holding(arm=self.name, body=None)
        jaws = jaws_of(self.robot.tool)
        if jaws is None:
            return Holding(arm=self.name, body=self.held)
        T_world_flange = self.state.frames[-1] @ inverse(self.robot.tool.T_flange_tool)
        T_flange_body = inverse(T_world_flange) @ self.state.bodies[self.held]
        width = held_width(jaws, scene.body(self.held).shapes, T_flange_body)
        return Holding(arm=self.name, body=self.held, jaw=round(jaws.travel_to(width) * MM_PER_M, 2))

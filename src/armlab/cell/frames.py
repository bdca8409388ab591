"""The state of a session as numbers for the page: joints in their units, frames in metres."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from armlab.arrays import Floats
from armlab.cell.player import Player
from armlab.cell.wire import Flag, pack_other, pack_state
from armlab.dynamics import inverse_dynamics
from armlab.model.robot import Robot
from armlab.model.scene import Body
from armlab.motion.trajectory import JointState
from armlab.sim.state import SimState
from armlab.units import MM_PER_M

if TYPE_CHECKING:
    from armlab.cell.companion import Companion

MOVING, JOGGING, PLAYING, PAUSED, HOLDING, TOUCHING, RECORDING, LOOPING = (
    int(flag)
    for flag in (
        Flag.MOVING,
        Flag.JOGGING,
        Flag.PLAYING,
        Flag.PAUSED,
        Flag.HOLDING,
        Flag.TOUCHING,
        Flag.RECORDING,
        Flag.LOOPING,
    )
)


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """All that a state frame is made of."""

    scales: Floats
    joints: Floats
    """(8, n), see `joint_rows`."""
    state: SimState
    bodies: tuple[Body, ...]
    sequence: int
    time: float
    revision: int
    player: Player | None
    is_jogging: bool
    is_moving: bool
    is_touching: bool
    is_recording: bool
    lag: float
    others: tuple[Companion, ...] = ()

    @property
    def flags(self) -> int:
        """What the session is doing: bits of `Flag`."""
        return (
            arm_flags(self.player, self.state, is_moving=self.is_moving)
            + self.is_jogging * JOGGING
            + self.is_touching * TOUCHING
            + self.is_recording * RECORDING
        )


def arm_flags(player: Player | None, state: SimState, *, is_moving: bool) -> int:
    """Return what one arm is doing: bits of `Flag`."""
    return (
        is_moving * MOVING
        + (player is not None and not player.is_paused) * PLAYING
        + (player is not None and player.is_paused) * PAUSED
        + bool(state.held) * HOLDING
        + (player is not None and player.loop) * LOOPING
    )


def joint_rows(robot: Robot, state: SimState, wanted: JointState) -> Floats:
    """Return joint values (8, n): q, qd, qdd and tau as they are, and as they are commanded.

    The effort that is commanded is what the commanded motion asks of the arm alone, by inverse dynamics.
    """
    if state.energy is None:  # a hierarchy knows no forces
        return np.array([state.q, state.qd, state.qdd, state.tau, *wanted, np.zeros(robot.dof)])
    return np.array([state.q, state.qd, state.qdd, state.tau, *wanted, inverse_dynamics(robot, *wanted)])


def state_frame(shown: Snapshot) -> bytes:
    """Return a state as `armlab.cell.wire` has it."""
    state, player, energy = shown.state, shown.player, shown.state.energy
    extras = np.array(
        [
            state.gap * MM_PER_M,
            0.0 if energy is None else energy.kinetic,
            0.0 if energy is None else energy.potential,
            0.0 if player is None else player.time,
            1.0 if player is None else player.rate,
            shown.lag,
        ]
    )
    frame = pack_state(
        sequence=shown.sequence,
        time=shown.time,
        flags=shown.flags,
        revision=shown.revision,
        joints=shown.joints,
        scales=shown.scales,
        frames=state.frames,
        bodies=np.array([state.bodies[body.name] for body in shown.bodies]).reshape(-1, 4, 4),
        extras=extras,
    )
    return frame + b"".join(_other(one, shown.bodies) for one in shown.others) if shown.others else frame


def _other(one: Companion, bodies: tuple[Body, ...]) -> bytes:
    is_playing = one.player is not None and not one.player.is_still
    flags = arm_flags(one.player, one.state, is_moving=one.mover.is_moving or is_playing)
    held = next((i for i, body in enumerate(bodies) if body.name in one.state.held), -1)
    extras = np.array([flags, one.state.gap * MM_PER_M, 0.0 if one.player is None else one.player.time, held])
    return pack_other(joints=one.joints, scales=one.scales, frames=one.state.frames, extras=extras)

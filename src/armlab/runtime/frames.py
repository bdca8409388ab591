"""The state of a session as numbers for the page: joints in their units, frames in metres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from armlab.arrays import Floats
from armlab.model.scene import Body
from armlab.runtime.player import Player
from armlab.runtime.wire import Flag, pack_state
from armlab.sim.state import SimState
from armlab.units import MM_PER_M

MOVING, JOGGING, PLAYING, PAUSED, HOLDING, TOUCHING, RECORDING = (
    int(flag)
    for flag in (
        Flag.MOVING,
        Flag.JOGGING,
        Flag.PLAYING,
        Flag.PAUSED,
        Flag.HOLDING,
        Flag.TOUCHING,
        Flag.RECORDING,
    )
)


@dataclass(frozen=True, slots=True, eq=False)
class Snapshot:
    """All that a state frame is made of."""

    scales: Floats
    state: SimState
    command: Floats
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

    @property
    def flags(self) -> int:
        """What the session is doing: bits of `Flag`."""
        player = self.player
        return (
            self.is_moving * MOVING
            + self.is_jogging * JOGGING
            + (player is not None and not player.is_paused) * PLAYING
            + (player is not None and player.is_paused) * PAUSED
            + bool(self.state.held) * HOLDING
            + self.is_touching * TOUCHING
            + self.is_recording * RECORDING
        )


def state_frame(shown: Snapshot) -> bytes:
    """Return a state as `armlab.runtime.wire` has it."""
    state, player, energy = shown.state, shown.player, shown.state.energy
    joints = np.array([state.q, state.qd, state.qdd, state.tau, shown.command])
    joints[[0, 1, 2, 4]] /= shown.scales
    placed = np.array([state.bodies[body.name] for body in shown.bodies]).reshape(-1, 4, 4)
    extras = np.array(
        [
            state.gap * MM_PER_M,
            0.0 if energy is None else energy.kinetic,
            0.0 if energy is None else energy.potential,
            0.0 if player is None else player.time,
            1.0 if player is None else player.pace,
            shown.lag,
        ]
    )
    return pack_state(
        sequence=shown.sequence,
        time=shown.time,
        flags=shown.flags,
        revision=shown.revision,
        joints=joints,
        frames=_sevens(state.frames),
        bodies=_sevens(placed),
        extras=extras,
    )


def _sevens(T: Floats) -> Floats:
    """Return poses (m, 4, 4) as x y z and quaternion w x y z, (m, 7)."""
    out = np.empty((len(T), 7))
    if len(T):
        out[:, :3], out[:, 3:] = T[:, :3, 3], quaternions(T)
    return out


def quaternions(T: Floats) -> Floats:
    """Return w x y z (m, 4) of poses (m, 4, 4) that come from a simulation and need no check; w ≥ 0.

    Every row of the matrix below is the quaternion times four times one of its entries; the largest is exact.
    """
    (a, b, c), (d, e, f), (g, h, i) = (T[:, row, :3].T for row in range(3))
    rows = np.empty((4, 4, len(T)))
    rows[0, 0], rows[1, 1], rows[2, 2], rows[3, 3] = 1 + a + e + i, 1 + a - e - i, 1 - a + e - i, 1 - a - e + i
    rows[0, 1] = rows[1, 0] = h - f
    rows[0, 2] = rows[2, 0] = c - g
    rows[0, 3] = rows[3, 0] = d - b
    rows[1, 2] = rows[2, 1] = b + d
    rows[1, 3] = rows[3, 1] = c + g
    rows[2, 3] = rows[3, 2] = f + h
    every = np.arange(len(T))
    best = rows[:, np.argmax(rows[[0, 1, 2, 3], [0, 1, 2, 3]], axis=0), every]
    best *= np.where(best[0] < 0.0, -1.0, 1.0) / np.sqrt(np.einsum("ij,ij->j", best, best))
    return np.asarray(best.T)

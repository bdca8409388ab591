"""The state of a session as numbers for the page: joints in their units, frames in metres."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armlab.arrays import Floats
from armlab.cell.wire import Flag, pack_other, pack_state
from armlab.dynamics import inverse_dynamics
from armlab.model.robot import Robot
from armlab.model.scene import Body
from armlab.motion.trajectory import JointState
from armlab.sim.state import SimState
from armlab.units import MM_PER_M

if TYPE_CHECKING:
    from armlab.cell.arm_runtime import ArmRuntime
    from armlab.cell.world import Workcell

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


def arm_flags(arm: ArmRuntime) -> int:
    """Return what one arm is doing: bits of `Flag`."""
    player = arm.player
    return (
        (arm.mover.is_moving or arm.is_playing) * MOVING
        + arm.jogger.is_active * JOGGING
        + (player is not None and not player.is_paused) * PLAYING
        + (player is not None and player.is_paused) * PAUSED
        + bool(arm.state.held) * HOLDING
        + (player is not None and player.loop) * LOOPING
    )


def joint_rows(robot: Robot, state: SimState, wanted: JointState) -> Floats:
    """Return joint values (8, n): q, qd, qdd and tau as they are, and as they are commanded.

    The effort that is commanded is what the commanded motion asks of the arm alone, by inverse dynamics.
    """
    if state.energy is None:  # a hierarchy knows no forces
        return np.array([state.q, state.qd, state.qdd, state.tau, *wanted, np.zeros(robot.dof)])
    return np.array([state.q, state.qd, state.qdd, state.tau, *wanted, inverse_dynamics(robot, *wanted)])


def state_frame(
    world: Workcell, selected: str, *, sequence: int, time: float, revision: int, lag: float, is_recording: bool
) -> bytes:
    """Return a state as `armlab.cell.wire` has it."""
    arm = world.arms[selected]
    state, player, energy = arm.state, arm.player, arm.state.energy
    extras = np.array(
        [
            state.gap * MM_PER_M,
            0.0 if energy is None else energy.kinetic,
            0.0 if energy is None else energy.potential,
            0.0 if player is None else player.time,
            1.0 if player is None else player.rate,
            lag,
        ]
    )
    frame = pack_state(
        sequence=sequence,
        time=time,
        flags=arm_flags(arm) + world.proximity.is_touching * TOUCHING + is_recording * RECORDING,
        revision=revision,
        joints=arm.joints,
        scales=arm.scales,
        frames=state.frames,
        bodies=np.array([state.bodies[body.name] for body in world.scene.bodies]).reshape(-1, 4, 4),
        extras=extras,
    )
    others = (_other(one, world.scene.bodies) for name, one in world.arms.items() if name != selected)
    return frame + b"".join(others)


def _other(arm: ArmRuntime, bodies: tuple[Body, ...]) -> bytes:
    held = next((i for i, body in enumerate(bodies) if body.name == arm.held), -1)
    time = 0.0 if arm.player is None else arm.player.time
    extras = np.array([arm_flags(arm), arm.state.gap * MM_PER_M, time, held])
    return pack_other(joints=arm.joints, scales=arm.scales, frames=arm.state.frames, extras=extras)

"""Playing a trajectory: one command per step, and what came of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.motion.trajectory import Trajectory
from armlab.recording.recording import COMMAND_Q, COMMAND_QD, COMMAND_QDD, QD, QUANTITIES, TAU, UNITS, Q, Recording
from armlab.sim.bounds import joint_count_differs
from armlab.sim.hierarchy import Hierarchy
from armlab.sim.physics import Physics
from armlab.sim.state import SimRun

if TYPE_CHECKING:
    from armlab.sim.simulation import Simulation

MOST_SAMPLES = 5_000_000
"""Steps of one run: its samples are kept in memory."""
PROGRESS_STEPS = 256


def play(
    simulation: Simulation,
    core: Hierarchy | Physics,
    k: int,
    trajectory: Trajectory,
    times: Floats | None,
    on_progress: Callable[[float], object],
) -> SimRun:
    """Command each step where the trajectory is at its end, or at `times` (m,) s; return one row per step."""
    if not isinstance(trajectory, Trajectory):
        given = f"{trajectory!r:.60}"
        raise InvalidInput("not_a_trajectory", _("play: expected a Trajectory, got {given}"), given=given)
    dt, name = simulation.timestep, simulation.robots[k]
    if trajectory.dof != len(simulation.driven(name)):
        raise joint_count_differs(name, trajectory.dof, len(simulation.driven(name)))
    if not trajectory.duration / dt <= MOST_SAMPLES:
        raise InvalidInput(
            "play_too_long",
            _("play: {duration:g} s are more than {most} steps of {timestep:g} s"),
            duration=trajectory.duration,
            most=MOST_SAMPLES,
            timestep=dt,
        )
    if times is None:
        times = trajectory.times(dt)[1:]
        if not len(times):
            times = np.array([trajectory.duration])
    wanted = trajectory.sample(times)
    m, n = wanted.q.shape
    joints, gap = np.full((m, len(QUANTITIES), n), np.nan), np.zeros(m)
    joints[:, COMMAND_Q], joints[:, COMMAND_QD], joints[:, COMMAND_QDD] = wanted
    q, qd, tau = joints[:, Q], joints[:, QD], joints[:, TAU]
    driven = list(simulation.driven(name))
    for start in range(0, m, PROGRESS_STEPS):
        on_progress(start / m)
        block = slice(start, start + PROGRESS_STEPS)
        with simulation.logged() as log:
            simulation.follow(wanted.q[block], wanted.qd[block], robot=name)
        q[block], qd[block], tau[block], gap[block] = log.joints(k)
    on_progress(1.0)
    simulation.command(q=trajectory.end, robot=name)
    made = core.mechanisms[k] if isinstance(core, Hierarchy) else core.world.wirings[k].mechanism
    units = ["rad" if joint.kind == "revolute" else "m" for joint in made.joints]
    facts = {UNITS: json.dumps([units[i] for i in driven]), "quality": "simulated"}
    names = tuple(made.joints[i].name for i in driven)
    return SimRun(name, simulation.structure, Recording(names, times, joints, facts), gap)

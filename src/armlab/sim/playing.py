"""Playing a trajectory: one command per step, and what came of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from armlab.motion.trajectory import Trajectory
from armlab.sim.hierarchy import Hierarchy
from armlab.sim.physics import Physics
from armlab.sim.reading import joint_values, largest_gap
from armlab.sim.state import Run

if TYPE_CHECKING:
    from armlab.sim.simulation import Simulation


def play(simulation: Simulation, core: Hierarchy | Physics, k: int, trajectory: Trajectory) -> Run:
    """Command each step where the trajectory is at its end; return one row per step."""
    dt, name = simulation.timestep, simulation.robots[k]
    times = trajectory.times(dt)[1:]
    if not len(times):
        times = np.array([trajectory.duration])
    wanted = trajectory.sample(times)
    m, n = wanted.q.shape
    q, qd, tau, gap = np.empty((m, n)), np.empty((m, n)), np.empty((m, n)), np.zeros(m)
    driven = list(simulation.driven(name))
    for i in range(m):
        simulation.command(q=wanted.q[i], qd=wanted.qd[i], robot=name)
        simulation.step()
        if isinstance(core, Physics):
            look, wiring = core.glance(), core.world.wirings[k]
            row = joint_values(wiring, look)
            q[i], qd[i] = row[0][driven], row[1][driven]
            tau[i] = core.efforts(k)[driven]
            gap[i] = largest_gap(wiring, look)
        else:
            q[i], qd[i], tau[i] = core.q[k], core.qd[k], 0.0
    simulation.command(q=trajectory.end, robot=name)
    return Run(name, simulation.structure, times, wanted.q, q, qd, tau, gap)

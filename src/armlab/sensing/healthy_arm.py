"""How a healthy arm turns its sensors: a simulation of what is known of its servos follows the same commands.

Soft servos sag and swing, and their gears fall from one side of their play to the other when the load changes sides;
when they do is mechanics, and can be computed. Of servos that are up to 20 % softer or stiffer than believed the turns
over half a second are off by 0.6° for nine of ten samples, where those that are commanded are off by 2.2°.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.interpolate import CubicHermiteSpline

from armlab.arrays import Floats
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.sensing.mount import Mount
from armlab.sensing.truth import sensor_motion
from armlab.sim.drives import Drive
from armlab.sim.simulation import Simulation

SETTLING = 1.5
"""s for which the arm sags into its play before the record begins."""
BLOCK = 500
"""Steps that are commanded at once."""


def healthy_rates(robot: Robot, mounts: Sequence[Mount], t: Floats, rows: Floats, servos: Sequence[Drive]) -> Floats:
    """Return the angular rates (m, 3k) of all sensors, each in its own frame, at the times `t` (m,) of commands.

    `rows` (m, 3, n) are the commands: positions, speeds and accelerations.
    """
    simulation = Simulation(Scene.of(robot, q=rows[0, 0]), drives=list(servos), contacts="none")
    simulation.step(round(SETTLING / simulation.timestep))
    q, qd, times = [simulation.state().q], [simulation.state().qd], [0.0]
    settled, rate = simulation.time, 1.0 / np.median(np.diff(t))

    def note(now: Simulation) -> None:
        state = now.state()
        q.append(state.q)
        qd.append(state.qd)
        times.append(now.time - settled)

    simulation.every(_steady_rate(float(rate), simulation.timestep), note)
    fine = np.arange(1, round((t[-1] - t[0]) / simulation.timestep) + 1) * simulation.timestep
    at = CubicHermiteSpline(t - t[0], rows[:, 0], rows[:, 1])(np.minimum(fine, t[-1] - t[0]))
    speed = np.stack([np.interp(fine, t - t[0], column) for column in rows[:, 1].T], axis=1)
    for start in range(0, len(fine), BLOCK):
        simulation.follow(at[start : start + BLOCK], speed[start : start + BLOCK])
    read = rates_of(robot, mounts, np.array(q), np.array(qd))
    return np.stack([np.interp(t - t[0], times, column) for column in read.T], axis=1)


def rates_of(robot: Robot, mounts: Sequence[Mount], q: Floats, qd: Floats) -> Floats:
    """Return the angular rates (m, 3k) of all sensors, each in its own frame, for joints and speeds (m, n)."""
    still = np.zeros_like(q)
    return np.hstack([sensor_motion(robot, mount, q, qd, still)[:, :3] for mount in mounts])


def _steady_rate(rate: float, timestep: float) -> float:
    """Return the lowest rate (Hz) that is not below `rate` and whose period is a whole number of steps."""
    return 1.0 / (max(1, int(1.0 / (rate * timestep) + 1e-6)) * timestep)

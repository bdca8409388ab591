"""The three structures side by side: the same arm along the same trajectory, and what each of them costs."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.motion.limits import TIME_TO_SPEED
from armlab.motion.pieces import Pieces
from armlab.motion.trajectory import Trajectory
from armlab.sim.drives import FREE
from armlab.sim.simulation import Simulation
from armlab.sim.state import Run, Structure

STRUCTURES: tuple[Structure, ...] = ("hierarchy", "joints", "articulation")
STOPS = 3
"""Poses of the standard motion between home and home."""
SHARE_OF_SPEED = 0.3
"""And of the acceleration that reaches full speed in 0.25 s."""
LARGEST_TURN, LARGEST_SHIFT = 0.8, 0.1
"""rad and m: how far the standard motion goes from home."""
FREE_TIME = 0.5
"""s: how long an arm without drives falls to see whether its energy stays."""
WIDE = 1e4
_TIMED_STEPS, _REPEATS = 200, 3


@dataclass(frozen=True, slots=True, eq=False)
class Figures:
    """What one structure did along the trajectory."""

    structure: Structure
    tracking_rms: float
    """Root mean square of the joints' errors (rad or m)."""
    tool_rms: float
    """The same of the tool's place (m)."""
    gap: float
    """The largest gap of a joint (m)."""
    energy_drift: float | None
    """How much the energy of an arm that falls freely changes (J); None where there is no energy."""
    us_per_step: float
    unknowns: int
    """Coordinates and constraint rows that each step solves for."""
    run: Run


@dataclass(frozen=True, slots=True, eq=False)
class Comparison:
    """The figures of all structures, in the order hierarchy, joints, articulation."""

    robot: Robot
    trajectory: Trajectory
    timestep: float
    figures: Mapping[Structure, Figures]


def compare(
    robot: Robot, trajectory: Trajectory | None = None, *, duration: float = 2.0, timestep: float = 0.001
) -> Comparison:
    """Return how the three structures follow a trajectory; left out, a smooth way from home over some poses and back.

    Raises:
        InvalidInput: if the trajectory is of another arm, or a time is not above zero.
    """
    path = standard_motion(robot, duration) if trajectory is None else trajectory
    if path.dof != robot.dof:
        raise InvalidInput(f"{robot.name}: a trajectory of {path.dof} joints given; the arm has {robot.dof}")
    figures = {structure: _figures(robot, path, structure, timestep) for structure in STRUCTURES}
    return Comparison(robot, path, timestep, figures)


def standard_motion(robot: Robot, duration: float = 2.0) -> Trajectory:
    """Return a smooth motion from home over three poses and back: no joint stays, none is fast.

    Raises:
        InvalidInput: if the duration is not above zero.
    """
    if not (duration > 0.0 and math.isfinite(duration)):
        raise InvalidInput(f"duration: {duration:g} s is not above zero")
    each = duration / (STOPS + 1)
    revolute = np.array([joint.kind == "revolute" for joint in robot.joints])
    by_speed, by_acceleration = each / 4.0, each**2 / TIME_TO_SPEED / 5.8  # of a quintic from rest to rest
    reach = SHARE_OF_SPEED * robot.velocity * min(by_speed, by_acceleration)
    reach = np.minimum(reach, np.where(revolute, LARGEST_TURN, LARGEST_SHIFT))
    low = np.maximum(robot.home - reach, robot.lower)
    high = np.minimum(robot.home + reach, robot.upper)
    share = np.random.default_rng(7).uniform(size=(STOPS, robot.dof))
    stops = np.concatenate([robot.home[None], low + share * (high - low), robot.home[None]])
    coefficients = np.zeros((STOPS + 1, 6, robot.dof))
    coefficients[:, 0] = stops[:-1]
    coefficients[:, 3:6] = np.array([10.0, -15.0, 6.0])[None, :, None] * np.diff(stops, axis=0)[:, None, :]
    return Trajectory(Pieces(np.arange(STOPS + 2, dtype=np.float64) * each, coefficients))


def _figures(robot: Robot, path: Trajectory, structure: Structure, timestep: float) -> Figures:
    simulation = Simulation(Scene.of(robot, q=path.start), structure, timestep=timestep, contacts="none")
    unknowns = simulation.unknowns
    run = simulation.play(path)
    there, wanted = robot.fk(run.q)[:, :3, 3], robot.fk(run.commanded)[:, :3, 3]
    return Figures(
        structure,
        tracking_rms=run.rms,
        tool_rms=float(np.sqrt(np.mean(np.sum((there - wanted) ** 2, axis=1)))),
        gap=float(run.gap.max()),
        energy_drift=None if structure == "hierarchy" else energy_drift(robot, structure, timestep),
        us_per_step=_cost(simulation),
        unknowns=unknowns,
        run=run,
    )


def energy_drift(robot: Robot, structure: Structure, timestep: float = 0.001) -> float:
    """Return how much the energy (J) of the arm changes while it falls freely from home, without drives and limits."""
    joints = tuple(replace(joint, lower=-WIDE, upper=WIDE) for joint in robot.joints)
    loose: Any = replace(robot, joints=joints, poses=dict(robot.poses))
    drives = [FREE] * robot.dof
    simulation = Simulation(Scene.of(loose), structure, timestep=timestep, drives=drives, contacts="none")
    energies: Floats = np.empty(20)
    for i in range(len(energies)):
        energy = simulation.state().energy
        assert energy is not None
        energies[i] = energy.total
        simulation.step(max(1, round(FREE_TIME / timestep / len(energies))))
    return float(np.abs(energies - energies[0]).max())


def _cost(simulation: Simulation) -> float:
    """Return the time of one step (µs), the best of some tries."""
    best = math.inf
    for _ in range(_REPEATS):
        start = perf_counter()
        simulation.step(_TIMED_STEPS)
        best = min(best, perf_counter() - start)
    return best / _TIMED_STEPS * 1e6

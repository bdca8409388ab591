"""The three structures side by side: the same arm along the same trajectory, and what each of them costs."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput, SimulationDiverged
from armlab.messages import _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.motion.limits import TIME_TO_SPEED
from armlab.motion.piecewise import PiecewisePolynomial
from armlab.motion.trajectory import Trajectory
from armlab.sim.bounds import joint_count_differs
from armlab.sim.compare_findings import findings_of
from armlab.sim.compare_run import Command, CommandRows, Divergence, JointStep, StructureRun, rows_of, run_structure
from armlab.sim.compare_settings import DriveSettings
from armlab.sim.drives import FREE, Drive
from armlab.sim.given import checked_timestep
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimRun, Structure

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
LONGEST = 1e6
"""s: of the standard motion."""
MOST_STEPS = 500_000
"""Of one structure: about a minute of computing."""
_TIMED_STEPS, _REPEATS = 200, 3


@dataclass(frozen=True, slots=True, eq=False)
class Metrics:
    """What one structure did along the command."""

    structure: Structure
    tracking_rms: float
    """Root mean square of the joints' errors (rad or m)."""
    tool_rms: float
    """The same of the tool's place (m)."""
    gap: float
    """The largest joint gap (m)."""
    energy_drift: float | None
    """How much the energy of an arm that falls freely changes (J); None where there is no energy, or that diverges."""
    us_per_step: float
    unknowns: int
    """Coordinates and constraint rows that each step solves for."""
    run: SimRun
    frames: Floats
    """(m, n + 2, 4, 4): the frames of links and tool at each sample of the run, in world coordinates."""
    step_costs: Floats
    """(m,) µs of a step, as it was measured along the run."""
    diverged: Divergence | None
    """When and where the numbers left all bounds; the run ends before."""
    findings: tuple[Finding, ...]
    """What went wrong, why, and what would help."""


@dataclass(frozen=True, slots=True, eq=False)
class StructureComparison:
    """The metrics of all structures, in the order hierarchy, joints, articulation."""

    robot: Robot
    """With the masses that it had in the comparison."""
    command: Command
    timestep: float
    settings: DriveSettings
    metrics: Mapping[Structure, Metrics]


def compare(
    robot: Robot,
    command: Command | None = None,
    *,
    duration: float = 2.0,
    timestep: float = 0.001,
    settings: DriveSettings | None = None,
    on_progress: Callable[[float], object] = lambda _share: None,
) -> StructureComparison:
    """Return how the three structures follow a trajectory or a step of a joint; left out, the `standard_motion`.

    A structure that diverges ends there, and its findings say why. `on_progress` is told now and then which share of
    the steps, 0 to 1, is done.

    Raises:
        InvalidInput: if the command is of another arm, or a time is not above zero or too long.
    """
    work = comparing(robot, command, duration=duration, timestep=timestep, settings=settings)
    while True:
        try:
            on_progress(next(work))
        except StopIteration as end:
            made: StructureComparison = end.value
            return made


def comparing(
    robot: Robot,
    command: Command | None = None,
    *,
    duration: float = 2.0,
    timestep: float = 0.001,
    settings: DriveSettings | None = None,
    most_steps: int = MOST_STEPS,
) -> Generator[float, None, StructureComparison]:
    """Do the same a piece at a time: each piece yields the share that is done, the end returns the comparison.

    What cannot be compared is refused at once, before the first piece.
    """
    asked = standard_motion(robot, duration) if command is None else command
    if asked.dof != robot.dof:
        raise joint_count_differs(robot.name, asked.dof, robot.dof)
    steps = asked.duration / checked_timestep(timestep)
    if not steps <= most_steps:
        raise InvalidInput(
            "comparison_too_long",
            _("compare: {duration:g} s are {steps:.3g} steps of {timestep:g} s; {most} are allowed"),
            duration=asked.duration,
            steps=steps,
            timestep=timestep,
            most=most_steps,
        )
    chosen = settings or DriveSettings()
    arm, drives = chosen.applied(robot)
    return _pieces(arm, asked, timestep, chosen, drives)


def _pieces(
    robot: Robot, command: Command, timestep: float, settings: DriveSettings, drives: Sequence[Drive]
) -> Generator[float, None, StructureComparison]:
    rows, metrics = rows_of(command, timestep), dict[Structure, Metrics]()
    start = command.start if isinstance(command, JointStep) else np.asarray(command.start)
    for i, structure in enumerate(STRUCTURES):
        work = run_structure(robot, rows, structure, timestep, drives, start)
        while True:
            try:
                yield (i + next(work)) / len(STRUCTURES)
            except StopIteration as end:
                metrics[structure] = _metrics(robot, rows, end.value, timestep, drives)
                break
    return StructureComparison(robot, command, timestep, settings, metrics)


def standard_motion(robot: Robot, duration: float = 2.0) -> Trajectory:
    """Return a smooth motion from home over three poses and back: no joint stays, none is fast.

    Raises:
        InvalidInput: if the duration is not above zero, or too long.
    """
    if not 0.0 < duration <= LONGEST:
        raise InvalidInput(
            "duration_outside",
            _("duration must be > 0 and at most {longest:g} s, got {duration:g} s"),
            duration=float(duration),
            longest=LONGEST,
        )
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
    return Trajectory(PiecewisePolynomial(np.arange(STOPS + 2, dtype=np.float64) * each, coefficients))


def _metrics(robot: Robot, rows: CommandRows, made: StructureRun, timestep: float, drives: Sequence[Drive]) -> Metrics:
    run, structure = made.run, made.run.structure
    there, wanted = made.frames[:, -1, :3, 3], robot.fk(run.commanded)[:, :3, 3]
    return Metrics(
        structure,
        tracking_rms=run.rms,
        tool_rms=float(np.sqrt(np.mean(np.sum((there - wanted) ** 2, axis=1)))),
        gap=float(run.gap.max()),
        energy_drift=_drift(robot, structure, timestep),
        us_per_step=_cost(made),
        unknowns=made.simulation.unknowns,
        run=run,
        frames=made.frames,
        step_costs=made.us_per_step,
        diverged=made.diverged,
        findings=findings_of(robot, rows, made, timestep, drives),
    )


def _drift(robot: Robot, structure: Structure, timestep: float) -> float | None:
    try:
        return None if structure == "hierarchy" else energy_drift(robot, structure, timestep)
    except SimulationDiverged:
        return None


def energy_drift(robot: Robot, structure: Structure, timestep: float = 0.001) -> float:
    """Return how much the energy (J) of the arm changes while it falls freely from home, without drives and limits."""
    joints = tuple(replace(joint, lower=-WIDE, upper=WIDE) for joint in robot.joints)
    followers = tuple(f._replace(joint=replace(f.joint, lower=-WIDE, upper=WIDE)) for f in robot.followers)
    loose: Any = replace(robot, joints=joints, followers=followers, configurations=dict(robot.configurations))
    drives = [FREE] * robot.dof
    simulation = Simulation(Scene.of(loose), structure, timestep=timestep, drives=drives, contacts="none")
    energies: Floats = np.empty(20)
    for i in range(len(energies)):
        energy = simulation.state().energy
        assert energy is not None
        energies[i] = energy.total
        simulation.step(max(1, round(FREE_TIME / timestep / len(energies))))
    return float(np.abs(energies - energies[0]).max())


def _cost(made: StructureRun) -> float:
    """Return the time of one step (µs), the best of some tries; of one that diverged, the middle one on the way."""
    best = math.inf
    try:
        for _repeat in range(0 if made.diverged else _REPEATS):
            start = perf_counter()
            made.simulation.step(_TIMED_STEPS)
            best = min(best, perf_counter() - start)
    except SimulationDiverged:  # held where it ended, it did not stay
        best = math.inf
    return best / _TIMED_STEPS * 1e6 if best < math.inf else float(np.median(made.us_per_step))

"""Run a scenario: a simulated arm carries it out, each step is told, and its contacts are checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from armlab.arrays import Floats
from armlab.dynamics.overload import payload_finding
from armlab.errors import PlanningFailed
from armlab.messages import _
from armlab.model.finding import Finding
from armlab.model.scene import Scene
from armlab.program.check_contacts import ContactCheck, check_contacts
from armlab.program.execution import Execution
from armlab.program.executor import Event, Executor, Piece
from armlab.program.run import RunTotals
from armlab.program.scenario import Scenario
from armlab.program.schedule import Schedule, check_planned
from armlab.program.simulated import SimulatedArm
from armlab.sim.given import Grasp
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimRun, Structure

Progress = Callable[[int, int], object]
OnRun = Callable[[Piece, SimRun, Simulation], object]


@dataclass(frozen=True, slots=True, eq=False)
class RunSegment:
    """One segment as it was run: the largest error of each joint (n,) and the highest effort of each (n,)."""

    segment: Piece
    held: str | None
    error: Floats
    effort: Floats
    gap: float
    """m: how far a joint came apart at most."""

    @classmethod
    def of(cls, piece: Piece, arm: SimulatedArm) -> RunSegment:
        """Return how an arm has followed a piece."""
        run, still = arm.played, np.zeros(piece.trajectory.dof)
        if run is None:
            return cls(piece, arm.held, still, still, 0.0)
        return cls(piece, arm.held, np.abs(run.error).max(axis=0), np.abs(run.tau).max(axis=0), float(run.gap.max()))


@dataclass(frozen=True, slots=True, eq=False)
class ScenarioRun:
    """A scenario that was run: its plan, its contacts, each segment, and where the bodies are at the end."""

    scenario: Scenario
    structure: Structure
    timestep: float
    schedule: Schedule
    contacts: ContactCheck
    segments: tuple[RunSegment, ...]
    findings: tuple[Finding, ...]
    bodies: dict[str, Floats]
    steps: int
    """How many steps the simulation made."""


def run_scenario(
    scenario: Scenario,
    *,
    structure: Structure = "articulation",
    timestep: float = 0.001,
    clearance: float = 0.0,
    grasp: Grasp = "exact",
    progress: Progress = lambda _done, _total: None,
    on_start: Callable[[Simulation], object] = lambda _simulation: None,
    on_run: OnRun = lambda _segment, _run, _simulation: None,
) -> ScenarioRun:
    """Return what happens when a scenario is run in one of the three structures.

    With `grasp` "exact" a pick holds the body as it is; with "friction" fingers close on it, and physics decides.

    `on_start` gets the simulation before its first step: sensors are attached there.
    `on_run` gets each segment with what happened in it, as soon as it is over; a recorder listens there.

    Raises:
        PlanningFailed: if a step cannot be planned.
        SimulationDiverged: if the physics leave all bounds.
    """
    program, robot = scenario.program, scenario.scene.robot(scenario.robot).robot
    arm = _ScenarioArm(scenario.scene, scenario.robot, structure, timestep=timestep, grasp=grasp)
    on_start(arm.simulation)
    executor = Executor(robot, program.instructions, start=program.start, contact=arm.contact)
    totals = RunTotals(arm, executor)
    segments: list[RunSegment] = []
    progress(0, len(program.instructions))
    for item in Execution(executor, follower=arm, listeners=(totals.take,)):
        check_planned(item)
        if isinstance(item, Piece):
            segments.append(RunSegment.of(item, arm))
            if arm.played is not None:
                on_run(item, arm.played, arm.simulation)
            progress(executor.state.index + 1, len(program.instructions))
    if not segments:
        raise PlanningFailed("scenario_empty", _("scenario '{scenario}': no step takes time"), scenario=scenario.name)
    schedule = Schedule(robot, tuple(one.segment for one in segments))
    contacts = check_contacts(scenario.scene, schedule, robot=scenario.robot, clearance=clearance)
    told = {finding.where.get("step") for finding in contacts.findings}
    failed = (finding for finding in arm.failures if finding.where.get("step") not in told)
    heavy = payload_finding(robot)
    findings = [*contacts.findings, *([heavy] if heavy is not None else []), *failed, *totals.overloads()]
    return ScenarioRun(
        scenario,
        structure,
        timestep,
        schedule,
        contacts,
        tuple(segments),
        _with_steps(findings, timestep),
        dict(arm.simulation.state(scenario.robot).bodies),
        arm.simulation.step_count,
    )


class _ScenarioArm(SimulatedArm):
    """Goes on where there is nothing to take: the scenario's other steps are run all the same."""

    def __init__(self, scene: Scene, robot: str, structure: Structure, *, timestep: float, grasp: Grasp) -> None:
        super().__init__(scene, robot, structure, timestep=timestep, grasp=grasp)
        self.failures: list[Finding] = []

    def take(self, item: Piece | Event) -> list[Finding]:
        self.failures += super().take(item)
        return []


def _with_steps(findings: Iterable[Finding], timestep: float) -> tuple[Finding, ...]:
    """Return findings with the simulation's step beside the time."""
    return tuple(
        replace(f, where={**f.where, "simulation_step": int(np.ceil(float(f.where["time"]) / timestep - 1e-9))})
        if "time" in f.where
        else f
        for f in findings
    )

"""Run a scenario: plan it, check its contacts, then let the simulation follow, step by step."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

import numpy as np

from armlab.arrays import Floats
from armlab.dynamics.overload import OverloadMonitor, payload_finding
from armlab.errors import InvalidInput, PlanningFailed, UnknownName
from armlab.messages import _
from armlab.model.finding import Finding
from armlab.program.check_contacts import ContactCheck, check_contacts
from armlab.program.executor.pieces import Numbered
from armlab.program.executor.tracking import placed
from armlab.program.instructions import source_of
from armlab.program.run import act
from armlab.program.scenario import Scenario
from armlab.program.schedule import Schedule, Segment, plan_program
from armlab.sim.given import Grasp
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimRun, Structure

Progress = Callable[[int, int], object]
OnRun = Callable[[Segment, SimRun, Simulation], object]


@dataclass(frozen=True, slots=True, eq=False)
class RunSegment:
    """One segment as it was run: the largest error of each joint (n,) and the highest effort of each (n,)."""

    segment: Segment
    held: str | None
    error: Floats
    effort: Floats
    gap: float
    """m: how far a joint came apart at most."""


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
    robot = scenario.scene.robot(scenario.robot).robot
    schedule = plan_program(robot, scenario.program)
    if not schedule.segments:
        raise PlanningFailed("scenario_empty", _("scenario '{scenario}': no step takes time"), scenario=scenario.name)
    contacts = check_contacts(scenario.scene, schedule, robot=scenario.robot, clearance=clearance)
    findings = list(_with_steps(contacts.findings, timestep))
    if (heavy := payload_finding(robot)) is not None:
        findings.append(heavy)
    drives = OverloadMonitor[Numbered](robot)
    simulation = Simulation(scenario.scene, structure, timestep=timestep, grasp=grasp)
    on_start(simulation)
    segments: list[RunSegment] = []
    for i, segment in enumerate(schedule.segments):
        progress(i, len(schedule.segments))
        try:
            act(simulation, segment.instruction, scenario.scene, scenario.robot, grasp)
        except (InvalidInput, UnknownName) as error:
            if not any(finding.where.get("step") == segment.index + 1 for finding in contacts.findings):
                message = error.message.within(source_of(segment.instruction, segment.index))
                findings.append(Finding("error", message, {"step": segment.index + 1}))
        run = simulation.play(segment.trajectory, robot=scenario.robot)
        drives.take(segment.end, timestep, run.error, run.tau, Numbered(segment.index, segment.instruction))
        held = simulation.state(scenario.robot).held
        error_peak, effort_peak = np.abs(run.error).max(axis=0), np.abs(run.tau).max(axis=0)
        segments.append(RunSegment(segment, held[0] if held else None, error_peak, effort_peak, float(run.gap.max())))
        on_run(segment, run, simulation)
    progress(len(schedule.segments), len(schedule.segments))
    overloads = (placed(overload.finding(robot), at, 0.0) for overload, at in drives.lasted())
    findings.extend(_with_steps(overloads, timestep))
    bodies = dict(simulation.state(scenario.robot).bodies)
    steps = simulation.step_count
    return ScenarioRun(
        scenario, structure, timestep, schedule, contacts, tuple(segments), tuple(findings), bodies, steps
    )


def _with_steps(findings: Iterable[Finding], timestep: float) -> tuple[Finding, ...]:
    """Return findings with the simulation's step beside the time."""
    return tuple(
        replace(f, where={**f.where, "simulation_step": int(np.ceil(float(f.where["time"]) / timestep - 1e-9))})
        if "time" in f.where
        else f
        for f in findings
    )

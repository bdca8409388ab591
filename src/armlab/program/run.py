"""Run a scenario: plan it, walk through it, then let the simulation follow, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput, PlanningFailed, UnknownName
from armlab.model.finding import Finding
from armlab.model.scene import Scene
from armlab.program.instructions import Pick, Place
from armlab.program.scenario import Scenario
from armlab.program.schedule import Leg, Schedule, plan_program, source_of
from armlab.program.walk import Walk, body_at_tool, walk
from armlab.sim.simulation import Grasp, Simulation
from armlab.sim.state import Run, Structure

Progress = Callable[[int, int], object]
OnRun = Callable[[Leg, Run, Simulation], object]


@dataclass(frozen=True, slots=True, eq=False)
class RunLeg:
    """One leg as it was run: the largest error of each joint (n,) and the highest effort of each (n,)."""

    leg: Leg
    held: str | None
    error: Floats
    effort: Floats
    gap: float
    """m: how far a joint came apart at most."""


@dataclass(frozen=True, slots=True, eq=False)
class ScenarioRun:
    """A scenario that was run: its plan, what the walk found, each leg, and where the bodies are at the end."""

    scenario: Scenario
    structure: Structure
    timestep: float
    schedule: Schedule
    walk: Walk
    legs: tuple[RunLeg, ...]
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
    on_run: OnRun = lambda _leg, _run, _simulation: None,
) -> ScenarioRun:
    """Return what happens when a scenario is run in one of the three structures.

    With `grasp` "exact" a pick holds the body as it is; with "friction" fingers close on it, and physics decides.

    `on_run` gets each leg with what happened in it, as soon as it is over; a recorder listens there.

    Raises:
        PlanningFailed: if a step cannot be planned.
        SimulationDiverged: if the physics leave all bounds.
    """
    robot = scenario.scene.robot(scenario.robot).robot
    schedule = plan_program(robot, scenario.program)
    if not schedule.legs:
        raise PlanningFailed(f"scenario '{scenario.name}': no step of it takes time")
    walked = walk(scenario.scene, schedule, robot=scenario.robot, clearance=clearance)
    findings = list(_with_steps(walked.findings, timestep))
    simulation = Simulation(scenario.scene, structure, timestep=timestep, grasp=grasp)
    legs: list[RunLeg] = []
    for i, leg in enumerate(schedule.legs):
        progress(i, len(schedule.legs))
        try:
            _event(simulation, scenario, leg, grasp)
        except (InvalidInput, UnknownName) as error:
            if not any(finding.where.get("step") == leg.index + 1 for finding in walked.findings):
                message = f"{source_of(leg.instruction, leg.index)}: {error.message}"
                findings.append(Finding("error", "pick", message, {"step": leg.index + 1}))
        run = simulation.play(leg.trajectory, robot=scenario.robot)
        held = simulation.state(scenario.robot).held
        error_peak, effort_peak = np.abs(run.error).max(axis=0), np.abs(run.tau).max(axis=0)
        legs.append(RunLeg(leg, held[0] if held else None, error_peak, effort_peak, float(run.gap.max())))
        on_run(leg, run, simulation)
    progress(len(schedule.legs), len(schedule.legs))
    bodies = dict(simulation.state(scenario.robot).bodies)
    steps = simulation.step_count
    return ScenarioRun(scenario, structure, timestep, schedule, walked, tuple(legs), tuple(findings), bodies, steps)


def _event(simulation: Simulation, scenario: Scenario, leg: Leg, grasp: Grasp) -> None:
    if grasp == "friction":
        if isinstance(leg.instruction, Pick):
            simulation.grip(robot=scenario.robot)
        elif isinstance(leg.instruction, Place):
            simulation.open(scenario.robot)
    elif isinstance(leg.instruction, Pick):
        state = simulation.state(scenario.robot)
        if state.held:
            raise InvalidInput(f"pick: the tool holds '{state.held[0]}' already")
        scene = _as_now(scenario.scene, state.bodies)
        simulation.attach(body_at_tool(scene, leg.instruction.body, state.frames[-1]).name, scenario.robot)
    elif isinstance(leg.instruction, Place):
        simulation.release(scenario.robot)


def _as_now(scene: Scene, places: Mapping[str, Floats]) -> Scene:
    """Return the scene with its bodies where the simulation has them."""
    return replace(scene, bodies=tuple(body.at(places[body.name]) for body in scene.bodies))


def _with_steps(findings: tuple[Finding, ...], timestep: float) -> tuple[Finding, ...]:
    """Return findings with the simulation's step beside the time."""
    return tuple(
        replace(f, where={**f.where, "simulation_step": int(np.ceil(float(f.where["time"]) / timestep - 1e-9))})
        if "time" in f.where
        else f
        for f in findings
    )

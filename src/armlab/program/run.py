"""Run a program: the executor plans it, a simulation follows, piece by piece."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NamedTuple, Protocol

import numpy as np

from armlab.arrays import Floats
from armlab.dynamics.overload import OverloadMonitor, payload_finding
from armlab.errors import InvalidInput, UnknownName
from armlab.model.finding import Finding
from armlab.model.scene import Scene
from armlab.program.executor import Event, Executor, Piece
from armlab.program.executor.executor import LOOKAHEAD
from armlab.program.executor.pieces import Numbered
from armlab.program.executor.state import ExecutorState
from armlab.program.executor.tracking import placed
from armlab.program.executor.windows import is_move
from armlab.program.holding import holds_already
from armlab.program.instructions import Instruction, Pause, Pick, Place, Report, Say
from armlab.program.probing import contact_in
from armlab.program.reach import body_at_tool
from armlab.program.signals import Signals, Value
from armlab.sim.given import Grasp
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimRun, Structure

OnPiece = Callable[[Piece, SimRun, Simulation], object]
Progress = Callable[[ExecutorState], object]
OnPause = Callable[[Pause, ExecutorState], bool]
"""Gets a pause of the program when it is reached; answers whether to go on."""


class Simulate(Protocol):
    """Makes the simulation that a program drives: `Simulation` itself, or one whose arm differs from its drawing."""

    def __call__(self, scene: Scene, structure: Structure, *, timestep: float, grasp: Grasp) -> Simulation:
        """Return a simulation of the scene."""


class SaidMessage(NamedTuple):
    """A message of a program to its operator."""

    time: float
    kind: str
    text: str


@dataclass(slots=True)
class ProgramRun:
    """What happened: times in s, joints in rad or m."""

    structure: Structure
    timestep: float
    motions: int = 0
    duration: float = 0.0
    tracking_max: float = 0.0
    """The largest difference between where a joint was and where it should have been."""
    tracking_rms: float = 0.0
    messages: list[SaidMessage] = field(default_factory=list)
    outputs: dict[str, Value] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    q: Floats = field(default_factory=lambda: np.empty(0))
    """Where the joints are at the end, (n,)."""
    T_world_tool: Floats = field(default_factory=lambda: np.eye(4))
    """Where the tool is at the end."""
    bodies: dict[str, Floats] = field(default_factory=dict)
    steps: int = 0
    state: ExecutorState | None = None
    """Where the program ended."""


def run_program(
    scene: Scene,
    instructions: Iterable[Instruction],
    *,
    robot: str | None = None,
    start: Floats | None = None,
    structure: Structure = "articulation",
    timestep: float = 0.001,
    grasp: Grasp = "exact",
    signals: Signals | None = None,
    lookahead: int = LOOKAHEAD,
    progress: Progress = lambda _state: None,
    on_start: Callable[[Simulation], object] = lambda _simulation: None,
    on_piece: OnPiece = lambda _piece, _run, _simulation: None,
    on_pause: OnPause = lambda _pause, _state: True,
    seconds: float = math.inf,
    simulate: Simulate = Simulation,
) -> ProgramRun:
    """Run a program for one arm of a scene, in physics or ("hierarchy") without; it ends at its first error.

    `progress` gets the state whenever something was done; `on_start` the simulation before its first step, for sensors;
    `on_piece` what happened in each piece, for a recorder. A program that runs longer than `seconds` counts as endless.
    `simulate` makes the simulation; the executor plans with the arm of the scene, whatever that simulates.

    Raises:
        SimulationDiverged: if the physics leave all bounds.
    """
    arm = scene.robot(robot)
    q = arm.q if start is None else start
    scene = replace(scene, robots=tuple(replace(one, q=q) if one is arm else one for one in scene.robots))
    simulation = simulate(scene, structure, timestep=timestep, grasp=grasp)
    on_start(simulation)
    executor = Executor(
        arm.robot,
        instructions,
        start=np.asarray(q, dtype=np.float64),
        signals=signals,
        lookahead=lookahead,
        contact=contact_in(scene, arm.name),
        seconds=seconds,
    )
    run = _Running(scene, arm.name, simulation, executor, grasp)
    for item in executor:
        if isinstance(item, Piece):
            run.piece(item, on_piece)
        elif not run.event(item, on_pause):
            break
        progress(executor.state)
    return run.finished()


def act(simulation: Simulation, instruction: Instruction, scene: Scene, robot: str | None, grasp: Grasp) -> None:
    """Close or open the tool where an instruction says so.

    Raises:
        InvalidInput, UnknownName: if there is nothing to take, or something is held.
    """
    match instruction:
        case Pick() if grasp == "friction":
            simulation.grip(robot=robot)
        case Pick(body=name):
            state = simulation.state(robot)
            if state.held:
                raise InvalidInput(holds_already(state.held[0]))
            body = body_at_tool(_as_now(scene, state.bodies), name, state.frames[-1])
            simulation.attach(body.name, robot)
        case Place() if grasp == "friction":
            simulation.open(robot)
        case Place():
            simulation.release(robot)
        case _:
            pass  # only these act on the tool


class _Running:
    """Drives a simulation along pieces whose durations are no whole numbers of steps."""

    def __init__(self, scene: Scene, robot: str, simulation: Simulation, executor: Executor, grasp: Grasp) -> None:
        self._scene, self._robot, self._grasp = scene, robot, grasp
        self._simulation, self._executor = simulation, executor
        self._result = ProgramRun(simulation.structure, simulation.timestep)
        self._steps, self._squares, self._last = 0, 0.0, -1
        self._arm = scene.robot(robot).robot
        self._drives = OverloadMonitor[Piece](self._arm)
        if (heavy := payload_finding(self._arm)) is not None:
            self._result.findings.append(heavy)

    def piece(self, piece: Piece, on_piece: OnPiece) -> None:
        dt, result = self._simulation.timestep, self._result
        result.findings.extend(piece.findings)
        for event in piece.events:
            self._say(event)
        for one in piece.covered:
            result.motions += one.index != self._last and is_move(one.instruction)
            self._last = one.index
        last = math.floor(piece.end / dt + 1e-9)
        times = np.arange(self._steps + 1, last + 1) * dt - piece.start
        if not len(times):
            return
        self._steps = last
        played = self._simulation.play(piece.trajectory, robot=self._robot, times=np.clip(times, 0.0, None))
        if self._simulation.structure != "hierarchy":  # which has no forces: a real arm's joints are off, and follow
            self._drives.take(last * dt, dt, played.error, played.tau, piece)
        errors = np.abs(played.error)
        result.tracking_max = max(result.tracking_max, float(errors.max()))
        self._squares += float((errors**2).sum()) / errors.shape[1]
        on_piece(piece, played, self._simulation)

    def event(self, event: Event, on_pause: OnPause) -> bool:
        """Do what an event says; return whether to go on."""
        instruction = event.instruction
        if isinstance(instruction, Pause):
            return on_pause(instruction, self._executor.state)
        self._say(event)
        try:
            act(self._simulation, instruction, self._scene, self._robot, self._grasp)
        except (InvalidInput, UnknownName) as error:
            finding = placed(Finding("error", error.message), Numbered(event.index, instruction), event.time)
            self._result.findings.append(finding)
            return False
        held = self._simulation.state(self._robot).held
        self._executor.hold(held[0] if held else None)
        heavy = payload_finding(self._arm, sum(self._scene.body(name).inertia.mass for name in held))
        if isinstance(instruction, Pick) and heavy is not None and payload_finding(self._arm) is None:
            self._result.findings.append(placed(heavy, Numbered(event.index, instruction), 0.0))
        return True

    def _say(self, event: Event) -> None:
        match event.instruction:
            case Say(text=text, kind=kind):
                self._result.messages.append(SaidMessage(event.time, kind, text))
            case Report(finding=finding):
                self._result.findings.append(finding)
            case _:
                pass

    def finished(self) -> ProgramRun:
        result, state = self._result, self._executor.state
        for overload, piece in self._drives.lasted():
            at = piece.covering(overload.start)
            result.findings.append(placed(overload.finding(self._arm), Numbered(at.index, at.instruction), 0.0))
        now = self._simulation.state(self._robot)
        result.duration, result.outputs, result.state = state.time, state.outputs, state
        result.tracking_rms = math.sqrt(self._squares / self._steps) if self._steps else 0.0
        result.T_world_tool = now.frames[-1]
        result.q, result.bodies, result.steps = now.q, dict(now.bodies), self._simulation.step_count
        return result


def _as_now(scene: Scene, places: Mapping[str, Floats]) -> Scene:
    """Return the scene with its bodies where the simulation has them."""
    return replace(scene, bodies=tuple(body.at(places[body.name]) for body in scene.bodies))

"""Run a program: the executor plans it, a simulation follows, piece by piece."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.dynamics.overload import OverloadMonitor, payload_finding
from armlab.model.finding import Finding
from armlab.model.scene import Scene
from armlab.program.execution import Execution
from armlab.program.executor import Event, Executor, Piece
from armlab.program.executor.executor import LOOKAHEAD
from armlab.program.executor.pieces import Numbered
from armlab.program.executor.state import ExecutorState
from armlab.program.executor.tracking import placed
from armlab.program.executor.windows import is_move
from armlab.program.instructions import Instruction, Pause, Pick, Report, Say
from armlab.program.signals import Signals, Value
from armlab.program.simulated import Simulate, SimulatedArm
from armlab.sim.given import Grasp
from armlab.sim.simulation import Simulation
from armlab.sim.state import SimRun, Structure

OnPiece = Callable[[Piece, SimRun, Simulation], object]
Progress = Callable[[ExecutorState], object]
OnPause = Callable[[Pause, ExecutorState], bool]
"""Gets a pause of the program when it is reached; answers whether to go on."""


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
    placed_arm = scene.robot(robot)
    q = placed_arm.q if start is None else start
    scene = replace(scene, robots=tuple(replace(one, q=q) if one is placed_arm else one for one in scene.robots))
    arm = SimulatedArm(scene, placed_arm.name, structure, timestep=timestep, grasp=grasp, simulate=simulate)
    on_start(arm.simulation)
    executor = Executor(
        placed_arm.robot,
        instructions,
        start=np.asarray(q, dtype=np.float64),
        signals=signals,
        lookahead=lookahead,
        contact=arm.contact,
        seconds=seconds,
    )
    run = RunTotals(arm, executor)
    execution = Execution(executor, follower=arm, listeners=(run.take,))
    for item in execution:
        if isinstance(item, Event):
            if isinstance(item.instruction, Pause) and not on_pause(item.instruction, executor.state):
                break
        elif arm.played is not None:
            on_piece(item, arm.played, arm.simulation)
        progress(executor.state)
    run.result.findings += execution.findings
    return run.finished()


class RunTotals:
    """Adds up what a simulated arm does with a program."""

    def __init__(self, arm: SimulatedArm, executor: Executor) -> None:
        self.result = ProgramRun(arm.simulation.structure, arm.simulation.timestep)
        self._arm, self._executor = arm, executor
        self._robot = executor.robot
        self._squares, self._last = 0.0, -1
        self._drives = OverloadMonitor[Piece](self._robot)
        self._heavy = payload_finding(self._robot)
        if self._heavy is not None:
            self.result.findings.append(self._heavy)

    def take(self, item: Piece | Event) -> None:
        """Note what was done."""
        if isinstance(item, Event):
            self._event(item)
            return
        result, played = self.result, self._arm.played
        result.findings.extend(item.findings)
        for event in item.events:
            self._say(event)
        for one in item.covered:
            result.motions += one.index != self._last and is_move(one.instruction)
            self._last = one.index
        if played is None:
            return
        if result.structure != "hierarchy":  # which has no forces: a real arm's joints are off, and follow
            dt = result.timestep
            self._drives.take(self._arm.steps * dt, dt, played.error, played.tau, item)
        self._squares += float((played.error**2).sum()) / played.error.shape[1]

    def _event(self, event: Event) -> None:
        self._say(event)
        if not isinstance(event.instruction, Pick) or self._heavy is not None:
            return
        held = self._arm.simulation.state(self._arm.name).held
        heavy = payload_finding(self._robot, sum(self._arm.scene.body(name).inertia.mass for name in held))
        if heavy is not None:
            self.result.findings.append(placed(heavy, Numbered(event.index, event.instruction), 0.0))

    def _say(self, event: Event) -> None:
        match event.instruction:
            case Say(text=text, kind=kind):
                self.result.messages.append(SaidMessage(event.time, kind, text))
            case Report(finding=finding):
                self.result.findings.append(finding)
            case _:
                pass

    def overloads(self) -> Iterator[Finding]:
        """Yield what was too much for a joint for too long."""
        for overload, piece in self._drives.lasted():
            at = piece.covering(overload.start)
            yield placed(overload.finding(self._robot), Numbered(at.index, at.instruction), 0.0)

    def finished(self) -> ProgramRun:
        """Return what happened."""
        result, state, arm = self.result, self._executor.state, self._arm
        result.findings.extend(self.overloads())
        now = arm.simulation.state(arm.name)
        result.duration, result.outputs, result.state = state.time, state.outputs, state
        result.tracking_max = arm.tracking_max
        result.tracking_rms = math.sqrt(self._squares / arm.steps) if arm.steps else 0.0
        result.T_world_tool = now.frames[-1]
        result.q, result.bodies, result.steps = now.q, dict(now.bodies), arm.simulation.step_count
        return result

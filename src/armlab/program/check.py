"""Check a program without physics: what is wrong with it, how long each line takes, and where the tool goes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from armlab.arrays import Floats
from armlab.dynamics.overload import payload_finding
from armlab.geometry.inertia import Inertia
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.model.scene import Scene
from armlab.program.check_contacts import ContactMonitor, with_neighbours
from armlab.program.check_motion import DriveMonitor
from armlab.program.execution import Execution
from armlab.program.executor import Event, Executor, Piece
from armlab.program.executor.asking import waits_told_once
from armlab.program.executor.executor import LOOKAHEAD
from armlab.program.executor.state import ExecutorState
from armlab.program.executor.windows import is_move
from armlab.program.instructions import Instruction, Report, Say
from armlab.program.line_times import LineTimes
from armlab.program.probing import contact_in
from armlab.program.signals import Signals, Value

SAMPLING = 0.01
"""s between the points of the tool's path of which the bounding box is made."""
MOST_FINDINGS = 1000
"""Findings that are kept; more of them only count."""
DETOURS = 3
"""Of so many joint moves that touch something, a detour is looked for."""
MOST_MESSAGES = 1000
"""Messages that are kept: the first ones."""
CHECK_LOOKAHEAD = 8 * LOOKAHEAD
"""A check is in no hurry to start: longer windows are planned more quickly."""

NOTHING = Inertia()
"""What a tool holds where nothing stands round the arm."""


@dataclass(slots=True)
class ProgramCheck:
    """What a check found; lengths in m, times in s."""

    findings: list[Finding] = field(default_factory=list)
    left_out: int = 0
    """Findings beyond the first ones that are listed."""
    motions: int = 0
    cycle_time: float = 0.0
    lines: LineTimes = field(default_factory=LineTimes)
    """How long each line takes."""
    box: Floats | None = None
    """(2, 3): the lowest and highest coordinates of the tool point in the world; None where nothing moves."""
    reach: float = 0.0
    """How far the tool point gets from the arm's base."""
    messages: list[str] = field(default_factory=list)
    outputs: dict[str, Value] = field(default_factory=dict)
    end: Floats | None = None
    """The joint values at the end, (n,)."""

    @property
    def is_good(self) -> bool:
        """Whether there is no error."""
        return not any(finding.severity == "error" for finding in self.findings)


def check_program(
    robot: Robot,
    instructions: Iterable[Instruction],
    *,
    scene: Scene | None = None,
    start: Floats | None = None,
    signals: Signals | None = None,
    clearance: float = 0.0,
    lookahead: int = CHECK_LOOKAHEAD,
    seconds: float = math.inf,
    progress: Callable[[ExecutorState], object] = lambda _state: None,
) -> ProgramCheck:
    """Plan a whole program and return everything that is wrong with it; a move that cannot be done is skipped.

    Args:
        robot: the arm; with a `scene`, one that stands in it
        instructions: those of a program
        scene: what stands round the arm; without one nothing can be touched
        start: joints (n,) at the beginning; home by default
        signals: inputs with their script
        clearance: m, nearer than this counts as contact
        lookahead: how many moves are read, at least, before the first is planned
        seconds: how long the program may run before it counts as endless
        progress: is told after each piece of motion and each event how far the program is
    """
    check = ProgramCheck()
    name = None if scene is None else _name_of(scene, robot)
    executor = Executor(
        robot,
        instructions,
        start=robot.home if start is None else start,
        signals=signals,
        lookahead=lookahead,
        on_error="skip",
        contact=None if scene is None else contact_in(scene, name),
        seconds=seconds,
    )
    sums = _Sums(robot, check)
    if (heavy := payload_finding(robot)) is not None:
        sums.found([heavy])
    monitor = None if scene is None else ContactMonitor(scene, name, clearance, detours=DETOURS)
    for item, before, after in with_neighbours(Execution(executor)):
        progress(executor.state)
        if isinstance(item, Event):
            sums.event(item)
            continue
        sums.piece(item, NOTHING if monitor is None else monitor.load)
        if monitor is None:
            sums.found(item.findings)
        else:
            monitor.check(item, before, after)
            sums.found(monitor.findings)
            monitor.findings.clear()
    sums.finish(executor)
    check.findings = waits_told_once(check.findings)
    return check


class _Sums:
    """Adds up what a program does."""

    def __init__(self, robot: Robot, check: ProgramCheck) -> None:
        self._robot, self._check = robot, check
        self._last = -1
        self._drives = DriveMonitor(robot)

    def event(self, event: Event) -> None:
        match event.instruction:
            case Report(finding=finding):
                self.found([finding])
            case Say(text=text) if len(self._check.messages) < MOST_MESSAGES:
                self._check.messages.append(text)
            case _:
                pass

    def piece(self, piece: Piece, load: Inertia) -> None:
        add = self._check.lines.add
        for one in piece.covered:
            is_new = one.index != self._last
            self._check.motions += is_new and is_move(one.instruction)
            self._last = one.index
            span = one.instruction.span
            if span is not None:
                add(span.file, span.line, one.end - one.start, is_new)
        for event in piece.events:
            self.event(event)
        if is_move(piece.covered[0].instruction):
            self._travel(piece, load)

    def found(self, findings: Iterable[Finding]) -> None:
        check = self._check
        for finding in findings:
            if len(check.findings) < MOST_FINDINGS:
                check.findings.append(finding)
            else:
                check.left_out += 1

    def finish(self, executor: Executor) -> None:
        state = executor.state
        self._check.cycle_time, self._check.outputs = state.time, state.outputs
        self._check.end = np.array(state.q)

    def _travel(self, piece: Piece, load: Inertia) -> None:
        times = piece.trajectory.times(SAMPLING)
        sample = piece.trajectory.sample(times)
        points = self._robot.fk(sample.q)[:, :3, 3]
        self.found(self._drives.check(piece, times, sample, points, load))
        low, high = points.min(axis=0), points.max(axis=0)
        box = self._check.box
        self._check.box = np.array([low, high] if box is None else [np.minimum(low, box[0]), np.maximum(high, box[1])])
        far = float(np.linalg.norm(points - self._robot.base[:3, 3], axis=1).max())
        self._check.reach = max(self._check.reach, far)


def _name_of(scene: Scene, robot: Robot) -> str | None:
    """Return the name that an arm has in its scene."""
    return next((placed.name for placed in scene.robots if placed.robot is robot), None)

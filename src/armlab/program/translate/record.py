"""What a program does, step by step: its instructions with every target resolved, and the motion of each."""

from __future__ import annotations

from collections.abc import Container, Generator, Iterable
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import ArmlabError, InvalidInput
from armlab.geometry import pose
from armlab.messages import _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.motion.trajectory import Trajectory
from armlab.program.executor import Event, Executor, Piece
from armlab.program.executor.pieces import Numbered
from armlab.program.executor.single import joints_of
from armlab.program.executor.tool_segments import segments_of
from armlab.program.instructions import (
    Answer,
    Instruction,
    Instructions,
    Mark,
    MotionSettings,
    MoveC,
    MoveHelix,
    MoveJ,
    MoveL,
    MoveSpline,
    MoveUntil,
    Probe,
    ReadInput,
    Report,
    Say,
    SetOutput,
    Stop,
    WaitUntil,
    WhereIs,
)
from armlab.program.prepare import PreparedProgram
from armlab.program.probing import contact_in
from armlab.program.signals import Signals
from armlab.program.translate.conditions import InputCondition, condition_of

MOST_STEPS = 200_000
LOOKAHEAD = 400
"""Long windows are planned more quickly."""
ToolCurve = MoveL | MoveC | MoveHelix | MoveSpline
PlainMove = MoveJ | ToolCurve


class MotionPart(NamedTuple):
    """A part of a trajectory that carries out a step, from `start` to `end` (s) of it."""

    trajectory: Trajectory
    start: float
    end: float


@dataclass(slots=True, eq=False)
class RecordedStep:
    """One instruction that was carried out."""

    instruction: Instruction
    """Joint moves have joint values (n,) as targets."""
    T_start: Floats
    """T_world_tool (4, 4) where a move of the tool begins, of the tool that is moved."""
    parts: list[MotionPart] = field(default_factory=list)
    answer: Answer = None
    awaited: InputCondition | None = None
    """Which inputs a wait waits for, as far as that is known."""
    interrupted: bool = False
    """Whether it was a move that an interrupt may end."""

    @property
    def is_decision(self) -> bool:
        """Whether it reads a digital input for what comes then."""
        asked = self.instruction
        return isinstance(asked, ReadInput) and asked.mode == "now" and isinstance(self.answer, bool)

    @property
    def duration(self) -> float:
        """How long it takes (s)."""
        return sum(part.end - part.start for part in self.parts)

    def sampled(self, count: int) -> tuple[Floats, Floats]:
        """Return `count` times from 0 to its duration, and the joint values (count, n) at them."""
        times = np.linspace(0.0, self.duration, count)
        q, begin = np.empty((count, self.parts[0].trajectory.dof)), 0.0
        for part in self.parts:
            inside = (times >= begin - 1e-12) & (times <= begin + part.end - part.start + 1e-12)
            at = np.clip(times[inside] - begin + part.start, part.start, part.end)
            q[inside] = part.trajectory.sample(at).q
            begin += part.end - part.start
        return times, q

    @property
    def q_end(self) -> Floats:
        """Joint values (n,) when it is over."""
        last = self.parts[-1]
        return np.asarray(last.trajectory.at(last.end).q)


@dataclass(slots=True, eq=False)
class ProgramRecord:
    """A program that was carried out without physics."""

    robot: Robot
    start: Floats
    steps: list[RecordedStep] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    duration: float = 0.0
    pieces: list[tuple[float, Trajectory]] = field(default_factory=list)
    """Everything that moves, with its time (s)."""
    trace: list[RecordedStep] = field(default_factory=list)
    """All steps, those that only mark statements too."""
    own_count: int = 0
    """How many of the steps belong to the run itself; those behind them are what other values of inputs lead to."""

    @property
    def read_inputs(self) -> list[str]:
        """Digital inputs that decide something."""
        reads = [step for step in self.trace if isinstance(step.instruction, ReadInput) and step.is_decision]
        return list(dict.fromkeys(step.instruction.name for step in reads))  # type: ignore[union-attr]

    def curve_behind(self, k: int) -> RecordedStep | None:
        """Return the next step behind the k-th that moves the tool along a curve; None where there is none."""
        later = self.steps[k + 1 :]
        return next((step for step in later if isinstance(step.instruction, ToolCurve) and step.parts), None)

    def tool_of(self, settings: MotionSettings) -> Floats:
        """Return T_flange_tool (4, 4) of a move."""
        return self.robot.tool.T_flange_tool if settings.T_flange_tool is None else settings.T_flange_tool

    def robot_of(self, settings: MotionSettings) -> Robot:
        """Return the arm with the tool of a move."""
        if settings.T_flange_tool is None:
            return self.robot
        return self.robot.with_tool(replace(self.robot.tool, T_flange_tool=settings.T_flange_tool))


def record_program(
    prepared: PreparedProgram, signals: Signals | None = None, inverted: Container[str] = ()
) -> ProgramRecord:
    """Carry out a program without physics, and return all that it did; a move that cannot be done is a finding.

    Where it decides by an input in `inverted`, it gets the other value.

    Raises:
        InvalidInput: if the program is too long.
    """
    cell = prepared.cell
    record = ProgramRecord(cell.robot, np.asarray(prepared.start, dtype=np.float64))
    record.findings.extend(prepared.findings)
    following = _Following(record, inverted)
    executor = Executor(
        cell.robot,
        following.follow(prepared.instructions),
        start=record.start,
        signals=signals,
        lookahead=LOOKAHEAD,
        on_error="skip",
        contact=contact_in(cell.scene, cell.arm.name),
    )
    for item in executor:
        if isinstance(item, Piece):
            following.moved(item)
        elif isinstance(item, Event) and isinstance(item.instruction, Report):
            record.findings.append(item.instruction.finding)
    record.duration = executor.state.time
    steps = [_flat(step, record) for step in following.steps]
    _with_stops(steps, record)
    record.trace = steps
    record.steps = [step for step in steps if not isinstance(step.instruction, Mark | WhereIs | Report)]
    record.own_count = len(record.steps)
    return record


class _Following:
    """Passes instructions on to an executor, with joint targets resolved, and keeps them."""

    def __init__(self, record: ProgramRecord, inverted: Container[str]) -> None:
        self.steps: list[RecordedStep] = []
        self._inverted = inverted
        self._record = record
        self._bare = record.robot_of(MotionSettings(T_flange_tool=np.eye(4)))
        self._q: Floats | None = record.start
        self._T_world_flange = self._bare.fk(record.start)

    def follow(self, stream: Iterable[Instruction]) -> Instructions:
        """Yield the instructions of a program, and pass on the answers."""
        program = iter(stream)
        answer: Answer = None
        while True:
            try:
                instruction: Instruction = program.send(answer) if isinstance(program, Generator) else next(program)
            except StopIteration:
                return
            if isinstance(instruction, MoveJ) and any(target.ndim == 2 for target in instruction.targets):
                if self._q is None:
                    yield from self._ask()
                instruction = self._resolved(instruction)
            answer = yield from self._kept(instruction)
            if isinstance(instruction, Stop):
                return

    def _ask(self) -> Instructions:
        self._arrived((yield from self._kept(WhereIs())))

    def _kept(self, instruction: Instruction) -> Generator[Instruction, Answer, Answer]:
        if len(self.steps) >= MOST_STEPS:
            template = _("a program with more than {most} steps is too long to be translated")
            raise InvalidInput("translate_too_long", template, most=MOST_STEPS)
        settings = getattr(instruction, "settings", None) or getattr(
            getattr(instruction, "move", None), "settings", None
        )
        tool = np.eye(4) if settings is None else self._record.tool_of(settings)
        step = RecordedStep(instruction, self._T_world_flange @ tool)
        if isinstance(instruction, WaitUntil | ReadInput):
            step.awaited = condition_of(instruction)
        self.steps.append(step)
        step.answer = yield instruction
        if step.is_decision and isinstance(instruction, ReadInput) and instruction.name in self._inverted:
            step.answer = not step.answer
        yield from self._after(instruction, step, tool)
        return step.answer

    def _after(self, instruction: Instruction, step: RecordedStep, tool: Floats) -> Instructions:
        """Note where the arm will be."""
        match instruction:
            case MoveJ():
                self._aimed(instruction.targets[-1], tool)
            case MoveL() | MoveC() | MoveHelix() | MoveSpline():
                self._led(_end(instruction, step.T_start), tool)
            case Probe():
                answer = step.answer
                self._led(answer[1] if isinstance(answer, tuple) else instruction.frame, tool)
            case WhereIs():
                self._arrived(step.answer)
            case MoveUntil(move=move):
                if isinstance(step.answer, tuple) and not step.answer[0]:
                    if isinstance(move, MoveJ):
                        self._aimed(move.targets[-1], tool)
                    else:
                        self._led(_end(move, step.T_start), tool)
                else:
                    yield from self._ask()
            case _:
                pass

    def _arrived(self, q: object) -> None:
        if isinstance(q, np.ndarray):
            self._q, self._T_world_flange = q, self._bare.fk(q)

    def _aimed(self, target: Floats, tool: Floats) -> None:
        """Note a joint target: joint values (n,), or a pose (4, 4) that no joint values were found for."""
        if target.ndim == 1:
            self._arrived(target)
        else:
            self._led(target, tool)

    def _led(self, T_world_tool: Floats, tool: Floats) -> None:
        self._q, self._T_world_flange = None, T_world_tool @ pose.inverse(tool)

    def _resolved(self, move: MoveJ) -> MoveJ:
        assert self._q is not None
        try:
            points = joints_of(self._record.robot_of(move.settings), self._q, move)
        except ArmlabError:
            return move  # the executor says why
        return replace(move, targets=tuple(points), configuration=None)

    def moved(self, piece: Piece) -> None:
        """Note a piece of motion."""
        self._record.pieces.append((piece.start, piece.trajectory))
        self._record.findings.extend(piece.findings)
        for one in piece.covered:
            if one.end > one.start:
                self.steps[one.index].parts.append(MotionPart(piece.trajectory, one.start, one.end))


def _end(move: ToolCurve, T_start: Floats) -> Floats:
    """Return where a move of the tool leads (4, 4)."""
    match move:
        case MoveL() | MoveSpline():
            return move.frames[-1]
        case MoveC(angle=None) | MoveHelix():
            return move.frame
        case MoveC():
            return [*segments_of(Numbered(0, move), T_start)][-1].frame


def _flat(step: RecordedStep, record: ProgramRecord) -> RecordedStep:
    """Return a step without what only the executor that ran it knows: a move that something ended is a plain one."""
    instruction = step.instruction
    if isinstance(instruction, Probe):
        return replace(step, instruction=replace(instruction, settings=replace(instruction.settings, blend=None)))
    if not isinstance(instruction, MoveUntil):
        return step
    move = replace(instruction.move, settings=replace(instruction.move.settings, blend=None))
    if isinstance(step.answer, tuple) and step.answer[0] and step.parts:
        if isinstance(move, MoveJ):
            move = replace(move, targets=(step.q_end,))
        else:
            move = MoveL((record.robot_of(move.settings).fk(step.q_end),), settings=move.settings, span=move.span)
    return replace(step, instruction=move, interrupted=True)


def _with_stops(steps: list[RecordedStep], record: ProgramRecord) -> None:
    """Take the blend away from every move behind which the arm stands: then only blends tell whether it does."""
    before: RecordedStep | None = None
    for step in steps:
        instruction = step.instruction
        if isinstance(instruction, PlainMove):
            joins = before is not None and _joins(before.instruction, instruction, record)
            if not step.parts:  # the arm is there already: it stops, or goes on as if this were not written
                joins = joins and instruction.settings.blend is not None
            if before is not None and not joins:
                _stop_behind(before)
            before = step if step.parts or not joins else before
        elif not isinstance(instruction, Say | Report | Mark) and not (
            isinstance(instruction, SetOutput) and instruction.with_motion
        ):
            if before is not None:
                _stop_behind(before)
            before = None
    if before is not None:
        _stop_behind(before)


def _stop_behind(step: RecordedStep) -> None:
    move = step.instruction
    assert isinstance(move, PlainMove)
    if move.settings.blend is not None:
        corners = move.settings.blend
        move = replace(move, settings=replace(move.settings, blend=None))
        step.instruction = replace(move, corners=move.corners or corners) if isinstance(move, MoveL) else move


def _joins(first: Instruction, second: Instruction, record: ProgramRecord) -> bool:
    assert isinstance(first, PlainMove)
    assert isinstance(second, PlainMove)
    blend = first.settings.blend
    if blend is None or isinstance(first, MoveJ) != isinstance(second, MoveJ):
        return False
    if isinstance(second, MoveJ):
        return blend.joints > 0.0 and second.scheme is None and second.times is None
    same_tool = bool((record.tool_of(first.settings) == record.tool_of(second.settings)).all())
    return same_tool and first.settings.task == second.settings.task

"""The executor: reads a program ahead, joins and blends its moves, and yields timed pieces of motion and events."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias, assert_never

import numpy as np

from armlab.arrays import Floats, as_floats
from armlab.errors import ArmlabError
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.motion.trajectory import Trajectory
from armlab.program.executor.asking import TICK, Asking
from armlab.program.executor.interrupted import braked, interrupted
from armlab.program.executor.motions import Motions, OnError, Yielded
from armlab.program.executor.pieces import CoveredTime, Event, Numbered, Piece
from armlab.program.executor.resuming import following, remaining
from armlab.program.executor.single import SingleMove, plan_single
from armlab.program.executor.state import ExecutorState, SavedAnswer, saved_answer
from armlab.program.executor.tracking import Tracking, placed
from armlab.program.instructions import (
    Answer,
    Ask,
    Instruction,
    Mark,
    MoveC,
    MoveHelix,
    MoveJ,
    MoveL,
    MoveSpline,
    MoveUntil,
    Pause,
    Pick,
    Place,
    Probe,
    ReadInput,
    Report,
    Say,
    SetOutput,
    Stop,
    Wait,
    WaitUntil,
    WhereIs,
)
from armlab.program.signals import Signals

SETTLE = 0.3
"""Seconds that a pick or a place takes: the gripper closes, the cup takes hold."""
LOOKAHEAD = 50
SHORTEST = 1e-6
"""s: what is left of a move that is shorter belongs to the part before it."""
Contact: TypeAlias = Callable[[Robot, Trajectory, bool], float | None]
"""When (s) an arm first touches something along a trajectory, or with True touches nothing any more; None: never."""


class Executor:
    """Carries out instructions for one arm; iterate over it once to get what happens, in the order of time.

    Consecutive moves whose settings have a blend are joined without a stop; everything that must be waited for ends at
    rest first. What a program does wrong becomes an event with a `Report`: the program ends there, or with `on_error`
    "skip" goes on behind the move that cannot be done.

    Args:
        robot: the arm
        instructions: those of a program; a generator gets the answers to what it asks by `send`
        start: joints (n,) at the beginning
        signals: inputs, outputs and time
        lookahead: how many moves are read, at least, before the arm moves
        on_error: what follows a move that cannot be done
        contact: finds contacts for `Probe`; without it nothing is touched
        seconds: how long a program may run before it counts as endless
        time: when the program begins (s): a console goes on with the time of what came before
        resume: a state of the same program that was saved: what was done before it is not done again, and the arm
            starts from rest where it was
    """

    def __init__(
        self,
        robot: Robot,
        instructions: Iterable[Instruction],
        *,
        start: Floats,
        signals: Signals | None = None,
        lookahead: int = LOOKAHEAD,
        on_error: OnError = "stop",
        contact: Contact | None = None,
        seconds: float = math.inf,
        time: float = 0.0,
        resume: ExecutorState | None = None,
    ) -> None:
        self.robot = robot
        self.signals = Signals() if signals is None else signals
        self._program = iter(instructions)
        self._contact, self._seconds = contact, seconds
        self._is_done = False
        self._asking = Asking(self.signals)
        self._track = Tracking(self.signals, time)
        self._resume = resume
        if resume is not None:
            self._track.resume(resume)
        q = np.array(as_floats(start if resume is None else resume.q, (robot.dof,), "start"))
        self._motions = Motions(robot, q, self._track, lookahead, on_error)

    def __iter__(self) -> Iterator[Yielded]:
        answer: Answer = None
        first = 0
        if self._resume is not None:
            first, self._program = remaining(self._program, self._resume)
        for index in range(first, 10**18):
            instruction = following(self._program, answer)
            if instruction is None or isinstance(instruction, Stop):
                break
            numbered = Numbered(index, instruction)
            if isinstance(instruction, MoveL) and self._motions.append(numbered):
                answer = None
                continue
            answer = yield from self._track.followed(self._carried_out(numbered))
            if isinstance(instruction, Ask):
                self._track.answers.append(saved_answer(answer))
            if self._motions.is_stopped:
                break
            if self._track.time > self._seconds:
                yield from self._track.followed(self._endless(numbered))
                break
        yield from self._track.followed(self._motions.flush())
        yield from self._motions.rest()
        yield from self._track.rest()
        self._is_done = True

    @property
    def time(self) -> float:
        """When the last piece ends that was taken (s)."""
        return self._track.time

    @property
    def answers(self) -> list[SavedAnswer]:
        """What the program was answered so far."""
        return self._track.answers

    @property
    def state(self) -> ExecutorState:
        """Where the program is, as far as pieces and events were taken."""
        return self._track.state(self._motions.q, is_done=self._is_done)

    def hold(self, body: str | None) -> None:
        """Note what the client's tool holds now; the state tells it."""
        self._track.held = body

    def _carried_out(self, numbered: Numbered) -> Generator[Yielded, None, Answer]:
        match numbered.instruction:
            case MoveL() | MoveC() | MoveHelix() | MoveSpline():
                yield from self._motions.tool_move(numbered)
            case MoveJ():
                yield from self._motions.joint_move(numbered)
            case Probe() | MoveUntil() | ReadInput() | WaitUntil() | WhereIs():
                return (yield from self._ask(numbered))
            case Say() | Report() | Mark() | SetOutput():
                yield from self._along(numbered)
            case Pick() | Place() | Pause() | Wait():
                yield from self._standing(numbered)
            case Stop():
                pass
            case _:
                assert_never(numbered.instruction)
        return None

    # -- what is not a motion ----------------------------------------------------------------------------------------

    def _along(self, numbered: Numbered) -> Iterator[Yielded]:
        """Do something without stopping, or when the motions before it are over."""
        instruction = numbered.instruction
        if self._motions.is_crowded or (isinstance(instruction, SetOutput) and not instruction.with_motion):
            yield from self._motions.flush()
        if not self._motions.ride(numbered):
            yield Event(self._track.time, numbered.index, instruction)
        if isinstance(instruction, Report) and instruction.finding.severity == "error":
            self._motions.stop_at_errors()

    def _standing(self, numbered: Numbered) -> Iterator[Yielded]:
        yield from self._motions.flush()
        instruction = numbered.instruction
        if isinstance(instruction, Pick | Place | Pause):
            yield Event(self._track.time, numbered.index, instruction)
        seconds = instruction.seconds if isinstance(instruction, Wait) else SETTLE
        if not isinstance(instruction, Pause) and seconds > 0.0:
            yield self._rest(numbered, seconds)

    def _rest(self, numbered: Numbered, seconds: float) -> Piece:
        covered = CoveredTime(numbered.index, numbered.instruction, 0.0, seconds)
        return Piece(self._track.time, Trajectory.rest(self._motions.q, seconds), (covered,))

    def _ask(self, numbered: Numbered) -> Generator[Yielded, None, Answer]:
        """Wait until the arm stands, and answer."""
        yield from self._motions.flush()
        instruction = numbered.instruction
        match instruction:
            case WhereIs():
                return self._motions.q.copy()
            case Probe():
                return (yield from self._probe(numbered, instruction))
            case MoveUntil():
                return (yield from self._until(numbered, instruction))
            case ReadInput() | WaitUntil() if self.signals.is_live:
                return (yield from self._watch(numbered, instruction))
            case ReadInput() | WaitUntil():
                waited, answer, finding = self._asking.answer(instruction, self._track.time)
                if waited > 0.0:
                    yield self._rest(numbered, waited)
                if finding is not None:
                    yield from self._never(numbered, finding)
                return answer
            case _:
                return None

    def _watch(self, numbered: Numbered, asked: ReadInput | WaitUntil) -> Generator[Yielded, None, Answer]:
        """Look at live inputs again and again; before each look there is an event, at which the client waits."""
        start = self._track.time
        yield Event(start, numbered.index, asked)
        if isinstance(asked, ReadInput) and asked.mode == "now":
            return self._asking.value(asked)
        holds = self._asking.condition(asked)
        while not holds():
            left = TICK if asked.timeout is None else start + asked.timeout - self._track.time
            if left <= 0.0:
                return None
            yield self._rest(numbered, min(TICK, left))
            yield Event(self._track.time, numbered.index, asked)
        return self._asking.value(asked)

    def _endless(self, numbered: Numbered) -> Generator[Yielded, None, None]:
        message = Message("program_endless", _("the program runs longer than {seconds:g} s"), seconds=self._seconds)
        finding = placed(Finding("error", message), numbered, self._track.time)
        yield Event(self._track.time, numbered.index, Report(finding, numbered.instruction.span))

    def _never(self, numbered: Numbered, finding: Finding) -> Iterator[Yielded]:
        """Report a wait that nothing ends: an error, but where errors are skipped inputs may just not be known."""
        if self._motions.stop_at_errors():
            yield from self._motions.failed(numbered, finding)
            return
        warning = placed(replace(finding, severity="warning"), numbered, self._track.time)
        yield Event(self._track.time, numbered.index, Report(warning, numbered.instruction.span))

    def _probe(self, numbered: Numbered, probe: Probe) -> Generator[Yielded, None, Answer]:
        if (yield from self._motions.found_again(numbered)):
            return None
        robot = self._motions.tool_robot(probe.settings)
        q, move = (
            self._motions.q,
            MoveL((probe.frame,), settings=replace(probe.settings, blend=None), source=probe.source),
        )
        touched = False
        try:
            whole = plan_single(robot, q, move)
            if whole.trajectory is not None and self._contact is not None:
                time = self._contact(robot, whole.trajectory, probe.away)
                if time is not None:
                    touched = True
                    move = replace(move, frames=(robot.fk(whole.trajectory.at(time).q),))
        except ArmlabError as error:
            yield from self._motions.failed(numbered, Finding("error", error.message))
            return None
        yield from self._motions.alone(replace_numbered(numbered, move), numbered)
        return touched, robot.fk(self._motions.q)

    def _until(self, numbered: Numbered, until: MoveUntil) -> Generator[Yielded, None, Answer]:
        if (yield from self._motions.found_again(numbered)):
            return False, self._motions.q.copy()
        move: SingleMove = replace(until.move, settings=replace(until.move.settings, blend=None))
        robot, held, signals = self._motions.tool_robot(move.settings), None, self.signals
        try:
            whole = plan_single(robot, self._motions.q, move)
        except ArmlabError as error:
            yield from self._motions.failed(numbered, Finding("error", error.message))
            return False, self._motions.q.copy()
        if self.signals.is_live and whole.trajectory is not None:
            return (yield from self._watched_move(numbered, until, whole.trajectory))
        if whole.trajectory is not None:
            start = self._track.time
            held = interrupted(robot, move, whole.trajectory, lambda: until.condition(signals), signals, start)
        planned = replace_numbered(numbered, move if held is None else held.move)
        yield from self._motions.alone(planned, planned)
        return held is not None, (self._motions.q if held is None else held.q).copy()

    def _watched_move(
        self, numbered: Numbered, until: MoveUntil, whole: Trajectory
    ) -> Generator[Yielded, None, Answer]:
        """Make a move while live inputs are looked at; where its condition begins to hold, brake on its path."""
        robot, time = self._motions.tool_robot(until.move.settings), 0.0
        while time < whole.duration:
            yield Event(self._track.time, numbered.index, until)
            if until.condition(self.signals):
                q = self._motions.q.copy()
                yield self._motions.part(numbered, braked(robot, until.move.settings, whole, time))
                return True, q
            end = min(time + TICK, whole.duration)
            end = whole.duration if whole.duration - end < SHORTEST else end
            yield self._motions.part(numbered, whole.between(time, end), ends_within=end < whole.duration)
            time = end
        return False, self._motions.q.copy()


def replace_numbered(numbered: Numbered, instruction: Instruction) -> Numbered:
    """Return another instruction with the same number."""
    return Numbered(numbered.index, instruction)

"""Run a KRL program without an executor: questions are answered at once, and moves take a second each."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import armlab
from armlab.arrays import Floats
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.program.instructions import (
    Answer,
    Instruction,
    MoveC,
    MoveJ,
    MoveL,
    MoveSpline,
    MoveUntil,
    ReadInput,
    Report,
    SetOutput,
    Wait,
    WaitUntil,
    WhereIs,
)
from armlab.program.krl.instructions import instructions_of
from armlab.program.krl.library import Library
from armlab.program.signals import InputChange, Signals

MOVES = (MoveJ, MoveL, MoveC, MoveSpline)
MOST = 200_000
ARM = "kuka-kr6-r700"


@dataclass
class Driven:
    """What a program did."""

    instructions: list[Instruction] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    signals: Signals = field(default_factory=Signals)

    @property
    def codes(self) -> list[str]:
        return [finding.code.removeprefix("krl_") for finding in self.findings]

    @property
    def moves(self) -> list[MoveJ | MoveL | MoveC | MoveSpline]:
        return [item for item in self.instructions if isinstance(item, MOVES)]

    @property
    def joints(self) -> list[list[float]]:
        """Targets of joint moves in degrees."""
        targets = [item.targets[-1] for item in self.instructions if isinstance(item, MoveJ)]
        return [np.degrees(target).round(6).tolist() for target in targets if target.ndim == 1]

    @property
    def points(self) -> list[list[float]]:
        """Ends of straight moves in mm."""
        return [
            (item.frames[-1][:3, 3] * 1e3).round(6).tolist() for item in self.instructions if isinstance(item, MoveL)
        ]

    @property
    def outputs(self) -> list[tuple[str, bool | float]]:
        return [(item.name, item.value) for item in self.instructions if isinstance(item, SetOutput)]


def library(main: str = "t", **files: str) -> Library:
    """Return modules by their texts: `t_src` is t.src, `config_dat` is $config.dat."""
    found = Library(main=main.upper())
    for name, text in files.items():
        stem, _line, suffix = name.rpartition("_")
        found.add(f"{'$config' if stem == 'config' else stem}.{suffix}", text.encode("cp1252"))
    return found


def program(body: str, **files: str) -> Library:
    """Return a module `t` whose first routine has this body."""
    return library(t_src=f"DEF t()\n{body}\nEND\n", **files)


def drive(
    source: Library | Path | str,
    *,
    robot: Robot | None = None,
    inputs: dict[str, bool | float] | None = None,
    script: tuple[InputChange, ...] = (),
    passes: int | None = 1,
    with_marks: bool = False,
    most: int = MOST,
) -> Driven:
    """Return what a program does from home on, up to `most` instructions."""
    arm = armlab.load(ARM) if robot is None else robot
    made = program(source) if isinstance(source, str) else source
    steps = instructions_of(made, arm, passes=passes, with_marks=with_marks)
    done = Driven(signals=Signals.scripted(script))
    done.signals.inputs.update(inputs or {})
    q: Floats = np.array(arm.home)
    answer: Answer = None
    while len(done.instructions) < most:
        try:
            item = steps.send(answer)
        except StopIteration:
            break
        done.instructions.append(item.move if isinstance(item, MoveUntil) else item)
        answer, q = _answer(item, q, done)
    return done


class WaitsForEver(AssertionError):
    """Nothing changes any more, and the program waits for a change."""


def _answer(item: Instruction, q: Floats, done: Driven) -> tuple[Answer, Floats]:  # noqa: C901 - one case per kind
    signals = done.signals
    match item:
        case Report():
            done.findings.append(item.finding)
        case ReadInput():
            return signals.read(item.name), q
        case WaitUntil():
            while not item.condition(signals):
                following = signals.next_change()
                if following is None:
                    raise WaitsForEver(str(item.span))
                signals.advance(following)
            return True, q
        case WhereIs():
            return q, q
        case MoveUntil():
            return _until(item, q, done)
        case Wait():
            signals.advance(signals.time + item.seconds)
        case MoveJ():
            signals.advance(signals.time + 1.0)
            if item.targets[-1].ndim == 1:
                return None, np.array(item.targets[-1])
        case MoveL() | MoveC() | MoveSpline():
            signals.advance(signals.time + 1.0)
        case _:
            pass
    return None, q


def _until(item: MoveUntil, q: Floats, done: Driven) -> tuple[Answer, Floats]:
    """Make a move that a condition may end; joints go evenly, and stop at once."""
    begin, last = done.signals.time, isinstance(item.move, MoveJ) and item.move.targets[-1].ndim == 1
    end = item.move.targets[-1] if isinstance(item.move, MoveJ) and last else q
    for share in np.linspace(0.0, 1.0, 101):
        done.signals.advance(begin + float(share))
        if item.condition(done.signals):
            here = q + share * (end - q)
            return (True, here), here
    return (False, end), end

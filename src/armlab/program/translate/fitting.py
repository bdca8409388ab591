"""Fit a translation: run it, see which lines take another time than they should, and write those with another speed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import Protocol

from armlab.arrays import Floats
from armlab.messages import _, term
from armlab.model.finding import Finding
from armlab.program.instructions import Instructions
from armlab.program.prepare import PreparedProgram
from armlab.program.signals import Signals
from armlab.program.translate.record import PlainMove, ProgramRecord, record_program
from armlab.program.translate.structure import ProgramStructure, flat, structured
from armlab.program.translate.text import Flattening, StepBlock

ROUNDS = 6
GOOD = 0.004
"""Share of the whole time that need not be looked for."""
OFF, LEAST_OFF = 0.003, 0.0005
"""Share, and s, by which a line's time may be another."""
MOST_CHANGE = 3.0
PROGRESS = 0.8
"""A round that leaves more than this of what was off before is the last."""


@dataclass(frozen=True, slots=True, eq=False)
class TranslationJob:
    """A program that is to be translated: what it does, what it will be called, and the inputs that it was run with."""

    prepared: PreparedProgram
    record: ProgramRecord
    name: str
    signals: Signals | None = None

    @property
    def T_flange_tool(self) -> Floats:
        """The first tool that is moved (4, 4)."""
        for step in self.record.steps:
            if isinstance(step.instruction, PlainMove):
                return self.record.tool_of(step.instruction.pace)
        return self.record.robot.tool.T_flange_tool

    def run(self, instructions: Instructions) -> ProgramRecord:
        """Return what instructions do, with the arm, the start and the inputs of this program."""
        signals = self.signals
        if signals is not None:
            signals = replace(signals, inputs=dict(signals.inputs), outputs=dict(signals.outputs))
        return record_program(replace(self.prepared, instructions=instructions, findings=()), signals)


@dataclass(frozen=True, slots=True, eq=False)
class WrittenProgram:
    """The files of a translation, what is to be said about them, and what they do when they are run."""

    files: dict[str, bytes]
    findings: tuple[Finding, ...] = ()
    record: ProgramRecord | None = None


class ProgramWriter(Protocol):
    """Writes one program in one language."""

    tail: int
    flattening: Flattening

    def blocks(self) -> list[StepBlock]:
        """Return the lines of every step."""

    def files(self, structure: ProgramStructure) -> dict[str, bytes]:
        """Return the files; the first has the steps."""

    def findings(self) -> list[Finding]:
        """Return what is to be said about the translation."""


Run = Callable[[dict[str, bytes], ProgramStructure], ProgramRecord]


def fitted(
    job: TranslationJob,
    writer_of: Callable[[dict[int, float]], ProgramWriter],
    run: Run,
    *,
    keeps_routines: bool = True,
) -> WrittenProgram:
    """Return a translation whose moves take the time that they took in the original.

    `writer_of` gets factors for the speeds of steps, by their numbers; a step that is in there at all may be written in
    another way.
    """
    speeds: dict[int, float] = {}
    best, least = dict(speeds), float("inf")
    duration = max(job.record.duration, 1e-9)
    for number in range(ROUNDS):
        writer = writer_of(speeds)
        blocks = writer.blocks()
        files = writer.files(flat(blocks))
        done = run(files, flat(blocks))
        if any(finding.severity == "error" for finding in done.findings):
            break
        off = abs(done.duration - job.record.duration) / duration
        before = least
        if off < least:
            best, least = dict(speeds), off
        if off < GOOD or (number > 1 and off > PROGRESS * before):
            break
        lines = len(next(iter(files.values())).splitlines()) - writer.tail
        if not _adjusted(speeds, job, blocks, lines, done):
            break
    writer = writer_of(best)
    blocks = writer.blocks()
    structure = structured(blocks, job.record.steps) if keeps_routines else flat(blocks)
    note_inlined(writer.flattening, structure)
    files = writer.files(structure)
    return WrittenProgram(files, tuple(writer.findings()), run(files, structure))


def note_inlined(flattening: Flattening, structure: ProgramStructure) -> None:
    """Note the routines that do something else in each call, and stand where they were called."""
    for routine in structure.inlined:
        flattening.add(term(_("calls of {name} with values of their own"), name=routine))


def _adjusted(
    speeds: dict[int, float], job: TranslationJob, blocks: Sequence[StepBlock], lines: int, done: ProgramRecord
) -> bool:
    """Change the speeds of steps that take another time than they should; tell whether there are any."""
    first = lines - sum(len(block.lines) for block in blocks) + 1
    starts = list(accumulate((len(block.lines) for block in blocks), initial=first))[:-1]
    got = [0.0] * len(blocks)
    for step in done.steps:
        span = step.instruction.span
        if span is not None and span.line >= first:
            got[min(bisect_right(starts, span.line) - 1, len(blocks) - 1)] += step.duration
    changed = False
    for block, time in zip(blocks, got, strict=True):
        step = job.record.steps[block.step]
        wanted = step.duration
        if not isinstance(step.instruction, PlainMove) or time <= 0.0 or wanted <= 0.0:
            continue
        if abs(time - wanted) > max(OFF * wanted, LEAST_OFF):
            ratio = min(max(time / wanted, 1.0 / MOST_CHANGE), MOST_CHANGE)
            speeds[block.step] = speeds[block.step] * ratio if block.step in speeds else 1.0
            changed = True
    return changed

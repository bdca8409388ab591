"""Fit a translation: run it, see which lines take another time than they should, and write those with another speed."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from typing import NamedTuple, Protocol

import numpy as np

from armlab.arrays import Floats
from armlab.messages import _, term
from armlab.model.finding import Finding
from armlab.program.instructions import Instructions
from armlab.program.prepare import PreparedProgram
from armlab.program.signals import Signals
from armlab.program.translate.compare import deviation
from armlab.program.translate.comparisons import has_flags
from armlab.program.translate.flow import flow_of
from armlab.program.translate.nodes import ProgramStructure, StepBlock, StepLines, flat
from armlab.program.translate.record import PlainMove, ProgramRecord, RecordedStep, record_program
from armlab.program.translate.structure import structured
from armlab.program.translate.text import Flattening
from armlab.program.translate.values import Slots

ROUNDS = 6
GOOD = 0.004
"""Share of the whole time that need not be looked for."""
OFF, LEAST_OFF = 0.003, 0.0005
"""Share, and s, by which a line's time may be another."""
MOST_CHANGE = 3.0
NOTHING = 0.01
"""Share of its time below which a move counts as left out."""
STAYS = 1e-6
"""m: a tool's point that moves less stays."""
ELSEWHERE = 0.1
"""mm: a program with structure that leaves the path by more is written without."""
MOST_STRUCTURED = 60_000
"""Steps of a program beyond which its structure is not looked for."""
PROGRESS = 0.97
"""A round that leaves more than this of what was off before is the last."""


class FrameNumbers(NamedTuple):
    """Where the entries of a controller's tables begin that a program uses."""

    tool: int = 1
    base: int = 1


FIRST_NUMBERS = FrameNumbers()


@dataclass(frozen=True, slots=True, eq=False)
class TranslationJob:
    """A program that is to be translated: what it does, what it will be called, and the inputs that it was run with."""

    prepared: PreparedProgram
    record: ProgramRecord
    name: str
    signals: Signals | None = None
    others: Mapping[str, ProgramRecord] = field(default_factory=dict)
    """What it does where an input that decides something has its other value, by the input's name."""
    numbers: FrameNumbers = FIRST_NUMBERS

    @property
    def T_flange_tool(self) -> Floats:
        """The first tool that is moved (4, 4)."""
        for step in self.record.steps:
            if isinstance(step.instruction, PlainMove):
                return self.record.tool_of(step.instruction.settings)
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
    """Lines behind the last step."""
    most_parameters: int
    flattening: Flattening
    slots: Slots

    def blocks(self) -> list[StepBlock]:
        """Return the lines of every step."""

    def lengths(self, blocks: Sequence[StepBlock]) -> list[int]:
        """Return how many lines of each block are written where they follow each other."""

    def named(self, routine: str) -> str:
        """Return the name of a routine in this language."""

    def files(self, structure: ProgramStructure) -> dict[str, bytes]:
        """Return the files; the first has the steps."""

    def findings(self) -> list[Finding]:
        """Return what is to be said about the translation."""


Run = Callable[[dict[str, bytes]], ProgramRecord]


def fitted(
    job: TranslationJob,
    writer_of: Callable[[dict[int, float]], ProgramWriter],
    run: Run,
    keeps: Callable[[RecordedStep], bool] = lambda _step: False,
) -> WrittenProgram:
    """Return a translation whose moves take the time that they took in the original.

    `writer_of` gets factors for the speeds of steps, by their numbers; a step that is in there at all may be written in
    another way. A step that `keeps` names is as fast as its program says.
    """
    speeds: dict[int, float] = {}
    best, least = dict(speeds), float("inf")
    duration = max(job.record.duration, 1e-9)
    for number in range(ROUNDS):
        writer = writer_of(speeds)
        blocks = writer.blocks()[: job.record.own_count]
        files = writer.files(_flat(writer, blocks))
        counts = writer.lengths(blocks)
        done = run(files)
        if any(finding.severity == "error" for finding in done.findings):
            break
        off = abs(done.duration - job.record.duration) / duration
        before = least
        if off < least:
            best, least = dict(speeds), off
        if off < GOOD or (number > 1 and off > PROGRESS * before):
            break
        first = len(next(iter(files.values())).splitlines()) - writer.tail - sum(counts) + 1
        starts = list(accumulate(counts, initial=first))[:-1]
        if not _adjusted(speeds, job, starts, done, keeps):
            break
    return _best(job, writer_of, best, run)


def _best(
    job: TranslationJob,
    writer_of: Callable[[dict[int, float]], ProgramWriter],
    speeds: dict[int, float],
    run: Run,
) -> WrittenProgram:
    """Return a translation with the structure of the source, or without where that leads elsewhere."""
    written = written_with_structure(job, writer_of(speeds))
    done = run(written.files)
    has_errors = any(finding.severity == "error" for finding in done.findings)
    if not has_errors and deviation(job.record, done, job.T_flange_tool).path_mm <= ELSEWHERE:
        return replace(written, record=done)
    writer = writer_of(speeds)
    writer.flattening.add(term(_("loops, routines and decisions")))
    files = writer.files(plain_structure(writer, job))
    return WrittenProgram(files, tuple(writer.findings()), run(files))


def plain_structure(writer: ProgramWriter, job: TranslationJob) -> ProgramStructure:
    """Return the steps of a program one after the other."""
    return _flat(writer, writer.blocks()[: job.record.own_count])


def _flat(writer: ProgramWriter, blocks: Sequence[StepBlock]) -> ProgramStructure:
    return flat(block.form or writer.slots.plain(block.lines) for block in blocks)


def written_with_structure(job: TranslationJob, writer: ProgramWriter) -> WrittenProgram:
    """Return a translation with the routines, loops and decisions of the source."""
    blocks = writer.blocks()
    if len(blocks) > MOST_STRUCTURED:
        writer.flattening.add(term(_("loops, routines and decisions")))
        return WrittenProgram(writer.files(_flat(writer, blocks[: job.record.own_count])), tuple(writer.findings()))
    known = {}
    for step, block in zip(job.record.steps, blocks, strict=True):
        lines, values = writer.slots.taken_apart(block.lines)
        known[id(step)] = StepLines(lines, values, block.form)
    nothing = StepLines(())
    flows = [flow_of(record.trace) for record in (job.record, *job.others.values())]
    structure = structured(flows, lambda step: known.get(id(step), nothing), writer.named, writer.most_parameters)
    for routine in structure.inlined:
        writer.flattening.add(term(_("calls of {name} with values of their own"), name=routine))
    for step in structure.unrolled:
        writer.flattening.add(term(_("loops whose passes have little in common")), step)
    for step in job.record.steps:
        if step.is_decision and step.instruction.name not in job.others:  # type: ignore[union-attr]
            writer.flattening.add(term(_("decisions by inputs and the time")), step)
    if any(has_flags(nodes) for nodes in (structure.main, *(one.body for one in structure.routines.values()))):
        writer.flattening.add(term(_("decisions by computed values, which become flags")))
    return WrittenProgram(writer.files(structure), tuple(writer.findings()))


def _adjusted(
    speeds: dict[int, float],
    job: TranslationJob,
    starts: Sequence[int],
    done: ProgramRecord,
    keeps: Callable[[RecordedStep], bool],
) -> bool:
    """Change the speeds of steps that take another time than they should; tell whether there are any.

    `starts` are the lines at which the steps begin.
    """
    got = [0.0] * len(starts)
    for step in done.steps:
        span = step.instruction.span
        if span is not None and span.line >= starts[0]:
            got[bisect_right(starts, span.line) - 1] += step.duration
    changed = False
    for number, (step, time) in enumerate(zip(job.record.steps, got, strict=False)):
        wanted = step.duration
        if not isinstance(step.instruction, PlainMove) or wanted <= 0.0:
            continue
        if time < NOTHING * wanted:  # what was written moves nothing: wait where the tool's point stays, or go round
            factor = 0.0 if _stays(job.record, step) else 1.0
            if speeds.get(number) != factor:
                speeds[number], changed = factor, True
            continue
        if abs(time - wanted) > max(OFF * wanted, LEAST_OFF) and not keeps(step):
            ratio = min(max(time / wanted, 1.0 / MOST_CHANGE), MOST_CHANGE)
            speeds[number] = speeds[number] * ratio if number in speeds else 1.0
            changed = True
    for number, twin in _twins(job.record).items():
        if twin in speeds:
            speeds[number] = speeds[twin]
    return changed


def _twins(record: ProgramRecord) -> dict[int, int]:
    """Return, for steps of other runs, the step of the run itself that does the same."""
    own: dict[object, int] = {}
    twins: dict[int, int] = {}
    for number, step in enumerate(record.steps):
        key = (step.instruction.span, type(step.instruction), round(step.duration, 3))
        if number < record.own_count:
            own.setdefault(key, number)
        elif key in own:
            twins[number] = own[key]
    return twins


def _stays(record: ProgramRecord, step: RecordedStep) -> bool:
    """Tell whether the tool's point stays where it is while the arm moves."""
    assert isinstance(step.instruction, PlainMove)
    points = record.robot_of(step.instruction.settings).fk(step.sampled(50)[1])[:, :3, 3]
    return float(np.ptp(points, axis=0).max()) < STAYS

"""Translate a program: record what it does, write that in the other language, and run it to see what is different."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from armlab.errors import UnknownName
from armlab.messages import Message, _
from armlab.model.finding import Finding
from armlab.model.robot import Robot
from armlab.program.executor.asking import WAIT_NEVER_ENDS, waits_told_once
from armlab.program.languages import ProgramSource
from armlab.program.prepare import PreparedProgram
from armlab.program.signals import Signals
from armlab.program.translate.compare import Deviation, deviation
from armlab.program.translate.fitting import FIRST_NUMBERS, FrameNumbers, TranslationJob, WrittenProgram
from armlab.program.translate.record import ProgramRecord, record_program
from armlab.program.translate.target_arm import carried_over, check_maker

TargetLanguage = Literal["krl", "gcode", "python", "scenario", "urscript", "rapid"]
TARGETS: tuple[TargetLanguage, ...] = get_args(TargetLanguage)
PATH_TOLERANCE = 0.1
"""mm"""
TIME_TOLERANCE = 0.01
"""Share of the duration."""
MOST_DECISIONS = 6
"""Inputs whose other value is tried."""


@dataclass(frozen=True, slots=True)
class TranslatedFile:
    """A file of a translation; its name is plain, without a folder."""

    name: str
    data: bytes

    @property
    def text(self) -> str:
        """What is in it; KRL is written in the code page of its controller."""
        code_page = "cp1252" if self.name.endswith((".src", ".dat")) else "utf-8"
        return self.data.decode(code_page).replace("\r\n", "\n")


@dataclass(frozen=True, slots=True)
class Translation:
    """A program in another language."""

    language: TargetLanguage
    files: tuple[TranslatedFile, ...]
    findings: tuple[Finding, ...]
    difference: Deviation | None = None
    """How far the translation is from the original when it runs; None where armlab does not read the language."""

    @property
    def is_good(self) -> bool:
        """Whether there is no error."""
        return not any(finding.severity == "error" for finding in self.findings)


def translate_program(
    prepared: PreparedProgram,
    language: str,
    *,
    name: str | None = None,
    signals: Signals | None = None,
    robot: Robot | None = None,
    numbers: FrameNumbers = FIRST_NUMBERS,
) -> Translation:
    """Return a program in another language; `prepared` should have marks, so that its routines are kept.

    `robot` is the arm that will run it; left out: the program's own, whose maker's language it must be where the
    program has joint motions. `numbers` are where KRL's entries of tools and bases begin.

    What the other language has no equal for is flattened, and a finding says what and where. Where armlab reads the
    other language, the translation is run too: a finding says so where it takes another path or another time.

    Raises:
        UnknownName: if the language is not one of `TARGETS`.
        InvalidInput: if the program is too long, or the arm has too many axes for the language.
        NotSupported: if the joint motions are those of an arm by another maker.
    """
    if language not in TARGETS:
        raise UnknownName("language", language, TARGETS)
    target = next(known for known in TARGETS if known == language)
    record = record_program(prepared, None if signals is None else _copied(signals))
    errors = [finding for finding in record.findings if finding.severity == "error"]
    if errors:
        return Translation(target, (), tuple(waits_told_once(record.findings)))
    others: Mapping[str, ProgramRecord] = {} if target == "scenario" else _other_runs(prepared, record, signals)
    if robot is not None and robot.name != record.robot.name:
        prepared, record, others = carried_over(prepared, record, others, robot, signals)
        if any(finding.severity == "error" for finding in record.findings):
            return Translation(target, (), tuple(waits_told_once(record.findings)))
    notes = check_maker(target, record, is_named=robot is not None)
    record.steps += [step for other in others.values() for step in other.steps]
    job = TranslationJob(prepared, record, name or program_name(prepared.source), signals, others, numbers)
    written = _writer(target)(job)
    files = tuple(TranslatedFile(file, data) for file, data in written.files.items())
    findings = [*waits_told_once(record.findings), *notes, *written.findings]
    difference = None
    if any(finding.code == WAIT_NEVER_ENDS for finding in findings):
        template = _("without inputs that end all waits the translation is not compared; give them with --input")
        findings.append(Finding("note", Message("translation_not_compared", template)))
    elif written.record is not None:
        difference = deviation(record, written.record, job.T_flange_tool)
        findings += _differs(difference, written.record)
    return Translation(target, files, tuple(findings), difference)


def _writer(target: TargetLanguage) -> Callable[[TranslationJob], WrittenProgram]:
    match target:
        case "krl":
            from armlab.program.translate.krl import write_krl as write
        case "gcode":
            from armlab.program.translate.gcode import write_gcode as write
        case "python":
            from armlab.program.translate.python_script import write_python as write
        case "scenario":
            from armlab.program.translate.scenario_steps import write_scenario as write
        case "urscript":
            from armlab.program.translate.urscript import write_urscript as write
        case "rapid":
            from armlab.program.translate.rapid import write_rapid as write
    return write


def program_name(source: ProgramSource) -> str:
    """Return what a program is called: the name of its file without the ending."""
    return "program" if source.path is None else source.path.stem


def _other_runs(prepared: PreparedProgram, record: ProgramRecord, signals: Signals | None) -> dict[str, ProgramRecord]:
    """Return what a program does where an input that it decides by has its other value: one run for each."""
    others = {}
    for name in record.read_inputs[:MOST_DECISIONS]:
        if prepared.again is None:
            break
        other = record_program(prepared.again(), None if signals is None else _copied(signals), {name})
        if not any(finding.severity == "error" for finding in other.findings):
            others[name] = other
    return others


def _copied(signals: Signals) -> Signals:
    return replace(signals, inputs=dict(signals.inputs), outputs=dict(signals.outputs))


def _differs(difference: Deviation, record: ProgramRecord) -> list[Finding]:
    """Return a finding where a translation does something else, or cannot be run."""
    findings = [
        Finding("warning", Message("translation_run", _("when the translation runs: {reason}"), reason=f.message))
        for f in record.findings
        if f.severity == "error"
    ][:1]
    if difference.path_mm > PATH_TOLERANCE or abs(difference.time_share) > TIME_TOLERANCE:
        template = _("the translation leaves the path by {path:.2f} mm at most, and its time differs by {time:+.1f} %")
        values = {"path": min(difference.path_mm, 1e9), "time": 100.0 * difference.time_share}
        findings.append(Finding("warning", Message("translation_differs", template, **values)))
    return findings

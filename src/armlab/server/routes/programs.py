"""Programs over HTTP: a text is checked while it is typed, and the examples that come with armlab."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from fastapi import APIRouter

from armlab.cell.program_player import LONGEST, prepared_program
from armlab.cell.project import ProgramText
from armlab.errors import ArmlabError
from armlab.model.finding import Finding
from armlab.program.check import check_program
from armlab.program.console.console_language import help_message
from armlab.program.console.help_words import WORDS
from armlab.program.gcode.shipped import PROGRAMS
from armlab.program.signals import Signals
from armlab.program.trace import PathTrace, SignalNames
from armlab.program.translate.translation import translate_program
from armlab.reports.program import LineTimeReport, program_findings
from armlab.reports.translation import translation_report
from armlab.server import robot_assets
from armlab.server.messages import ProgramExample, ProgramPath, ProgramTextCheck, ProgramTranslation, ProgramWord
from armlab.server.requests import TranslateQuestion
from armlab.server.routes.session import ERRORS, Found
from armlab.units import MM_PER_M

MOST_FINDINGS = 200
MOST_POINTS = 20_000
MOST_SIGNALS = 64
DIGITS = 3

router = APIRouter(prefix="/api", responses=ERRORS)


@router.get("/programs")
def examples() -> tuple[ProgramExample, ...]:
    """The programs that come with armlab, as texts."""
    return _examples()


@router.post("/sessions/{session}/program-check")
def check(worker: Found, program: ProgramText) -> ProgramTextCheck:
    """Check a program for the session's arm and scene: all findings with their lines, times, and the tool's path."""
    trace, signals = PathTrace(), SignalNames()
    try:
        ready = prepared_program(program, worker.session.scene, stops_at_errors=False)
        done = check_program(
            ready.cell.robot,
            trace.follow(signals.follow(ready.instructions)),
            scene=ready.cell.scene,
            start=ready.start,
            signals=Signals(dict(program.inputs)),
            seconds=LONGEST,
        )
    except ArmlabError as error:
        where = {key: int(error.parameters[key]) for key in ("line", "column") if key in error.parameters}
        return ProgramTextCheck(findings=program_findings([Finding("error", error.message, where)]))
    found = [*ready.findings, *done.findings]
    return ProgramTextCheck(
        findings=program_findings(found[:MOST_FINDINGS]),
        left_out=max(0, len(found) - MOST_FINDINGS) + done.left_out,
        motions=done.motions,
        duration=round(done.cycle_time, DIGITS),
        lines=tuple(
            LineTimeReport(line=one.line, time=round(one.time, DIGITS), count=one.count, file=one.file)
            for one in done.lines
        ),
        paths=_paths(trace),
        said=tuple(done.messages[:MOST_FINDINGS]),
        inputs=tuple(signals.inputs[:MOST_SIGNALS]),
        outputs=tuple(signals.outputs[:MOST_SIGNALS]),
    )


@router.get("/program-words")
def words(language: Literal["gcode", "krl", "python"]) -> tuple[ProgramWord, ...]:
    """The words of a language with a line of help each."""
    return tuple(ProgramWord(word=word, help=help_message(text)) for word, text in WORDS[language].items())


@router.post("/sessions/{session}/program-translate")
def translate(worker: Found, asked: TranslateQuestion) -> ProgramTranslation:
    """Translate a program for the session's arm and scene into another language."""
    ready = prepared_program(asked.program, worker.session.scene, stops_at_errors=False, with_marks=True)
    signals = Signals(dict(asked.program.inputs))
    arm = None if asked.arm is None else robot_assets.robot(asked.arm)
    made = translate_program(ready, asked.to, signals=signals, robot=arm)
    return ProgramTranslation(report=translation_report("program", made, None))


def _paths(trace: PathTrace) -> tuple[ProgramPath, ...]:
    paths, left = [], MOST_POINTS
    for move in trace.moves:
        left -= len(move.points)
        if left < 0:
            break
        points = (move.points * MM_PER_M).round(DIGITS).tolist()
        paths.append(
            ProgramPath(
                line=None if move.span is None else move.span.line,
                rapid=move.is_rapid,
                points=tuple((x, y, z) for x, y, z in points),
            )
        )
    return tuple(paths)


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


@cache
def _examples() -> tuple[ProgramExample, ...]:
    """Return the shipped programs."""
    found = [
        ProgramExample(name=path.stem, language="gcode", text=_text(path)) for path in sorted(PROGRAMS.glob("*.ngc"))
    ]
    found += [
        ProgramExample(name=path.stem, language="krl", text=_krl_text(path)) for path in sorted(PROGRAMS.glob("*.src"))
    ]
    return (
        *found,
        *(
            ProgramExample(name=path.stem, language="python", text=_text(path))
            for path in sorted(PROGRAMS.glob("*.py"))
        ),
    )


def _krl_text(path: Path) -> str:
    """Return a module, with its data list behind it where it has one."""
    data = path.with_suffix(".dat")
    if not data.exists():
        return _text(path)
    lines = [line for line in _text(data).splitlines() if not line.startswith("&")]
    return _text(path).rstrip("\n") + "\n\n" + "\n".join(lines) + "\n"

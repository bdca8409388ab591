"""Programs over HTTP: a text is checked while it is typed, and the examples that come with armlab."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Literal

from fastapi import APIRouter, Request

from armlab.cell.project import ProgramText
from armlab.errors import ArmlabError
from armlab.jobs import ASKED, Ticket, submit
from armlab.jobs.job import JobCancelled
from armlab.program.console.console_language import help_message
from armlab.program.console.help_words import WORDS
from armlab.program.gcode.shipped import PROGRAMS
from armlab.server import robot_assets
from armlab.server.messages import ProgramExample, ProgramTextCheck, ProgramTranslation, ProgramWord
from armlab.server.outcome import outcome
from armlab.server.program_work import checked_program, failed_check, translated_program
from armlab.server.requests import TranslateQuestion
from armlab.server.routes.session import ERRORS, Found

router = APIRouter(prefix="/api", responses=ERRORS)


@router.get("/programs")
def examples() -> tuple[ProgramExample, ...]:
    """The programs that come with armlab, as texts."""
    return _examples()


@router.post("/sessions/{session}/program-check")
async def check(request: Request, worker: Found, program: ProgramText) -> ProgramTextCheck:
    """Check a program for the session's arm and scene: all findings with their lines, times, and the tool's path."""
    job = submit(Ticket(ASKED, worker.name), checked_program, program, worker.session.scene)
    try:
        return await outcome(request, job)
    except JobCancelled:
        raise
    except ArmlabError as error:
        return failed_check(error)


@router.get("/program-words")
def words(language: Literal["gcode", "krl", "python"]) -> tuple[ProgramWord, ...]:
    """The words of a language with a line of help each."""
    return tuple(ProgramWord(word=word, help=help_message(text)) for word, text in WORDS[language].items())


@router.post("/sessions/{session}/program-translate")
async def translate(request: Request, worker: Found, asked: TranslateQuestion) -> ProgramTranslation:
    """Translate a program for the session's arm and scene into another language."""
    arm = None if asked.arm is None else robot_assets.robot(asked.arm)
    job = submit(Ticket(ASKED, worker.name), translated_program, asked, worker.session.scene, arm)
    return await outcome(request, job)


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

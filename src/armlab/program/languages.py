"""Which language a program is written in, and what is wrong with its text before any arm is asked."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

from armlab.errors import InvalidInput, UnknownName
from armlab.files import read_bounded
from armlab.messages import _
from armlab.model.finding import Finding
from armlab.program.gcode.canon import Arc, Feed, Spline, StraightProbe, Traverse
from armlab.program.gcode.interpreter import Interpreter, Options
from armlab.program.gcode.shipped import PROGRAMS, program_path
from armlab.program.gcode.source import MAX_SOURCE, Source
from armlab.program.krl.library import Library

Language = Literal["gcode", "krl", "scenario", "python"]
LANGUAGES: tuple[Language, ...] = get_args(Language)
KRL_SUFFIXES = frozenset({".src", ".dat", ".sub"})
GCODE_SUFFIXES = frozenset({".ngc", ".nc", ".gcode", ".gc", ".g", ".tap", ".cnc", ".txt", ".mpf", ""})
DATA_LIST = re.compile(rb"^[ \t]*DEFDAT\b", re.IGNORECASE | re.MULTILINE)
MOST_SCRIPT = 4_000_000
"""Bytes of a Python program."""
ANY_ARM = "kuka-kr6-r700"
"""The arm on which KRL is looked at where none is named: types and names do not depend on it."""


@dataclass(frozen=True, slots=True)
class ProgramSource:
    """A program as it was named: its language, and its file or its bytes."""

    name: str
    language: Language
    path: Path | None = None
    data: bytes | None = None
    """What came from standard input."""

    def gcode(self) -> Source:
        """Return the text of a G-code program.

        Raises:
            InvalidInput: if it cannot be read, or is not text.
        """
        if self.path is None:
            return Source.from_bytes(self.name, self.data or b"")
        return Source.from_file(self.path, self.path.name if self.path.parent == PROGRAMS else None)

    def python(self) -> tuple[str, str]:
        """Return the name and the text of a Python program.

        Raises:
            InvalidInput: if it cannot be read, or is not text.
        """
        data = self.data or b"" if self.path is None else read_bounded(self.path, MOST_SCRIPT)
        is_shipped = self.path is not None and self.path.parent == PROGRAMS
        name = self.name if self.path is None else self.path.name if is_shipped else str(self.path)
        try:
            return name, data.decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InvalidInput("script_not_text", _("{file}: this is not a text in UTF-8"), file=name) from None

    def krl(self) -> Path | Library:
        """Return the modules of a KRL program: a file, a folder or a zip; or what came from standard input."""
        if self.path is not None and self.path.parent != PROGRAMS:
            return self.path
        if self.path is not None:
            shipped = Library(main=self.path.stem.upper())
            for path in sorted(PROGRAMS.glob(f"{self.path.stem}.*")):
                if path.suffix in KRL_SUFFIXES:
                    shipped.add(path.name, path.read_bytes())
            return shipped
        library = Library(main="STDIN")
        data = self.data or b""
        found = DATA_LIST.search(data)
        if found is None:
            library.add("stdin.src", data)
        else:  # a module and its data list in one text; lines keep their numbers
            library.add("stdin.src", data[: found.start()])
            library.add("stdin.dat", b"\n" * data[: found.start()].count(b"\n") + data[found.start() :])
        return library


@dataclass(frozen=True, slots=True)
class LanguageCheck:
    """What a program is, and everything that is wrong with its text."""

    language: Language
    findings: tuple[Finding, ...]
    motions: int
    """How many motions it makes; for KRL, how many stand in its text."""


def program_source(name: str, language: str | None = None, data: bytes | None = None) -> ProgramSource:
    """Return the program that a name means: a file, one that comes with armlab, or `data` from standard input.

    Raises:
        InvalidInput: if the file's ending is not one of a program, or standard input has no language.
        UnknownName: if the language is not known.
    """
    if language is not None and language not in LANGUAGES:
        raise UnknownName("language", language, LANGUAGES)
    if data is not None:
        if len(data) > MAX_SOURCE:
            raise InvalidInput("file_too_large", _("larger than the {most:g} MB allowed"), most=MAX_SOURCE / 1e6)
        if language == "scenario":
            raise InvalidInput("scenario_from_stdin", _("a scenario is read from a file, not from standard input"))
        return ProgramSource(name, _known(language or "gcode"), data=data)
    path = program_path(name)
    return ProgramSource(name, _known(language) if language else language_of_file(path), path)


def _known(language: str) -> Language:
    return next(known for known in LANGUAGES if known == language)


def language_of_file(path: Path) -> Language:
    """Return the language of a program file, by its ending.

    Raises:
        InvalidInput: if no program ends so.
    """
    suffix = path.suffix.lower()
    if suffix in KRL_SUFFIXES or suffix == ".zip" or path.is_dir():  # a whole controller, or a copy of one
        return "krl"
    if suffix == ".json":
        return "scenario"
    if suffix == ".py":
        return "python"
    if suffix not in GCODE_SUFFIXES:
        raise InvalidInput(
            "program_suffix",
            _("{file}: '{suffix}' is not the ending of a program; name its --language: {known}"),
            file=str(path),
            suffix=suffix,
            known=list(LANGUAGES),
        )
    return "gcode"


def check_language(source: ProgramSource, options: Options | None = None) -> LanguageCheck:
    """Return everything that is wrong with the text of a program.

    Raises:
        InvalidInput: if the file cannot be read.
    """
    if source.language == "krl":
        from armlab.catalog import load
        from armlab.program.krl.instructions import check_text

        checked = check_text(source.krl(), load(ANY_ARM))
        return LanguageCheck("krl", checked.findings, checked.motions)
    if source.language == "python":
        from armlab.program.python.instructions import checked_script, motions_in

        name, text = source.python()
        script = checked_script(text, name)
        return LanguageCheck("python", script.findings, motions_in(script))
    interpreter = Interpreter(source.gcode(), replace(options or Options(), is_whole=True))
    motions = sum(isinstance(item, Traverse | Feed | Arc | Spline | StraightProbe) for item in interpreter)
    return LanguageCheck("gcode", tuple(interpreter.findings), motions)

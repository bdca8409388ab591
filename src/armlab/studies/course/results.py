"""Answer files and result files: read, graded, signed, collected.

A result file holds the answers, the grade and a signature (HMAC-SHA256 over all the rest). The signature tells that
the file is as armlab wrote it: an edited grade, a truncated file or a mix-up is found. It does not tell who wrote the
answers, and whoever has the key can sign: with the built-in key everybody who has armlab, with a lecturer's own key the
lecturer. So `collect` trusts no grade: it grades the answers again.
"""

from __future__ import annotations

import csv
import hashlib
import hmac
import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from armlab.errors import InvalidInput
from armlab.files import read_bounded, write_whole
from armlab.messages import Message, _
from armlab.studies.course.lab import GradedAnswer, Lab, checked_student, grade, question_text, variant
from armlab.studies.course.labs import lab_of
from armlab.validation import parsed_toml
from armlab.version import __version__

BUILT_IN_KEY = b"armlab"
"""Known to everybody: it protects against accidents, not against intent."""
LARGEST_FILE = 1_000_000
SUFFIX = ".result.json"
FORMAT = 1


class AnswerSheet(NamedTuple):
    """What a student handed in."""

    lab: Lab
    student: str
    answers: Mapping[str, Any]


class CollectedResult(NamedTuple):
    """One result file: whose, what it says, what grading it again says, and whether its signature is right."""

    file: str
    student: str
    lab: int
    points: int
    total: int
    is_signed: bool


def blank_answers(lab: Lab, student: str) -> str:
    """Return an answer file to be filled in: each question as a comment above its answer."""
    values = variant(lab, student)
    lines = [f"lab = {lab.number}", f'student = "{checked_student(student)}"', "", "[answers]"]
    for question in lab.questions:
        text = question_text(question, values).localized()
        lines += ["", *(f"# {line}" for line in _wrapped(text)), f"{question.key} = {question.blank}"]
    return "\n".join(lines) + "\n"


def _wrapped(text: str) -> list[str]:
    import textwrap

    return textwrap.wrap(text, 110)


def read_answers(path: Path) -> AnswerSheet:
    """Return what an answer file says.

    Raises:
        InvalidInput: if it cannot be read, is not TOML, or names no lab, student or answers.
    """
    try:
        table = parsed_toml(read_bounded(path, LARGEST_FILE).decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise InvalidInput("not_text_file", _("not a text file")).within(path.name) from None
    except InvalidInput as error:
        raise error.within(path.name) from None
    return _sheet(table, path.name)


def _sheet(table: Mapping[str, Any], file: str) -> AnswerSheet:
    number, student, answers = table.get("lab"), table.get("student"), table.get("answers")
    if not isinstance(number, int) or not isinstance(student, str | int) or not isinstance(answers, dict):
        raise InvalidInput(
            "answers_incomplete",
            _("{file}: lab, student and [answers] are needed, as `armlab lab N --student` writes"),
            file=file,
        )
    return AnswerSheet(lab_of(number), checked_student(str(student)), answers)


def graded(sheet: AnswerSheet) -> tuple[GradedAnswer, ...]:
    """Grade what was handed in."""
    return grade(sheet.lab, sheet.student, sheet.answers)


def result_name(sheet: AnswerSheet) -> str:
    """Return the name of a sheet's result file."""
    return f"lab{sheet.lab.number:02d}-{sheet.student}{SUFFIX}"


def write_result(sheet: AnswerSheet, grades: tuple[GradedAnswer, ...], folder: Path, key: bytes = BUILT_IN_KEY) -> Path:
    """Write a signed result file to a folder, unless a better one is there, and return its path.

    Raises:
        InvalidInput: if it cannot be written.
    """
    path = folder / result_name(sheet)
    if best_points(path, key) > sum(one.right for one in grades):
        return path
    content: dict[str, Any] = {
        "format": FORMAT,
        "armlab": __version__,
        "lab": sheet.lab.number,
        "student": sheet.student,
        "points": sum(one.right for one in grades),
        "total": len(grades),
        "right": {one.key: one.right for one in grades},
        "answers": json.loads(json.dumps(dict(sheet.answers), default=str)),
    }
    content["signature"] = signature(content, key)
    write_whole(path, (json.dumps(content, indent=2, ensure_ascii=False) + "\n").encode())
    return path


def best_points(path: Path, key: bytes = BUILT_IN_KEY) -> int:
    """Return the points of a result file that is there and valid, graded again; otherwise 0."""
    try:
        found = read_result(path, key)
    except InvalidInput:
        return 0
    return found.points if found.is_signed else 0


def signature(content: Mapping[str, Any], key: bytes = BUILT_IN_KEY) -> str:
    """Return the signature of everything but the signature."""
    rest = {name: value for name, value in content.items() if name != "signature"}
    text = json.dumps(rest, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def read_result(path: Path, key: bytes = BUILT_IN_KEY) -> CollectedResult:
    """Return a result file, its answers graded again.

    Raises:
        InvalidInput: if it is not a result file.
    """
    data = read_bounded(path, LARGEST_FILE)
    try:
        content = json.loads(data)
        expected = signature(content, key) if isinstance(content, dict) else ""
    except (ValueError, RecursionError):  # nested too deeply, or half a character that no text can have
        expected = ""
    if not expected:
        raise InvalidInput("not_a_result", _("{file}: not a result file"), file=_shown(path))
    sheet = _sheet(content, _shown(path))
    grades = graded(sheet)
    points = sum(one.right for one in grades)
    is_signed = hmac.compare_digest(str(content.get("signature", "")).encode(), expected.encode())
    says_so = content.get("points") == points and content.get("total") == len(grades)
    return CollectedResult(_shown(path), sheet.student, sheet.lab.number, points, len(grades), is_signed and says_so)


def _shown(path: Path) -> str:
    """Return the name of a file, also where it is no text."""
    return path.name.encode(errors="replace").decode()


class UnusableResult(NamedTuple):
    """A file that is named like a result, and why it is none."""

    file: str
    reason: InvalidInput


def duplicates(results: Sequence[CollectedResult]) -> list[Message]:
    """Return a message for each lab of which a student has several valid results."""
    files: dict[tuple[str, int], list[str]] = {}
    for one in results:
        if one.is_signed:
            files.setdefault((one.student, one.lab), []).append(f"{one.file} ({one.points})")
    template = _("student {student}, lab {lab}: several valid results: {files}")
    return [
        Message("several_results", template, student=student, lab=lab, files=", ".join(names))
        for (student, lab), names in sorted(files.items())
        if len(names) > 1
    ]


def collect(folder: Path, key: bytes = BUILT_IN_KEY) -> tuple[list[CollectedResult], list[UnusableResult]]:
    """Return all result files of a folder and those below it, and which others could not be used.

    Raises:
        InvalidInput: if there is no such folder, or no result file in it.
    """
    files = sorted(folder.rglob(f"*{SUFFIX}")) if folder.is_dir() else []
    if not files:
        raise InvalidInput("no_results", _("{folder}: no *{suffix} files there"), folder=str(folder), suffix=SUFFIX)
    results: list[CollectedResult] = []
    problems: list[UnusableResult] = []
    for path in files:
        try:
            results.append(read_result(path, key))
        except InvalidInput as error:
            problems.append(UnusableResult(_shown(path), error))
    return results, problems


def grades_csv(results: Sequence[CollectedResult], problems: Sequence[UnusableResult] = ()) -> str:
    """Return a table for a spreadsheet: a row for each result file, at the end those that are none."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["student", "lab", "points", "total", "signature", "file"])
    for one in sorted(results, key=lambda one: (one.student, one.lab)):
        said = "valid" if one.is_signed else "INVALID"
        writer.writerow([one.student, one.lab, one.points, one.total, said, one.file])
    writer.writerows(["", "", 0, "", "UNREADABLE", one.file] for one in problems)
    return out.getvalue()

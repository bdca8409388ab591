"""`armlab lab`: the course: sheets, variants, self-check, and the lecturer's table of grades."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from pydantic import BaseModel, ConfigDict

from armlab.cli.arguments import AsJson
from armlab.cli.text import console, print_json, table
from armlab.errors import InvalidInput
from armlab.files import write_whole
from armlab.messages import Message, _, reader, tr

if TYPE_CHECKING:
    from armlab.studies.course.lab import Lab
    from armlab.studies.course.results import CollectedResult

NOT_ALL_RIGHT = 1
KEY_VARIABLE = "ARMLAB_COURSE_KEY"


class VariantReport(BaseModel):
    """A student's variant: values in mm, °, s, kg, and the questions."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    lab: int
    student: str
    values: dict[str, Any]
    questions: dict[str, str]


class AnswerReport(BaseModel):
    """One answer, graded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: str
    right: bool
    code: str
    message: Message


class GradeReport(BaseModel):
    """An answer file, graded."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    lab: int
    student: str
    points: int
    total: int
    best: int
    """Points of the file, which keeps the best try."""
    answers: tuple[AnswerReport, ...]
    file: str


class CollectedReport(BaseModel):
    """One result file, graded again."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    student: str
    lab: int | None
    """None where the file cannot be used."""
    points: int
    total: int
    signature: bool
    file: str
    message: Message | None = None
    """Why a file cannot be used, or that the student has several valid results of this lab."""


def lab(
    number: Annotated[
        int | None,
        typer.Argument(metavar="[N]", help=_("The number of a lab; left out: the list."), show_default=False),
    ] = None,
    student: Annotated[
        str, typer.Option("--student", metavar="NAME", help=_("Whose variant: a number or a name."), show_default=False)
    ] = "",
    check: Annotated[
        Path | None,
        typer.Option("--check", metavar="FILE", help=_("Grade an answer file (.toml)."), show_default=False),
    ] = None,
    collect: Annotated[
        Path | None,
        typer.Option(
            "--collect", metavar="FOLDER", help=_("Verify and collect result files; -o grades.csv."), show_default=False
        ),
    ] = None,
    notebook: Annotated[bool, typer.Option("--notebook", help=_("Write the lab as a Jupyter notebook."))] = False,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            "-o",
            metavar="PATH",
            help=_("A folder for the variant's files, the result or the notebook; with --collect, a .csv file."),
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run `armlab lab`."""
    from armlab.studies.course.labs import lab_of

    if collect is not None:
        return _collect(collect, output, as_json=as_json)
    if check is not None:
        return _check(check, number, output, as_json=as_json)
    if number is None:
        return _list()
    chosen = lab_of(number)
    if notebook:
        return _notebook(chosen, student, output)
    if student:
        return _variant(chosen, student, output, as_json=as_json)
    from armlab.studies.course.sheets import sheet_text

    print(sheet_text(number, reader.get()))
    return None


def _key() -> bytes:
    from armlab.studies.course.results import BUILT_IN_KEY

    return os.environ.get(KEY_VARIABLE, "").encode() or BUILT_IN_KEY


def _list() -> None:
    from armlab.studies.course.labs import LABS

    rows = [(str(one.number), tr(one.title), str(len(one.questions))) for one in LABS]
    console().print(table(tr("Labs"), (tr("lab"), tr("about"), tr("questions")), rows, words=(1,)))
    console().print(tr("A sheet: armlab lab 1. A variant: armlab lab 1 --student 23 -o folder."), soft_wrap=True)


def _variant(chosen: Lab, student: str, output: Path | None, *, as_json: bool) -> None:
    from armlab.studies.course.lab import question_text, shown_values, variant
    from armlab.studies.course.results import blank_answers
    from armlab.studies.course.sheets import sheet_text

    values = variant(chosen, student)
    written = []
    if output is not None:
        files = chosen.files(values) | {"answers.toml": blank_answers(chosen, student)}
        files["sheet.md"] = sheet_text(chosen.number, reader.get())
        for name in files:
            written.append(_made(output) / name)
            if name == "answers.toml" and written[-1].exists():
                template = _("{file}: is there already; it is not overwritten")
                raise InvalidInput("answers_exist", template, file=str(written[-1]))
        for path, text in zip(written, files.values(), strict=True):
            write_whole(path, text.encode())
    questions = {question.key: question_text(question, values).localized() for question in chosen.questions}
    if as_json:
        shown = shown_values(values)
        print_json(VariantReport(lab=chosen.number, student=student, values=shown, questions=questions))
        return
    title = tr(
        "Lab {number}: {title}; variant of {student}", number=chosen.number, title=tr(chosen.title), student=student
    )
    console().print(table(title, (tr("answer"), tr("question")), list(questions.items()), words=(0, 1)))
    for path in written:
        console().print(tr("{file}: written", file=str(path)), soft_wrap=True)


def _check(file: Path, number: int | None, output: Path | None, *, as_json: bool) -> None:
    from armlab.studies.course.results import best_points, graded, read_answers, write_result

    sheet = read_answers(file)
    if number is not None and number != sheet.lab.number:
        raise InvalidInput(
            "other_lab",
            _("{file}: these are answers to lab {given}, not {wanted}"),
            file=file.name,
            given=sheet.lab.number,
            wanted=number,
        )
    grades = graded(sheet)
    path = write_result(sheet, grades, _made(output) if output is not None else file.parent, _key())
    points, best = sum(one.right for one in grades), best_points(path, _key())
    if as_json:
        answers = tuple(AnswerReport(key=g.key, right=g.right, code=g.message.code, message=g.message) for g in grades)
        print_json(
            GradeReport(
                lab=sheet.lab.number,
                student=sheet.student,
                points=points,
                total=len(grades),
                best=best,
                answers=answers,
                file=str(path),
            )
        )
    else:
        rows = [(one.key, tr("yes") if one.right else tr("NO"), one.message.localized()) for one in grades]
        title = tr("Lab {number}: {title}", number=sheet.lab.number, title=tr(sheet.lab.title))
        console().print(table(title, (tr("answer"), tr("right"), tr("why")), rows, words=(0, 1, 2)))
        told = tr("{points} of {total} points; {file}: written", points=points, total=len(grades), file=str(path))
        if best > points:
            template = _("{points} of {total} points; {file} keeps your best try: {best}")
            told = tr(template, points=points, total=len(grades), file=str(path), best=best)
        console().print(told, soft_wrap=True)
    if points < len(grades):
        raise typer.Exit(NOT_ALL_RIGHT)


def _collect(folder: Path, output: Path | None, *, as_json: bool) -> None:
    from armlab.studies.course.results import collect, duplicates, grades_csv

    results, problems = collect(folder, _key())
    several = duplicates(results)
    if output is not None:
        write_whole(output, grades_csv(results, problems).encode())
    if as_json:
        unusable = [
            CollectedReport(
                student="", lab=None, points=0, total=0, signature=False, file=one.file, message=one.reason.message
            )
            for one in problems
        ]
        print_json([*(_collected(one, several) for one in results), *unusable])
    else:
        rows = [
            (
                one.student,
                str(one.lab),
                f"{one.points} / {one.total}",
                tr("yes") if one.is_signed else tr("NO"),
                one.file,
            )
            for one in results
        ]
        rows += [("–", "–", "–", tr("NO"), one.file) for one in problems]
        columns = (tr("student"), tr("lab"), tr("points"), tr("signature"), tr("file"))
        console().print(table(tr("Results"), columns, rows, words=(0, 3, 4)))
        for told in (*(one.reason.message for one in problems), *several):
            console().print(told.localized(), soft_wrap=True)
    if problems or not all(one.is_signed for one in results):
        raise typer.Exit(NOT_ALL_RIGHT)


def _collected(one: CollectedResult, several: Sequence[Message]) -> CollectedReport:
    told = [each for each in several if (each.parameters["student"], each.parameters["lab"]) == (one.student, one.lab)]
    return CollectedReport(
        student=one.student,
        lab=one.lab,
        points=one.points,
        total=one.total,
        signature=one.is_signed,
        file=one.file,
        message=told[0] if told and one.is_signed else None,
    )


def _notebook(chosen: Lab, student: str, output: Path | None) -> None:
    from armlab.studies.course.notebook import notebook_text

    path = (_made(output) if output is not None else Path()) / f"lab-{chosen.number:02d}.ipynb"
    write_whole(path, notebook_text(chosen, student or None, reader.get()).encode())
    console().print(tr("{file}: written", file=str(path)), soft_wrap=True)


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        unwritable = InvalidInput("file_unwritable", _("cannot be written ({reason})"), reason=reason)
        raise unwritable.within(str(folder)) from None
    return folder

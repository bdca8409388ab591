"""What a lab is: a variant for each student, questions, and a grade by properties with a counter-example."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.random import Generator

from armlab.arrays import Floats
from armlab.errors import ArmlabError, InvalidInput
from armlab.messages import Message, _, term

Values: TypeAlias = Mapping[str, Any]
"""A student's variant: numbers and lists in mm, °, s, kg, as JSON can hold them; `_names` are not shown."""
LONGEST_NAME = 60


class Verdict(NamedTuple):
    """Whether an answer is right, and why not: a place where it fails, with both numbers."""

    right: bool
    message: Message


RIGHT = Verdict(True, Message("answer_right", _("right")))


@dataclass(frozen=True, slots=True, kw_only=True)
class LabQuestion:
    """What is asked: the answer's key, the text with the variant's values, a blank answer in TOML, its grade."""

    key: str
    text: str
    blank: str
    grade: Callable[[Values, Any], Verdict]


def _no_files(_values: Values) -> dict[str, str]:
    return {}


@dataclass(frozen=True, slots=True)
class Lab:
    """A lab: its number, title, how a variant is made, its questions, and the files that go with a variant."""

    number: int
    title: str
    make: Callable[[Generator], dict[str, Any]]
    questions: tuple[LabQuestion, ...]
    files: Callable[[Values], dict[str, str]] = field(default=_no_files)


class GradedAnswer(NamedTuple):
    """One question's answer, graded."""

    key: str
    right: bool
    message: Message


def variant(lab: Lab, student: str) -> dict[str, Any]:
    """Return a student's variant of a lab, the same each time.

    Raises:
        InvalidInput: if the student's name cannot be used.
    """
    checked_student(student)
    seed = hashlib.sha256(f"{lab.number}:{student}".encode()).digest()
    return lab.make(np.random.default_rng(int.from_bytes(seed[:8], "big")))


def checked_student(student: str) -> str:
    """Return the student's name or number if it can stand in a file name.

    Raises:
        InvalidInput: if it cannot.
    """
    is_plain = student.replace("-", "").replace("_", "").isalnum()
    if not (is_plain and len(student) <= LONGEST_NAME):
        raise InvalidInput(
            "student_name",
            _("student '{student}': letters, digits, - and _ are allowed, at most {most} of them"),
            student=student,
            most=LONGEST_NAME,
        )
    return student


def question_text(question: LabQuestion, values: Values) -> Message:
    """Return the question with the variant's numbers in it."""
    return term(question.text, **{name: _plain(value) for name, value in shown_values(values).items()})


def shown_values(values: Values) -> dict[str, Any]:
    """Return what the student may see of a variant."""
    return {name: value for name, value in values.items() if not name.startswith("_")}


def _plain(value: Any) -> Any:
    """Return a list as it is written down; other values as they are."""
    if not isinstance(value, list):
        return value
    return "[" + ", ".join(str(_plain(one)) if isinstance(one, list) else f"{one:g}" for one in value) + "]"


def grade(lab: Lab, student: str, answers: Mapping[str, Any]) -> tuple[GradedAnswer, ...]:
    """Grade all answers of a student; one that is missing or has the wrong form is wrong, and is told why."""
    values = variant(lab, student)
    out = []
    for question in lab.questions:
        if question.key not in answers:
            verdict = Verdict(False, Message("not_answered", _("not answered")))
        else:
            try:
                verdict = question.grade(values, answers[question.key])
            except ArmlabError as error:
                verdict = Verdict(False, error.message)
        out.append(GradedAnswer(question.key, verdict.right, verdict.message))
    return tuple(out)


def as_numbers(answer: Any, shape: tuple[int | None, ...], what: str) -> Floats:
    """Return an answer as finite numbers of that shape; None in the shape is any length.

    Raises:
        InvalidInput: if it is something else.
    """
    try:
        made = np.array(answer, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        made = np.array(np.nan)
    fits = made.ndim == len(shape) and all(n in {None, m} for n, m in zip(shape, made.shape, strict=True))
    if not fits or not np.isfinite(made).all() or np.abs(made).max(initial=0.0) > 1e9:
        shown = "×".join("n" if n is None else str(n) for n in shape) or "1"
        raise InvalidInput("answer_form", _("{what}: {shape} finite numbers are needed"), what=what, shape=shown)
    return made


def as_text(answer: Any, what: str) -> str:
    """Return an answer that is a text.

    Raises:
        InvalidInput: if it is something else.
    """
    if not isinstance(answer, str) or not answer.strip() or len(answer) > 20_000:
        raise InvalidInput("answer_not_text", _("{what}: a text is needed"), what=what)
    return answer


def wrong(code: str, template: str, **facts: Any) -> Verdict:
    """Return a verdict that says what is wrong."""
    return Verdict(False, Message(code, template, **facts))


def close(answer: Any, true: float, within: float, unit: str) -> Verdict:
    """Grade one number."""
    given = float(as_numbers(answer, (), "answer"))
    if abs(given - true) <= within:
        return RIGHT
    return wrong(
        "number_off",
        _("{given:g} {unit} is given; it is off by {off:.3g} {unit} (± {within:g} {unit} are allowed)"),
        given=given,
        off=abs(given - true),
        within=within,
        unit=unit,
    )


def listed(values: Any, digits: int = 3) -> str:
    """Return numbers as a short list for a message."""
    return "[" + ", ".join(f"{float(value):.{digits}f}" for value in np.ravel(values)) + "]"


def rounded(values: Any, digits: int = 1) -> Any:
    """Return numbers as JSON holds them, with few digits."""
    return np.round(values, digits).tolist()

"""The page can say every sentence of the server's in Russian and in Ukrainian, and knows none that nobody sends."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from server import sentences

import armlab
from armlab.kinematics.why import why_not

BOOKS = Path(__file__).resolve().parents[2] / "web" / "src" / "i18n" / "phrasebook"
LANGUAGES = ("ru", "uk")


def _book(language: str) -> dict[str, str]:
    phrases: dict[str, str] = json.loads((BOOKS / f"{language}.json").read_text(encoding="utf-8"))
    return phrases


def _holes(pattern: str) -> list[str]:
    return sorted(re.findall(r"\{\d+\}", pattern))


def _has_pattern(sentence: str) -> bool:
    fixed = (re.split(r"\{\d+\}", pattern) for pattern in sentences.sentences())
    return any(re.fullmatch(".*?".join(re.escape(part) for part in parts), sentence) for parts in fixed)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_book_has_every_sentence_that_the_page_can_be_sent(language: str) -> None:
    assert sorted(sentences.sentences() - set(_book(language))) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_book_has_no_sentence_that_nobody_sends(language: str) -> None:
    assert sorted(set(_book(language)) - sentences.sentences()) == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_phrase_fills_the_holes_of_its_pattern(language: str) -> None:
    assert [pattern for pattern, phrase in _book(language).items() if _holes(pattern) != _holes(phrase)] == []


def test_real_sentences_have_patterns() -> None:
    robot = armlab.load("ur5e")
    far = np.eye(4)
    far[:3, 3] = 9.0, 0.0, 0.0
    diagnosis = why_not(robot, far)
    said = [diagnosis.summary, *(verdict.sentence for verdict in diagnosis.branches)]
    for wrong in (lambda: replace(robot.joints[0], lower=1.0, upper=0.0), lambda: robot.pose("nowhere")):
        with pytest.raises(armlab.ArmlabError) as caught:
            wrong()
        said.append(caught.value.message)
    assert [sentence for sentence in said if not _has_pattern(sentence)] == []


def test_a_text_in_a_local_variable_is_put_in_its_place(tmp_path: Path) -> None:
    source = tmp_path / "room.py"
    source.write_text(
        'def check(n: int) -> None:\n    side = "upper" if n else "lower"\n    text = f"its {side} limit of {n}"\n'
        '    text += "; no more"\n    raise InvalidInput(f"joint {n}: {text}")\n',
        encoding="utf-8",
    )
    told = sentences.sentences_in(source)
    assert told == {
        f"joint {{0}}: its {side} limit of {{1}}{more}" for side in ("upper", "lower") for more in ("", "; no more")
    }

"""Small programs for every feature of KRL, and against its rules: what they set, how often they move, what is found.

They stand in features.txt: a line with a name and what is expected, the body of the routine, and other files.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from program.krl.drive import drive, program

from armlab.program.signals import InputChange


class Feature(NamedTuple):
    """A program, and what is expected of it."""

    name: str
    body: str
    files: dict[str, str]
    expected: dict[str, Any]


def features() -> list[Feature]:
    found = []
    for part in Path(__file__).with_name("features.txt").read_text().split("=== ")[1:]:
        head, _line, rest = part.partition("\n")
        name, _space, expected = head.partition(" ")
        body, *others = rest.split("--- ")
        files = {file: text for file, _end, text in (other.partition("\n") for other in others)}
        found.append(Feature(name, body.rstrip(), files, json.loads(expected)))
    return found


@pytest.mark.parametrize("feature", features(), ids=lambda feature: feature.name)
def test_a_program_does_what_its_language_says(feature: Feature) -> None:
    expected = feature.expected
    script = tuple(InputChange(*change) for change in expected.get("script", ()))
    done = drive(program(feature.body, **feature.files), inputs=expected.get("inputs"), script=script)
    found = [[one.code.removeprefix("krl_"), int(one.where["line"])] for one in done.findings]
    assert found == expected["findings"]
    assert len(done.moves) == expected["moves"]
    assert dict(done.outputs) == pytest.approx(expected["outputs"], abs=5e-5)

"""Programs over HTTP: checked as they are typed, with lines, times and the path of the tool; examples."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from server.asking import Asker

GOOD = "G21 G90\nG0 X0 Y0 Z0\nG1 X60 F3000\nM2\n"


@pytest.fixture
def session(server: Asker) -> Iterator[str]:
    """Return the name of a session with a SCARA."""
    body = json.dumps({"project": {"arm": {"name": "scara"}, "structure": "hierarchy"}}).encode()
    made = server.send("POST", "/api/sessions", content=body, headers={"content-type": "application/json"}).json()
    yield made["session"]
    server.send("DELETE", f"/api/sessions/{made['session']}")


def checked(server: Asker, session: str, text: str, language: str = "gcode") -> dict[str, Any]:
    """Return what the server says about a program."""
    response = server.send(
        "POST",
        f"/api/sessions/{session}/program-check",
        content=json.dumps({"language": language, "text": text}).encode(),
        headers={"content-type": "application/json"},
    )
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def test_a_good_program_has_a_time_a_path_by_lines_and_no_error(server: Asker, session: str) -> None:
    found = checked(server, session, GOOD)
    assert [finding for finding in found["findings"] if finding["severity"] == "error"] == []
    assert found["motions"] == 2
    assert found["duration"] > 0.0
    cut = next(path for path in found["paths"] if path["line"] == 3)
    assert not cut["rapid"]
    start, end = cut["points"][0], cut["points"][-1]
    assert sum((a - b) ** 2 for a, b in zip(start, end, strict=True)) ** 0.5 == pytest.approx(60.0, abs=0.01)


def test_every_mistake_is_told_with_its_line(server: Asker, session: str) -> None:
    found = checked(server, session, "G21\nG1 X10\nG1 X20 F100\nG99999 X1\nG1 X[1/0] F100\nM2\n")
    lines = {finding["line"] for finding in found["findings"] if finding["severity"] == "error"}
    assert {4, 5} <= lines


def test_what_is_not_json_is_one_finding_of_a_scenario(server: Asker, session: str) -> None:
    (finding,) = checked(server, session, "{", "scenario")["findings"]
    assert finding["severity"] == "error"


def test_every_example_is_read_without_a_mistake_in_its_text(server: Asker, session: str) -> None:
    examples = server.get("/api/programs").json()
    assert {"drawing", "star"} <= {example["name"] for example in examples}
    (drawing,) = [example for example in examples if example["name"] == "drawing"]
    found = checked(server, session, drawing["text"])
    assert [finding for finding in found["findings"] if finding["severity"] == "error"] == []
    assert found["paths"]

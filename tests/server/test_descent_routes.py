"""Levenberg and Marquardt's method over HTTP: settings, starts, and maps of them."""

from __future__ import annotations

import json
import time
from typing import Any

import httpx
import pytest
from server.asking import Asker

PAPER = {"pose": [-10.0, 35.0, 0.0, 0.0, 0.0, 0.0], "start": [30.0, 30.0, 20.0]}


@pytest.fixture
def session(server: Asker) -> str:
    """Return the address of a session with the planar arm."""
    wish = json.dumps({"project": {"schema": 1, "arm": {"name": "planar3"}}}).encode()
    made = server.send("POST", "/api/sessions", headers={"content-type": "application/json"}, content=wish)
    assert made.status_code == 200
    return f"/api/sessions/{made.json()['session']}"


def ask(server: Asker, address: str, **body: Any) -> httpx.Response:
    return server.send(
        "POST", address, headers={"content-type": "application/json"}, content=json.dumps({**PAPER, **body}).encode()
    )


def test_the_tolerance_decides_when_the_example_of_s4_is_solved(server: Asker, session: str) -> None:
    coarse, fine = (ask(server, f"{session}/lm", tolerance=tolerance).json() for tolerance in (0.1, 1e-6))
    assert len(coarse["steps"]) == 4
    assert coarse["q"] == pytest.approx([38.5, 68.8, 62.8], abs=0.1)
    assert coarse["error"] <= 0.1
    assert fine["error"] <= 1e-6
    assert len(fine["steps"]) > 4
    assert coarse["steps"][0]["q"] == pytest.approx(PAPER["start"])


def test_the_most_steps_and_the_factors_are_those_that_were_asked_for(server: Asker, session: str) -> None:
    report = ask(server, f"{session}/lm", steps=2, shrink=0.5).json()
    assert report["stop"] == "steps"
    first, second = report["steps"]
    assert second["damping"] == pytest.approx(first["damping"] * (0.5 if first["accepted"] else 10.0))


def test_a_cell_of_the_map_says_how_many_steps_its_start_takes(server: Asker, session: str) -> None:
    found = ask(server, f"{session}/lm/starts", cells=8).json()
    assert len(found["solution"]) == len(found["up"]) == 8
    compared = 0
    for column, row in ((0, 0), (3, 5), (2, 6), (7, 2)):
        start = [found["across"][column], found["up"][row], found["start"][2]]
        trace = ask(server, f"{session}/lm", start=start).json()
        assert trace["converged"] == (found["solution"][row][column] >= 0)
        if trace["converged"]:  # where it is stuck, rounding decides when it gives up
            assert len(trace["steps"]) == found["steps"][row][column]
            compared += 1
    assert compared > 0


@pytest.mark.parametrize("body", [{"cells": 1000}, {"joints": [0, 0]}, {"joints": [0, 5]}, {"steps": 0}, {"grow": 0.5}])
def test_a_map_that_is_too_large_or_none_is_refused(server: Asker, session: str, body: dict[str, Any]) -> None:
    assert ask(server, f"{session}/lm/starts", **body).status_code == 422


def test_the_workspace_comes_when_it_is_there_and_is_that_of_the_changed_arm(server: Asker, session: str) -> None:
    def whole() -> dict[str, Any]:
        while (report := server.get(f"{session}/workspace").json())["volume"] is None:
            assert 0 <= report["share"] <= 1
            time.sleep(0.01)
        return dict(report["volume"])

    before = whole()
    assert len(before["reached"]) == len(before["manipulability"]) == len(before["branches"])
    assert before["shape"][2] == 1
    limits = [{"lower": 20.0, "upper": 40.0}, {"lower": -100.0, "upper": 100.0}, {"lower": -100.0, "upper": 100.0}]
    project = {"schema": 1, "arm": {"name": "planar3", "limits": limits}}
    changed = server.send(
        "PUT",
        f"{session}/project",
        headers={"content-type": "application/json"},
        content=json.dumps(project).encode(),
    )
    assert changed.status_code == 200, changed.text
    after = whole()
    area = [len(volume["reached"]) * volume["cell"] ** 2 for volume in (before, after)]
    assert area[1] < 0.9 * area[0]

"""Chosen sections of the derivation at a pose."""

from __future__ import annotations

import json

import pytest
from server.asking import Asker

from armlab import catalog
from armlab.server.routes.mathematics import PARTS, sections_at


@pytest.fixture
def session(server: Asker) -> str:
    """Return the address of a session with the planar arm."""
    wish = json.dumps({"project": {"schema": 1, "arm": {"name": "planar3"}}}).encode()
    made = server.send("POST", "/api/sessions", headers={"content-type": "application/json"}, content=wish)
    assert made.status_code == 200
    return f"/api/sessions/{made.json()['session']}"


def test_only_the_asked_sections_come_and_their_numbers_follow_the_pose(server: Asker, session: str) -> None:
    answers = [
        server.get(f"{session}/derivation/at?sections=tool,singular&q={q}").json() for q in ("30,30,20", "30,0,0")
    ]
    assert [[section["id"] for section in answer["sections"]] for answer in answers] == [["tool", "singular"]] * 2
    texts = [json.dumps(answer["sections"][1], ensure_ascii=False) for answer in answers]
    assert "The arm is not singular here" in texts[0]
    assert "The arm is not singular here" not in texts[1]
    points = [answer["sections"][0]["items"][-2]["rows"][0][:2] for answer in answers]
    assert points[0] == [r"$30.793 \,\mathrm{mm}$", r"$47.017 \,\mathrm{mm}$"]
    assert points[1] == [r"$51.962 \,\mathrm{mm}$", r"$30 \,\mathrm{mm}$"]


def test_an_unknown_section_is_refused_with_the_names_of_all(server: Asker, session: str) -> None:
    answer = server.get(f"{session}/derivation/at?sections=tool,poetry")
    assert answer.status_code == 422
    assert answer.json()["message"].startswith("sections: 'poetry' is not known; known: joints, table")


def test_a_section_has_the_same_items_at_every_pose() -> None:
    robot = catalog.load("planar3")
    shapes = []
    for q in (robot.home, robot.home * 0.5):
        page = sections_at(robot, q, list(PARTS))
        shapes.append([(section.id, [len(item.latex) for item in section.items]) for section in page.sections])
    assert shapes[0] == shapes[1]

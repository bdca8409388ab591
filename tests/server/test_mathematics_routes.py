"""Chosen sections of the derivation at a pose."""

from __future__ import annotations

import json

import httpx
import numpy as np
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


def test_numbers_are_put_into_formulas_only_where_asked_for(server: Asker, session: str) -> None:
    plain, put_in = (
        server.get(f"{session}/derivation/at?sections=tool&q=30,30,20&put_in={put_in}").json()["sections"][0]["items"]
        for put_in in ("false", "true")
    )
    assert not any(line for item in plain for line in item["numbers"])
    x = next(item for item in put_in if item["latex"])["numbers"][0]
    assert r"20 \cdot \cos 30" in x
    assert x.endswith(r"= 30.793 \,\mathrm{mm}")


def check(server: Asker, session: str, quantity: str, text: str) -> httpx.Response:
    body = json.dumps({"quantity": quantity, "text": text}).encode()
    return server.send("POST", f"{session}/formula", headers={"content-type": "application/json"}, content=body)


def test_a_right_formula_is_right_and_a_wrong_one_has_a_counter_example(server: Asker, session: str) -> None:
    right = check(server, session, "x", "L1 c1 + L2 c12 + L3 cos(t1 + t2 + t3)").json()
    assert right["right"]
    assert right["counter_example"] is None
    wrong = check(server, session, "x", "L1 c1 + L2 c2 + L3 cos(t1 + t2 + t3)").json()
    assert not wrong["right"]
    q = np.radians([wrong["counter_example"][f"theta_{i}"] for i in (1, 2, 3)])
    assert wrong["expected"] == pytest.approx(1000.0 * catalog.load("planar3").fk(q)[0, 3])
    mine = 20.0 * (np.cos(q[0]) + np.cos(q[1]) + np.cos(q.sum()))
    assert wrong["yours"] == pytest.approx(mine)


def test_a_text_that_is_no_formula_is_refused_with_the_column(server: Asker, session: str) -> None:
    answer = check(server, session, "x", "L1 * koz(t1)")
    assert answer.status_code == 422
    assert answer.json()["parameters"]["column"] == 6


def test_the_names_of_formulas_are_those_of_the_arm_on_the_bench(server: Asker, session: str) -> None:
    names = server.get(f"{session}/formula").json()
    assert names["lengths"] == [{"name": f"L{i}", "value": 20.0} for i in (1, 2, 3)]
    assert {"x", "phi", "det", "r33", "J63"} <= set(names["quantities"])
    assert "J64" not in names["quantities"]
    for quantity in names["quantities"]:
        assert check(server, session, quantity, "0").status_code == 200


@pytest.mark.parametrize(
    "what", ["derivation/at?sections=tool&q=1,2", "singularity?q=1,2", "fk?q=1,2", "derivation/numbers?q=1,2"]
)
def test_joints_of_another_revision_are_not_answered_and_no_error(server: Asker, session: str, what: str) -> None:
    address = f"{session}/{what}"
    assert server.get(address).status_code == 422, "three joints"
    for revision in (0, 2, 99):
        answer = server.get(f"{address}&revision={revision}")
        assert (answer.status_code, answer.content) == (204, b"")
    assert server.get(f"{address}&revision=1".replace("1,2", "30,30,20")).status_code == 200

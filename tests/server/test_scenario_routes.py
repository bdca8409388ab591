from __future__ import annotations

import json

import pytest
from server.asking import Asker

SCENARIO = {"schema": 1, "name": "s", "arm": "ur5e", "steps": [{"do": "move", "to": "home"}]}
FLOOR = [{"name": "floor", "kind": "box", "size": [3000, 3000, 20], "xyz": [0, 0, -10.5]}]


def session(server: Asker, **parts: object) -> str:
    """Start a session with a UR5e, and return its address."""
    project = {"schema": 1, "arm": {"name": "ur5e"}, **parts}
    answer = server.send("POST", "/api/sessions", content=json.dumps({"project": project}).encode(), headers=JSON)
    return f"/api/sessions/{answer.json()['session']}"


JSON = {"content-type": "application/json"}


def test_a_scenario_file_comes_back_with_a_project_to_play_it_in(server: Asker) -> None:
    answer = server.send(
        "POST", f"{session(server)}/scenario-file", content=json.dumps(SCENARIO).encode(), headers=JSON
    )
    assert answer.status_code == 200
    assert answer.json()["scenario"]["steps"][0]["to"] == "home"
    assert answer.json()["project"]["arms"][0]["arm"]["name"] == "ur5e"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"\xff\xfe\x00", "not a text file"),
        (b"{ nonsense", "not valid JSON"),
        (b'{"schema": 1}', "not an armlab scenario"),
        (json.dumps({**SCENARIO, "steps": [{"do": "dance"}]}).encode(), "not an armlab scenario"),
        (json.dumps({**SCENARIO, "arm": "../secret.toml"}).encode(), "no robot named"),
        (json.dumps({**SCENARIO, "scene": "x/y.toml"}).encode(), "no scene named"),
        (json.dumps({**SCENARIO, "steps": [{"do": "move", "to": [1, 2]}]}).encode(), "step 1"),
    ],
)
def test_a_broken_file_is_refused_in_words(server: Asker, body: bytes, words: str) -> None:
    answer = server.send("POST", f"{session(server)}/scenario-file", content=body, headers=JSON)
    assert answer.status_code in {404, 422}
    assert words in answer.json()["message"]


def test_the_check_says_which_step_cannot_be_planned(server: Asker) -> None:
    far = {"do": "move", "to_pose": [9000, 0, 0, 0, 0, 0]}
    scenario = {**SCENARIO, "steps": [{"do": "wait", "seconds": 1}, far]}
    found = server.get(f"{session(server, scenario=scenario)}/scenario-check").json()["findings"]
    assert [(one["severity"], one["where"]["step"]) for one in found] == [("error", 2)]


def test_the_check_names_the_parts_that_touch(server: Asker) -> None:
    steps = [{"do": "move", "to": [0, 30, 0, 0, 0, 0]}]
    address = session(server, bodies=FLOOR, scenario={**SCENARIO, "steps": steps})
    found = server.get(f"{address}/scenario-check").json()["findings"]
    contact = next(one for one in found if one["code"] == "contact")
    assert contact["where"]["step"] == 1
    assert "floor" in {contact["where"]["first"], contact["where"]["second"]}


def test_without_a_scenario_there_is_nothing_to_check(server: Asker) -> None:
    assert server.get(f"{session(server)}/scenario-check").status_code == 422

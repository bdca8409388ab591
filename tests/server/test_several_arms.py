"""Several arms of a scene over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from server.visiting import TestClient

from armlab.server.access import COOKIE, Access
from armlab.server.app import create_app


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    with TestClient(create_app(page=tmp_path, access=Access("key")), base_url="http://localhost") as made:
        made.cookies.set(COOKIE, "key")
        yield made


def test_the_arms_of_a_scene_all_enter_a_project(client: TestClient) -> None:
    content = client.get("/api/scenes/two-arms").json()
    arms = [(arm["name"], arm["arm"]["name"]) for arm in content["arms"]]
    assert arms == [("kuka", "kuka-kr6-r700"), ("scara", "scara")]
    project = {"schema": 2, "arms": content["arms"], "bodies": content["bodies"]}
    session = client.post("/api/sessions", json={"project": project}).json()["session"]
    saved = client.get(f"/api/sessions/{session}/project").json()
    assert {name: len(at["q"]) for name, at in saved["positions"]["arms"].items()} == {"kuka": 6, "scara": 4}
    own, other = (client.get(f"/api/sessions/{session}/model.glb", params=arm) for arm in ({}, {"arm": "scara"}))
    assert own.content != other.content
    assert client.get(f"/api/sessions/{session}/model.glb", params={"arm": "nobody"}).status_code == 404

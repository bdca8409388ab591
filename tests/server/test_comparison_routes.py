"""The three structures over HTTP: lines of progress and a result, and what is refused."""

from __future__ import annotations

import asyncio
import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from server.asking import Asker
from starlette.types import Message

from armlab.catalog import load
from armlab.jobs import BOARD, STUDY
from armlab.server.app import create_app
from armlab.sim.compare import compare

ARM = "scara"
PATIENCE_S = 60.0


@pytest.fixture(scope="module")
def asker() -> Asker:
    return Asker(create_app())


@pytest.fixture(scope="module")
def session(asker: Asker) -> str:
    answer = send(asker, "/api/sessions", {"project": {"schema": 1, "arm": {"name": ARM}}})
    return str(answer.json()["session"])


def send(asker: Asker, path: str, body: Any, language: str = "en") -> Any:
    headers = {"Content-Type": "application/json", "Origin": "http://localhost:8090", "Accept-Language": language}
    return asker.send("POST", path, headers=headers, content=json.dumps(body).encode())


def lines(asker: Asker, session: str, body: Any, language: str = "en") -> list[dict[str, Any]]:
    answer = send(asker, f"/api/sessions/{session}/comparison", body, language)
    assert answer.status_code == 200, answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


def test_progress_comes_line_by_line_and_the_result_last(asker: Asker, session: str) -> None:
    told = lines(asker, session, {"duration": 0.4})
    shares = [line["share"] for line in told]
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(told) > 6
    assert all(line["result"] is None for line in told[:-1])
    expected = compare(load(ARM), duration=0.4)
    for row, (name, metrics) in zip(told[-1]["result"]["structures"], expected.metrics.items(), strict=True):
        assert row["structure"] == name
        assert row["summary"]["gap"] == pytest.approx(metrics.gap * 1e3, abs=1e-8)
        assert max(row["gap"]) == pytest.approx(metrics.gap * 1e3, rel=1e-4)
        assert len(row["t"]) == len(row["gap"]) == len(row["frames"]) == len(row["tool_error"]) <= 300
        assert row["t"][-1] == pytest.approx(0.4)
        tool = row["frames"][-1][-7:-4]
        assert tool == pytest.approx(metrics.frames[-1, -1, :3, 3].tolist(), abs=1e-4)
        assert (row["energy"] is None) == (name == "hierarchy")


def test_divergence_is_a_result_told_in_the_readers_language(asker: Asker, session: str) -> None:
    body = {"timestep": 10, "stiffness": 100}
    texts = []
    for language in ("en", "uk"):
        (_, tied, _) = lines(asker, session, body, language)[-1]["result"]["structures"]
        assert tied["summary"]["diverged"] > tied["t"][-1]
        assert next(finding["code"] for finding in tied["summary"]["findings"]) == "structure_diverged"
        texts.append(tied["summary"]["findings"][0]["message"])
    assert texts[0] != texts[1]


def test_the_plan_of_the_project_is_a_command(asker: Asker) -> None:
    plan = {"kind": "joint", "points": [[0, 0, 0, 0], [20, 10, 0, 0]]}
    made = send(asker, "/api/sessions", {"project": {"schema": 1, "arm": {"name": ARM}, "plan": plan}})
    told = lines(asker, made.json()["session"], {"command": "plan"})
    assert told[-1]["result"]["duration"] > 0.0


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"command": "plan"}, "no_plan"),
        ({"command": "step", "joint": 9}, "no_such_joint"),
        ({"command": "step", "by": 1000}, "step_outside_limits"),
        ({"duration": 30, "timestep": 0.05}, "comparison_too_long"),
    ],
)
def test_what_cannot_be_compared_is_refused_at_once(asker: Asker, session: str, body: Any, code: str) -> None:
    answer = send(asker, f"/api/sessions/{session}/comparison", body)
    assert (answer.status_code, answer.json()["code"]) == (422, code)


@pytest.mark.parametrize(
    "body", [{"stiffness": 0}, {"mass": -1}, {"friction": 2}, {"timestep": 0}, {"command": "dance"}, {"speed": 1}]
)
def test_wrong_values_get_one_message(asker: Asker, session: str, body: Any) -> None:
    answer = send(asker, f"/api/sessions/{session}/comparison", body)
    assert answer.status_code == 422
    assert next(iter(body)) in answer.json()["message"]


def test_who_hangs_up_ends_the_computation(session: str, asker: Asker) -> None:
    """The client hears the first line of a computation that takes long, and leaves."""
    told, body = asyncio.Event(), json.dumps({"duration": 30.0, "timestep": 1.0}).encode()
    sent: list[bytes] = []

    async def receive() -> Message:
        if not sent:
            sent.append(body)
            return {"type": "http.request", "body": body, "more_body": False}
        await told.wait()
        return {"type": "http.disconnect"}

    async def hear(message: Message) -> None:
        if message.get("body"):
            told.set()

    path = f"/api/sessions/{session}/comparison"
    headers = [("host", "localhost:8090"), ("content-type", "application/json"), ("content-length", str(len(body)))]
    headers += [("origin", "http://localhost:8090"), *asker.cookie.items()]
    scope = {
        "type": "http",
        "asgi": {"spec_version": "2.3"},
        "http_version": "1.1",
        "method": "POST",
        "scheme": "http",
        "path": path,
        "raw_path": path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers],
        "client": ("127.0.0.1", 1),
        "server": ("localhost", 8090),
    }
    with ThreadPoolExecutor(max_workers=1) as thread:
        thread.submit(lambda: asyncio.run(asker.app(scope, receive, hear))).result()
    deadline = time.monotonic() + PATIENCE_S
    while BOARD.is_busy(STUDY) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not BOARD.is_busy(STUDY)
    assert lines(asker, session, {"duration": 0.2})[-1]["result"] is not None

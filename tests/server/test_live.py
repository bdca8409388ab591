"""The socket: who may join, what goes over it, and how it ends."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from server.visiting import TestClient, WebSocketDenialResponse, WebSocketTestSession
from starlette.websockets import WebSocketDisconnect

from armlab.cell.wire import HEADER, SUBPROTOCOL
from armlab.messages import Message
from armlab.server.access import COOKIE, Access
from armlab.server.app import create_app
from armlab.server.live import MAX_COMMAND, STALE, UNKNOWN_SESSION

KEY = "a-key-for-tests"
LOCAL = {"host": "localhost"}
NOTHING_HELD = Message("nothing_held", "the tool holds nothing")


@pytest.fixture
def client(page: Path) -> Iterator[TestClient]:
    with TestClient(create_app(page=page, access=Access(KEY)), base_url="http://localhost") as made:
        made.cookies.set(COOKIE, KEY)
        yield made


@pytest.fixture
def session(client: TestClient) -> str:
    wish = {"project": {"schema": 1, "arm": {"name": "planar3"}}}
    return str(client.post("/api/sessions", json=wish).json()["session"])


def joined(client: TestClient, session: str, **headers: str) -> WebSocketTestSession:
    path = f"/api/live?session={session}"
    return client.websocket_connect(path, subprotocols=[SUBPROTOCOL], headers={**LOCAL, **headers})


def event(socket: WebSocketTestSession, kind: str) -> dict[str, Any]:
    """Return the next event of a kind; states in between are passed over."""
    for _ in range(2000):
        message = socket.receive()
        if message["type"] == "websocket.close":
            raise WebSocketDisconnect(message["code"])
        if "text" in message and message["text"] is not None:
            found: dict[str, Any] = json.loads(message["text"])
            if found["type"] == kind:
                return found
    pytest.fail(f"no {kind} was told")


def state(socket: WebSocketTestSession) -> bytes:
    for _ in range(2000):
        message = socket.receive()
        if message.get("bytes") is not None:
            return bytes(message["bytes"])
    pytest.fail("no state came")


def test_a_page_joins_its_session(client: TestClient, session: str) -> None:
    with joined(client, session) as socket:
        assert socket.accepted_subprotocol == SUBPROTOCOL
        assert event(socket, "welcome")["session"] == session
        document = event(socket, "document")
        assert document["project"]["schema"] == 2
        assert document["layout"]["joints"] == ["theta1", "theta2", "theta3"]
        frame = state(socket)
        assert HEADER.unpack_from(frame)[2] == 3
        assert (len(frame) - HEADER.size) % struct.calcsize("<f") == 0


def test_commands_are_done(client: TestClient, session: str) -> None:
    with joined(client, session) as socket:
        socket.send_text(json.dumps({"type": "move_joints", "revision": 1, "targets": {"0": 80.0, "1": 10.0}}))
        for _ in range(400):
            shown = struct.unpack_from("<f", state(socket), HEADER.size)[0]
            if abs(shown - 80.0) < 0.1:
                return
    pytest.fail(f"the joint is at {shown}")


NONSENSE = {
    "": "not_json",
    "hello": "not_json",
    "[]": "not_a_table",
    "1": "not_a_table",
    "null": "not_a_table",
    "{}": "tag_missing",
    "[" * 5000: "not_json",
    '{"type": "explode"}': "not_allowed",
    '{"type": "move_joints", "revision": 1, "targets": {"0": NaN}}': "not_finite",
    '{"type": "move_joints", "revision": 1, "targets": {"0": 1e999}}': "not_finite",
    '{"type": "move_joints", "revision": 1, "targets": {"9": 1}}': "no_such_joint",
    '{"type": "seek", "time": -1}': "below_least",
    '{"type": "pick", "body": "nobody"}': "unknown_scene_body",
    '{"type": "undo", "now": 1}': "key_unknown",
}
"""What is not a command, or none that can be done, and the code of the answer."""


@pytest.mark.parametrize(("text", "code"), NONSENSE.items(), ids=lambda text: str(text)[:40])
def test_nonsense_is_answered_with_its_reason_and_the_socket_stays(
    client: TestClient, session: str, text: str, code: str
) -> None:
    with joined(client, session) as socket:
        socket.send_text(text)
        failed = event(socket, "failed")
        assert failed["code"] == code
        assert len(failed["message"]) > 5
        assert state(socket)


def test_bytes_and_too_long_texts_are_no_commands(client: TestClient, session: str) -> None:
    with joined(client, session) as socket:
        socket.send_bytes(b"\x00\x01")
        assert event(socket, "failed")["code"] == "command_too_long"
        socket.send_text(" " * (MAX_COMMAND + 1))
        assert event(socket, "failed")["code"] == "command_too_long"


def test_a_second_page_sees_the_same(client: TestClient, session: str) -> None:
    with joined(client, session) as one, joined(client, session) as other:
        event(one, "document")
        event(other, "document")
        edit = {"type": "edit", "changes": [{"path": ["title"], "value": "ours"}], "label": "title", "revision": 1}
        one.send_text(json.dumps(edit))
        for page in (one, other):
            told = event(page, "changed")
            assert (told["changes"], told["revision"], told["layout"]) == (edit["changes"], 2, None)
        other.send_text(json.dumps(edit))
        assert event(other, "failed")["code"] == "stale"


def test_a_page_that_comes_back_finds_the_session_where_it_was(client: TestClient, session: str) -> None:
    with joined(client, session) as socket:
        event(socket, "document")
        edit = {"type": "edit", "changes": [{"path": ["title"], "value": "kept"}], "label": "title", "revision": 1}
        socket.send_text(json.dumps(edit))
        event(socket, "changed")
    with joined(client, session) as socket:
        document = event(socket, "document")
        assert (document["project"]["title"], document["revision"]) == ("kept", 2)


def test_an_unknown_session_is_closed_with_its_own_code(client: TestClient) -> None:
    with joined(client, "0123456789abcdef") as socket, pytest.raises(WebSocketDisconnect) as caught:
        socket.receive_text()
    assert caught.value.code == UNKNOWN_SESSION


@pytest.mark.parametrize("protocols", [[], ["armlab.0"], ["chat"]])
def test_a_page_of_another_version_is_told_to_reload(client: TestClient, session: str, protocols: list[str]) -> None:
    path = f"/api/live?session={session}"
    stale = client.websocket_connect(path, subprotocols=protocols, headers={**LOCAL})
    with stale as socket:
        assert (socket.accepted_subprotocol or None) == next(iter(protocols), None), "else a browser hears no code"
        with pytest.raises(WebSocketDisconnect) as caught:
            socket.receive_text()
    assert caught.value.code == STALE


def test_a_stranger_does_not_get_a_socket(client: TestClient, session: str) -> None:
    client.cookies.clear()
    with pytest.raises(WebSocketDenialResponse) as caught, joined(client, session):
        pass
    assert caught.value.status_code == 401


def test_a_page_of_a_stranger_does_not_get_a_socket(client: TestClient, session: str) -> None:
    for headers in ({"origin": "http://evil.example"}, {"host": "evil.example"}):
        with pytest.raises(WebSocketDenialResponse) as caught, joined(client, session, **headers):
            pass
        assert caught.value.status_code == 403


def test_each_page_is_told_in_its_language(client: TestClient, session: str) -> None:
    path = f"/api/live?session={session}"
    with (
        client.websocket_connect(f"{path}&language=uk", subprotocols=[SUBPROTOCOL], headers={**LOCAL}) as one,
        joined(client, session) as other,
    ):
        refused = json.dumps({"type": "place"})
        other.send_text(refused)
        english = event(other, "failed")
        one.send_text(json.dumps({"type": "set_language", "language": "en"}))
        one.send_text(refused)
        assert event(one, "failed")["message"] == english["message"]
        other.send_text(json.dumps({"type": "set_language", "language": "ru"}))
        other.send_text(refused)
        told = event(other, "failed")
        assert told["code"] == english["code"] == "nothing_held"
        assert told["message"] == NOTHING_HELD.render("ru")

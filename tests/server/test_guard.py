from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from server.asking import PAGE, Asker
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from armlab.server.app import create_app
from armlab.server.guard import MAX_BODY_BYTES, BodyLimit, host_name


@pytest.mark.parametrize("path", ["/", "/api/robots", "/api/robots/none", "/nothing", "/assets/index-1234.js"])
def test_every_answer_carries_the_security_headers(server: Asker, path: str) -> None:
    headers = server.get(path).headers
    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert policy.endswith("frame-ancestors http://localhost:* http://127.0.0.1:*")
    assert "unsafe" not in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1:8090", "[::1]:8090", "LOCALHOST:1"])
def test_this_machines_local_names_are_answered(server: Asker, host: str) -> None:
    assert server.get("/api/version", host=host).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "192.168.1.5:8090",
        "[::2]",
        "0.0.0.0",
        "127.0.0.1:1@evil.com",
        "localhost:evil.com",
        "[::1]evil",
        "[::1",
        "[::1]:80:80",
    ],
)
def test_other_names_are_refused(server: Asker, host: str) -> None:
    answer = server.get("/api/version", host=host)
    assert (answer.status_code, answer.json()["code"]) == (403, "wrong_host")
    assert "content-security-policy" in answer.headers


def test_the_chosen_host_is_answered(page: Path) -> None:
    server = Asker(create_app(hosts=["Robots.Lab"], page=page))
    assert server.get("/api/version", host="robots.lab:8090").status_code == 200
    assert server.get("/api/version", host="other.lab").status_code == 403


def test_a_server_on_every_address_answers_for_addresses_but_not_for_names(page: Path) -> None:
    server = Asker(create_app(hosts=["0.0.0.0"], page=page))
    assert server.get("/api/version", host="192.168.1.5:8090").status_code == 200
    assert server.get("/api/version", host="[fe80::1]").status_code == 200
    assert server.get("/api/version", host="evil.example").status_code == 403


@pytest.mark.parametrize(
    ("header", "name"), [("a:1", "a"), ("A", "a"), ("[::1]:80", "::1"), ("[::1]", "::1"), ("", "")]
)
def test_a_host_header_is_read_without_port_and_brackets(header: str, name: str) -> None:
    assert host_name(header) == name


def test_a_body_that_is_too_long_is_refused_by_its_length(server: Asker) -> None:
    answer = server.send("POST", "/api/robots", content=b"x" * (MAX_BODY_BYTES + 1))
    assert (answer.status_code, answer.json()["code"]) == (413, "too_long")


def test_a_body_that_is_too_long_is_refused_though_nobody_said_its_length(server: Asker) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(11):
            yield b"x" * (MAX_BODY_BYTES // 10)

    answer = server.send("POST", "/api/robots", content=chunks(), headers={"transfer-encoding": "chunked"})
    assert answer.status_code == 413


@pytest.mark.parametrize("path", ["/real/recording", "/a/api/imports", "/api/sessions/a/b/real/recording"])
def test_more_is_allowed_only_where_files_are_brought(server: Asker, path: str) -> None:
    answer = server.send("POST", path, content=b"x" * (MAX_BODY_BYTES + 1))
    assert (answer.status_code, answer.json()["code"]) == (413, "too_long")
    for place in ("/api/imports", "/api/sessions/a/real/recording"):
        assert server.send("POST", place, content=b"x" * (MAX_BODY_BYTES + 1)).status_code != 413
        stranger = Asker(server.app, is_known=False)
        assert stranger.send("POST", place, content=b"x").status_code == 401


def test_a_length_that_is_not_a_number_is_refused(server: Asker) -> None:
    assert server.send("POST", "/api/robots", headers={"content-length": "-1"}).status_code == 413


def test_a_body_that_is_not_too_long_reaches_the_route_whole(server: Asker) -> None:
    async def echo(scope: Scope, receive: Receive, send: Send) -> None:
        body = await Request(scope, receive).body()
        await PlainTextResponse(body)(scope, receive, send)

    async def chunks() -> AsyncIterator[bytes]:
        yield b"one "
        yield b"two"

    server.app.mount("/echo", BodyLimit(echo, limit=10))
    server.app.router.routes.insert(0, server.app.router.routes.pop())
    assert server.send("POST", "/echo/", content=chunks(), headers={"transfer-encoding": "chunked"}).text == "one two"


def test_the_page_is_asked_for_again_but_its_hashed_files_are_kept(server: Asker) -> None:
    page, asset = server.get("/"), server.get("/assets/index-1234.js")
    assert (page.text, page.headers["cache-control"]) == (PAGE, "no-cache")
    assert "immutable" in asset.headers["cache-control"]
    assert asset.headers["content-type"].startswith("text/javascript")


def test_without_a_built_page_the_root_says_so_and_the_rest_works(tmp_path: Path) -> None:
    server = Asker(create_app(page=tmp_path))
    answer = server.get("/")
    assert (answer.status_code, answer.json()["code"]) == (503, "no_page")
    assert server.get("/api/version").status_code == 200


@pytest.mark.parametrize(
    ("host", "framed"), [("127.0.0.1", True), ("localhost", True), ("0.0.0.0", False), ("lab", False)]
)
def test_only_a_server_of_this_machine_is_framed(page: Path, host: str, *, framed: bool) -> None:
    policy = Asker(create_app(hosts=[host], page=page)).get("/", host="localhost").headers["content-security-policy"]
    assert ("frame-ancestors 'none'" not in policy) == framed

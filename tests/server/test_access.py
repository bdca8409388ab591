"""Who may come in: the link that was printed, the cookie that came of it, and pages of ours."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest
from fastapi import FastAPI
from server.asking import Asker

from armlab.server import access as doors
from armlab.server.access import COOKIE, Access, kept_key
from armlab.server.app import create_app


@pytest.fixture
def stranger(app: FastAPI) -> Asker:
    """Return somebody who has not opened the link."""
    return Asker(app, is_known=False)


@pytest.mark.parametrize("path", ["/api/robots", "/api/openapi.json", "/api/sessions/abc/sheet", "/api/nothing"])
def test_without_the_cookie_nothing_below_api_is_answered(stranger: Asker, path: str) -> None:
    answer = stranger.get(path)
    assert (answer.status_code, answer.json()["code"]) == (401, "no_access")
    assert "content-security-policy" in answer.headers


def test_the_page_itself_and_the_version_are_for_everybody(stranger: Asker) -> None:
    assert [stranger.get(path).status_code for path in ("/", "/api/version", "/assets/index-1234.js")] == [200] * 3


def test_a_token_is_exchanged_for_a_cookie_once(app: FastAPI, stranger: Asker) -> None:
    token = app.state.access.token
    first = stranger.get(f"/?token={token}")
    assert (first.status_code, first.headers["location"]) == (303, "./")
    cookie = first.headers["set-cookie"]
    assert "HttpOnly" in cookie
    assert "samesite=strict" in cookie.lower()
    value = cookie.partition(";")[0]
    assert stranger.get("/api/robots", cookie=value).status_code == 200
    again = stranger.get(f"/?token={token}")
    assert again.status_code == 303
    assert "set-cookie" not in again.headers


@pytest.mark.parametrize("token", ["", "x", "ü", "%00", "a" * 5000])
def test_a_wrong_token_gives_no_cookie(stranger: Asker, token: str) -> None:
    assert "set-cookie" not in stranger.get(f"/?token={token}").headers


@pytest.mark.parametrize("cookie", ["", "armlab=", "armlab=wrong", "other=1", "armlab", "=;=;", 'armlab="'])
def test_a_wrong_cookie_opens_nothing(stranger: Asker, cookie: str) -> None:
    assert stranger.get("/api/robots", cookie=cookie).status_code == 401


def test_each_exchange_makes_another_token_and_tells_it() -> None:
    told: list[str] = []
    access = Access("key", told.append)
    first = access.token
    assert access.exchange(first) == "key"
    assert told == [access.token]
    assert access.token != first
    assert access.exchange(first) is None


def test_a_page_of_a_stranger_may_not_write(server: Asker) -> None:
    answer = server.send("POST", "/api/sessions", headers={"origin": "http://evil.example"})
    assert (answer.status_code, answer.json()["code"]) == (403, "wrong_origin")
    for origin in ("http://localhost:9999", "null", "http://localhost:8090.evil.example"):
        assert server.send("POST", "/api/sessions", headers={"origin": origin}).status_code == 403


def test_our_own_page_and_programs_may_write(server: Asker) -> None:
    assert server.send("DELETE", "/api/sessions/none").status_code == 204
    own = {"origin": "http://localhost:8090"}
    assert server.send("DELETE", "/api/sessions/none", headers=own).status_code == 204


def test_the_key_is_kept_for_its_user_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "user_cache", lambda: tmp_path / "cache")
    first = kept_key()
    path = tmp_path / "cache" / "access-key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert kept_key() == first
    path.chmod(0o644)
    assert kept_key() != first
    path.write_text("short")
    path.chmod(0o600)
    assert len(kept_key()) >= doors.KEY_BYTES


def test_where_nothing_can_be_kept_each_server_has_its_own_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doors, "user_cache", lambda: None)
    assert kept_key() != kept_key()
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setattr(doors, "user_cache", lambda: tmp_path / "file")
    assert kept_key() != kept_key()


def test_a_server_that_was_restarted_knows_its_visitors(page: Path) -> None:
    before, after = (create_app(page=page, access=Access("the-kept-key")) for _ in range(2))
    cookie = Asker(before).cookie["cookie"]
    assert cookie == f"{COOKIE}=the-kept-key"
    assert Asker(after, is_known=False).get("/api/robots", cookie=cookie).status_code == 200


def test_behind_a_proxy_path_the_same_holds(app: FastAPI) -> None:
    app.root_path = "/lab"
    stranger = Asker(app, is_known=False)
    assert stranger.get("/lab/api/robots").status_code == 401
    assert stranger.get("/lab/api/version").status_code == 200


@pytest.mark.parametrize("other", ['{"a":1}=x', "a b=c", "x=\x7f", "x=[1,2]", "ü=1", 'q="un closed', "=", "a@b=<>"])
def test_cookies_of_other_programs_do_not_lock_anybody_out(app: FastAPI, other: str) -> None:
    known = Asker(app)
    ours = known.cookie["cookie"]
    for cookie in (f"{other}; {ours}", f"{ours}; {other}"):
        assert app.state.access.is_open_to(cookie)
    assert not app.state.access.is_open_to(other)


@pytest.mark.parametrize("origin", ["http://[", "http://]", "//", "null", "http://[::1", "x"])
def test_an_origin_that_is_not_an_address_is_refused(app: FastAPI, origin: str) -> None:
    answer = Asker(app).send("POST", "/api/sessions", headers={"origin": origin}, content=b"{}")
    assert (answer.status_code, answer.json()["code"]) == (403, "wrong_origin")


def test_head_is_answered_as_get_without_a_body(app: FastAPI) -> None:
    known = Asker(app)
    answer = known.send("HEAD", "/api/robots")
    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["content-type"] == known.get("/api/robots").headers["content-type"]
    assert known.send("HEAD", "/api/robots/nothing").status_code == 404


def test_long_input_is_quoted_and_not_repeated(app: FastAPI) -> None:
    answer = Asker(app).get(f"/api/robots/{'x' * 50_000}")
    assert len(answer.content) < 2_000


def test_who_is_in_gets_the_token_that_lets_another_browser_in(app: FastAPI, stranger: Asker) -> None:
    assert stranger.get("/api/entry").status_code == 401
    token = Asker(app).get("/api/entry").json()["token"]
    assert "set-cookie" in stranger.get(f"/?token={token}").headers

"""Files by their hash over HTTP: sent once, checked, the same for ever, and only for who has the key."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator

import pytest
from server.asking import Asker

from armlab import assets

DATA = b"schema = 1\n" * 1000
NAME = hashlib.sha256(DATA).hexdigest()
ADDRESS = f"/api/assets/{NAME}"


def test_a_file_is_sent_once_and_given_back_for_ever(server: Asker) -> None:
    for _time in range(2):
        answer = server.send("PUT", ADDRESS, content=DATA)
        assert (answer.status_code, answer.json()) == (200, {"asset": f"sha256:{NAME}", "size": len(DATA)})
    there = server.send("HEAD", ADDRESS)
    assert (there.status_code, there.content, there.headers["content-length"]) == (200, b"", str(len(DATA)))
    found = server.get(ADDRESS)
    assert found.content == DATA
    assert "immutable" in found.headers["cache-control"]
    assert found.headers["x-content-type-options"] == "nosniff"


def test_a_file_that_is_not_there_has_to_be_sent(server: Asker) -> None:
    assert server.send("HEAD", f"/api/assets/{'1' * 64}").status_code == 404
    answer = server.get(f"/api/assets/{'1' * 64}")
    assert (answer.status_code, answer.json()["code"]) == (404, "asset_missing")


def test_bytes_that_do_not_fit_their_hash_are_refused_in_one_message(server: Asker) -> None:
    answer = server.send("PUT", f"/api/assets/{'2' * 64}", content=DATA)
    assert (answer.status_code, answer.json()["code"]) == (422, "asset_hash")
    assert NAME in answer.json()["message"]
    assert server.send("HEAD", f"/api/assets/{'2' * 64}").status_code == 404


def test_a_body_without_a_length_is_bounded_as_it_comes(server: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("armlab.server.routes.assets.LARGEST_BYTES", 3_000_000)
    taken = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal taken
        while True:
            taken += 1_000_000
            yield b"x" * 1_000_000

    answer = server.send("PUT", f"/api/assets/{'3' * 64}", content=endless())
    assert (answer.status_code, answer.json()["code"]) == (422, "too_long")
    assert taken <= 5_000_000
    folder = assets.asset_store().folder
    assert [path for path in folder.iterdir() if path.name.startswith(".")] == []


@pytest.mark.parametrize("name", ["abc", "..%2f..%2fkey", "A" * 64])
def test_a_name_that_is_no_hash_is_refused(server: Asker, name: str) -> None:
    assert server.send("PUT", f"/api/assets/{name}", content=b"x").status_code in {404, 405, 422}


def test_strangers_neither_send_nor_read(server: Asker) -> None:
    stranger = Asker(server.app, is_known=False)
    assert stranger.get(ADDRESS).status_code == 401
    assert stranger.send("PUT", ADDRESS, content=DATA).status_code == 401
    foreign = server.send("PUT", ADDRESS, content=DATA, headers={"origin": "http://elsewhere.example"})
    assert (foreign.status_code, foreign.json()["code"]) == (403, "wrong_origin")

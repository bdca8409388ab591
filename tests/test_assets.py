"""The store of files by content: whole or not there, bounded, and emptied of what nobody uses."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path

import pytest

from armlab import assets
from armlab.assets import FRESH_S, AssetStore, references_in
from armlab.errors import InvalidInput

DATA = b"an arm"
NAME = hashlib.sha256(DATA).hexdigest()


def aged(store: AssetStore, data: bytes, days: float) -> str:
    """Keep bytes that were used last some days ago."""
    name = store.keep(data)
    os.utime(store.folder / name, (time.time() - days * 86400.0,) * 2)
    return name


def test_what_is_kept_is_found_by_its_hash_and_kept_once(tmp_path: Path) -> None:
    store = AssetStore(tmp_path / "new" / "assets")
    assert not store.has(NAME)
    assert store.keep(DATA) == store.keep(DATA) == NAME
    assert store.read(NAME) == DATA
    assert [path.name for path in store.folder.iterdir()] == [NAME]


def test_bytes_of_another_hash_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    store = AssetStore(tmp_path)
    with pytest.raises(InvalidInput) as refused, store.upload("0" * 64) as upload:
        upload.write(DATA)
    assert refused.value.code == "asset_hash"
    assert refused.value.parameters["found"] == NAME
    assert list(tmp_path.iterdir()) == []


def test_too_many_bytes_are_refused_as_they_come(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(assets, "LARGEST_BYTES", 10)
    store = AssetStore(tmp_path)
    with pytest.raises(InvalidInput) as refused, store.upload(NAME) as upload:
        upload.write(b"x" * 11)
    assert refused.value.code == "file_too_large"
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_was_damaged_is_missing_and_can_be_kept_again(tmp_path: Path) -> None:
    store = AssetStore(tmp_path)
    (tmp_path / store.keep(DATA)).write_bytes(b"something else")
    with pytest.raises(InvalidInput) as refused:
        store.read(NAME)
    assert refused.value.code == "asset_missing"
    assert store.read(store.keep(DATA)) == DATA


@pytest.mark.parametrize("name", ["", "..", "../" + "0" * 61, NAME.upper(), NAME + "\n", "0" * 64])
def test_other_names_are_of_nothing(tmp_path: Path, name: str) -> None:
    store = AssetStore(tmp_path)
    store.keep(DATA)
    assert not store.has(name)
    with pytest.raises(InvalidInput):
        store.path(name)


def test_the_oldest_make_room_but_nothing_in_use_and_nothing_of_today(tmp_path: Path) -> None:
    store = AssetStore(tmp_path, most_bytes=25)
    oldest, used, old, fresh = (aged(store, bytes([k]) * 10, days) for k, days in enumerate((9, 8, 7, 0.1)))
    left = tmp_path / ".0123"
    left.write_bytes(b"half")
    os.utime(left, (time.time() - 2 * FRESH_S,) * 2)
    assert store.make_room([used]) == 3
    assert [name for name in (oldest, used, old, fresh) if store.has(name)] == [used, fresh]
    assert not left.exists()
    assert store.make_room() == 0


def test_a_store_that_is_full_takes_no_more(tmp_path: Path) -> None:
    store = AssetStore(tmp_path, full_bytes=5)
    store.keep(DATA)
    with pytest.raises(InvalidInput) as refused:
        store.keep(b"another")
    assert refused.value.code == "assets_full"


def test_a_robot_file_leads_to_its_meshes(tmp_path: Path) -> None:
    store = AssetStore(tmp_path)
    meshes = store.keep(b"glTF")
    arm = store.keep(f'schema = 1\nmeshes = "{meshes}.glb"\n'.encode())
    document = f'{{"arms": [{{"file": "sha256:{arm}"}}, {{"file": "sha256:{arm}"}}], "notes": "sha256:no"}}'
    assert references_in(document) == [arm]
    assert store.closure(references_in(document)) == {arm: "toml", meshes: "glb"}
    (tmp_path / meshes).unlink()
    with pytest.raises(InvalidInput) as refused:
        store.closure([arm])
    assert refused.value.code == "asset_missing"

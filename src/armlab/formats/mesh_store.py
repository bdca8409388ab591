"""Meshes that were read and cut into convex parts before: kept in the user's cache by their content."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from armlab.arrays import Floats
from armlab.cache import writable_cache
from armlab.errors import InvalidInput
from armlab.files import written_whole
from armlab.formats.mesh_parts import MeshPiece

VERSION = b"armlab mesh 2"
"""Changes with what the readers or the cutting do."""
MOST_BYTES = 1_000_000_000
"""Of the whole folder; the oldest go first."""


def content_key(*parts: bytes) -> str:
    """Return a name for a content: equal contents have equal names."""
    digest = hashlib.sha256(VERSION)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()[:40]


def stored_pieces(key: str) -> list[MeshPiece] | None:
    """Return the pieces that were stored under a key; None if there are none."""
    found = _read(key)
    if found is None:
        return None
    try:
        colours = [str(colour) or None for colour in found["colours"]]
        return [
            MeshPiece(found[f"v{i}"].astype(np.float64), found[f"f{i}"].astype(np.int64), colour)
            for i, colour in enumerate(colours)
        ]
    except (KeyError, ValueError, TypeError):
        return None


def store_pieces(key: str, pieces: Sequence[MeshPiece]) -> None:
    """Store pieces under a key."""
    arrays: dict[str, NDArray[Any]] = {"colours": np.array([piece.colour or "" for piece in pieces])}
    for i, piece in enumerate(pieces):
        single = piece.vertices.astype(np.float32)
        arrays[f"v{i}"] = single if np.array_equal(single, piece.vertices) else piece.vertices
        arrays[f"f{i}"] = piece.faces.astype(np.int32)
    _write(key, arrays)


def stored_hulls(key: str) -> list[Floats] | None:
    """Return the corners of the convex parts that were stored under a key; None if there are none."""
    found = _read(key)
    try:
        return None if found is None else [found[f"p{i}"].astype(np.float64) for i in range(int(found["count"]))]
    except (KeyError, ValueError, TypeError):
        return None


def store_hulls(key: str, hulls: Sequence[Floats]) -> None:
    """Store the corners of convex parts under a key."""
    _write(key, {"count": np.array(len(hulls)), **{f"p{i}": points for i, points in enumerate(hulls)}})


def _path(key: str) -> Path | None:
    folder = writable_cache("meshes")
    return None if folder is None else folder / f"{key}.npz"


def _read(key: str) -> dict[str, NDArray[Any]] | None:
    path = _path(key)
    try:
        if path is None or not path.is_file():
            return None
        with np.load(path, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        return None


def _write(key: str, arrays: Mapping[str, NDArray[Any]]) -> None:
    """Store arrays; where the disk is full or the folder is gone, nothing is kept."""
    path = _path(key)
    if path is None:
        return
    with suppress(InvalidInput, OSError):
        with written_whole(path) as beside:
            np.savez(beside, **arrays)  # type: ignore[arg-type]
        _forget_oldest(path.parent)


def _forget_oldest(folder: Path) -> None:
    files = [(file.stat().st_mtime, file.stat().st_size, file) for file in folder.glob("*.npz")]
    total = sum(size for _time, size, _file in files)
    for _time, size, file in sorted(files, key=lambda each: each[0]):
        if total <= MOST_BYTES:
            return
        file.unlink(missing_ok=True)
        total -= size

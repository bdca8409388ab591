"""Triangles from STL (binary and text) and OBJ files: read whole, bounded, and checked."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.files import read_bounded

MAX_BYTES = 50_000_000
MAX_TRIANGLES = 1_000_000
LARGEST_COORDINATE = 1e6
"""Metres; more is a mistake of units."""
MESH_KINDS = (".stl", ".obj")

_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_HEADER = 84
_VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)", re.IGNORECASE)
_MOST_CORNERS = 1000


class TriangleMesh(NamedTuple):
    """Corners and triangles as a file has them: not always closed, not always convex."""

    vertices: Floats
    """(v, 3) metres, no two the same."""
    faces: NDArray[np.int64]
    """(f, 3) indices of vertices; no triangle has the same corner twice."""


def read_mesh(path: Path | str, *, scale: float = 1.0) -> TriangleMesh:
    """Return the triangles of a .stl or .obj file, whose unit is `scale` metres (0.001 for millimetres).

    Raises:
        InvalidInput: if the file is missing, too large, of another kind, broken or empty.
    """
    path = Path(path)
    if path.suffix.lower() not in MESH_KINDS:
        raise InvalidInput(f"{path}: is no mesh file; known kinds: {', '.join(MESH_KINDS)}")
    if not 1e-9 < scale < 1e9:
        raise InvalidInput(f"{path}: scale {scale:g} is not above zero, or out of all measure")
    data = read_bounded(path, MAX_BYTES)
    try:
        if path.suffix.lower() == ".obj":
            vertices, faces = _obj(data)
        else:
            corners = _stl(data)
            vertices, faces = corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3)
        return as_mesh(vertices * scale, faces, "mesh")
    except InvalidInput as error:
        raise InvalidInput(f"{path}: {error.message}") from None


def as_mesh(vertices: ArrayLike, faces: ArrayLike, who: str = "mesh") -> TriangleMesh:
    """Return a mesh with equal vertices made one, and triangles without area left out.

    Raises:
        InvalidInput: if it is empty or too large, or has a number or an index that cannot be.
    """
    points = as_floats(vertices, (None, 3), f"{who}: vertices")
    index = np.asarray(faces)
    if index.ndim != 2 or index.shape[1] != 3 or index.dtype.kind not in "iu":
        raise InvalidInput(f"{who}: faces are no rows of three indices")
    if not len(index):
        raise InvalidInput(f"{who}: it has no triangles")
    if len(index) > MAX_TRIANGLES:
        raise InvalidInput(f"{who}: {len(index)} triangles are more than the {MAX_TRIANGLES} allowed")
    if int(index.min()) < 0 or int(index.max()) >= len(points):
        raise InvalidInput(f"{who}: a triangle names a vertex that is not among the {len(points)} there are")
    if float(np.abs(points).max()) > LARGEST_COORDINATE:
        raise InvalidInput(
            f"{who}: a vertex is more than {LARGEST_COORDINATE:g} m from the origin; which unit is it in?"
        )
    unique, where = np.unique(points + 0.0, axis=0, return_inverse=True)
    merged = where.reshape(-1)[index.astype(np.int64)]
    a, b, c = merged.T
    whole = (a != b) & (b != c) & (c != a)
    if not whole.any():
        raise InvalidInput(f"{who}: none of its triangles has an area")
    return TriangleMesh(unique, np.ascontiguousarray(merged[whole]))


def _stl(data: bytes) -> Floats:
    """Return the corners (f, 3, 3) of an STL file; some binary files start with the word of the text ones."""
    if len(data) >= _HEADER:
        count = int(np.frombuffer(data, "<u4", 1, _HEADER - 4)[0])
        if len(data) == _HEADER + count * _RECORD.itemsize:
            _check_count(count)
            return np.asarray(np.frombuffer(data, _RECORD, count, _HEADER)["corners"], dtype=np.float64)
    if data.lstrip()[:5].lower() == b"solid":
        return _text_stl(data)
    if len(data) < _HEADER:
        raise InvalidInput("is no STL file: it is too short")
    wanted = _HEADER + count * _RECORD.itemsize
    raise InvalidInput(f"is no whole STL file: {count} triangles need {wanted} bytes, but it has {len(data)}")


def _text_stl(data: bytes) -> Floats:
    if b"endsolid" not in data[-1000:].lower():
        raise InvalidInput("is no whole STL file: its end is missing")
    rows: list[Sequence[bytes]] = []
    for match in _VERTEX.finditer(data):
        rows.append(match.groups())
        if len(rows) > 3 * MAX_TRIANGLES:
            break
    if len(rows) % 3 and len(rows) < 3 * MAX_TRIANGLES:
        raise InvalidInput(f"is no whole STL file: {len(rows)} vertices are not three for each triangle")
    _check_count(-(-len(rows) // 3))
    return _numbers(rows, "vertex").reshape(-1, 3, 3)


def _obj(data: bytes) -> tuple[Floats, NDArray[np.int64]]:
    """Return vertices and triangles of an OBJ file; a polygon becomes a fan, lines and looks are passed over."""
    rows: list[Sequence[bytes]] = []
    faces: list[tuple[int, int, int]] = []
    for line in data.replace(b"\\\n", b" ").splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == b"v":
            rows.append(words[1:4])
            _check_count(len(rows), "vertices")
        elif words[0] == b"f":
            if not 3 <= len(words) - 1 <= _MOST_CORNERS:
                raise InvalidInput(f"a face has {len(words) - 1} corners; 3 to {_MOST_CORNERS} are allowed")
            corners = [_obj_index(word, len(rows)) for word in words[1:]]
            faces.extend((corners[0], b, c) for b, c in pairwise(corners[1:]))
            _check_count(len(faces))
    if not faces:
        raise InvalidInput("it has no triangles")
    return _numbers(rows, "v"), np.array(faces, dtype=np.int64)


def _obj_index(word: bytes, count: int) -> int:
    """Return the vertex that a corner such as 7, 7/2 or -1//3 names, counted from 0."""
    try:
        number = int(word.partition(b"/")[0])
    except ValueError:
        raise InvalidInput(f"a face has the corner {_shown(word)}, which is no whole number") from None
    if number == 0 or not -count <= number <= MAX_TRIANGLES:
        raise InvalidInput(f"a face names vertex {number} of {count}")
    return number - 1 if number > 0 else count + number


def _numbers(rows: Sequence[Sequence[bytes]], what: str) -> Floats:
    try:
        array = np.array(rows, dtype=np.bytes_).astype(np.float64)
    except ValueError:
        raise InvalidInput(f"a line '{what}' does not have three numbers") from None
    if array.ndim != 2 or array.shape[1] != 3:
        raise InvalidInput(f"a line '{what}' does not have three numbers")
    return array


def _check_count(count: int, what: str = "triangles") -> None:
    if count > MAX_TRIANGLES:
        raise InvalidInput(f"it has more than the {MAX_TRIANGLES} {what} allowed")
    if count == 0:
        raise InvalidInput("it has no triangles")


def _shown(word: bytes) -> str:
    return repr(word[:20].decode("ascii", "replace"))

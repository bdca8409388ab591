"""What every reader of meshes gives: pieces of surface with a colour, checked and bounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armlab.arrays import Floats, as_floats
from armlab.errors import InvalidInput
from armlab.messages import Message, _, term

MAX_BYTES = 50_000_100
MAX_TRIANGLES = 1_000_000
MAX_PIECES = 5000
LARGEST_COORDINATE = 1e6
"""Of a file's own unit; more is a mistake."""

_LONGEST_NUMBER = 100
"""Letters; a longer one is a mistake, and NumPy would make room for as many in every other number."""
_ROWS_AT_ONCE = 10_000

Beside = Callable[[str], bytes | None]
"""Gives the bytes of a file that a mesh names (a buffer, a material library); None where there is none."""


def nothing_beside(_name: str) -> bytes | None:
    """Return None: no other file is read."""
    return None


class TriangleMesh(NamedTuple):
    """Corners and triangles as a file has them: not always closed, not always convex."""

    vertices: Floats
    """(v, 3) metres, no two the same."""
    faces: NDArray[np.int64]
    """(f, 3) indices of vertices; no triangle has the same corner twice."""


class MeshPiece(NamedTuple):
    """Triangles of one colour; `node` is the name that the file gives to what they belong to."""

    vertices: Floats
    faces: NDArray[np.int64]
    colour: str | None = None
    """`#rrggbb`."""
    node: str = ""


def as_mesh(vertices: ArrayLike, faces: ArrayLike, who: str | Message = "mesh") -> TriangleMesh:
    """Return a mesh with equal vertices made one; triangles without area and vertices that none uses are left out.

    Raises:
        InvalidInput: if it is empty or too large, or has a number or an index that cannot be.
    """
    points = as_floats(vertices, (None, 3), term("{who}: vertices", who=who))
    index = np.asarray(faces)
    if index.ndim != 2 or index.shape[1] != 3 or index.dtype.kind not in "iu":
        raise InvalidInput("mesh_faces", _("{who}: faces must be rows of three indices"), who=who)
    check_triangles(len(index), who)
    if int(index.min()) < 0 or int(index.max()) >= len(points):
        raise InvalidInput(
            "mesh_index", _("{who}: a triangle refers to a vertex outside 0 … {last}"), who=who, last=len(points) - 1
        )
    if float(np.abs(points).max()) > LARGEST_COORDINATE:
        raise InvalidInput(
            "mesh_too_large",
            _("{who}: a vertex is more than {most:g} m from the origin; is it in another unit?"),
            who=who,
            most=LARGEST_COORDINATE,
        )
    unique, where = _merged_rows(points + 0.0)
    merged = where[index.astype(np.int64)]
    a, b, c = merged.T
    whole = (a != b) & (b != c) & (c != a)
    if not whole.any():
        raise InvalidInput("mesh_no_area", _("{who}: none of its triangles has an area"), who=who)
    used, faces_of_used = np.unique(merged[whole], return_inverse=True)
    return TriangleMesh(unique[used], np.ascontiguousarray(faces_of_used.reshape(-1, 3)))


def _merged_rows(points: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Return the different rows, in an order of their own, and for each given row the number of its equal."""
    bits = np.ascontiguousarray(points).view(np.uint64)
    key = np.zeros(len(points), dtype=np.uint64)
    for k, odd in enumerate((0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9)):
        mixed = (bits[:, k] ^ (bits[:, k] >> np.uint64(29))) * np.uint64(odd)
        key = (key ^ mixed ^ (mixed >> np.uint64(32))) * np.uint64(0xFF51AFD7ED558CCD)
    _key, first, where = np.unique(key, return_index=True, return_inverse=True)
    unique, where = points[first], where.reshape(-1).astype(np.int64)
    if np.array_equal(unique[where], points):
        return unique, where
    unique, where = np.unique(points, axis=0, return_inverse=True)  # two rows had one key
    return unique, where.reshape(-1).astype(np.int64)


def one_mesh(pieces: list[MeshPiece], who: str | Message = "mesh") -> TriangleMesh:
    """Return all pieces as one checked mesh."""
    check_triangles(sum(len(piece.faces) for piece in pieces), who)
    starts = np.cumsum([0, *(len(piece.vertices) for piece in pieces[:-1])])
    vertices = np.concatenate([piece.vertices for piece in pieces])
    faces = np.concatenate([piece.faces + start for piece, start in zip(pieces, starts, strict=True)])
    return as_mesh(vertices, faces, who)


def check_triangles(count: int, who: str | Message = "mesh") -> None:
    """Refuse a mesh with none, or too many.

    Raises:
        InvalidInput: if so.
    """
    if count > MAX_TRIANGLES:
        raise InvalidInput(
            "mesh_too_many_triangles", _("{who}: more than the {most} triangles allowed"), who=who, most=MAX_TRIANGLES
        )
    if count == 0:
        raise InvalidInput("mesh_empty", _("{who}: no triangles"), who=who)


def hex_colour(red: float, green: float, blue: float) -> str | None:
    """Return sRGB values from 0 to 1 as `#rrggbb`; None if they are not numbers."""
    values = np.array([red, green, blue], dtype=np.float64)
    if not np.isfinite(values).all():
        return None
    return "#" + "".join(f"{round(255 * value):02x}" for value in np.clip(values, 0.0, 1.0))


def fan(corners: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the triangles of polygons (p, n) with equally many corners each."""
    n = corners.shape[1]
    first = np.repeat(corners[:, :1], n - 2, axis=1)
    return np.stack([first, corners[:, 1:-1], corners[:, 2:]], axis=2).reshape(-1, 3)


def rows_of_three(rows: Sequence[Sequence[bytes]], what: str) -> Floats:
    """Return the numbers (m, 3) of lines that begin with `what`."""
    if any(len(row) != 3 or max(map(len, row)) > _LONGEST_NUMBER for row in rows):
        raise _not_three_numbers(what)
    out = np.empty((len(rows), 3))
    try:
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            out[part] = np.array(rows[part], dtype=np.bytes_).astype(np.float64)
    except ValueError:
        raise _not_three_numbers(what) from None
    return out


def _not_three_numbers(what: str) -> InvalidInput:
    template = _("a line '{line}' does not have three numbers of at most {most} letters")
    return InvalidInput("mesh_numbers", template, line=what, most=_LONGEST_NUMBER)

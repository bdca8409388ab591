"""Triangles from STL files, binary and text."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.formats.mesh_parts import MAX_TRIANGLES, MeshPiece, check_triangles, rows_of_three
from armlab.messages import _

_RECORD = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
_HEADER = 84
_VERTEX = re.compile(rb"\bvertex\s+(\S+)\s+(\S+)\s+(\S+)", re.IGNORECASE)


def stl_pieces(data: bytes) -> list[MeshPiece]:
    """Return the triangles of an STL file.

    Raises:
        InvalidInput: if it is broken, empty or too large.
    """
    corners = _stl(data)
    return [MeshPiece(corners.reshape(-1, 3), np.arange(3 * len(corners)).reshape(-1, 3))]


def _stl(data: bytes) -> Floats:
    """Return the corners (f, 3, 3) of an STL file; some binary files start with the word of the text ones."""
    if len(data) >= _HEADER:
        count = int(np.frombuffer(data, "<u4", 1, _HEADER - 4)[0])
        if len(data) == _HEADER + count * _RECORD.itemsize:
            check_triangles(count)
            return np.asarray(np.frombuffer(data, _RECORD, count, _HEADER)["corners"], dtype=np.float64)
    if data.lstrip()[:5].lower() == b"solid":
        return _text_stl(data)
    if len(data) < _HEADER:
        raise InvalidInput("stl_too_short", _("not an STL file: too short"))
    raise InvalidInput(
        "stl_cut_off",
        _("not a complete STL file: {count} triangles need {expected} bytes, got {size}"),
        count=count,
        expected=_HEADER + count * _RECORD.itemsize,
        size=len(data),
    )


def _text_stl(data: bytes) -> Floats:
    if b"endsolid" not in data[-1000:].lower():
        raise InvalidInput("stl_end_missing", _("not a complete STL file: its end is missing"))
    rows: list[Sequence[bytes]] = []
    for match in _VERTEX.finditer(data):
        rows.append(match.groups())
        if len(rows) > 3 * MAX_TRIANGLES:
            break
    if len(rows) % 3 and len(rows) < 3 * MAX_TRIANGLES:
        template = _("not a complete STL file: {count} vertices are not three for each triangle")
        raise InvalidInput("stl_vertex_count", template, count=len(rows))
    check_triangles(-(-len(rows) // 3))
    return rows_of_three(rows, "vertex").reshape(-1, 3, 3)

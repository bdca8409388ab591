"""Triangles from OBJ files, with the colours of their materials."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from armlab.errors import InvalidInput
from armlab.formats.mesh_parts import (
    MAX_TRIANGLES,
    Beside,
    MeshPiece,
    check_triangles,
    hex_colour,
    nothing_beside,
    rows_of_three,
)
from armlab.messages import _
from armlab.validation import shown

_MOST_CORNERS = 1000
_MOST_LIBRARIES = 20


def obj_pieces(data: bytes, beside: Beside = nothing_beside) -> list[MeshPiece]:
    """Return the triangles of an OBJ file by material; a polygon becomes a fan, lines and curves are skipped.

    Raises:
        InvalidInput: if it is broken, empty or too large.
    """
    rows: list[Sequence[bytes]] = []
    faces: dict[str, list[tuple[int, int, int]]] = {}
    libraries: list[str] = []
    count, material = 0, ""
    for line in data.replace(b"\\\n", b" ").splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] == b"v":
            rows.append(words[1:4])
            if len(rows) > MAX_TRIANGLES:
                raise InvalidInput(
                    "mesh_too_many_vertices", _("more than the {most} vertices allowed"), most=MAX_TRIANGLES
                )
        elif words[0] == b"f":
            found = _face(words[1:], len(rows))
            faces.setdefault(material, []).extend(found)
            count += len(found)
            check_triangles(count)
        elif words[0] == b"usemtl":
            material = _word(line)
        elif words[0] == b"mtllib":
            libraries.append(_word(line))
    check_triangles(count)
    colours = _colours(libraries, beside)
    vertices = rows_of_three(rows, "v")
    return [MeshPiece(vertices, np.array(part, dtype=np.int64), colours.get(name)) for name, part in faces.items()]


def _face(words: Sequence[bytes], count: int) -> list[tuple[int, int, int]]:
    if not 3 <= len(words) <= _MOST_CORNERS:
        raise InvalidInput(
            "obj_corner_count",
            _("a face has {count} corners; 3 to {most} are allowed"),
            count=len(words),
            most=_MOST_CORNERS,
        )
    corners = [_obj_index(word, count) for word in words]
    return [(corners[0], b, c) for b, c in pairwise(corners[1:])]


def _word(line: bytes) -> str:
    """Return what follows the first word of a line."""
    return line.split(None, 1)[1].strip().decode("utf-8", "replace") if len(line.split(None, 1)) > 1 else ""


def _colours(libraries: Sequence[str], beside: Beside) -> dict[str, str | None]:
    """Return the diffuse colours of the materials that a file's libraries define."""
    colours: dict[str, str | None] = {}
    for name in libraries[:_MOST_LIBRARIES]:
        current = ""
        for line in (beside(name) or b"").splitlines():
            words = line.split()
            if words[:1] == [b"newmtl"]:
                current = _word(line)
            elif words[:1] == [b"Kd"] and len(words) == 4:
                try:
                    red, green, blue = (float(word) for word in words[1:])
                except ValueError:
                    continue
                colours[current] = hex_colour(red, green, blue)
    return colours


def _obj_index(word: bytes, count: int) -> int:
    """Return the vertex that a corner such as 7, 7/2 or -1//3 names, counted from 0."""
    try:
        number = int(word.partition(b"/")[0])
    except ValueError:
        template = _("a face has the corner {given}, which is not a whole number")
        raise InvalidInput("obj_corner", template, given=shown(word.decode("ascii", "replace"))) from None
    if number == 0 or not -count <= number <= MAX_TRIANGLES:
        raise InvalidInput(
            "obj_index", _("a face refers to vertex {index} of {count}"), index=shown(number), count=count
        )
    return number - 1 if number > 0 else count + number

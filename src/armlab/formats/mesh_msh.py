"""MSH files, MuJoCo's own binary meshes: four counts, then vertices, normals, texture coordinates and triangles."""

from __future__ import annotations

import numpy as np

from armlab.errors import InvalidInput
from armlab.formats.mesh_parts import MeshPiece, check_triangles
from armlab.messages import _

_HEADER = 16


def msh_pieces(data: bytes) -> list[MeshPiece]:
    """Return the triangles of an MSH file.

    Raises:
        InvalidInput: if its size is not what its counts say, or it has no triangles, or too many.
    """
    counts = np.frombuffer(data[:_HEADER], "<i4").tolist() if len(data) >= _HEADER else [-1]
    if min(counts) < 0:
        raise _broken()
    vertices, normals, texture, triangles = counts
    check_triangles(triangles)
    first = _HEADER + 12 * (vertices + normals) + 8 * texture
    if len(data) != first + 12 * triangles:
        raise _broken()
    points = np.frombuffer(data, "<f4", 3 * vertices, _HEADER).reshape(-1, 3).astype(np.float64)
    faces = np.frombuffer(data, "<i4", 3 * triangles, first).reshape(-1, 3).astype(np.int64)
    return [MeshPiece(points, faces)]


def _broken() -> InvalidInput:
    return InvalidInput("msh_broken", _("not an MSH file: its size is not what its counts say"))

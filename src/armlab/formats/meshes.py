"""Triangles from STL, OBJ, PLY, Collada (DAE), glTF and MSH files, read whole by readers of our own and checked."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from armlab.errors import InvalidInput
from armlab.files import checked_suffix, read_bounded
from armlab.formats.mesh_dae import dae_pieces
from armlab.formats.mesh_gltf import gltf_pieces
from armlab.formats.mesh_msh import msh_pieces
from armlab.formats.mesh_obj import obj_pieces
from armlab.formats.mesh_parts import MAX_BYTES, Beside, MeshPiece, TriangleMesh, as_mesh, nothing_beside, one_mesh
from armlab.formats.mesh_ply import ply_pieces
from armlab.formats.mesh_stl import stl_pieces
from armlab.messages import _

__all__ = ["MESH_KINDS", "TriangleMesh", "as_mesh", "mesh_pieces", "read_mesh"]

SMALLEST_SCALE, LARGEST_SCALE = 1e-9, 1e9
MESH_KINDS = (".stl", ".obj", ".ply", ".dae", ".glb", ".gltf", ".msh")


def read_mesh(path: Path | str, *, scale: float = 1.0) -> TriangleMesh:
    """Return the triangles of a mesh file, whose unit is `scale` metres (0.001 for millimetres).

    Raises:
        InvalidInput: if the file is missing, too large, of another kind, broken or empty.
    """
    path = checked_suffix(Path(path), MESH_KINDS)
    if not SMALLEST_SCALE < scale < LARGEST_SCALE:
        raise InvalidInput(
            "mesh_scale",
            _("{file}: scale must be between {least:g} and {most:g}, got {scale:g}"),
            file=str(path),
            least=SMALLEST_SCALE,
            most=LARGEST_SCALE,
            scale=scale,
        )
    data = read_bounded(path, MAX_BYTES)
    try:
        whole = one_mesh(mesh_pieces(data, path.suffix.lower()))
        return as_mesh(whole.vertices * scale, whole.faces)
    except InvalidInput as error:
        raise error.within(str(path)) from None


def mesh_pieces(data: bytes, suffix: str, beside: Beside = nothing_beside) -> list[MeshPiece]:
    """Return the triangles of a mesh file by colour; its kind is told by the content, or else by the suffix.

    Raises:
        InvalidInput: if it is of another kind, broken, empty or too large.
    """
    with np.errstate(invalid="ignore", over="ignore"):  # numbers that are none, or too large, are refused by as_mesh
        return _pieces(data, _kind(data, suffix.lower()), beside)


def _pieces(data: bytes, kind: str, beside: Beside) -> list[MeshPiece]:
    match kind:
        case ".ply":
            return ply_pieces(data)
        case ".glb" | ".gltf":
            return gltf_pieces(data, beside)
        case ".dae":
            return dae_pieces(data)
        case ".obj":
            return obj_pieces(data, beside)
        case ".stl":
            return stl_pieces(data)
        case ".msh":
            return msh_pieces(data)
        case other:
            raise InvalidInput(
                "mesh_kind", _("meshes of kind '{kind}' cannot be read; known: {known}"), kind=other, known=MESH_KINDS
            )


def _kind(data: bytes, suffix: str) -> str:
    """Return the suffix that the content deserves."""
    if data[:4] == b"glTF":
        return ".glb"
    if data[:4].rstrip() == b"ply":
        return ".ply"
    start = data[:2000].lstrip(b"\xef\xbb\xbf \t\r\n")
    if start[:1] == b"<" and b"<COLLADA" in data[:20_000]:
        return ".dae"
    if start[:1] == b"{":
        return ".gltf"
    return suffix

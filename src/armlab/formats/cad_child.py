"""The process in which other people's readers of CAD files run: what breaks them does not break armlab.

`python -m armlab.formats.cad_child step|fbx FILE` writes the parts of the file to standard output: arrays of NumPy.
"""

from __future__ import annotations

import io
import json
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from armlab.formats.mesh_gltf import gltf_pieces
from armlab.formats.mesh_parts import MAX_TRIANGLES, MeshPiece, check_triangles

PACKAGES = {"step": "cascadio", "fbx": "assimp_py"}


def step_pieces(data: bytes) -> list[MeshPiece]:
    """Return the parts of a STEP file, by way of glTF; none if it is broken."""
    made: bytes = import_module(PACKAGES["step"]).load(data, file_type="step", use_parallel=False)
    return gltf_pieces(made) if made else []


def fbx_pieces(path: Path) -> list[MeshPiece]:
    """Return the parts of an FBX file, placed by its nodes."""
    assimp = import_module(PACKAGES["fbx"])
    scene = assimp.import_file(str(path), assimp.Process_Triangulate | assimp.Process_GlobalScale)
    pieces: list[MeshPiece] = []
    waiting: list[tuple[Any, Any]] = [(scene.root_node, np.eye(4))]
    count = 0
    while waiting:
        node, T = waiting.pop()
        T = T @ np.array(node.transformation, dtype=np.float64).reshape(4, 4)
        for index in node.mesh_indices:
            mesh = scene.meshes[index]
            count += mesh.num_faces
            check_triangles(min(max(count, 1), MAX_TRIANGLES + 1))
            points = np.array(mesh.vertices, dtype=np.float64).reshape(-1, 3)
            faces = np.array(mesh.indices, dtype=np.int64).reshape(-1, 3)
            pieces.append(MeshPiece(points @ T[:3, :3].T + T[:3, 3], faces, None, node.name or mesh.name))
        waiting += [(child, T) for child in node.children]
    return pieces


def packed(pieces: list[MeshPiece]) -> bytes:
    """Return pieces as bytes for `unpacked`."""
    out = io.BytesIO()
    arrays: dict[str, Any] = {f"v{i}": piece.vertices for i, piece in enumerate(pieces)}
    arrays |= {f"f{i}": piece.faces for i, piece in enumerate(pieces)}
    names = json.dumps([(piece.node, piece.colour) for piece in pieces]).encode()
    np.savez(out, allow_pickle=False, names=np.frombuffer(names, np.uint8), **arrays)
    return out.getvalue()


def unpacked(data: bytes) -> list[MeshPiece]:
    """Return the pieces of `packed`."""
    with np.load(io.BytesIO(data), allow_pickle=False) as found:
        names = json.loads(found["names"].tobytes())
        return [MeshPiece(found[f"v{i}"], found[f"f{i}"], colour, node) for i, (node, colour) in enumerate(names)]


def main() -> None:
    """Read one file."""
    answer = os.dup(1)
    os.dup2(2, 1)  # the readers print
    kind, file = sys.argv[1], Path(sys.argv[2])
    pieces = step_pieces(file.read_bytes()) if kind == "step" else fbx_pieces(file)
    with os.fdopen(answer, "wb") as stream:
        stream.write(packed(pieces))


if __name__ == "__main__":
    main()

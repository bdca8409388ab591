"""The GLB file beside a robot file of ours: surfaces of links, and the hulls that they collide with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from armlab.errors import InvalidInput
from armlab.files import bounded_bytes
from armlab.formats.mesh_gltf import gltf_pieces
from armlab.formats.mesh_parts import as_mesh
from armlab.geometry.shape import Shape
from armlab.geometry.visual import Visual

MAX_BYTES = 200_000_000
MAX_HULLS = 2000


class LinkMeshes(NamedTuple):
    """What links look like and collide with, by the names of links."""

    visuals: Mapping[str, tuple[Visual, ...]]
    hulls: Mapping[str, tuple[Shape, ...]]


NO_MESHES = LinkMeshes({}, {})


def read_link_meshes(path: Path) -> LinkMeshes:
    """Return what `armlab.formats.glb.link_meshes_glb` wrote.

    Raises:
        InvalidInput: if it cannot be read, or is not such a file.
    """
    try:
        data = bounded_bytes(path, MAX_BYTES)
        shown, solid = gltf_pieces(data, scene=0), gltf_pieces(data, scene=1)[:MAX_HULLS]
        visuals: dict[str, tuple[Visual, ...]] = {}
        hulls: dict[str, tuple[Shape, ...]] = {}
        for piece in shown:
            mesh = as_mesh(piece.vertices, piece.faces)
            visuals[piece.node] = (*visuals.get(piece.node, ()), Visual(mesh.vertices, mesh.faces, piece.colour))
        for piece in solid:
            shape = Shape("hull", (), np.eye(4), points=piece.vertices)
            hulls[piece.node] = (*hulls.get(piece.node, ()), shape)
    except InvalidInput as error:
        raise error.within(path.name) from None
    return LinkMeshes(visuals, hulls)

"""The GLB file beside a robot file of ours: surfaces of links, and the hulls that they collide with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
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
PART = "//"
"""Between a link and what is fixed to it in the name of a hull."""


class LinkMeshes(NamedTuple):
    """What links look like and collide with, by the names of links."""

    visuals: Mapping[str, tuple[Visual, ...]]
    hulls: Mapping[str, tuple[Shape, ...]]
    """By link, or by link and part with `PART` between them."""

    def hulls_of(self, link: str) -> tuple[Shape, ...]:
        """Return all hulls of a link, those of parts that are fixed to it with their names."""
        own = [
            (name.removeprefix(link).removeprefix(PART), hulls)
            for name, hulls in self.hulls.items()
            if name == link or name.startswith(link + PART)
        ]
        return tuple(replace(shape, part=part) if part else shape for part, hulls in own for shape in hulls)


NO_MESHES = LinkMeshes({}, {})


def read_link_meshes(path: Path) -> LinkMeshes:
    """Return what `armlab.formats.glb.link_meshes_glb` wrote.

    Raises:
        InvalidInput: if it cannot be read, or is not such a file.
    """
    try:
        return link_meshes(bounded_bytes(path, MAX_BYTES))
    except InvalidInput as error:
        raise error.within(path.name) from None


def link_meshes(data: bytes) -> LinkMeshes:
    """Return the same from the bytes of such a file.

    Raises:
        InvalidInput: if it is not such a file.
    """
    shown, solid = gltf_pieces(data, scene=0), gltf_pieces(data, scene=1)[:MAX_HULLS]
    visuals: dict[str, tuple[Visual, ...]] = {}
    hulls: dict[str, tuple[Shape, ...]] = {}
    for piece in shown:
        mesh = as_mesh(piece.vertices, piece.faces)
        visuals[piece.node] = (*visuals.get(piece.node, ()), Visual(mesh.vertices, mesh.faces, piece.colour))
    for piece in solid:
        shape = Shape("hull", (), np.eye(4), points=piece.vertices)
        hulls[piece.node] = (*hulls.get(piece.node, ()), shape)
    return LinkMeshes(visuals, hulls)

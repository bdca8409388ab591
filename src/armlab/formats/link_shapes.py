"""What a described link collides with and what it shows, where a file says one, the other, both or neither."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from armlab.arrays import Floats
from armlab.formats.description import DescribedLink
from armlab.geometry import solid
from armlab.geometry.shape import Shape
from armlab.geometry.visual import Visual, placed


def as_visual(shape: Shape) -> Visual:
    """Return the surface of a solid."""
    mesh = solid.mesh(shape)
    return Visual(mesh.vertices, mesh.faces.astype(np.int64))


def link_geometry(link: DescribedLink, T: Floats) -> tuple[tuple[Shape, ...], tuple[Visual, ...]]:
    """Return a link's solids and surfaces, moved by `T`: it collides with what the file says so of, or else shows."""
    if link.shapes or link.visuals:
        shapes, visuals = link.shapes, link.visuals
    elif not link.felt or not link.seen or _are_alike(link.seen, link.felt):
        shapes, visuals = link.seen or link.felt, ()
    else:
        shapes, visuals = link.felt, tuple(map(as_visual, link.seen))
    if np.array_equal(T, np.eye(4)):
        return shapes, visuals
    moved = tuple(replace(shape, T_link_shape=T @ shape.T_link_shape) for shape in shapes)
    return moved, tuple(placed(visual, T) for visual in visuals)


def _are_alike(seen: tuple[Shape, ...], felt: tuple[Shape, ...]) -> bool:
    """Tell whether the same solids are shown and collided with; what they are painted with does not matter."""
    return len(seen) == len(felt) and all(
        replace(one, finish="body") == replace(other, finish="body") for one, other in zip(seen, felt, strict=True)
    )

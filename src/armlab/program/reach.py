"""Which body a tool can take: how far bodies are from a point."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput
from armlab.geometry import pose, solid
from armlab.messages import _
from armlab.model.scene import Body, Scene
from armlab.program.scenario import cannot_pick_fixed
from armlab.units import MM_PER_M

REACH = 0.03
"""m: a body farther than this from the tool point cannot be picked."""


def body_at_tool(scene: Scene, name: str | None, T_world_tool: Floats, reach: float = REACH) -> Body:
    """Return the loose body that a pick takes: the one named, or the nearest to the tool point.

    Raises:
        InvalidInput: if there is none, it is fixed, or it is farther than `reach` (m) away.
    """
    loose = [body for body in scene.bodies if not body.is_fixed]
    if name is not None:
        body = scene.body(name)
        if body.is_fixed:
            raise InvalidInput(cannot_pick_fixed(name))
        loose = [body]
    if not loose:
        raise InvalidInput("pick_nothing", _("no loose body in the scene to pick"))
    gaps = [distance_to(body, T_world_tool[:3, 3]) for body in loose]
    k = int(np.argmin(gaps))
    if gaps[k] > reach:
        raise InvalidInput(
            "pick_too_far",
            _("body '{body}' is {distance:.0f} mm from the tool; it can be picked within {reach:.0f} mm"),
            body=loose[k].name,
            distance=gaps[k] * MM_PER_M,
            reach=reach * MM_PER_M,
        )
    return loose[k]


def distance_to(body: Body, point_world: Floats) -> float:
    """Return how far a point is from a body's surface (m), at most its triangles' size too long; 0 inside."""
    p = pose.transform(pose.inverse(body.T_world_body), point_world[None])
    nearest = np.inf
    for shape in body.shapes:
        if bool(solid.contains(shape, p)[0]):
            return 0.0
        mesh = solid.mesh(shape)
        nearest = min(nearest, float(_to_triangles(mesh.vertices[mesh.faces], p[0])))
    return nearest


def _to_triangles(triangles: Floats, p: Floats) -> float:
    """Return the distance from a point to the nearest of triangles (m, 3, 3): to their planes inside, else edges."""
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    best = min(float(_to_segments(x, y, p).min()) for x, y in ((a, b), (b, c), (c, a)))
    normal = np.cross(b - a, c - a)
    size = np.einsum("ij,ij->i", normal, normal)
    keep = size > 0.0
    a, b, c, normal, size = a[keep], b[keep], c[keep], normal[keep], size[keep]
    height = np.einsum("ij,ij->i", p - a, normal) / size
    foot = p - normal * height[:, None]
    inside = np.ones(len(a), dtype=bool)
    for x, y in ((a, b), (b, c), (c, a)):
        inside &= np.einsum("ij,ij->i", np.cross(y - x, foot - x), normal) >= 0.0
    flat = np.abs(height) * np.sqrt(size)
    return min(best, float(flat[inside].min())) if inside.any() else best


def _to_segments(a: Floats, b: Floats, p: Floats) -> Floats:
    d = b - a
    t = np.clip(np.einsum("ij,ij->i", p - a, d) / np.maximum(np.einsum("ij,ij->i", d, d), 1e-30), 0.0, 1.0)
    return np.asarray(np.linalg.norm(p - a - d * t[:, None], axis=1))

"""In which unit the meshes of a description are: told, or judged by the joints that they must span.

STL, OBJ and PLY say no unit. A link's mesh reaches from the joint that carries it to those that it carries, so that it
is about as large as their distance; in another unit it is far too large or too small. Files of one scale are usually
of one unit, which their median says; single ones may still differ, such as a finger in metres beside links in
millimetres.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from pathlib import PurePosixPath
from statistics import median
from typing import Any, Literal, NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.formats.arm_unit import description_length
from armlab.formats.description import Description, MeshUse, Repairs
from armlab.messages import _

MeshUnit = Literal["m", "cm", "mm", "in"]
UNITS: dict[MeshUnit, float] = {"m": 1.0, "cm": 0.01, "mm": 0.001, "in": 0.0254}
"""Metres per unit."""
WITHOUT_UNIT = frozenset({".stl", ".obj", ".ply", ".msh"})
_FACTORS = (1.0, 0.001, 0.01, 0.0254, 1000.0)
"""What a mesh is multiplied by; the last is of one whose scale is for millimetres while it is in metres."""

USUAL = 1.36
"""How large an arm's meshes are beside its joints' distances: the median of 58 public arms, half to double in most."""
GROUP_RANGE = (0.15, 12.0)
"""What that may be in the unit that they seem to have."""
FITTING = (0.3, 6.0)
"""What it must become by a factor."""
SMALLEST, LARGEST, LARGEST_BASE = 0.006, 20.0, 40.0
"""Of a single mesh, as a share of its joints' distance or a tenth of the arm; what does not move may be larger."""
FITTING_ONE = (0.02, 12.0)
LEAST_SIZE = 0.05
"""m: what an arm is taken for whose joints all stand in one place."""

Factors = Mapping[tuple[str, tuple[float, float, float]], float]
"""By file and scale."""


class _Sized(NamedTuple):
    """A mesh as the description uses it."""

    use: MeshUse
    body: str
    """The first link of what moves with its link."""
    extent: float
    """Its longest side, in what the description says are metres."""
    span: float
    """The largest distance between joints of what moves with its link, m; 0 where there is one at most."""
    moves: bool


def mesh_factors(
    description: Description, extents: Mapping[str, Floats], unit: MeshUnit | None, repairs: Repairs
) -> Factors:
    """Return what each mesh must be multiplied by, beyond its scale; a guess is said.

    `extents` has the sides (3,) of the boxes round the files' own points.
    """
    factors: dict[tuple[str, tuple[float, float, float]], float] = {}
    guessed: dict[tuple[float, float, float], list[_Sized]] = {}
    for each in _sized(description, extents):
        key = (each.use.file, each.use.scale)
        if unit is not None and PurePosixPath(each.use.file.replace("\\", "/")).suffix.lower() in WITHOUT_UNIT:
            factors[key] = UNITS[unit] / _conversion(each.use.scale)
        elif description.format == "mjcf":
            factors[key] = 1.0  # MuJoCo shows it as it is
        else:
            guessed.setdefault(each.use.scale, []).append(each)
    size = max(description_length(description), LEAST_SIZE)
    for meshes in guessed.values():
        factors |= _judged(meshes, size, repairs)
    return factors


def _conversion(scale: tuple[float, float, float]) -> float:
    """Return by how much a scale converts a unit; 1 where it means something else."""
    x, y, z = map(abs, scale)
    return next((each for each in UNITS.values() if x == y == z and math.isclose(x, each)), 1.0)


def _sized(description: Description, extents: Mapping[str, Floats]) -> Iterable[_Sized]:
    """Give each use of a mesh that could be read."""
    bodies = _bodies(description)
    for name, link in description.links.items():
        for use in link.meshes:
            if use.file in extents:
                extent = float((extents[use.file] * np.abs(use.scale)).max())
                yield _Sized(use, bodies[name].first, extent, bodies[name].span, bodies[name].moves)


class _Body(NamedTuple):
    """What moves as one: its first link, how far it is from its own joint to those that it carries, if it moves."""

    first: str
    span: float
    moves: bool


def _bodies(description: Description) -> dict[str, _Body]:
    """Return for each link the body that it is part of."""
    place: dict[str, tuple[str, Floats]] = {description.root: (description.root, np.eye(4))}
    joints: dict[str, list[Any]] = {description.root: []}
    for name in description.links:  # parents come first
        body, T_body_link = place.setdefault(name, (name, np.eye(4)))
        joints.setdefault(body, [])
        for joint in description.joints_from.get(name, ()):
            T = T_body_link @ joint.T_parent_child
            if joint.kind == "fixed":
                place[joint.child] = (body, T)
            else:
                place[joint.child] = (joint.child, np.eye(4))
                joints[joint.child] = []
                joints[body].append(T[:3, 3])
    moves = {name: any(joint.moves for joint in _above(description, name)) for name in joints}
    spans = {body: max((float(np.linalg.norm(p)) for p in points), default=0.0) for body, points in joints.items()}
    found = {body: _Body(body, spans[body], moves[body]) for body in joints}
    return {name: found[place[name][0]] for name in description.links}


def _above(description: Description, name: str) -> Iterable[Any]:
    """Give the joints from a link to the root."""
    while (joint := description.joint_of.get(name)) is not None:
        yield joint
        name = joint.parent


def _judged(meshes: list[_Sized], size: float, repairs: Repairs) -> Factors:
    """Return the factors of meshes of one scale, and say those that are not 1."""
    common = _common(meshes, size)
    if common != 1.0:
        largest = max(each.extent for each in meshes)
        repairs.add(
            "warning",
            meshes[0].use.line,
            "mesh_unit_guessed",
            _("meshes of {largest:.3g} m do not fit an arm of {size:.3g} m; they are scaled by {factor:g}"),
            largest=largest,
            size=size,
            factor=common,
        )
    factors: dict[tuple[str, tuple[float, float, float]], float] = {}
    for each in meshes:
        key = (each.use.file, each.use.scale)
        own = _single(each, common, size)
        if own != common and factors.get(key) != own:
            repairs.add(
                "warning",
                each.use.line,
                "one_mesh_unit_guessed",
                _("mesh '{mesh}' of {largest:.3g} m does not fit its joints; it is scaled by {factor:g}"),
                mesh=each.use.file[:200],
                largest=each.extent,
                factor=own,
            )
        factors[key] = own
    return factors


def _common(meshes: list[_Sized], size: float) -> float:
    """Return the factor that most meshes of a scale need."""
    largest: dict[str, _Sized] = {}
    for each in meshes:
        if each.extent > 0.0 and (each.body not in largest or each.extent > largest[each.body].extent):
            largest[each.body] = each
    ratios = [each.extent / each.span for each in largest.values() if each.span > 0.0]
    if not ratios:
        extent = max(each.extent for each in meshes)
        return 0.001 if extent > LARGEST_BASE * size else 1000.0 if 0.0 < extent < size / 1000.0 else 1.0
    if GROUP_RANGE[0] <= median(ratios) <= GROUP_RANGE[1]:
        return 1.0
    # with the sum of all meshes it spreads less, which tells centimetres from inches
    typical = math.sqrt(median(ratios) * sum(each.extent for each in largest.values()) / size)
    return _best(typical, 1.0, FITTING)


def _single(mesh: _Sized, common: float, size: float) -> float:
    """Return the factor of one mesh: that of most others, unless it then cannot be."""
    ratio = mesh.extent / max(mesh.span, size / 10.0)
    if ratio == 0.0 or SMALLEST <= ratio * common <= (LARGEST if mesh.moves else LARGEST_BASE):
        return common
    return _best(ratio, common, FITTING_ONE)


def _best(ratio: float, otherwise: float, fitting: tuple[float, float]) -> float:
    """Return the factor that makes a ratio most usual; `otherwise` where none makes it fit."""
    fits = [factor for factor in _FACTORS if fitting[0] <= factor * ratio <= fitting[1]]
    return min(fits, key=lambda factor: abs(math.log(factor * ratio / USUAL)), default=otherwise)

"""An arm from CAD: the parts of an assembly become links, with axes and pivots that the user names in a TOML file.

STEP is read by cascadio, FBX by assimp-py, both optional (`pip install armlab[cad]`); GLB, glTF, DAE, OBJ, PLY and STL
by armlab itself.
"""

from __future__ import annotations

import importlib.util
import math
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput, NotSupported
from armlab.files import read_bounded
from armlab.formats.cad_child import PACKAGES, unpacked
from armlab.formats.description import (
    WHOLE_TURN,
    DescribedJoint,
    DescribedLink,
    Description,
    Repairs,
)
from armlab.formats.link_meshes import convex_parts, estimated_inertia
from armlab.formats.mesh_parts import MAX_BYTES, MeshPiece, check_triangles, one_mesh
from armlab.formats.meshes import MESH_KINDS, mesh_pieces
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.geometry.visual import Visual
from armlab.messages import _
from armlab.model.parts import JointKind

STEP, FBX = (".step", ".stp"), (".fbx",)
ASSEMBLY_KINDS = (*STEP, *FBX, *MESH_KINDS)
_Y_UP = (*FBX, ".glb", ".gltf")
"""Kinds whose y axis points up; STEP has z up, and keeps it on its way through glTF."""
LONGEST_READING = 300.0
"""s, of a STEP or FBX file."""
NEAR_AXIS = 0.001
"""m: an axis that passes the box round a part farther than this does not hold it."""


class AssemblyJoint(NamedTuple):
    """A joint as the user names it: parts that it moves, axis and a point on it (m) in the assembly's frame, limits."""

    name: str
    kind: JointKind
    parts: tuple[str, ...]
    axis: Floats
    pivot: Floats
    lower: float = -WHOLE_TURN
    upper: float = WHOLE_TURN
    velocity: float = math.inf
    effort: float = math.inf


def assembly_pieces(path: Path) -> list[MeshPiece]:
    """Return the parts of a CAD file by name, in metres, z up.

    Raises:
        InvalidInput: if it cannot be read.
        NotSupported: if the package that reads it is not installed.
    """
    suffix = path.suffix.lower()
    data = read_bounded(path, MAX_BYTES)
    try:
        if suffix in STEP:
            pieces = _foreign_pieces(path, "step")
        elif suffix in FBX:
            pieces = _foreign_pieces(path, "fbx")
        else:
            pieces = mesh_pieces(data, suffix)
        check_triangles(sum(len(piece.faces) for piece in pieces))
    except InvalidInput as error:
        raise error.within(path.name) from None
    if suffix not in _Y_UP:
        return pieces
    R = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    return [piece._replace(vertices=piece.vertices @ R.T) for piece in pieces]


def _foreign_pieces(path: Path, kind: str) -> list[MeshPiece]:
    """Return the parts of a file that other people's readers understand, in a process of their own."""
    package = PACKAGES[kind]
    if importlib.util.find_spec(package) is None:
        raise NotSupported(
            "cad_package",
            _("reading {what} files needs the package '{package}': pip install armlab[cad]"),
            what=kind.upper(),
            package=package,
        )
    command = [sys.executable, "-P", "-m", "armlab.formats.cad_child", kind, str(path.resolve())]
    try:
        done = subprocess.run(command, capture_output=True, timeout=LONGEST_READING, check=False)
    except subprocess.TimeoutExpired:
        text = _("reading the file took longer than the {seconds:g} s allowed")
        raise InvalidInput("cad_time", text, seconds=LONGEST_READING) from None
    pieces = unpacked(done.stdout) if done.returncode == 0 else []
    if not pieces:
        raise InvalidInput(
            "cad_broken", _("not a {what} file that can be read, or nothing is in it"), what=kind.upper()
        )
    return pieces


def describe_assembly(
    pieces: Sequence[MeshPiece], base: Sequence[str], joints: Sequence[AssemblyJoint], name: str, repairs: Repairs
) -> Description:
    """Return the assembly as a description: what moves as one is a link whose frame stands at its joint's pivot.

    Parts that nobody names belong to the base, and are said; so is an axis that misses the parts it should hold.

    Raises:
        InvalidInput: if a named part is not there.
    """
    by_name: dict[str, list[MeshPiece]] = {}
    for piece in pieces:
        by_name.setdefault(piece.node, []).append(piece)
    taken: set[str] = set()
    groups = []
    for parts in (base, *(joint.parts for joint in joints)):
        missing = [part for part in parts if part not in by_name or part in taken]
        if missing:
            raise InvalidInput(
                "assembly_part",
                _("{file}: part '{part}' is not in the assembly, or is used twice; known: {known}"),
                file=repairs.file,
                part=missing[0],
                known=sorted(by_name)[:12],
            )
        taken |= set(parts)
        groups.append([piece for part in parts for piece in by_name[part]])
    rest = [part for part in by_name if part not in taken]
    if rest:
        groups[0] += [piece for part in rest for piece in by_name[part]]
        repairs.add(
            "warning",
            None,
            "parts_unnamed",
            _("parts {parts} belong to no link; they stay on the base"),
            parts=rest[:8],
        )
    names = ["base", *(f"{joint.name}_link" for joint in joints)]
    pivots = [np.zeros(3), *(joint.pivot for joint in joints)]
    links = {own: _link(own, group, pivot) for own, group, pivot in zip(names, groups, pivots, strict=True)}
    made = [_joint(joint, names[i], names[i + 1], joint.pivot - pivots[i]) for i, joint in enumerate(joints)]
    for i, joint in enumerate(joints):
        _check_axis(joint, groups[i], groups[i + 1], repairs)
    return Description(
        format="cad",
        file=repairs.file,
        name=name,
        root="base",
        links=links,
        joint_of={joint.child: joint for joint in made},
        joints_from={own: tuple(joint for joint in made if joint.parent == own) for own in names},
        findings=tuple(repairs.findings),
    )


def _joint(joint: AssemblyJoint, parent: str, child: str, step: Floats) -> DescribedJoint:
    return DescribedJoint(
        name=joint.name,
        kind=joint.kind,
        parent=parent,
        child=child,
        T_parent_child=pose.from_xyz(step),
        axis=joint.axis,
        lower=joint.lower,
        upper=joint.upper,
        velocity=joint.velocity,
        effort=joint.effort,
    )


def _link(name: str, pieces: Sequence[MeshPiece], pivot: Floats) -> DescribedLink:
    if not pieces:
        return DescribedLink(name)
    moved = [piece._replace(vertices=piece.vertices - pivot) for piece in pieces]
    visuals = tuple(Visual(*one_mesh([piece]), piece.colour) for piece in moved)
    whole = one_mesh(moved)
    shapes = tuple(Shape("hull", (), np.eye(4), points=points) for points in convex_parts(whole))
    return DescribedLink(name, shapes=shapes, visuals=visuals, estimate=estimated_inertia(visuals, shapes))


def _check_axis(
    joint: AssemblyJoint, carrier: Sequence[MeshPiece], moved: Sequence[MeshPiece], repairs: Repairs
) -> None:
    """Say where the axis of a turning joint misses the parts on either side of it."""
    size = float(np.linalg.norm(joint.axis))
    if joint.kind != "revolute" or size == 0.0:
        return
    boxes = [_box(pieces) for pieces in (carrier, moved) if pieces]
    direction = joint.axis / size
    distance = max((_line_to_box(direction, low - joint.pivot, high - joint.pivot) for low, high in boxes), default=0.0)
    if distance <= NEAR_AXIS:
        return
    middle = (np.max([low for low, _high in boxes], axis=0) + np.min([high for _low, high in boxes], axis=0)) / 2.0
    shift = middle - joint.pivot
    fix = joint.pivot + shift - (shift @ direction) * direction
    repairs.add(
        "warning",
        None,
        "pivot_off_axis",
        _("joint '{joint}': its axis misses the parts by {distance:.1f} mm; move the pivot to {fix} mm"),
        joint=joint.name,
        distance=1000.0 * distance,
        fix=[round(1000.0 * float(value), 3) for value in fix],
    )


def _box(pieces: Sequence[MeshPiece]) -> tuple[Floats, Floats]:
    points = np.concatenate([piece.vertices for piece in pieces])
    return points.min(axis=0), points.max(axis=0)


def _line_to_box(direction: Floats, low: Floats, high: Floats) -> float:
    """Return how far a line through the origin passes a box."""
    middle, half = (low + high) / 2.0, (high - low) / 2.0
    ts = np.linspace(-1.0, 1.0, 401) * float(np.linalg.norm(half)) + float(middle @ direction)
    outside = np.maximum(np.abs(ts[:, None] * direction - middle) - half, 0.0)
    return float(np.linalg.norm(outside, axis=1).min())

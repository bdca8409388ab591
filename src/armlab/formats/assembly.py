"""An arm from CAD: the parts of an assembly become links, with axes and pivots that the user names in a TOML file.

STEP is read by cascadio, FBX by assimp-py, both optional (`pip install armlab[cad]`); GLB, glTF, DAE, OBJ, PLY and STL
by armlab itself.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.errors import InvalidInput, NotSupported
from armlab.files import read_bounded
from armlab.formats.description import (
    WHOLE_TURN,
    DescribedJoint,
    DescribedLink,
    Description,
    Repairs,
)
from armlab.formats.link_meshes import convex_parts, estimated_inertia
from armlab.formats.mesh_gltf import gltf_pieces
from armlab.formats.mesh_parts import MAX_BYTES, MAX_TRIANGLES, MeshPiece, check_triangles, one_mesh
from armlab.formats.meshes import MESH_KINDS, mesh_pieces
from armlab.geometry import pose
from armlab.geometry.shape import Shape
from armlab.geometry.visual import Visual
from armlab.messages import _
from armlab.model.parts import JointKind

STEP, FBX = (".step", ".stp"), (".fbx",)
ASSEMBLY_KINDS = (*STEP, *FBX, *MESH_KINDS)
_Y_UP = (*STEP, *FBX, ".glb", ".gltf")
"""Kinds whose y axis points up: STEP, because it comes as glTF."""
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
            pieces = gltf_pieces(_step_as_glb(data))
        elif suffix in FBX:
            pieces = _fbx_pieces(path)
        else:
            pieces = mesh_pieces(data, suffix)
        check_triangles(sum(len(piece.faces) for piece in pieces))
    except InvalidInput as error:
        raise error.within(path.name) from None
    if suffix not in _Y_UP:
        return pieces
    R = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    return [piece._replace(vertices=piece.vertices @ R.T) for piece in pieces]


def _package(name: str, what: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError:
        raise NotSupported(
            "cad_package",
            _("reading {what} files needs the package '{package}': pip install armlab[cad]"),
            what=what,
            package=name,
        ) from None


def _step_as_glb(data: bytes) -> bytes:
    made: bytes = _package("cascadio", "STEP").load(data, file_type="step", use_parallel=False)
    if not made:
        raise InvalidInput("step_broken", _("not a STEP file that can be read"))
    return made


def _fbx_pieces(path: Path) -> list[MeshPiece]:
    assimp = _package("assimp_py", "FBX")
    try:
        scene = assimp.import_file(str(path), assimp.Process_Triangulate | assimp.Process_GlobalScale)
    except (RuntimeError, ValueError, OSError) as error:
        raise InvalidInput("fbx_broken", _("not an FBX file that can be read: {reason}"), reason=str(error)) from None
    pieces: list[MeshPiece] = []
    waiting = [(scene.root_node, np.eye(4))]
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

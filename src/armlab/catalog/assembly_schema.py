"""The file that names joints of a CAD assembly: mm and degrees, checked key by key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from armlab.catalog.files import read_table
from armlab.catalog.schema import FileTable, Label, LimitsTable, Triple
from armlab.formats.assembly import AssemblyJoint, assembly_pieces, describe_assembly
from armlab.formats.description import STROKE, WHOLE_TURN, Description, Repairs
from armlab.units import M_PER_MM, joint_scale

Part = Annotated[str, Field(min_length=1, max_length=200)]
Parts = Annotated[tuple[Part, ...], Field(max_length=500)]


class AssemblyJointTable(FileTable):
    """A joint: the parts that it moves, its axis and a point on it in the assembly's frame."""

    name: Label
    kind: Literal["revolute", "prismatic"] = "revolute"
    parts: Annotated[Parts, Field(min_length=1)]
    axis: Triple
    pivot: Triple
    limits: LimitsTable | None = None


class AssemblyTable(FileTable):
    """A whole file: what stands still, and the joints from the base to the tool."""

    name: Label | None = None
    base: Parts = ()
    scale: Annotated[float, Field(gt=0, le=1e6)] = 1.0
    """m per unit of the CAD file, where it does not say itself."""
    joint: Annotated[tuple[AssemblyJointTable, ...], Field(min_length=1, max_length=64)]


def read_assembly(path: Path, joints: Path, repairs: Repairs) -> Description:
    """Return a CAD file with the joints that another file names.

    Raises:
        CatalogError: if the file of joints has an unknown, missing or wrong key.
        InvalidInput: if the CAD file cannot be read, or lacks a named part.
    """
    table = read_table(joints, AssemblyTable)
    pieces = [piece._replace(vertices=piece.vertices * table.scale) for piece in assembly_pieces(path)]
    made = [_joint(joint) for joint in table.joint]
    return describe_assembly(pieces, table.base, made, table.name or path.stem, repairs)


def _joint(table: AssemblyJointTable) -> AssemblyJoint:
    scale, limits = joint_scale(table.kind), table.limits
    whole = STROKE if table.kind == "prismatic" else WHOLE_TURN
    return AssemblyJoint(
        table.name,
        table.kind,
        table.parts,
        np.array(table.axis),
        np.array(table.pivot) * M_PER_MM,
        -whole if limits is None else limits.lower * scale,
        whole if limits is None else limits.upper * scale,
        np.inf if limits is None or limits.velocity is None else limits.velocity * scale,
        np.inf if limits is None or limits.effort is None else limits.effort,
    )

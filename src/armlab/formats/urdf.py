"""Robots from and to URDF files."""

from __future__ import annotations

from pathlib import Path

from armlab.formats.chain import arm_of
from armlab.formats.urdf_read import read_urdf_description
from armlab.formats.urdf_write import urdf_text, write_urdf
from armlab.model.robot import Robot

__all__ = ["read_urdf", "urdf_text", "write_urdf"]


def read_urdf(source: Path | str, *, base: str | None = None, tip: str | None = None) -> Robot:
    """Return the serial arm of a URDF file from the link `base` (the root) to the link `tip`.

    Without `tip` it is the chain with the most axes, without its gripper. Continuous joints may turn ±2π. What is
    missing or cannot be is repaired; `armlab import` says what.

    Raises:
        InvalidInput: if the file is not valid URDF, or contradicts itself.
        UnknownName: if there is no link `base` or `tip`.
        NotSupported: if a floating or planar joint lies between two axes, or it is xacro.
    """
    return arm_of(read_urdf_description(Path(source)), base=base, tip=tip).robot

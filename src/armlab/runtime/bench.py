"""From the project's numbers (mm, degrees) to bodies and poses."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.catalog.scene_schema import BodyTable
from armlab.catalog.scenes import SCENES, build_body
from armlab.errors import InvalidInput
from armlab.model import pose
from armlab.model.scene import Body
from armlab.program.scenario_schema import Frame
from armlab.units import M_PER_MM


def build_bodies(tables: tuple[BodyTable, ...]) -> tuple[Body, ...]:
    """Return the bodies of a project.

    Raises:
        InvalidInput: if one cannot be built; a project names no files, so that a mesh is among these.
    """
    for table in tables:
        if table.file is not None:
            raise InvalidInput(f"body '{table.name}': a project names no files")
    return tuple(build_body(table, SCENES) for table in tables)


def pose_of(frame: Frame) -> Floats:
    """Return X Y Z A B C (mm, degrees) as a pose."""
    return pose.from_xyz_abc(np.array(frame[:3]) * M_PER_MM, np.radians(frame[3:]))

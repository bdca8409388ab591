"""Bodies from the tables of a project (mm, degrees)."""

from __future__ import annotations

from armlab.catalog.scene_schema import BodyTable
from armlab.catalog.scenes import SCENES, build_body
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.model.scene import Body


def build_bodies(tables: tuple[BodyTable, ...]) -> tuple[Body, ...]:
    """Return the bodies of a project.

    Raises:
        InvalidInput: if one cannot be built; a project names no files, so that a mesh is among these.
    """
    for table in tables:
        if table.file is not None:
            raise InvalidInput("body_with_file", _("body '{body}': a project cannot name files"), body=table.name)
    return tuple(build_body(table, SCENES) for table in tables)

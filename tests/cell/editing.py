"""Edits as commands have them."""

from __future__ import annotations

from typing import Any

from armlab.cell.document import as_json
from armlab.cell.patch import Change, SetValue
from armlab.cell.project import Project


def whole(project: Project | dict[str, Any]) -> tuple[Change, ...]:
    """Return the change that puts another project in the place of any."""
    return (SetValue(path=(), value=as_json(project) if isinstance(project, Project) else project),)

"""An arm that somebody sent, read for the page: runs in a process of its own (armlab.formats.child_process)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from armlab.errors import ArmlabError, UnknownName

OK, NOT_FOUND, UNUSABLE = 200, 404, 422


class ImportTask(NamedTuple):
    """What to read and how: the ends of the chain, the file among several, the length of a unit in m."""

    path: str
    base: str | None = None
    tip: str | None = None
    file: str | None = None
    scale: float = 1.0


def answer(task: ImportTask) -> tuple[int, str]:
    """Return the status and the body of the answer, in the reader's language."""
    from armlab.server.failures import error_body

    try:
        return OK, _imported(task)
    except ArmlabError as error:
        return NOT_FOUND if isinstance(error, UnknownName) else UNUSABLE, error_body(error.message).model_dump_json()


def _imported(task: ImportTask) -> str:
    from armlab.catalog.importing import ImportOptions, import_arm
    from armlab.cell.project import ArmChoice
    from armlab.model.rescale import rescaled
    from armlab.reports.imported import import_report
    from armlab.reports.robots import robot_row
    from armlab.server.brought_arm import arm_file, free_name
    from armlab.server.messages import ImportContent

    found = import_arm(Path(task.path), ImportOptions(task.base, task.tip, task.file))
    robot = found.robot if task.scale == 1.0 else rescaled(found.robot, task.scale)
    robot = replace(robot, name=free_name(robot.name))
    found = replace(found, robot=robot)
    file = arm_file(robot)
    return ImportContent(
        report=import_report(found),
        row=robot_row(robot),
        arm=ArmChoice(name=robot.name, file=file.text),
        simplified=file.simplified,
    ).model_dump_json()

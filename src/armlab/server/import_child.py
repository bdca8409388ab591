"""The process that reads an arm that somebody sent: it has little time and memory, and whatever happens ends with it.

It reads an `ImportTask` from standard input and writes to standard output: the status of the answer on a line of its
own, then the answer's body.
"""

from __future__ import annotations

import json
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from armlab.errors import ArmlabError, UnknownName
from armlab.messages import Message, _, reader

OK, NOT_FOUND, UNUSABLE = 200, 404, 422


class ImportTask(NamedTuple):
    """What to read and how: the ends of the chain, the file among several, the length of a unit in m."""

    path: str
    base: str | None = None
    tip: str | None = None
    file: str | None = None
    scale: float = 1.0
    language: str = "en"
    memory: int = 0
    """Bytes that the process may have; 0 leaves it alone."""
    seconds: int = 0
    """Of computing; 0 leaves it alone."""


def limit_process(memory: int, seconds: int) -> None:
    """Bound this process, where the system can; who started it bounds its time in any case."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        for which, most in ((resource.RLIMIT_AS, memory), (resource.RLIMIT_CPU, seconds)):
            if most:
                resource.setrlimit(which, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def answer(task: ImportTask) -> tuple[int, str]:
    """Return the status and the body of the answer, in the reader's language."""
    from armlab.server.failures import error_body

    reader.set(task.language)
    try:
        return OK, _imported(task)
    except ArmlabError as error:
        return NOT_FOUND if isinstance(error, UnknownName) else UNUSABLE, error_body(error.message).model_dump_json()
    except MemoryError:
        text = _("the arm needs more memory than the {most:.0f} MB allowed")
        message = Message("import_memory", text, most=task.memory / 1e6)
        return UNUSABLE, error_body(message).model_dump_json()


def _imported(task: ImportTask) -> str:
    from armlab.catalog.importing import ImportOptions, import_arm
    from armlab.model.rescale import rescaled
    from armlab.reports.imported import import_report
    from armlab.reports.robots import robot_row
    from armlab.runtime.project import ArmChoice
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


def main() -> None:
    """Read one arm."""
    task = ImportTask(**json.load(sys.stdin))
    limit_process(task.memory, task.seconds)
    status, body = answer(task)
    sys.stdout.write(f"{status}\n{body}")


if __name__ == "__main__":
    main()

"""An arm that somebody sent, read for the page in a process of its own."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

from armlab.assets import AssetStore
from armlab.catalog.importing import ImportOptions, import_arm
from armlab.cell.project import ArmChoice
from armlab.model.rescale import rescaled
from armlab.reports.imported import import_report
from armlab.reports.robots import robot_row
from armlab.server.brought_arm import free_name, keep_arm
from armlab.server.messages import ImportContent

LONGEST_NAME = 80
PREFIX = "armlab-upload-"
RECORDING_PREFIX = "armlab-recording-"
LEFT_S = 3600.0
"""A folder older than this is nobody's any more: no upload waits and is read so long."""


@dataclass(frozen=True, slots=True)
class ImportQuestion:
    """How to read an arm: its file's name, the ends of the chain, the file among several, the length of a unit in m."""

    name: str = "upload"
    base: str | None = None
    tip: str | None = None
    file: str | None = None
    scale: float = 1.0


def read_upload(folder: str, question: ImportQuestion, store: AssetStore) -> ImportContent:
    """Return what the arm in `folder` is; for a process that does nothing else afterwards.

    It works there and keeps its temporary files there, and nobody hears what libraries say.
    """
    os.chdir(folder)
    tempfile.tempdir = folder
    silence = os.open(os.devnull, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(silence, stream)
    return imported_content(Path(folder) / file_name(question.name), question, store)


def imported_content(path: Path, question: ImportQuestion, store: AssetStore) -> ImportContent:
    """Return what the arm in a file is, and the arm as a project can hold it: its file is in `store`.

    Raises:
        ArmlabError: if there is no arm in it that can be used.
    """
    found = import_arm(path, ImportOptions(question.base, question.tip, question.file))
    robot = found.robot if question.scale == 1.0 else rescaled(found.robot, question.scale)
    robot = replace(robot, name=free_name(robot.name))
    found = replace(found, robot=robot)
    return ImportContent(
        report=import_report(found),
        row=robot_row(robot),
        arm=ArmChoice(name=robot.name, file=keep_arm(robot, store)),
    )


def remove_left_folders() -> int:
    """Remove what processes that were killed have left of uploads and recordings; return how many folders."""
    latest, removed = time.time() - LEFT_S, 0
    for prefix in (PREFIX, RECORDING_PREFIX):
        for folder in Path(tempfile.gettempdir()).glob(f"{prefix}*"):
            with suppress(OSError):
                if folder.is_dir() and not folder.is_symlink() and folder.stat().st_mtime < latest:
                    shutil.rmtree(folder)
                    removed += 1
    return removed


def file_name(name: str) -> str:
    """Return a name that is only that of a file: no folders, nothing that a system reads in another way."""
    last = re.split(r"[/\\]", name)[-1]
    return re.sub(r"[^\w.-]+", "_", last).strip(".")[:LONGEST_NAME] or "upload"

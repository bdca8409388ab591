"""Read what somebody sent in a process of its own, with limits of time and memory."""

from __future__ import annotations

import re
import shutil
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from armlab.files import write_whole
from armlab.formats.child_process import SECONDS, ImportLimits, call_bounded
from armlab.server.import_child import ImportTask, answer

AT_ONCE = 2
LONGEST_NAME = 80
PREFIX = "armlab-upload-"
LEFT_S = 2.0 * SECONDS
"""An upload older than this is nobody's any more: no import lasts so long."""
_turn = threading.BoundedSemaphore(AT_ONCE)


@dataclass(frozen=True, slots=True)
class ImportQuestion:
    """How to read an arm: its file's name, the ends of the chain, the file among several, the length of a unit in m."""

    name: str = "upload"
    base: str | None = None
    tip: str | None = None
    file: str | None = None
    scale: float = 1.0


def import_upload(data: bytes, question: ImportQuestion, limits: ImportLimits | None = None) -> tuple[int, bytes]:
    """Return the HTTP status and the JSON of the answer about an arm in the bytes of a zip.

    The bytes go to a folder of their own, which is gone afterwards; nothing outside of it is read.

    Raises:
        InvalidInput: if that takes too long, or the process ends without an answer.
    """
    remove_left_uploads()
    with _turn, tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        path = Path(folder) / file_name(question.name)
        write_whole(path, data)
        task = ImportTask(str(path), question.base, question.tip, question.file, question.scale)
        status, body = call_bounded(answer, limits or ImportLimits(), Path(folder), task)
    return status, body.encode()


def remove_left_uploads() -> int:
    """Remove the uploads that processes have left that were killed; return how many."""
    latest, removed = time.time() - LEFT_S, 0
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            if folder.is_dir() and not folder.is_symlink() and folder.stat().st_mtime < latest:
                shutil.rmtree(folder)
                removed += 1
    return removed


def file_name(name: str) -> str:
    """Return a name that is only that of a file: no folders, nothing that a system reads in another way."""
    last = re.split(r"[/\\]", name)[-1]
    return re.sub(r"[^\w.-]+", "_", last).strip(".")[:LONGEST_NAME] or "upload"

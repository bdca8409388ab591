"""Read what somebody sent in a process of its own, with limits of time and memory."""

from __future__ import annotations

import re
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from armlab.files import write_whole
from armlab.formats.child_process import ImportLimits, call_bounded
from armlab.server.import_child import ImportTask, answer

AT_ONCE = 2
LONGEST_NAME = 80
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
    with _turn, tempfile.TemporaryDirectory(prefix="armlab-upload-") as folder:
        path = Path(folder) / file_name(question.name)
        write_whole(path, data)
        task = ImportTask(str(path), question.base, question.tip, question.file, question.scale)
        status, body = call_bounded(answer, limits or ImportLimits(), Path(folder), task)
    return status, body.encode()


def file_name(name: str) -> str:
    """Return a name that is only that of a file: no folders, nothing that a system reads in another way."""
    last = re.split(r"[/\\]", name)[-1]
    return re.sub(r"[^\w.-]+", "_", last).strip(".")[:LONGEST_NAME] or "upload"

"""Read what somebody sent in a process of its own, with limits of time and memory."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from armlab.errors import InvalidInput
from armlab.files import write_whole
from armlab.messages import _, reader
from armlab.server.import_child import ImportTask
from armlab.threads import thread_count

SECONDS = 60.0
MEMORY = 4_000_000_000
"""Bytes of address space; what is really used is a small part of it."""
AT_ONCE = 2
LONGEST_NAME = 80
_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
_turn = threading.BoundedSemaphore(AT_ONCE)


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """How long reading may take (s) and how much memory it may have (bytes)."""

    seconds: float = SECONDS
    memory: int = MEMORY


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
    limits = limits or ImportLimits()
    with _turn, tempfile.TemporaryDirectory(prefix="armlab-upload-") as folder:
        path = Path(folder) / file_name(question.name)
        write_whole(path, data)
        task = ImportTask(
            str(path),
            question.base,
            question.tip,
            question.file,
            question.scale,
            reader.get(),
            limits.memory,
            thread_count() * (int(limits.seconds) + 1),
        )
        output = _run(task, folder, limits.seconds)
    status, _line, body = output.partition(b"\n")
    return int(status), body


def _run(task: ImportTask, folder: str, seconds: float) -> bytes:
    command = [sys.executable, "-P", "-m", "armlab.server.import_child"]
    try:
        done = subprocess.run(
            command,
            input=json.dumps(task._asdict()).encode(),
            capture_output=True,
            timeout=seconds,
            env={**os.environ, **_ONE_THREAD, "TMPDIR": folder, "TEMP": folder, "TMP": folder},
            cwd=folder,
            check=False,
        )
    except subprocess.TimeoutExpired:
        text = _("reading the arm took longer than the {seconds:g} s allowed")
        raise InvalidInput("import_time", text, seconds=seconds) from None
    if done.returncode != 0 or not done.stdout[:3].isdigit():
        raise InvalidInput("import_ended", _("the arm could not be read: it needs too much time or memory"))
    return done.stdout


def file_name(name: str) -> str:
    """Return a name that is only that of a file: no folders, nothing that a system reads in another way."""
    last = re.split(r"[/\\]", name)[-1]
    return re.sub(r"[^\w.-]+", "_", last).strip(".")[:LONGEST_NAME] or "upload"

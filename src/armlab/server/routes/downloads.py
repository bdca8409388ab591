"""What a session gives away as files: its derivation, and its recording."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Literal

from fastapi import APIRouter, Request
from starlette.responses import Response

from armlab.documents.derivation import derivation_blocks
from armlab.documents.writing import report_files
from armlab.errors import InvalidInput, UnknownName
from armlab.messages import _
from armlab.recording import RecordingFolder, read_recording
from armlab.recording.exports import FileKind, exported_bytes
from armlab.server.mathematics import derivation_of
from armlab.server.messages import RecordingRow
from armlab.server.routes.session import ERRORS, Found, JointText, asked_joints

TYPES = {
    "csv": "text/csv",
    "json": "application/json",
    "npy": "application/octet-stream",
    "mcap": "application/octet-stream",
    "parquet": "application/vnd.apache.parquet",
    "html": "text/html",
    "zip": "application/zip",
}

router = APIRouter(prefix="/api/sessions", responses=ERRORS)
saved_router = APIRouter(prefix="/api/recordings", responses=ERRORS)


@router.get("/{session}/derivation/report.{kind}", response_class=Response)
def report(worker: Found, kind: Literal["md", "tex", "html"], q: JointText = None) -> Response:
    """The derivation as a document: one HTML file, or a ZIP of Markdown or LaTeX with its pictures."""
    robot = worker.session.robot
    blocks = derivation_blocks(robot, derivation_of(robot), asked_joints(worker, q))
    files = report_files(blocks, Path(f"{robot.name}.{kind}"))
    if kind == "html":
        return download(next(iter(files.values())), f"{robot.name}.html", "html")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path.name, (2000, 1, 1, 0, 0, 0)), content)
    return download(packed.getvalue(), f"{robot.name}-{kind}.zip", "zip")


@router.get("/{session}/recording.{kind}", response_class=Response)
def recording(worker: Found, kind: FileKind) -> Response:
    """What was recorded, or the last minute: joint states as a table or as a ROS 2 recording."""
    robot, rows = worker.session.robot, worker.session.samples.rows()
    if not len(rows.t) or rows.q.shape[1] != robot.dof:
        raise InvalidInput("nothing_recorded", _("nothing has been recorded yet"))
    return download(exported_bytes(rows.recording(robot), kind, robot), f"{robot.name}.{kind}", kind)


@saved_router.get("")
def saved_recordings(request: Request) -> tuple[RecordingRow, ...]:
    """The recordings on this machine's disk, the newest first."""
    found = _folder_of(request)
    return () if found is None else tuple(RecordingRow(**saved._asdict()) for saved in found.saved())


@saved_router.get("/{name}.{kind}", response_class=Response)
def saved_recording(request: Request, name: str, kind: FileKind) -> Response:
    """One of them as a table or as a ROS 2 recording; of one that is still running, what is written so far."""
    found = _folder_of(request)
    if found is None:
        raise UnknownName("recording", name, ())
    file = f"{name}.mcap"
    content = found.content(file) if kind == "mcap" else exported_bytes(read_recording(found.path(file)), kind)
    return download(content, f"{name}.{kind}", kind)


def _folder_of(request: Request) -> RecordingFolder | None:
    found: RecordingFolder | None = request.app.state.recordings
    return found


def download(content: bytes, name: str, kind: str) -> Response:
    """Return bytes as an answer that browsers save under a name."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(content, media_type=TYPES[kind], headers=headers)

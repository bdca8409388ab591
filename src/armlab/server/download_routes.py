"""What a session gives away as files: its derivation, and its recording."""

from __future__ import annotations

import csv
import io
import tempfile
import zipfile
from pathlib import Path
from typing import Literal

import numpy as np
from fastapi import APIRouter
from starlette.responses import Response

from armlab.documents.derivation import derivation_blocks
from armlab.documents.writing import report_files
from armlab.errors import InvalidInput
from armlab.model.robot import Robot
from armlab.recording import Recorder, Recording, export_parquet, read_recording
from armlab.recording.exports import columns
from armlab.runtime.tape import Rows
from armlab.server.mathematics import derivation_of
from armlab.server.session_routes import ERRORS, Found, JointText, asked_joints

TYPES = {
    "csv": "text/csv",
    "mcap": "application/octet-stream",
    "parquet": "application/vnd.apache.parquet",
    "html": "text/html",
    "zip": "application/zip",
}

router = APIRouter(prefix="/api/sessions", responses=ERRORS)


@router.get("/{session}/derivation/report.{kind}", response_class=Response)
def report(worker: Found, kind: Literal["md", "tex", "html"], q: JointText = None) -> Response:
    """The derivation as a document: one HTML file, or a ZIP of Markdown or LaTeX with its pictures."""
    robot = worker.engine.robot
    blocks = derivation_blocks(robot, derivation_of(robot), asked_joints(worker, q))
    files = report_files(blocks, Path(f"{robot.name}.{kind}"))
    if kind == "html":
        return _download(next(iter(files.values())), f"{robot.name}.html", "html")
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path.name, (2000, 1, 1, 0, 0, 0)), content)
    return _download(packed.getvalue(), f"{robot.name}-{kind}.zip", "zip")


@router.get("/{session}/recording.{kind}", response_class=Response)
def recording(worker: Found, kind: Literal["csv", "mcap", "parquet"]) -> Response:
    """What was recorded, or the last minute: joint states as a table or as a ROS 2 recording."""
    robot, rows = worker.engine.robot, worker.engine.tape.rows()
    if not len(rows.t) or rows.q.shape[1] != robot.dof:
        raise InvalidInput("nothing has been recorded yet")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.mcap"
        _write(path, robot, rows)
        if kind == "mcap":
            content = path.read_bytes()
        elif kind == "csv":
            content = _table(read_recording(path), rows)
        else:
            export_parquet(read_recording(path), path.with_suffix(".parquet"))
            content = path.with_suffix(".parquet").read_bytes()
    return _download(content, f"{robot.name}.{kind}", kind)


def _write(path: Path, robot: Robot, rows: Rows) -> None:
    """Write the rows as a recording that starts at 0 s."""
    frames = robot.frames(rows.q)
    with Recorder(path, robot, source={"program": "workbench"}) as recorder:
        for i, time in enumerate((rows.t - rows.t[0]).tolist()):
            command = (rows.command[i], rows.command_qd[i], rows.command_tau[i])
            recorder.write(time, rows.q[i], rows.qd[i], rows.tau[i], command=command, frames=frames[i])


def _table(read: Recording, rows: Rows) -> bytes:
    """Return the recording as CSV, with what was commanded beside it; SI units, told in the names."""
    table = columns(read)
    for i, name in enumerate(read.names):
        unit = next(key for key in table if key.startswith(f"q_{name}_")).removeprefix(f"q_{name}_")
        effort = "N" if unit == "m" else "Nm"
        table[f"qdd_{name}_{unit}_s2"] = rows.qdd[:, i]
        table[f"command_{name}_{unit}"] = rows.command[:, i]
        table[f"command_qd_{name}_{unit}_s"] = rows.command_qd[:, i]
        table[f"command_qdd_{name}_{unit}_s2"] = rows.command_qdd[:, i]
        table[f"command_tau_{name}_{effort}"] = rows.command_tau[:, i]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(table)
    writer.writerows(np.column_stack(list(table.values())).tolist())
    return text.getvalue().encode()


def _download(content: bytes, name: str, kind: str) -> Response:
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return Response(content, media_type=TYPES[kind], headers=headers)

"""Where the tool of a session's arm can be: computed beside the sessions, asked for until it is there."""

from __future__ import annotations

import numpy as np
from fastapi import APIRouter

from armlab.jobs import BOARD, STUDY, Ticket, submit, tell
from armlab.kinematics.reach_volume import ReachVolume, reach_volume
from armlab.model.robot import Robot
from armlab.reports.report import mm
from armlab.server.messages import VolumeReport, WorkspaceProgress
from armlab.server.routes.session import ERRORS, Found
from armlab.units import MM_PER_M

router = APIRouter(prefix="/api/sessions", responses=ERRORS)

KEY = "workspace"
PATIENCE_S = 5.0
"""A volume that no page has asked for during this time is not computed any further."""
_LEVELS = 255


@router.get("/{session}/workspace")
def workspace(worker: Found) -> WorkspaceProgress:
    """The workspace of the arm as it is now; while it is computed, how much of the work is done."""
    robot, revision = worker.session.robot, worker.session.revision
    job = BOARD.last(worker.name, KEY, robot)
    if job is None or job.is_cancelled:
        job = submit(Ticket(STUDY, worker.name, KEY, robot, PATIENCE_S), computed_volume, robot)
    volume = job.result() if job.future.done() and not job.is_cancelled else None
    return WorkspaceProgress(
        revision=revision, share=job.share, volume=None if volume is None else _volume_report(volume)
    )


def computed_volume(robot: Robot) -> ReachVolume:
    """Return the volume, and say meanwhile how far it is."""
    return reach_volume(robot, progress=lambda done, total: tell(done / total))


def _volume_report(volume: ReachVolume) -> VolumeReport:
    most = float(volume.best.max(initial=0.0))
    level = np.rint(volume.best / max(most, 1e-300) * _LEVELS).astype(np.int64)
    return VolumeReport(
        low=mm(volume.low),
        cell=volume.cell * MM_PER_M,
        shape=volume.shape,
        reached=tuple(volume.reached.tolist()),
        manipulability=tuple(level.tolist()),
        most=most,
        branches=None if volume.branches is None else tuple(volume.branches.tolist()),
    )

"""Where the tool of a session's arm can be: computed beside the sessions, asked for until it is there."""

from __future__ import annotations

import numpy as np
from fastapi import APIRouter

from armlab.cell.volume_jobs import VolumeJobs
from armlab.kinematics.reach_volume import ReachVolume
from armlab.reports.report import mm
from armlab.server.messages import VolumeReport, WorkspaceProgress
from armlab.server.routes.session import ERRORS, Found
from armlab.units import MM_PER_M

router = APIRouter(prefix="/api/sessions", responses=ERRORS)

_jobs = VolumeJobs()
_LEVELS = 255


def abandon_volumes() -> None:
    """Give up what is being computed."""
    _jobs.abandon()


@router.get("/{session}/workspace")
def workspace(worker: Found) -> WorkspaceProgress:
    """The workspace of the arm as it is now; while it is computed, how much of the work is done."""
    done, total, volume = _jobs.ask(worker.session.robot)
    return WorkspaceProgress(
        revision=worker.session.revision,
        done=done,
        total=total,
        volume=None if volume is None else _volume_report(volume),
    )


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

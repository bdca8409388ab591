"""User frames over HTTP: one by three points."""

from __future__ import annotations

import numpy as np
from fastapi import APIRouter

from armlab.calibration.frames import frame_by_three_points
from armlab.reports.report import mm_deg
from armlab.server.messages import FramePose
from armlab.server.requests import ThreePoints
from armlab.server.routes.session import ERRORS, Found
from armlab.units import M_PER_MM

router = APIRouter(prefix="/api/sessions", responses=ERRORS)


@router.post("/{session}/frame-by-points")
def frame_by_points(_worker: Found, question: ThreePoints) -> FramePose:
    """A frame by its origin, a point on +x and a point in the xy plane with y > 0."""
    points = np.array([question.origin, question.on_x, question.in_plane]) * M_PER_MM
    T = frame_by_three_points(points)
    return FramePose(pose=mm_deg(T))

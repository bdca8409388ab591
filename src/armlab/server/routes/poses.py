"""Saved poses over HTTP: where an attached one is now, and how a tool sits on an object."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from armlab.cell.attached_poses import resolved_joints, tool_on_body
from armlab.errors import InvalidInput
from armlab.messages import _
from armlab.reports.report import mm_deg, shown_q
from armlab.server.messages import FramePose, PoseJoints
from armlab.server.routes.session import ERRORS, Found, JointText, asked_joints

router = APIRouter(prefix="/api/sessions", responses=ERRORS)


@router.get("/{session}/poses/{key}")
def resolved(worker: Found, key: str) -> PoseJoints:
    """The joint values of a saved pose; of an attached one, those for where its object is now."""
    session = worker.session
    for saved in session.project.arm(session.selected).poses:
        if saved.id == key:
            return PoseJoints(q=shown_q(session.robot, resolved_joints(saved, session.robot, session.state.bodies)))
    raise InvalidInput("no_such_pose", _("the pose is no longer in the project"))


@router.get("/{session}/tool-on-object")
def tool_on_object(worker: Found, body: Annotated[str, Query(max_length=60)], q: JointText = None) -> FramePose:
    """Where the tool at joint values `q` is, seen from an object as it stands now."""
    session = worker.session
    T = tool_on_body(session.robot, asked_joints(worker, q), body, session.state.bodies)
    return FramePose(pose=mm_deg(T))

"""The frames of a project: whose axes a jog of the tool moves along."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.cell.commands import JogTool
from armlab.cell.project import Project
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.messages import _
from armlab.model.robot import Robot


def user_frame(project: Project, key: str) -> Floats:
    """Return T_world_frame (4, 4) of the user frame with the id `key`.

    Raises:
        InvalidInput: if the project has none.
    """
    for frame in project.frames:
        if frame.id == key:
            return pose.from_mm_deg(frame.pose)
    raise InvalidInput("no_such_frame", _("the user frame is no longer in the project"))


def jog_frame(project: Project, robot: Robot, command: JogTool) -> Floats:
    """Return the frame (4, 4) in the world along whose axes a tool is jogged: of the base, the world or the user.

    Raises:
        InvalidInput: if the project has no such user frame.
    """
    if command.frame != "reference":
        return robot.base
    return np.eye(4) if command.reference is None else user_frame(project, command.reference)

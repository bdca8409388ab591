"""A frame that is fixed on a link of an arm, in the terms of its chain."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.errors import UnknownName
from armlab.model.robot import Robot


def frame_on_chain(robot: Robot, link: str, T_link_frame: Floats) -> tuple[int, Floats]:
    """Return how many joints move a frame, and where it is (12,) in the z-aligned frame of the last of them.

    A frame that no joint moves is given in the world. `link` may be "tool".

    Raises:
        UnknownName: if the arm has no such link.
    """
    names = robot.frame_names
    if link not in names:
        raise UnknownName("link", link, names, owner=robot.name)
    k = names.index(link)
    if k == len(names) - 1:
        k, T_link_frame = robot.uncoupled.dof, robot.flange @ robot.tool.T_flange_tool @ T_link_frame
    if k == 0:
        T = robot.base @ T_link_frame
    else:
        T = np.eye(4)
        T[:3, :3] = robot.uncoupled.chain.to_link[k - 1]
        T = T @ T_link_frame
    return k, np.concatenate([T[:3, :3].ravel(), T[:3, 3]])

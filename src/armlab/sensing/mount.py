"""Where a sensor sits: a pose fixed on a link of an arm."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, read_only
from armlab.errors import UnknownName
from armlab.geometry.pose import as_one_pose
from armlab.messages import _, term
from armlab.model.robot import Robot


@dataclass(frozen=True, slots=True, eq=False)
class Mount:
    """A pose on a link (by name, or "tool"), or on a loose body of a scene."""

    link: str
    T_link_sensor: ArrayLike = field(default_factory=lambda: np.eye(4))

    def __post_init__(self) -> None:
        who = term(_("sensor on '{link}': {what}"), link=self.link, what="T_link_sensor")
        object.__setattr__(self, "T_link_sensor", read_only(as_one_pose(self.T_link_sensor, who)))

    @property
    def T(self) -> Floats:
        """T_link_sensor as an array (4, 4)."""
        return np.asarray(self.T_link_sensor)


def on_chain(robot: Robot, mount: Mount) -> tuple[int, Floats]:
    """Return how many joints move the sensor, and its frame (12,) in the z-aligned frame of the last of them.

    A sensor that no joint moves has its frame in the world.

    Raises:
        UnknownName: if the arm has no such link.
    """
    names = robot.frame_names
    if mount.link not in names:
        raise UnknownName("link", mount.link, names, owner=robot.name)
    k = names.index(mount.link)
    if k == len(names) - 1:
        k, T_link_sensor = robot.uncoupled.dof, robot.flange @ robot.tool.T_flange_tool @ mount.T
    else:
        T_link_sensor = mount.T
    if k == 0:
        T = robot.base @ T_link_sensor
    else:
        T = np.eye(4)
        T[:3, :3] = robot.uncoupled.chain.to_link[k - 1]
        T = T @ T_link_sensor
    return k, np.concatenate([T[:3, :3].ravel(), T[:3, 3]])

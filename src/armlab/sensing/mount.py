"""Where a sensor sits: a pose fixed on a link of an arm."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from armlab.arrays import Floats, read_only
from armlab.geometry.pose import as_one_pose
from armlab.kinematics.carried import frame_on_chain
from armlab.messages import _, term
from armlab.model.robot import Robot


@dataclass(frozen=True, slots=True, eq=False)
class Mount:
    """A pose on a link (by name, or "tool"), or on a loose body of a scene."""

    link: str
    T_link_sensor: ArrayLike = field(default_factory=lambda: np.eye(4))
    is_body: bool = False
    """Whether `link` is a body of the scene, also where a link has its name; otherwise links come first."""

    def __post_init__(self) -> None:
        who = term(_("sensor on '{link}': {what}"), link=self.link, what="T_link_sensor")
        object.__setattr__(self, "T_link_sensor", read_only(as_one_pose(self.T_link_sensor, who)))

    @property
    def T(self) -> Floats:
        """T_link_sensor as an array (4, 4)."""
        return np.asarray(self.T_link_sensor)


def on_chain(robot: Robot, mount: Mount) -> tuple[int, Floats]:
    """Return how many joints move the sensor, and its frame (12,), see `armlab.kinematics.carried.frame_on_chain`.

    Raises:
        UnknownName: if the arm has no such link.
    """
    return frame_on_chain(robot, mount.link, mount.T)

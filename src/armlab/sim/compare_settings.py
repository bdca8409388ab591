"""What a comparison may change: drives, force limits, masses and friction, as multiples of the arm's own."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields, replace
from typing import Any

from armlab.dynamics.bodies import weighed
from armlab.errors import InvalidInput
from armlab.geometry.inertia import Inertia
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.sim.drive_choice import choose_drives
from armlab.sim.drives import Drive

CHOSEN_FOR = 0.001
"""s: the timestep that the arm's own drives are chosen for; they are part of the arm, not of the simulation."""
BOUNDS: dict[str, tuple[float, float]] = {
    "stiffness": (0.001, 10_000.0),
    "damping": (0.0, 10_000.0),
    "force_limit": (0.001, 1000.0),
    "mass": (0.001, 1000.0),
    "friction": (0.0, 1.0),
}


@dataclass(frozen=True, slots=True)
class DriveSettings:
    """Factors of the drives that `choose_drives` gives the arm for steps of 1 ms; 1 leaves a value as it is.

    `friction` is dry friction, as a share of what each drive gives at most; 0 is none.
    """

    stiffness: float = 1.0
    damping: float = 1.0
    force_limit: float = 1.0
    mass: float = 1.0
    friction: float = 0.0

    def __post_init__(self) -> None:
        for one in fields(self):
            value, (least, most) = getattr(self, one.name), BOUNDS[one.name]
            if not (isinstance(value, int | float) and math.isfinite(value) and least <= value <= most):
                raise InvalidInput(
                    "drive_setting_outside",
                    _("{setting}: {value} is outside {least:g} … {most:g}"),
                    setting=one.name,
                    value=repr(value),
                    least=least,
                    most=most,
                )

    def applied(self, robot: Robot) -> tuple[Robot, tuple[Drive, ...]]:
        """Return the arm with other masses, and its drives; these are chosen for the masses that it had.

        Raises:
            InvalidInput: if friction is asked for, and a joint has no force limit to take a share of.
        """
        drives = tuple(self._drive(drive, robot, i) for i, drive in enumerate(choose_drives(robot, CHOSEN_FOR)))
        return (robot if self.mass == 1.0 else with_masses(robot, self.mass)), drives

    def _drive(self, drive: Drive, robot: Robot, i: int) -> Drive:
        effort = drive.effort * self.force_limit
        if self.friction > 0.0 and not math.isfinite(effort):
            raise InvalidInput(
                "friction_without_limit",
                _("{robot}: joint '{joint}' has no force limit; friction is a share of it"),
                robot=robot.name,
                joint=robot.joints[i].name,
            )
        return replace(
            drive,
            stiffness=drive.stiffness * self.stiffness,
            damping=drive.damping * self.damping,
            effort=effort,
            friction=self.friction * effort if self.friction > 0.0 else drive.friction,
        )


def with_masses(robot: Robot, factor: float) -> Robot:
    """Return the arm with all masses and inertias, also those of its tool, times `factor`."""
    heavy = weighed(robot)
    links = tuple(replace(link, inertia=_times(link.inertia, factor)) for link in heavy.links)
    tool: Any = replace(heavy.tool, inertia=_times(heavy.tool.inertia, factor))
    return replace(heavy, links=links, tool=tool, configurations=dict(heavy.configurations))


def _times(inertia: Inertia, factor: float) -> Inertia:
    return replace(inertia, mass=inertia.mass * factor, matrix=inertia.matrix * factor)

"""The real arm of a project: built from its choice, and how far it stands from the nominal one."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from armlab.arrays import Floats
from armlab.calibration.arm import RealArm
from armlab.calibration.real_file import real_arm_of_text
from armlab.calibration.static_pose import real_frames
from armlab.calibration.tolerances import real_arm
from armlab.cell.arm import build_arm
from armlab.cell.project import ArmChoice, Project, ProjectArm
from armlab.cell.real_choice import DrawnReal, RealChoice
from armlab.errors import InvalidInput
from armlab.geometry import pose
from armlab.messages import _

KEPT = 32


@lru_cache(maxsize=KEPT)
def build_real(choice: RealChoice, arm: ArmChoice) -> RealArm:
    """Return the real arm of a choice on top of a project's arm.

    Raises:
        CatalogError: if its file cannot be used, or is of another arm.
    """
    robot = build_arm(arm)
    if isinstance(choice, DrawnReal):
        return real_arm(robot, choice.tolerance, seed=choice.seed)
    return real_arm_of_text(choice.text, robot)


def check_real(project: Project) -> None:
    """Check that every real arm of a project is one of the arm that it belongs to.

    Raises:
        CatalogError: if its file cannot be used, or is of another arm.
    """
    for arm in project.arms:
        if arm.real is not None:
            build_real(arm.real, arm.arm)


def chosen_real(arm: ProjectArm) -> RealArm:
    """Return the real arm that is chosen beside a nominal one.

    Raises:
        InvalidInput: if none is chosen.
    """
    if arm.real is None:
        raise InvalidInput("no_real_arm", _("no real arm is chosen; draw one or open a file first"))
    return build_real(arm.real, arm.arm)


class RealDeviation(NamedTuple):
    """How a real arm stands beside the nominal one."""

    frames: Floats
    """(n + 2, 4, 4): links and tool of the real arm, their distances from the nominal ones enlarged."""
    shift: Floats
    """(3,): from the nominal tool to the real one in the world, m, as it is."""
    turn: float
    """rad, between the two tools."""


def deviation(real: RealArm, q: Floats, enlarge: float = 1.0) -> RealDeviation:
    """Return where the real arm is at rest when it is commanded to `q` (n,); shifts and turns are shown so enlarged."""
    nominal, actual = real.nominal.frames(q), real_frames(real, q)
    shift = actual[:, :3, 3] - nominal[:, :3, 3]
    turn = pose.rotation_vector(actual[:, :3, :3] @ nominal[:, :3, :3].swapaxes(1, 2))
    angle = np.linalg.norm(turn, axis=1)
    axis = np.where(angle[:, None] > 0.0, turn, (0.0, 0.0, 1.0))
    larger = pose.from_xyz_axis_angle(np.zeros(3), axis, enlarge * angle)
    frames = nominal.copy()
    frames[:, :3, :3] = larger[:, :3, :3] @ nominal[:, :3, :3]
    frames[:, :3, 3] += enlarge * shift
    return RealDeviation(frames, shift[-1], float(angle[-1]))

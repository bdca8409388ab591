"""What all reports share: frozen models, and numbers in the units that people read."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.model.robot import Robot
from armlab.units import DEG_PER_RAD, MM_PER_M, joint_scale

DIGITS = 9
"""Reports are rounded here: a millionth of a micrometre, below what double precision means."""


class ReportModel(BaseModel):
    """A frozen report; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)  # a command shows one of many


def shown_q(robot: Robot, q: Floats) -> tuple[float, ...]:
    """Return joint values as people read them: degrees and millimetres."""
    return tuple(rounded(v / joint_scale(joint.kind)) for v, joint in zip(q, robot.joints, strict=True))


def rounded(value: float) -> float:
    """Return a number of a report, without a negative zero."""
    return round(float(value), DIGITS) + 0.0


def rounded_all(values: Floats) -> tuple[Any, ...]:
    """Return a tuple of as many numbers as there are values; pydantic checks how many there must be."""
    return tuple(rounded(v) for v in values)


def mm(p: Floats) -> tuple[Any, ...]:
    """Return metres as millimetres."""
    return rounded_all(p * MM_PER_M)


def mm_deg(T: Floats) -> tuple[Any, ...]:
    """Return a pose (4, 4) as X Y Z in mm and A B C in degrees."""
    return (*mm(T[:3, 3]), *rounded_all(pose.as_abc(T) * DEG_PER_RAD))

"""Motions round obstacles, each with its proof."""

from armlab.planning.certificate import Certificate
from armlab.planning.constraints import Constraint, JointRange, OnLine, OnPlane, Upright
from armlab.planning.free_path import FreePath
from armlab.planning.goals import PoseGoal
from armlab.planning.improvement import improved
from armlab.planning.opening import Opening, find_opening
from armlab.planning.plan import plan_free
from armlab.planning.roadmap import Roadmap

__all__ = [
    "Certificate",
    "Constraint",
    "FreePath",
    "JointRange",
    "OnLine",
    "OnPlane",
    "Opening",
    "PoseGoal",
    "Roadmap",
    "Upright",
    "find_opening",
    "improved",
    "plan_free",
]

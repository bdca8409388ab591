"""Motions round obstacles, each with its proof."""

from armlab.planning.free_path import Certificate, FreePath
from armlab.planning.goals import PoseGoal
from armlab.planning.improvement import improved
from armlab.planning.opening import Opening, find_opening
from armlab.planning.plan import plan_free
from armlab.planning.roadmap import Roadmap

__all__ = [
    "Certificate",
    "FreePath",
    "Opening",
    "PoseGoal",
    "Roadmap",
    "find_opening",
    "improved",
    "plan_free",
]

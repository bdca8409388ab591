"""Motions round obstacles, each with its proof."""

from armlab.planning.free_path import Certificate, FreePath
from armlab.planning.goals import PoseGoal
from armlab.planning.plan import plan_free

__all__ = ["Certificate", "FreePath", "PoseGoal", "plan_free"]

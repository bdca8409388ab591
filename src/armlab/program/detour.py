"""A way round what a joint move touches: the points to go through, as a remedy beside the finding."""

from __future__ import annotations

import numpy as np

from armlab.collision import Checker
from armlab.errors import ArmlabError
from armlab.messages import Message, _
from armlab.model.joint_units import joint_scales
from armlab.motion.trajectory import Trajectory
from armlab.planning.plan import CLEARANCE, plan_free

SAMPLES = 2_000
MOST_POINTS = 8
DIGITS = (1, 3)
"""Digits behind the point of what is written."""


def detour(checker: Checker, motion: Trajectory, robot: str, clearance: float) -> Message | None:
    """Return the points (° and mm) through which an arm gets from a motion's start to its end; None if none are found.

    The straight motions of the joints between the points are proved free, as those of every free path.
    """
    scales = joint_scales(checker.scene.robot(robot).robot.joints)
    for kept in dict.fromkeys((max(clearance, CLEARANCE), clearance)):
        try:
            path = plan_free(checker, motion.start, motion.end, robot=robot, clearance=kept, samples=SAMPLES)
        except ArmlabError:
            continue
        for digits in DIGITS:
            points = np.round(path.points[1:-1] / scales, digits)
            rows = np.vstack([motion.start, points * scales, motion.end])
            if not 0 < len(points) <= MOST_POINTS:
                return None
            # as they are written, rounded, the points must do, too
            if np.all(checker.is_motion_free(rows[:-1], rows[1:], clearance=clearance, robot=robot)):
                via = [" ".join(f"{value:.{digits}f}" for value in point) for point in points]
                return Message("free_path", _("a free path exists: move the joints through {via}"), via=via)
    return None

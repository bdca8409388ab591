"""The three structures side by side, computed in a process of its own."""

from __future__ import annotations

import numpy as np

from armlab.arrays import Floats
from armlab.cell.playback import plan_motion
from armlab.cell.project import ProjectArm
from armlab.errors import InvalidInput
from armlab.jobs import tell
from armlab.messages import _
from armlab.model.robot import Robot
from armlab.reports.comparison import ComparisonPage, comparison_page
from armlab.server.requests import ComparisonQuestion
from armlab.sim.compare import comparing
from armlab.sim.compare_run import Command, JointStep
from armlab.sim.compare_settings import DriveSettings
from armlab.units import joint_scale

MOST_STEPS = 40_000
"""Of one structure: some seconds of computing."""


def compared(question: ComparisonQuestion, robot: Robot, arm: ProjectArm, q: Floats) -> ComparisonPage:
    """Return what the arm does in all three structures when it is told the same."""
    work = comparing(
        robot,
        _command(question, robot, arm, q),
        duration=question.duration,
        timestep=question.timestep * 1e-3,
        settings=DriveSettings(
            question.stiffness, question.damping, question.force_limit, question.mass, question.friction
        ),
        most_steps=MOST_STEPS,
    )
    while True:
        try:
            tell(next(work))
        except StopIteration as end:
            return comparison_page(end.value)


def _command(question: ComparisonQuestion, robot: Robot, arm: ProjectArm, q: Floats) -> Command | None:
    if question.command == "standard":
        return None
    if question.command == "plan":
        if arm.plan is None:
            raise InvalidInput("no_plan", _("there is no plan yet; make one from at least two points"))
        return plan_motion(arm.plan, robot).trajectory
    index = question.joint - 1
    scale = joint_scale(robot.joints[index].kind) if index < robot.dof else 1.0
    start = np.clip(q, robot.lower, robot.upper)
    return JointStep.of(robot, index, question.by * scale, start=start, duration=question.duration)

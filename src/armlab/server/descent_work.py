"""Levenberg and Marquardt's method from a whole grid of starts, in a process of its own."""

from __future__ import annotations

from armlab.arrays import Floats
from armlab.geometry import pose
from armlab.kinematics.lm_trace import LmSettings
from armlab.kinematics.start_map import start_map
from armlab.model.robot import Robot
from armlab.reports.report import rounded, shown_q
from armlab.server.messages import StartMapReport, StartSolution
from armlab.server.requests import StartsQuestion, StepsQuestion
from armlab.units import M_PER_MM, joint_scale


def start_map_report(robot: Robot, question: StartsQuestion, start: Floats) -> StartMapReport:
    """Return which solution the method ends in, for a grid of starts over two joints."""
    found = start_map(
        robot,
        pose.from_mm_deg(question.pose),
        start,
        question.joints,
        cells=question.cells,
        task=question.task,
        settings=settings_of(question),
    )
    return StartMapReport(
        joints=found.joints,
        across=_shown(robot, found.joints[0], found.across),
        up=_shown(robot, found.joints[1], found.up),
        solution=tuple(map(tuple, found.solution.tolist())),
        steps=tuple(map(tuple, found.steps.tolist())),
        solutions=tuple(StartSolution(q=shown_q(robot, s.q), branch=s.branch, cells=s.cells) for s in found.solutions),
        is_continuum=found.is_continuum,
        start=shown_q(robot, start),
    )


def settings_of(question: StepsQuestion) -> LmSettings:
    """Return the settings of the method in SI."""
    return LmSettings(
        damping=question.damping,
        error_tolerance=question.tolerance * M_PER_MM,
        max_steps=question.steps,
        shrink=question.shrink,
        grow=question.grow,
    )


def _shown(robot: Robot, joint: int, values: Floats) -> tuple[float, ...]:
    return tuple(rounded(value / joint_scale(robot.joints[joint].kind)) for value in values)

"""Levenberg and Marquardt's method for the arm of a session: step by step, and from a whole grid of starts."""

from __future__ import annotations

import threading

import numpy as np
from fastapi import APIRouter

from armlab.arrays import Floats
from armlab.cell.worker import Worker
from armlab.geometry import pose
from armlab.kinematics.lm_trace import LmSettings, lm_trace
from armlab.kinematics.start_map import start_map
from armlab.model.robot import Robot
from armlab.reports.report import rounded, shown_q
from armlab.server.messages import StartMapReport, StartSolution, StepRow, StepsReport
from armlab.server.requests import StartsQuestion, StepsQuestion
from armlab.server.routes.session import ERRORS, Found, typed_joints
from armlab.units import DEG_PER_RAD, M_PER_MM, MM_PER_M, joint_scale

router = APIRouter(prefix="/api/sessions", responses=ERRORS)

_one_map = threading.Lock()
"""Maps are made one after another, so that many readers together take no more of the machine than one."""


@router.post("/{session}/lm")
def steps(worker: Found, question: StepsQuestion) -> StepsReport:
    """Levenberg and Marquardt's method, step by step."""
    robot, settings = worker.session.robot, _settings(question)
    trace = lm_trace(
        robot,
        pose.from_mm_deg(question.pose),
        _start(worker, question),
        task=question.task,
        damping=settings.damping,
        error_tolerance=settings.error_tolerance,
        max_steps=settings.max_steps,
        shrink=settings.shrink,
        grow=settings.grow,
    )
    return StepsReport(
        steps=tuple(
            StepRow(
                q=shown_q(robot, s.q),
                error=s.error * MM_PER_M,
                gradient=s.gradient,
                damping=s.damping,
                step=s.step,
                accepted=s.accepted,
            )
            for s in trace.steps
        ),
        q=shown_q(robot, trace.q),
        error=trace.error * MM_PER_M,
        position_error=trace.position_error * MM_PER_M,
        rotation_error=trace.rotation_error * DEG_PER_RAD,
        converged=trace.converged,
        stop=trace.stop,
    )


@router.post("/{session}/lm/starts")
def starts(worker: Found, question: StartsQuestion) -> StartMapReport:
    """Which solution the method ends in, for a grid of starts over two joints."""
    robot = worker.session.robot
    with _one_map:
        found = start_map(
            robot,
            pose.from_mm_deg(question.pose),
            _start(worker, question),
            question.joints,
            cells=question.cells,
            task=question.task,
            settings=_settings(question),
        )
    return StartMapReport(
        joints=found.joints,
        across=_shown(robot, found.joints[0], found.across),
        up=_shown(robot, found.joints[1], found.up),
        solution=tuple(map(tuple, found.solution.tolist())),
        steps=tuple(map(tuple, found.steps.tolist())),
        solutions=tuple(StartSolution(q=shown_q(robot, s.q), branch=s.branch, cells=s.cells) for s in found.solutions),
        is_continuum=found.is_continuum,
        start=shown_q(robot, _start(worker, question)),
    )


def _start(worker: Worker, question: StepsQuestion) -> Floats:
    """Return the start, brought inside the limits: a simulated joint may be a hair outside of them."""
    robot = worker.session.robot
    q = worker.session.q if question.start is None else typed_joints(robot, question.start)
    return np.clip(q, robot.lower, robot.upper)


def _settings(question: StepsQuestion) -> LmSettings:
    return LmSettings(
        damping=question.damping,
        error_tolerance=question.tolerance * M_PER_MM,
        max_steps=question.steps,
        shrink=question.shrink,
        grow=question.grow,
    )


def _shown(robot: Robot, joint: int, values: Floats) -> tuple[float, ...]:
    return tuple(rounded(value / joint_scale(robot.joints[joint].kind)) for value in values)

"""Levenberg and Marquardt's method for the arm of a session: step by step, and from a whole grid of starts."""

from __future__ import annotations

import numpy as np
from fastapi import APIRouter, Request

from armlab.arrays import Floats
from armlab.cell.worker import Worker
from armlab.geometry import pose
from armlab.jobs import ASKED, Ticket, submit
from armlab.kinematics.lm_trace import lm_trace
from armlab.reports.report import shown_q
from armlab.server.descent_work import settings_of, start_map_report
from armlab.server.messages import StartMapReport, StepRow, StepsReport
from armlab.server.outcome import outcome
from armlab.server.requests import StartsQuestion, StepsQuestion
from armlab.server.routes.session import ERRORS, Found, typed_joints
from armlab.units import DEG_PER_RAD, MM_PER_M

router = APIRouter(prefix="/api/sessions", responses=ERRORS)


@router.post("/{session}/lm")
def steps(worker: Found, question: StepsQuestion) -> StepsReport:
    """Levenberg and Marquardt's method, step by step."""
    robot, settings = worker.session.robot, settings_of(question)
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
async def starts(request: Request, worker: Found, question: StartsQuestion) -> StartMapReport:
    """Which solution the method ends in, for a grid of starts over two joints."""
    job = submit(Ticket(ASKED, worker.name), start_map_report, worker.session.robot, question, _start(worker, question))
    return await outcome(request, job)


def _start(worker: Worker, question: StepsQuestion) -> Floats:
    """Return the start, brought inside the limits: a simulated joint may be a hair outside of them."""
    robot = worker.session.robot
    q = worker.session.q if question.start is None else typed_joints(robot, question.start)
    return np.clip(q, robot.lower, robot.upper)

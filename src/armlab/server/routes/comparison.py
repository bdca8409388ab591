"""The three structures side by side: one bounded computation per request, told as it goes on, beside the sessions."""

from __future__ import annotations

from collections.abc import Generator
from threading import BoundedSemaphore

import numpy as np
from fastapi import APIRouter
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from armlab.arrays import Floats
from armlab.cell.playback import plan_player
from armlab.cell.project import Project
from armlab.errors import ArmlabError, InvalidInput
from armlab.messages import Message, _
from armlab.model.robot import Robot
from armlab.reports.comparison import ComparisonFailure, ComparisonProgress, comparison_page
from armlab.server.requests import ComparisonQuestion
from armlab.server.routes.session import ERRORS, Found
from armlab.sim.compare import StructureComparison, comparing
from armlab.sim.compare_run import Command, JointStep
from armlab.sim.compare_settings import DriveSettings
from armlab.units import joint_scale

MOST_STEPS = 40_000
"""Of one structure: some seconds of computing."""
MOST_AT_ONCE = 2
"""Comparisons of all sessions: each takes a whole core."""

router = APIRouter(prefix="/api/sessions", responses=ERRORS)
_places = BoundedSemaphore(MOST_AT_ONCE)


@router.post("/{session}/comparison", response_class=StreamingResponse)
def comparison(worker: Found, question: ComparisonQuestion) -> StreamingResponse:
    """Give the same command to the arm in all three structures.

    The answer is lines of JSON (`ComparisonProgress`): the share that is done, and last the result. Who hangs up
    stops the computation. The arm stands alone: bodies and contacts do not count.
    """
    session = worker.session
    robot = session.robot
    settings = DriveSettings(
        question.stiffness, question.damping, question.force_limit, question.mass, question.friction
    )
    work = comparing(
        robot,
        _command(question, robot, session.project, session.q),
        duration=question.duration,
        timestep=question.timestep * 1e-3,
        settings=settings,
        most_steps=MOST_STEPS,
    )
    return LinesResponse(_lines(work))


class LinesResponse(StreamingResponse):
    """Lines of JSON; who hangs up ends what makes them at once, and not when memory is tidied."""

    def __init__(self, lines: Generator[str, None, None]) -> None:
        super().__init__(lines, media_type="application/x-ndjson", headers={"Cache-Control": "no-store"})
        self._lines = lines

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._lines.close()


def _command(question: ComparisonQuestion, robot: Robot, project: Project, q: Floats) -> Command | None:
    if question.command == "standard":
        return None
    if question.command == "plan":
        if project.plan is None:
            raise InvalidInput("no_plan", _("there is no plan yet; make one from at least two points"))
        return plan_player(project.plan, robot, "plan").trajectory
    index = question.joint - 1
    scale = joint_scale(robot.joints[index].kind) if index < robot.dof else 1.0
    start = np.clip(q, robot.lower, robot.upper)
    return JointStep.of(robot, index, question.by * scale, start=start, duration=question.duration)


def _lines(work: Generator[float, None, StructureComparison]) -> Generator[str, None, None]:
    """Return the lines of an answer; what is refused on the way is the last line."""
    if not _places.acquire(blocking=False):
        busy = _("{most} comparisons are being computed already; try again in a moment")
        yield _line(_refused(Message("comparison_busy", busy, most=MOST_AT_ONCE)))
        return
    try:
        while True:
            try:
                yield _line(ComparisonProgress(share=round(next(work), 3)))
            except StopIteration as end:
                yield _line(ComparisonProgress(share=1.0, result=comparison_page(end.value)))
                return
            except ArmlabError as error:
                yield _line(_refused(error.message))
                return
    finally:
        work.close()
        _places.release()


def _refused(message: Message) -> ComparisonProgress:
    return ComparisonProgress(share=1.0, failure=ComparisonFailure(code=message.code, message=message))


def _line(progress: ComparisonProgress) -> str:
    return progress.model_dump_json() + "\n"

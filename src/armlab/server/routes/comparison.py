"""The three structures side by side: one bounded computation per request, told as it goes on, beside the sessions."""

from __future__ import annotations

from collections.abc import AsyncIterator

from fastapi import APIRouter, Request
from starlette.responses import StreamingResponse

from armlab.errors import ArmlabError
from armlab.jobs import STUDY, Job, Ticket, submit
from armlab.reports.comparison import ComparisonFailure, ComparisonPage, ComparisonProgress
from armlab.server.comparison_work import compared
from armlab.server.outcome import shares
from armlab.server.requests import ComparisonQuestion
from armlab.server.routes.session import ERRORS, Found

router = APIRouter(prefix="/api/sessions", responses=ERRORS)


@router.post("/{session}/comparison", response_class=StreamingResponse)
async def comparison(request: Request, worker: Found, question: ComparisonQuestion) -> StreamingResponse:
    """Give the same command to the arm in all three structures.

    The answer is lines of JSON (`ComparisonProgress`): the share that is done, and last the result. Who hangs up
    stops the computation. The arm stands alone: bodies and contacts do not count.
    """
    session = worker.session
    job = submit(
        Ticket(STUDY, worker.name), compared, question, session.robot, session.project.arm(session.selected), session.q
    )
    progress = shares(request, job)
    await anext(progress, None)  # what cannot be compared is refused before there is an answer
    if job.state == "failed":
        job.result()
    return StreamingResponse(
        _lines(job, progress), media_type="application/x-ndjson", headers={"Cache-Control": "no-store"}
    )


async def _lines(job: Job[ComparisonPage], progress: AsyncIterator[float]) -> AsyncIterator[str]:
    """Yield the lines of an answer; what fails on the way is the last line."""
    async for share in progress:
        if job.state == "running":
            yield _line(ComparisonProgress(share=round(share, 3)))
    try:
        yield _line(ComparisonProgress(share=1.0, result=job.result()))
    except ArmlabError as error:
        failure = ComparisonFailure(code=error.code, message=error.message)
        yield _line(ComparisonProgress(share=1.0, failure=failure))


def _line(progress: ComparisonProgress) -> str:
    return progress.model_dump_json() + "\n"

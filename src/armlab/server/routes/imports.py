"""Arms that somebody brings: what they are is told, nothing is kept; the page puts them into its project."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Query, Request

from armlab.assets import asset_store
from armlab.files import write_whole
from armlab.jobs import UPLOAD, Ticket, submit
from armlab.server.import_work import PREFIX, ImportQuestion, file_name, read_upload, remove_left_folders
from armlab.server.messages import ErrorBody, ImportContent
from armlab.server.outcome import outcome
from armlab.server.routes.session import sessions_of

LONGEST = 200
ERRORS: dict[int | str, dict[str, Any]] = {
    404: {"model": ErrorBody, "description": "There is no such link."},
    413: {"model": ErrorBody, "description": "The zip is too long."},
    422: {"model": ErrorBody, "description": "There is no arm that can be used; the message says why."},
}
Named = Annotated[str | None, Query(max_length=LONGEST)]

router = APIRouter(prefix="/api/imports", responses=ERRORS)


@router.post("")
async def import_arm(
    request: Request,
    name: Annotated[str, Query(max_length=LONGEST)] = "upload",
    base: Named = None,
    tip: Named = None,
    file: Named = None,
    scale: Annotated[float, Query(ge=1e-6, le=1e6, allow_inf_nan=False)] = 1.0,
) -> ImportContent:
    """Read the arm in a zip: its report, and the arm as a project can hold it."""
    question = ImportQuestion(name, base or None, tip or None, file or None, scale)
    sender = "" if request.client is None else request.client.host
    await to_thread.run_sync(remove_left_folders)
    await to_thread.run_sync(sessions_of(request).make_room_for_assets)
    with tempfile.TemporaryDirectory(prefix=PREFIX) as folder:
        path = Path(folder) / file_name(name)
        await to_thread.run_sync(write_whole, path, await request.body())
        return await outcome(request, submit(Ticket(UPLOAD, sender), read_upload, folder, question, asset_store()))

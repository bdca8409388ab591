"""Arms that somebody brings: what they are is told, nothing is kept; the page puts them into its project."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Response

from armlab.server.import_process import ImportQuestion, import_upload
from armlab.server.messages import ErrorBody, ImportContent
from armlab.server.routes.session import whole_body

LONGEST = 200
ERRORS: dict[int | str, dict[str, Any]] = {
    404: {"model": ErrorBody, "description": "There is no such link."},
    413: {"model": ErrorBody, "description": "The zip is too long."},
    422: {"model": ErrorBody, "description": "There is no arm that can be used; the message says why."},
}
Named = Annotated[str | None, Query(max_length=LONGEST)]

router = APIRouter(prefix="/api/imports", responses=ERRORS)


@router.post("", response_model=ImportContent)
def import_arm(
    body: Annotated[bytes, Depends(whole_body)],
    name: Annotated[str, Query(max_length=LONGEST)] = "upload",
    base: Named = None,
    tip: Named = None,
    file: Named = None,
    scale: Annotated[float, Query(ge=1e-6, le=1e6, allow_inf_nan=False)] = 1.0,
) -> Response:
    """Read the arm in a zip: its report, and the arm as a project can hold it."""
    question = ImportQuestion(name, base or None, tip or None, file or None, scale)
    status, answer = import_upload(body, question)
    return Response(answer, status, media_type="application/json", headers={"Cache-Control": "no-store"})

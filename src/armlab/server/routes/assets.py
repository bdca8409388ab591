"""Files that documents name by the SHA-256 of their bytes: sent once, the same for ever."""

from __future__ import annotations

from typing import Annotated, Any

from anyio import to_thread
from fastapi import APIRouter, Path, Request
from fastapi.responses import FileResponse, Response

from armlab.assets import LARGEST_BYTES, PREFIX, asset_missing, asset_store
from armlab.server.failures import NOT_FOUND, failure
from armlab.server.messages import AssetReport, ErrorBody
from armlab.server.receiving import receive_into
from armlab.server.routes.session import sessions_of

ERRORS: dict[int | str, dict[str, Any]] = {
    404: {"model": ErrorBody, "description": "There is no such file."},
    422: {"model": ErrorBody, "description": "The file cannot be kept; the message says why."},
}
FOR_EVER = "private, max-age=31536000, immutable"

Sha256 = Annotated[str, Path(pattern=r"^[0-9a-f]{64}$", description="The SHA-256 of the file's bytes, in hex.")]

router = APIRouter(prefix="/api/assets", responses=ERRORS)


@router.put("/{sha256}")
async def put_asset(request: Request, sha256: Sha256) -> AssetReport:
    """Keep a file under its hash; one that is there already stays as it is."""
    await to_thread.run_sync(sessions_of(request).make_room_for_assets)
    store = asset_store()
    with store.upload(sha256) as upload:
        await receive_into(request, upload.write, LARGEST_BYTES)
    return AssetReport(asset=f"{PREFIX}{sha256}", size=upload.size)


@router.head("/{sha256}", include_in_schema=False)
@router.get("/{sha256}", response_class=Response)
def asset(sha256: Sha256) -> Response:
    """A file by its hash; HEAD tells whether it has to be sent."""
    store = asset_store()
    if not store.has(sha256):
        return failure(NOT_FOUND, asset_missing(sha256).message)
    headers = {"Cache-Control": FOR_EVER, "ETag": f'"{sha256}"', "Content-Disposition": "attachment"}
    return FileResponse(store.path(sha256), media_type="application/octet-stream", headers=headers)

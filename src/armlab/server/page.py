"""The page's files: what the build put into static/, and how long a browser may keep them."""

from __future__ import annotations

import os
from pathlib import Path

from fastapi import FastAPI
from fastapi.responses import JSONResponse
from starlette.responses import Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from armlab.messages import Message, _
from armlab.server.failures import failure

STATIC = Path(__file__).parent / "static"

NOT_BUILT = Message("no_page", _("the page has not been built; run `python hatch_build.py` in the source folder"))

_FOREVER = "public, max-age=31536000, immutable"
_ASK_FIRST = "no-cache"


class PageFiles(StaticFiles):
    """Static files: those below assets/ carry a hash in their name and never change; the others may."""

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: Scope,
        status_code: int = 200,
    ) -> Response:
        """Return the file with the right Cache-Control."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        is_asset = Path(full_path).parent.name == "assets"
        response.headers["Cache-Control"] = _FOREVER if is_asset else _ASK_FIRST
        return response


def is_built(folder: Path) -> bool:
    """Tell whether `folder` holds a page."""
    return (folder / "index.html").is_file()


def add_page(app: FastAPI, folder: Path) -> None:
    """Serve the page in `folder` at `/`, or say there that it is missing."""
    if is_built(folder):
        app.mount("/", PageFiles(directory=folder, html=True), name="page")
        return

    @app.get("/", include_in_schema=False)
    def no_page() -> JSONResponse:
        return failure(503, NOT_BUILT)

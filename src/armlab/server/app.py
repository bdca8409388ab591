"""The application: routes, page and guards put together."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from fastapi import FastAPI

import armlab
from armlab.server.failures import UnexpectedFailures, answer_failures
from armlab.server.guard import BodyLimit, HostGuard, SecurityHeaders
from armlab.server.page import STATIC, add_page
from armlab.server.routes import router


def create_app(*, hosts: Iterable[str] = (), page: Path = STATIC) -> FastAPI:
    """Return the server's application.

    Args:
        hosts: names and addresses that the server is reached by, besides this machine's own local ones.
        page: the folder with the built page.
    """
    app = FastAPI(
        title="armlab",
        version=armlab.__version__,
        summary="A laboratory for robot arms.",
        openapi_url="/api/openapi.json",
        docs_url=None,  # the stock pages load their scripts from elsewhere
        redoc_url=None,
    )
    answer_failures(app)
    app.include_router(router)
    add_page(app, page)
    # The last one added is the outermost: even a refusal carries the security headers.
    app.add_middleware(UnexpectedFailures)
    app.add_middleware(BodyLimit)
    app.add_middleware(HostGuard, hosts=tuple(hosts))
    app.add_middleware(SecurityHeaders)
    return app

"""The application: routes, page and guards put together."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI

import armlab
from armlab.jobs import BOARD, preload
from armlab.recording.folder import RecordingFolder
from armlab.server import live
from armlab.server.access import Access, AccessGuard
from armlab.server.failures import UnexpectedFailures, answer_failures
from armlab.server.guard import LOCAL_HOSTS, BodyLimit, HeadRequests, HostGuard, SecurityHeaders
from armlab.server.language import ReaderLanguage
from armlab.server.page import STATIC, add_page
from armlab.server.routes import (
    assets,
    comparison,
    descent,
    downloads,
    frames,
    imports,
    mathematics,
    planner,
    poses,
    programs,
    real_arm,
    scenario,
    sensors,
    session,
    workspace,
)
from armlab.server.routes.api import router
from armlab.server.sessions import Sessions

ROUTERS = (
    router,
    session.router,
    assets.router,
    descent.router,
    downloads.router,
    downloads.saved_router,
    planner.router,
    comparison.router,
    scenario.router,
    mathematics.router,
    sensors.router,
    sensors.preset_router,
    imports.router,
    real_arm.router,
    programs.router,
    workspace.router,
    frames.router,
    poses.router,
    live.router,
)
"""Everything that the page asks, in the order in which addresses are tried."""


def create_app(
    *,
    hosts: Iterable[str] = (),
    page: Path = STATIC,
    access: Access | None = None,
    recordings: RecordingFolder | None = None,
) -> FastAPI:
    """Return the server's application.

    Args:
        hosts: names and addresses that the server is reached by, besides this machine's own local ones.
        page: the folder with the built page.
        access: who may use it; left out, a key of its own that nobody knows but who asks it for its token.
        recordings: where recordings are written while they run; left out, they are in memory only.
    """
    names = tuple(hosts)
    sessions, doorkeeper = Sessions(recordings), access or Access(secrets.token_urlsafe())

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        BOARD.cancel_all()
        sessions.end_all()

    app = FastAPI(
        title="armlab",
        version=armlab.__version__,
        summary="A laboratory for robot arms.",
        openapi_url="/api/openapi.json",
        docs_url=None,  # the stock pages load their scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    preload(["armlab.server.job_process"])
    app.state.sessions, app.state.access, app.state.recordings = sessions, doorkeeper, recordings
    answer_failures(app)
    for part in ROUTERS:
        app.include_router(part)
    add_page(app, page)
    # The last one added is the outermost: even a refusal carries the security headers.
    app.add_middleware(UnexpectedFailures)
    app.add_middleware(HeadRequests)
    app.add_middleware(BodyLimit)
    app.add_middleware(AccessGuard, access=doorkeeper)
    app.add_middleware(HostGuard, hosts=names)
    app.add_middleware(ReaderLanguage)
    app.add_middleware(SecurityHeaders, is_local=all(host in LOCAL_HOSTS for host in names))
    return app

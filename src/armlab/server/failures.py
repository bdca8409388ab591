"""How failures reach the page: one body for all of them, with a code, a sentence and the facts."""

from __future__ import annotations

import logging
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from armlab.errors import ArmlabError, UnknownName
from armlab.server.messages import ErrorBody

_log = logging.getLogger(__name__)

NOT_FOUND = 404
UNUSABLE = 422


def answer_failures(app: FastAPI) -> None:
    """Make `app` answer every expected failure with an ErrorBody."""
    app.add_exception_handler(ArmlabError, _armlab_error)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _http_error)


class UnexpectedFailures:
    """Turns what nobody expected into a log entry with its traceback and a 500 that tells no details."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        has_started = False

        async def watched_send(message: Message) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        try:
            await self._app(scope, receive, watched_send)
        except Exception:
            if scope["type"] != "http" or has_started:
                raise
            _log.exception("%s %s failed", scope["method"], scope["path"])
            await failure(500, "internal", "the server met an error of its own; its log says more")(
                scope, receive, send
            )


def failure(status: int, code: str, message: str, details: dict[str, Any] | None = None) -> JSONResponse:
    """Return the answer for a request that got none."""
    body = ErrorBody(code=code, message=message, details=details or {})
    return JSONResponse(body.model_dump(mode="json"), status_code=status)


def _armlab_error(request: Request, error: Exception) -> JSONResponse:  # noqa: ARG001 - Starlette's signature
    assert isinstance(error, ArmlabError)
    status = NOT_FOUND if isinstance(error, UnknownName) else UNUSABLE
    return failure(status, error.code, error.message, error.details)


def _invalid_request(request: Request, error: Exception) -> JSONResponse:  # noqa: ARG001
    assert isinstance(error, RequestValidationError)
    problems = [f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}" for problem in error.errors()]
    return failure(UNUSABLE, "invalid_input", "; ".join(problems))


def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    code = "not_found" if error.status_code == NOT_FOUND else "http"
    return failure(error.status_code, code, f"{request.method} {request.url.path}: {error.detail}")

"""How failures reach the page: one body for all of them, with a code, a text and the parameters."""

from __future__ import annotations

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse, Response
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as AsgiMessage

from armlab.cell.events import short_parameters
from armlab.errors import ArmlabError, UnknownName
from armlab.messages import Message, _
from armlab.server.messages import ErrorBody
from armlab.validation import problems_of

_log = logging.getLogger(__name__)

NOT_FOUND = 404
NO_CONTENT = 204
UNUSABLE = 422
SHOWN_PROBLEMS = 5
INTERNAL = Message("internal", _("internal error; see the server log"))


def answer_failures(app: FastAPI) -> None:
    """Make `app` answer every expected failure with an ErrorBody."""
    app.add_exception_handler(ArmlabError, _armlab_error)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(Outdated, lambda _request, _error: Response(status_code=NO_CONTENT))


class Outdated(Exception):
    """A question about a revision of the project that is not the last any more: it is answered with nothing."""


class UnexpectedFailures:
    """Turns what nobody expected into a log entry with its traceback and a 500 that tells no details."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        has_started = False

        async def watched_send(message: AsgiMessage) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        try:
            await self._app(scope, receive, watched_send)
        except Exception:
            if scope["type"] != "http" or has_started:
                raise
            _log.exception("%s %s failed", scope["method"], scope["path"])
            await failure(500, INTERNAL)(scope, receive, send)


def error_body(message: Message) -> ErrorBody:
    """Return why there is no answer, with parameters in the reader's language."""
    return ErrorBody(code=message.code, message=message, parameters=short_parameters(message))


def failure(status: int, message: Message) -> JSONResponse:
    """Return the answer for a request that got none, in the reader's language."""
    return JSONResponse(error_body(message).model_dump(mode="json"), status_code=status)


def _armlab_error(request: Request, error: Exception) -> JSONResponse:  # noqa: ARG001 - Starlette's signature
    assert isinstance(error, ArmlabError)
    status = NOT_FOUND if isinstance(error, UnknownName) else UNUSABLE
    return failure(status, error.message)


def _invalid_request(request: Request, error: Exception) -> JSONResponse:  # noqa: ARG001
    assert isinstance(error, RequestValidationError)
    problems = [problem.placed for problem in problems_of(error)[:SHOWN_PROBLEMS]]
    return failure(UNUSABLE, Message("invalid_request", _("the request is not valid: {problems}"), problems=problems))


def _http_error(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    method, path = request.method, request.url.path
    if error.status_code == NOT_FOUND:
        return failure(NOT_FOUND, Message("http_not_found", _("{method} {path}: not found"), method=method, path=path))
    text = _("{method} {path}: refused with HTTP status {status}")
    return failure(error.status_code, Message("http", text, method=method, path=path, status=error.status_code))

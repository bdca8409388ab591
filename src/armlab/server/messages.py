"""What the server says besides the reports: its version, and why there is no answer."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict


class ServerMessage(BaseModel):
    """A frozen message; unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class VersionReport(ServerMessage):
    """Which armlab is answering."""

    version: str


class ErrorBody(ServerMessage):
    """Why there is no answer: a code for programs, a sentence for people, and its facts as values."""

    code: str
    message: str
    details: dict[str, Any] = {}

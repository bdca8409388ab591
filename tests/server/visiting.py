"""Starlette's client for sockets; it warns of the package that it stands on, which is of no concern here."""

from __future__ import annotations

import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from starlette.testclient import TestClient, WebSocketDenialResponse, WebSocketTestSession

__all__ = ["TestClient", "WebSocketDenialResponse", "WebSocketTestSession"]

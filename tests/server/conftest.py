"""An application with a small page of its own."""

from __future__ import annotations

from pathlib import Path

import pytest
from fastapi import FastAPI
from server.asking import PAGE, Asker

from armlab.server.app import create_app


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """Return a folder with a page, as the build would make it."""
    folder = tmp_path / "static"
    (folder / "assets").mkdir(parents=True)
    (folder / "index.html").write_text(PAGE)
    (folder / "assets" / "index-1234.js").write_text("export {};")
    return folder


@pytest.fixture
def app(page: Path) -> FastAPI:
    """Return the application with that page."""
    return create_app(page=page)


@pytest.fixture
def server(app: FastAPI) -> Asker:
    """Return somebody to ask."""
    return Asker(app)

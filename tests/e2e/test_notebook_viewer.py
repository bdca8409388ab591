"""An arm in a notebook: the frame below it shows the workbench, with a session of its own."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from e2e.chromium import PATIENCE_MS, Server, new_profile

from armlab.catalog import load
from armlab.server import notebook

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder without a word."""

    def log_message(self, *_arguments: Any) -> None:
        """Say nothing."""


@pytest.fixture
def notebook_page(server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Return the port of another server of this machine, whose page shows an arm as a notebook does."""
    monkeypatch.setattr(notebook, "kept_key", lambda: server.key)
    monkeypatch.setenv("ARMLAB_SERVER", server.url)
    (tmp_path / "index.html").write_text(notebook.robot_with_viewer(load("ur5e")), encoding="utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(tmp_path))) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        yield other.server_port
        other.shutdown()
        thread.join()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_the_frame_shows_the_arm_and_leaves_nothing_behind(chromium: Any, notebook_page: int, host: str) -> None:
    profile = new_profile(chromium)
    tab = profile.new_page()
    tab.set_default_timeout(PATIENCE_MS)
    tab.goto(f"http://{host}:{notebook_page}/")
    assert tab.locator("table tr").count() == 7
    frame = tab.frame_locator("iframe")
    frame.locator('canvas[data-arm="ur5e"]').wait_for()
    inside = next(one for one in tab.frames if one != tab.main_frame)
    assert inside.evaluate("() => Object.keys(localStorage)") == []
    assert inside.evaluate("() => armlab.session.value") != ""
    profile.close()


def test_without_a_server_there_is_no_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(notebook, "kept_key", lambda: "key")
    robot = load("planar2")
    assert notebook.viewer_html(robot, "http://127.0.0.1:9") == ""
    assert notebook.viewer_html(robot, "http://elsewhere.example:8090") == ""


def test_an_arm_that_the_server_does_not_have_is_not_framed(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    from dataclasses import replace

    monkeypatch.setattr(notebook, "kept_key", lambda: server.key)
    robot = load("planar2")
    assert "<iframe" in notebook.viewer_html(robot, server.url)
    longer = robot.flange.copy()
    longer[0, 3] += 0.01
    for other in (replace(robot, name="mine"), replace(robot, flange=longer)):
        assert notebook.viewer_html(other, server.url) == ""

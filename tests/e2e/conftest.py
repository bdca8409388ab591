"""One server, one Chromium and one profile for all browser tests; a fresh tab for each, which remembers nothing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from e2e.chromium import FLAGS, PATIENCE_MS, Server, Workbench, load_browser_tool, new_profile, running_server

from armlab.server.page import STATIC, is_built


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Return a browser, or leave the tests out loudly; where CI=true, that is a failure."""
    tool = load_browser_tool()
    path = tool.find_chromium()
    if path is None:
        if tool.is_required():
            pytest.fail(tool.NONE_FOUND)
        pytest.skip(tool.NONE_FOUND)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """Return the real server with the built page."""
    assert is_built(STATIC), "the page is not built; run `python hatch_build.py`"
    with running_server() as running:
        yield running


@pytest.fixture(scope="session")
def profile(chromium: Any, server: Server) -> Iterator[Any]:
    """Return a browser's profile in English with little motion, in which a picture of the server stays open.

    The picture keeps the tabs' process alive between two tests: the page is fetched and compiled once, not each time.
    """
    context = new_profile(chromium, server)
    context.new_page().goto(f"{server.url}icon.svg")
    yield context
    context.close()


@pytest.fixture
def workbench(profile: Any, server: Server) -> Iterator[Workbench]:
    """Return a fresh tab of somebody who was never here before; it must not complain."""
    picture = profile.pages[0]
    picture.evaluate("() => localStorage.clear()")
    profile.clear_cookies()
    profile.add_cookies([server.cookie])
    bench = Workbench(profile.new_page(), server.url)
    yield bench
    for tab in profile.pages:
        if tab != picture:
            tab.close()
    assert bench.complaints == []

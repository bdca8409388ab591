"""Fingers on a tablet: a swipe that scrolls commands nothing, one along a slider moves its joint."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from e2e.bench import HOME, at_home
from e2e.chromium import Server, Workbench, new_profile
from e2e.jogging import await_still, joints

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SENT = """
window.sent = [];
const send = WebSocket.prototype.send;
WebSocket.prototype.send = function (text) { window.sent.push(JSON.parse(text).type); return send.call(this, text); };
"""


class Finger:
    """A finger on the screen of an emulated tablet."""

    def __init__(self, tab: Any) -> None:
        self._cdp = tab.context.new_cdp_session(tab)

    def swipe(self, x: float, y: float, by_x: float, by_y: float, steps: int = 12) -> None:
        """Put it down, move it straight, lift it."""
        self._touch("touchStart", x, y)
        for i in range(1, steps + 1):
            self._touch("touchMove", x + by_x * i / steps, y + by_y * i / steps)
        self._touch("touchEnd")

    def _touch(self, what: str, *at: float) -> None:
        points = [{"x": at[0], "y": at[1]}] if at else []
        self._cdp.send("Input.dispatchTouchEvent", {"type": what, "touchPoints": points})


@pytest.fixture
def tablet(chromium: Any, server: Server) -> Iterator[Workbench]:
    """Return the page on a tablet, held upright."""
    context = new_profile(chromium, server, viewport={"width": 820, "height": 700}, has_touch=True, is_mobile=True)
    bench = Workbench(context.new_page(), server.url)
    bench.tab.add_init_script(SENT)
    yield at_home(bench)
    context.close()
    assert bench.complaints == []


def test_a_swipe_that_scrolls_commands_nothing(tablet: Workbench) -> None:
    tab = tablet.tab
    finger, box = Finger(tab), tab.locator(".joint input[type=range]").nth(2).bounding_box()
    x, y = box["x"] + 0.85 * box["width"], box["y"] + box["height"] / 2
    finger.swipe(x, y, 4, -160)
    finger.swipe(x, y, -4, 90)
    tab.wait_for_function("() => [...document.querySelectorAll('*')].some(e => e.scrollTop > 0) || scrollY > 0")
    np.testing.assert_allclose(await_still(tab), HOME, atol=0.02)
    assert "move_joints" not in tab.evaluate("window.sent")


def test_a_finger_along_a_slider_moves_its_joint(tablet: Workbench) -> None:
    tab = tablet.tab
    box = tab.locator(".joint input[type=range]").first.bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    Finger(tab).swipe(x, y, 0.25 * box["width"], 6)
    tab.wait_for_function("(home) => armlab.live.q[0] > home + 60", arg=HOME[0])
    np.testing.assert_allclose(joints(tab)[1:], HOME[1:], atol=0.5)  # they give way while A1 speeds up


def test_a_tap_on_a_track_sends_the_joint_there(tablet: Workbench) -> None:
    tab = tablet.tab
    box = tab.locator(".joint input[type=range]").first.bounding_box()
    tab.touchscreen.tap(box["x"] + 0.7 * box["width"], box["y"] + box["height"] / 2)
    tab.wait_for_function("(home) => armlab.live.q[0] > home + 40", arg=HOME[0])

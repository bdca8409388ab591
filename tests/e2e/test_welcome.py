"""The first visit in a real browser: a card points at each of three steps, Escape skips, help begins again."""

from __future__ import annotations

from typing import Any

import pytest
from e2e.chromium import Workbench

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARM = "kuka-kr6-r700"


def card(tab: Any, step: str) -> Any:
    """Wait for the card of a step; return it."""
    found = tab.locator(f'.guide-pointer[data-step="{step}"]')
    found.wait_for()
    return found


def test_the_card_points_at_each_step_and_doing_it_leads_on(workbench: Workbench) -> None:
    tab = workbench.open().tab
    assert "Drag this slider, or click the view and hold D" in card(tab, "move").inner_text()
    slider = tab.locator("#right .joint input[type=range]").first
    slider.wait_for()
    start = tab.evaluate("() => armlab.live.q[0]")
    box = slider.bounding_box()
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] * 0.7, box["y"] + box["height"] / 2, steps=4)
    tab.mouse.up()
    tab.wait_for_function("(start) => Math.abs(armlab.live.q[0] - start) > 5", arg=start)
    view = tab.locator(".view canvas").first.bounding_box()
    pointer = card(tab, "turn").bounding_box()
    assert view["y"] <= pointer["y"] < view["y"] + view["height"]
    tab.mouse.move(pointer["x"] + 20, pointer["y"] + 10)
    tab.mouse.down()
    tab.mouse.move(pointer["x"] + 90, pointer["y"] + 30, steps=4)
    tab.mouse.up()
    assert "Choose another arm here" in card(tab, "arm").inner_text()
    tab.get_by_role("tab", name="Arm").click()
    tab.locator('[data-arm-name="ur5e"]').click()
    tab.locator(".toast", has_text="That is all you need to begin").wait_for()
    assert tab.locator(".guide-pointer").count() == 0


def test_escape_skips_the_guide_and_help_begins_it_again(workbench: Workbench) -> None:
    tab = workbench.open().tab
    card(tab, "move")
    tab.keyboard.press("Escape")
    tab.locator(".guide").wait_for(state="detached")
    tab.reload()
    workbench.await_arm("")
    assert tab.locator(".guide").count() == 0
    tab.get_by_role("button", name="Help", exact=True).click()
    tab.get_by_role("button", name="Show the first steps again").click()
    card(tab, "move")
    assert tab.locator("dialog[open]").count() == 0
    start = tab.evaluate("() => armlab.live.q[0]")
    tab.wait_for_function("() => document.activeElement?.tagName === 'CANVAS'")
    tab.keyboard.down("d")
    tab.wait_for_function("(start) => Math.abs(armlab.live.q[0] - start) > 1", arg=start)
    tab.keyboard.up("d")
    card(tab, "turn")

"""Stop in a real browser: above every layer, for every page, and never silent."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from e2e.bench import load_axe, serious_barriers
from e2e.chromium import Server, Workbench
from e2e.jogging import FIRST, SOCKETS, await_joint, await_rest, await_stop, jog, joints, move_to_and_fro, press_down
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

CUT = """() => { for (const socket of window.sockets) {
    socket.onmessage = null; socket.send = () => undefined; socket.close = () => undefined; } }"""
"""The line goes dead: nothing comes, nothing goes, and nobody closes it."""
IS_ON_TOP = """(button) => {
    const { left, top, width, height } = button.getBoundingClientRect();
    const there = document.elementFromPoint(left + width / 2, top + height / 2);
    return width > 0 && button.contains(there);
}"""


def open_import(tab: Any) -> None:
    tab.locator("input[type=file][accept*='.urdf'], input[type=file][multiple]").first.set_input_files(
        {"name": "not-an-arm.urdf", "mimeType": "text/xml", "buffer": b"<robot name='none'/>"}
    )


DIALOGS: dict[str, Callable[[Any], None]] = {
    "Help": lambda tab: tab.get_by_role("button", name="Help", exact=True).click(),
    "Add an arm": lambda tab: tab.get_by_role("button", name=re.compile("Add (an )?arm")).first.click(),
    "Import": open_import,
}


@pytest.mark.parametrize("name", DIALOGS)
def test_stop_and_escape_stop_the_arm_while_a_dialog_is_open(workbench: Workbench, name: str) -> None:
    tab = jog(workbench)
    if name == "Import":
        workbench.allow("422")  # the file is not an arm
        tab.get_by_role("tab", name="Arm", exact=True).click()
    DIALOGS[name](tab)
    dialog = tab.locator("dialog[open]")
    expect(dialog).to_be_visible()
    expect(dialog.get_by_role("button", name="Close", exact=True)).to_be_focused()
    move_to_and_fro(tab)
    dialog.get_by_role("button", name="Stop", exact=True).click()
    await_stop(tab)
    move_to_and_fro(tab)
    tab.keyboard.press("Escape")
    expect(dialog).to_be_visible()
    await_stop(tab)
    load_axe(tab)
    assert serious_barriers(tab) == []
    tab.keyboard.press("Escape")
    expect(dialog).to_have_count(0)


def openers(width: int) -> list[str]:
    """Return what opens menus and popovers in a window of a width (px)."""
    settings = [".settings > .icon-button"] if width <= 1330 else []
    return ["[popovertarget=project-menu]", *settings, "#right [popovertarget]"]


@pytest.mark.parametrize("size", [(1366, 768), (390, 844)])
def test_stop_is_on_top_of_every_menu_and_drawer_and_escape_stops_before_it_closes(
    workbench: Workbench, size: tuple[int, int]
) -> None:
    tab = jog(workbench)
    tab.set_viewport_size({"width": size[0], "height": size[1]})
    stop = tab.locator(".header .stop-button")
    for opener in openers(size[0]):
        button = tab.locator(opener).first
        button.click()
        assert stop.evaluate(IS_ON_TOP), opener
        move_to_and_fro(tab)
        tab.keyboard.press("Escape")
        is_open = "() => document.querySelector(':popover-open, .settings[data-open=true]') !== null"
        assert tab.evaluate(is_open), opener
        await_stop(tab)
        tab.keyboard.press("Escape")
        tab.wait_for_function(f"() => !({is_open})()")
    if size[0] < 500:
        tab.get_by_role("button", name=re.compile("Open the tree|Show the tree|tree", re.IGNORECASE)).first.click()
        assert stop.evaluate(IS_ON_TOP), "drawer"


def test_a_stop_in_one_page_ends_what_another_holds_until_that_is_pressed_again(
    workbench: Workbench, profile: Any, server: Server
) -> None:
    tab = jog(workbench)
    other = Workbench(profile.new_page(), server.url)
    other.open("")
    other.tab.wait_for_function("() => armlab.live.q.length === 6")
    tab.bring_to_front()
    start = joints(tab)[0]
    press_down(tab, f"{FIRST.name}+")
    await_joint(tab, 0, start, 2.0)
    other.tab.evaluate("() => armlab.send({ type: 'stop' })")
    expect(tab.get_by_text("Stopped from another page")).to_be_visible()
    stopped = await_rest(tab)
    np.testing.assert_allclose(await_rest(tab), stopped, atol=0.05)
    tab.mouse.up()
    np.testing.assert_allclose(await_rest(tab), stopped, atol=0.05)
    press_down(tab, f"{FIRST.name}+")
    await_joint(tab, 0, stopped[0], 2.0)
    tab.mouse.up()
    await_rest(tab)


def test_a_silent_line_shows_the_age_of_the_view_and_stop_says_at_once_that_it_was_not_heard(
    workbench: Workbench,
) -> None:
    tab = workbench.tab
    tab.add_init_script(SOCKETS)
    jog(workbench)
    expect(tab.locator(".view")).to_have_attribute("data-old", "false")
    tab.get_by_role("button", name="Help", exact=True).click()
    tab.evaluate(CUT)
    expect(tab.locator(".view")).to_have_attribute("data-old", "true")
    expect(tab.locator(".data-age")).to_contain_text("No current data")
    tab.locator("dialog[open]").get_by_role("button", name="Stop", exact=True).click()
    expect(tab.locator(".dialog-unheard")).to_contain_text("Stop may not have been received")
    expect(tab.locator(".view")).to_have_attribute("data-old", "false")  # it has come back by itself

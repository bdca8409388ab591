"""The workbench by keyboard alone, and for those who do not see it: axe finds no serious barrier in any state."""

from __future__ import annotations

from typing import Any

import pytest
from e2e.bench import ARM, at_home, load_axe, serious_barriers, state
from e2e.chromium import Workbench
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

STOP = """() => {
    const here = document.activeElement;
    const near = [here, here.parentElement, here.firstElementChild, here.nextElementSibling];
    const isSeen = near.some((one) => {
        const { outlineStyle, outlineWidth, boxShadow } = one === null ? {} : getComputedStyle(one);
        return (outlineStyle !== "none" && parseFloat(outlineWidth) > 0) || one?.matches(".skip");
    });
    const place = [".skip", ".header", ".guide", "#tree", ".view", "#right", "#bottom", ".splitter"]
        .find((place) => here.closest(place) !== null) ?? here.tagName;
    return [place, here.getAttribute("aria-label") ?? here.textContent.trim().slice(0, 40), isSeen];
}"""
"""Where the focus is, on what, and whether it can be seen."""


def focused(tab: Any) -> str:
    """Return the name of what has the focus."""
    return str(tab.evaluate(STOP)[1])


def press_until(tab: Any, key: str, name: str) -> None:
    """Press a key until something has the focus."""
    for _ in range(60):
        tab.keyboard.press(key)
        if focused(tab) == name:
            return
    pytest.fail(f"{key} never came to {name}")


def test_tab_comes_to_every_part_of_the_workbench_and_shows_where_it_is(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    tab.evaluate("() => document.activeElement.blur()")
    stops = []
    for _ in range(120):
        tab.keyboard.press("Tab")
        stops.append(tuple(tab.evaluate(STOP)))
        if stops.count(stops[0]) > 1:
            break
    assert {place for place, *_ in stops} >= {
        ".skip",
        ".header",
        ".guide",
        "#tree",
        ".view",
        "#right",
        "#bottom",
        ".splitter",
    }
    names = {name for _, name, _ in stops}
    assert names >= {"Skip to the 3D view", "Stop", "Record", "Help", "Skip", "Jog", "Poses", "Width of the tree"}
    assert names >= {"Size of the right panels", "Height of the lower panels", "Close the lower panels"}
    assert [stop for stop in stops if not stop[2] and stop[0] != "BODY"] == []


@pytest.mark.parametrize(
    ("link", "target"),
    [("Skip to the panels", "Jog"), ("Skip to the 3D view", "3D view of"), ("Skip to the lower panels", "Poses")],
)
def test_a_skip_link_is_seen_when_it_has_the_focus_and_leads_past_the_head(
    workbench: Workbench, link: str, target: str
) -> None:
    tab = at_home(workbench).tab
    address = tab.url
    tab.evaluate("() => document.activeElement.blur()")
    press_until(tab, "Tab", link)
    assert tab.get_by_role("link", name=link).bounding_box()["y"] >= 0
    tab.keyboard.press("Enter")
    assert focused(tab).startswith(target)
    assert tab.url == address


def test_menus_and_dialogs_keep_the_focus_and_give_it_back_on_escape(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    tab.locator(".project-button").focus()
    tab.keyboard.press("Enter")
    press_until(tab, "Tab", "Save to a file")
    tab.keyboard.press("Escape")
    expect(tab.locator("#project-menu")).not_to_be_visible()
    assert tab.evaluate("() => document.activeElement.className") == "project-button"
    button = tab.get_by_role("button", name="Help", exact=True)
    button.focus()
    tab.keyboard.press("Enter")
    dialog = tab.get_by_role("dialog")
    dialog.wait_for()
    for _ in range(6):
        tab.keyboard.press("Tab")
        assert tab.evaluate("() => document.activeElement.matches('body, dialog[open] *')")
    tab.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    assert focused(tab) == "Help"


def test_escape_closes_the_drawer_and_the_settings_before_it_stops_the_arm(workbench: Workbench) -> None:
    tab = workbench.tab
    tab.set_viewport_size({"width": 820, "height": 1180})
    workbench.open(ARM)
    tab.get_by_role("button", name="Show the tree").press("Enter")
    tab.wait_for_function("() => document.activeElement.closest('#tree') !== null")
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Space")
    assert state(workbench, "selection.value.kind") == "link"
    tab.keyboard.press("Escape")
    expect(tab.locator("#tree")).not_to_be_visible()
    assert focused(tab) == "Show the tree"
    button = tab.get_by_role("button", name="Language and colours")
    button.press("Enter")
    tab.keyboard.press("Tab")
    tab.locator(".language select").wait_for()
    tab.keyboard.press("Escape")
    expect(tab.locator(".language select")).not_to_be_visible()
    assert focused(tab) == "Language and colours"
    assert tab.get_by_role("region", name="First steps").is_visible()  # Escape has skipped nothing
    button.press("Enter")
    tab.locator(".language select").wait_for()
    tab.locator(".stop-button").focus()
    tab.locator(".language select").wait_for(state="hidden")


@pytest.mark.parametrize(("theme", "width"), [("light", 1366), ("dark", 768)])
def test_axe_finds_no_serious_barrier_in_any_panel(workbench: Workbench, theme: str, width: int) -> None:
    workbench.tab.emulate_media(color_scheme=theme)
    tab = workbench.open(ARM).tab
    load_axe(tab)
    tab.set_viewport_size({"width": width, "height": 900})
    assert serious_barriers(tab) == []  # as at the first visit, with the guide
    for panel in tab.locator("[role=tab]").all():
        panel.click()
        closed = tab.locator('.section-toggle[aria-expanded="false"]')
        while closed.count() > 0:
            closed.first.click()
        assert serious_barriers(tab) == []


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_serious_barrier_in_menus_dialogs_and_messages(workbench: Workbench, theme: str) -> None:
    workbench.tab.emulate_media(color_scheme=theme)
    tab = workbench.open(ARM).tab
    load_axe(tab)
    tab.locator(".project-button").click()
    tab.get_by_role("textbox", name="Title of the project").fill(" ")
    tab.keyboard.press("Enter")
    assert serious_barriers(tab) == []
    tab.get_by_role("button", name="New project").click()
    tab.locator(".toast").wait_for()
    assert serious_barriers(tab) == []
    tab.get_by_role("button", name="Help", exact=True).click()
    tab.get_by_role("dialog").wait_for()
    assert serious_barriers(tab) == []
    tab.keyboard.press("Escape")
    tab.set_viewport_size({"width": 820, "height": 1180})
    tab.get_by_role("button", name="Show the tree").click()
    assert serious_barriers(tab) == []
    tab.get_by_role("button", name="Language and colours").click()
    assert serious_barriers(tab) == []
    workbench.allow("Failed to load resource")  # the browser complains of what it is refused
    workbench.allow("WebSocket connection")
    tab.context.clear_cookies()
    tab.goto(workbench.url)
    expect(tab.get_by_role("alertdialog").get_by_role("button", name="Try again now")).to_be_focused()
    load_axe(tab)
    assert serious_barriers(tab) == []

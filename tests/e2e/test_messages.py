"""Messages over the view: they go by themselves, cover no control, and can be read again in the help."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from e2e.bench import ARM
from e2e.chromium import Workbench

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

COVERED = """() => {
    const overlap = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    const places = [".header", "#right", "#bottom", ".player", ".stop-button", ".view-tools"];
    const shown = [...document.querySelectorAll(".toast")].filter((one) => one.checkVisibility());
    const small = innerWidth <= 600; // a phone has no room between the buttons of the view and the head
    return [shown.length, places.filter((place) => !(small && place === ".view-tools")).filter((place) => {
        const box = document.querySelector(place).getBoundingClientRect();
        const area = document.querySelector(".toasts").getBoundingClientRect();
        return shown.some((one) => overlap(one.getBoundingClientRect(), box)) && overlap(area, box);
    })];
}"""


def emptied(tab: Any) -> Any:
    """Begin a new project, which is told with a button to take that back; return the message."""
    tab.locator(".project-button").click()
    tab.get_by_role("button", name="New project").click()
    message = tab.locator(".toast", has_text="Only the arm is left")
    message.wait_for()
    return message


def test_messages_cover_no_control_on_any_screen(workbench: Workbench, tmp_path: Path) -> None:
    tab = workbench.open(ARM).tab
    tab.get_by_role("button", name="Skip", exact=True).click()
    broken = tmp_path / ("a-file-with-a-rather-long-name-" * 4 + ".json")
    broken.write_text("{", "utf-8")
    tab.context.new_page().goto(workbench.url)
    tab.locator(".toast", has_text="2 pages show this session").wait_for()
    emptied(tab)
    tab.locator(".header input[type=file]").set_input_files(broken)
    tab.locator(".toast", has_text="is not valid JSON").wait_for()
    tab.locator(".toast").last.hover()
    for width, height in ((1920, 1080), (1366, 768), (1180, 820), (820, 1180), (390, 844)):
        tab.set_viewport_size({"width": width, "height": height})
        count, covered = tab.evaluate(COVERED)
        assert covered == [], (width, height)
        assert count == (1 if width < 600 else 3)


def test_a_message_with_a_button_goes_too_but_not_while_somebody_is_at_it(workbench: Workbench) -> None:
    tab = workbench.tab
    tab.clock.install()
    workbench.open(ARM)
    tab.get_by_role("button", name="Skip", exact=True).click()
    message = emptied(tab)
    message.get_by_role("button", name="Undo").focus()
    tab.clock.fast_forward(60_000)
    assert message.is_visible()
    tab.locator(".stop-button").focus()
    message.hover()
    tab.clock.fast_forward(60_000)
    assert message.is_visible()
    tab.mouse.move(5, 5)
    tab.clock.fast_forward(15_000)
    assert message.is_visible()
    tab.clock.fast_forward(6_000)
    message.wait_for(state="detached")


def test_the_last_messages_can_be_read_again_in_the_help(workbench: Workbench) -> None:
    tab = workbench.open(ARM).tab
    message = emptied(tab)
    message.get_by_role("button", name="Dismiss").focus()
    tab.keyboard.press("Enter")
    message.wait_for(state="detached")
    tab.wait_for_function("() => document.activeElement?.tagName === 'CANVAS'")
    tab.get_by_role("button", name="Help", exact=True).click()
    kept = tab.get_by_role("dialog").locator(".said li")
    assert "Only the arm is left" in kept.first.inner_text()

"""The first visit in a real browser: a card points at each of three steps, Escape skips, help begins again."""

from __future__ import annotations

from typing import Any

import pytest
from e2e.bench import ARM, SHEET, at_home
from e2e.chromium import Server, Workbench, new_profile

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


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
    assert "Open the panel “Arm”" in card(tab, "arm").inner_text()
    tab.get_by_role("tab", name="Arm", exact=True).click()
    tab.locator(".guide-pointer", has_text="Choose another arm here").wait_for()
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


def test_the_first_visit_is_guided_in_three_steps_and_only_once(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    guide = tab.get_by_role("region", name="First steps")
    assert guide.locator("[aria-current=step]").inner_text().endswith("Move the arm: drag a slider")
    workbench.joint(SHEET.joints[0].name).get_by_role("slider").press("PageUp")
    guide.get_by_text("Turn the view").and_(guide.locator("[aria-current=step] button")).click()
    tab.keyboard.press("ArrowLeft")
    guide.locator("[aria-current=step]", has_text="Choose another arm").get_by_role("button").click()
    tab.locator('[data-arm-name="ur5e"]').click()
    guide.wait_for(state="detached")
    tab.locator(".toast", has_text="That is all you need to begin").wait_for()
    tab.reload()
    workbench.await_arm("ur5e")
    assert guide.count() == 0


def test_the_guide_can_be_skipped(workbench: Workbench) -> None:
    tab = workbench.open().tab
    tab.get_by_role("button", name="Skip", exact=True).click()
    assert tab.get_by_role("region", name="First steps").count() == 0
    tab.reload()
    workbench.await_arm("")
    assert tab.get_by_role("region", name="First steps").count() == 0


AIM = """([selector]) => {
    const card = document.querySelector(".guide-pointer"), target = document.querySelector(selector);
    const a = card.getBoundingClientRect(), b = target.getBoundingClientRect();
    const arrow = parseFloat(card.style.getPropertyValue("--arrow"));
    const inside = a.left >= 0 && a.top >= 0 && a.right <= innerWidth && a.bottom <= innerHeight;
    const across = card.dataset.points === "right"
        ? [a.top + arrow >= b.top - 2 && a.top + arrow <= b.bottom + 2, b.left - a.right]
        : [a.left + arrow >= b.left && a.left + arrow <= b.right,
           card.dataset.points === "up" ? a.top - b.bottom : b.top - a.bottom];
    return [inside, ...across];
}"""
"""Whether the card is in the window, whether its arrow meets the target, and how far away that is (px)."""


def points_at(tab: Any, step: str, aim: str, selector: str) -> str:
    """Assert that the card's arrow is at something; return what the card says."""
    found = tab.locator(f'.guide-pointer[data-step="{step}"][data-aim="{aim}"]')
    found.wait_for()
    tab.wait_for_function(
        f"(asked) => {{ const [a, b, c] = ({AIM})(asked); return a && b && c > -2 && c < 120; }}", arg=[selector]
    )
    return str(found.inner_text())


OPEN = {
    "en-GB": ("Open the panel “Jog”", "Drag this slider", "Move the arm with these buttons"),
    "ru": ("Откройте панель «Ручное управление»", "Потяните этот ползунок", "Двигайте манипулятор этими кнопками"),
    "uk": ("Відкрийте панель «Ручне керування»", "Потягніть цей повзунок", "Рухайте маніпулятор цими кнопками"),
}


@pytest.mark.parametrize("language", list(OPEN))
def test_with_another_panel_open_the_card_first_leads_to_the_right_one(
    chromium: Any, server: Server, language: str
) -> None:
    to_open, to_drag, to_hold = OPEN[language]
    context = new_profile(chromium, server, locale=language)
    tab = Workbench(context.new_page(), server.url).open(ARM).tab
    for width, height in ((1366, 768), (1024, 600), (820, 1180), (390, 844)):
        tab.set_viewport_size({"width": width, "height": height})
        tab.locator("#right-tab-mathematics").click()
        assert to_open in points_at(tab, "move", "tab", "#right-tab-jog")
        tab.locator("#right-tab-jog").click()
        tab.locator("#right .section-actions input[type=radio]").nth(1).check()
        assert to_hold in points_at(tab, "move", "near", "#right .jog-hold")
        tab.locator("#right .section-actions input[type=radio]").first.check()
        assert to_drag in points_at(tab, "move", "exact", "#right .joint input[type=range]")
    context.close()


def test_the_card_waits_while_the_tree_or_a_dialog_lies_over_the_view(workbench: Workbench) -> None:
    tab = workbench.tab
    tab.set_viewport_size({"width": 820, "height": 1180})
    workbench.open(ARM)
    shown = card(tab, "move")
    tab.get_by_role("button", name="Show the tree").click()
    shown.wait_for(state="hidden")
    tab.get_by_role("button", name="Hide the tree").click()
    shown.wait_for()
    tab.get_by_role("button", name="Help", exact=True).click()
    shown.wait_for(state="hidden")
    tab.keyboard.press("Escape")
    shown.wait_for()
    slider = tab.locator("#right .joint input[type=range]").first
    start = tab.evaluate("() => armlab.live.q[0]")
    slider.press("PageUp")
    tab.wait_for_function("(start) => Math.abs(armlab.live.q[0] - start) > 5", arg=start)
    tab.locator(".view canvas").press("ArrowLeft")
    assert "Open the panel “Arm”" in points_at(tab, "arm", "tab", "#right-tab-arm")
    tab.locator("#right-tab-arm").click()
    assert "Choose another arm here" in points_at(tab, "arm", "exact", "#right [data-section='arm.list']")

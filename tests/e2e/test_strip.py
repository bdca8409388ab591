"""The jog strip in the view: the arm is moved beside every panel, by buttons, sliders, keys and handles."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from e2e.bench import ARM, load_axe, serious_barriers, state
from e2e.chromium import Workbench
from e2e.jogging import await_joint, await_still, await_value, joints, press_down, tool
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

OTHER_PANELS = ("arm", "kinematics", "mathematics", "scene")
LOWER_PANELS = ("planner", "scenario", "programs", "plots", "sensors", "poses")


def beside(workbench: Workbench, panel: str) -> Any:
    """Open the page with a panel in front; return the tab."""
    tab = workbench.open(ARM).tab
    tab.locator(f'[data-tab="{panel}"]').click()
    tab.locator(".strip").wait_for()
    tab.wait_for_function("() => armlab.live.q.length === 6")
    return tab


def test_the_arm_is_moved_beside_every_panel_by_button_and_by_key(workbench: Workbench) -> None:
    tab = beside(workbench, "arm")
    for panel in (*OTHER_PANELS, *LOWER_PANELS):
        choice = tab.locator(f'[data-tab="{panel}"]')
        choice.click()
        start = await_still(tab)[0]
        press_down(tab, "A1+")
        await_joint(tab, 0, start, 2)
        tab.mouse.up()
        there = await_still(tab)[0]
        choice.focus()  # the tab has the focus: the keys are the arm's all the same
        tab.keyboard.down("a")
        await_joint(tab, 0, there, -2)
        tab.keyboard.up("a")
        await_still(tab)


def test_formulas_show_the_joint_that_the_strip_moves(workbench: Workbench) -> None:
    tab = beside(workbench, "mathematics")
    shown = tab.locator("#right").get_by_text("A1").first
    before = shown.locator("xpath=..").inner_text()
    slider = tab.locator('[data-strip="A1"] input[type="range"]')
    slider.focus()
    for _ in range(12):
        slider.press("ArrowRight")
    await_value(tab, 0, 12)
    assert shown.locator("xpath=..").inner_text() != before
    assert tab.locator('[data-strip="A1"] .strip-value').inner_text().startswith("12.00")


def test_the_strip_shows_where_the_tool_is_and_moves_it(workbench: Workbench) -> None:
    tab = beside(workbench, "kinematics")
    strip = tab.locator(".strip")
    for i, name in enumerate("XYZ"):
        text = strip.locator(f'[data-strip-pose="{name}"] .strip-value').inner_text().replace("−", "-")
        assert float(text.split()[0]) == pytest.approx(tool(tab)[i] * 1000, abs=0.01)
    strip.get_by_role("radio", name="Tool").check()
    start = tool(tab)
    press_down(tab, "Z+")
    tab.wait_for_function("(z) => armlab.live.frames.at(-5) > z + 0.02", arg=start[2])
    tab.mouse.up()
    await_still(tab)
    np.testing.assert_allclose(tool(tab)[:2], start[:2], atol=2e-3)


def test_the_strip_folds_remembers_it_and_leaves_the_panel_alone(workbench: Workbench) -> None:
    tab = beside(workbench, "scene")
    fold = tab.locator(".strip-fold")
    fold.click()
    assert tab.locator("[data-strip]").count() == 0
    tab.reload()
    workbench.await_arm(ARM)
    fold.wait_for()
    expect(fold).to_have_attribute("aria-expanded", "false")
    fold.click()
    tab.locator("[data-strip]").first.wait_for()
    tab.locator('[data-tab="jog"]').click()  # the panel has all of it
    tab.locator(".strip").wait_for(state="detached")


def test_keys_that_are_typed_in_a_program_do_not_move_the_arm(workbench: Workbench) -> None:
    tab = beside(workbench, "kinematics")
    tab.locator('[data-tab="programs"]').click()
    start = joints(tab)
    tab.get_by_role("textbox", name="Program text").click()
    tab.locator(".cm-focused").wait_for()
    tab.keyboard.type("dddk")
    np.testing.assert_allclose(await_still(tab), start, atol=0.01)
    assert state(workbench, "project.value.poses.length") == 0


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (820, 1180), (390, 844)])
def test_the_strip_fits_into_the_view_and_axe_finds_nothing_serious(
    workbench: Workbench, width: int, height: int
) -> None:
    tab = workbench.tab
    tab.set_viewport_size({"width": width, "height": height})
    beside(workbench, "scene")
    if tab.locator(".strip-fold").get_attribute("aria-expanded") == "false":
        tab.locator(".strip-fold").click()
    strip, view = tab.locator(".strip").bounding_box(), tab.locator(".view").bounding_box()
    assert strip["x"] >= view["x"]
    assert strip["x"] + strip["width"] <= view["x"] + view["width"]
    assert strip["y"] + strip["height"] <= view["y"] + view["height"]
    load_axe(tab)
    assert serious_barriers(tab) == []

"""The page in a real browser: what a person does, what they then see, and what the simulation then does."""

from __future__ import annotations

import gzip
import re

import httpx
import numpy as np
import pytest
from e2e.bench import (
    ARM,
    HOME,
    SHEET,
    at_home,
    await_joints,
    await_other_picture,
    await_shown_pose,
    orange_pixels,
    picture,
    python_pose,
    state,
)
from e2e.chromium import Workbench
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_the_arm_appears_in_the_view_and_moves_when_its_joints_do(workbench: Workbench) -> None:
    """A KR 6 is orange: there is a good patch of orange in the view, and it moves when the arm does."""
    tab = at_home(workbench).tab
    orange = orange_pixels(tab)
    assert orange.sum() > 2000
    workbench.joint(SHEET.joints[0].name).get_by_role("slider").press("End")
    await_joints(workbench, [SHEET.joints[0].upper, *HOME[1:]])
    assert (orange_pixels(tab) != orange).sum() > 2000


def test_a_slider_moved_by_keyboard_moves_the_tool_to_where_python_says(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    joint = SHEET.joints[1]
    workbench.joint(joint.name).get_by_role("slider").focus()
    for key in ("ArrowRight", "ArrowRight", "PageUp", "Shift+ArrowLeft"):
        tab.keyboard.press(key)
    expected = [HOME[0], round(HOME[1] + 11.9, 2), *HOME[2:]]
    await_joints(workbench, expected)
    await_shown_pose(workbench, python_pose(expected))
    assert workbench.joint(joint.name).get_by_role("textbox").input_value() == f"{expected[1]:.2f}".replace("-", "−")


def test_a_slider_can_be_dragged(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    slider = workbench.joint(SHEET.joints[0].name).get_by_role("slider")
    box = slider.bounding_box()
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.mouse.down()
    for step in range(1, 9):
        tab.mouse.move(box["x"] + box["width"] * (0.5 + 0.03 * step), box["y"] + box["height"] / 2)
    tab.mouse.up()
    goal = float(slider.input_value())
    assert goal == pytest.approx(0.74 * SHEET.joints[0].upper * 2 - SHEET.joints[0].upper, abs=12)
    await_joints(workbench, [goal, *HOME[1:]])


def test_a_typed_value_may_have_a_comma_and_is_shown_as_the_language_writes_it(workbench: Workbench) -> None:
    at_home(workbench)
    field = workbench.joint(SHEET.joints[0].name).get_by_role("textbox")
    field.fill(" +12,50 ")
    field.press("Enter")
    await_joints(workbench, [12.5, *HOME[1:]])
    assert field.input_value() == "12.50"


def test_wrong_text_is_answered_in_place_and_moves_nothing(workbench: Workbench) -> None:
    at_home(workbench)
    row = workbench.joint(SHEET.joints[0].name)
    field = row.get_by_role("textbox")
    for typed, answer in (("twelve", "“twelve” is not a number."), ("999", "999.00° is outside −170.00 … 170.00°.")):
        field.fill(typed)
        field.press("Enter")
        assert row.get_by_role("alert").inner_text() == answer
        expect(field).to_have_attribute("aria-invalid", "true")
    assert state(workbench, "goal.value") is None
    row.get_by_role("slider").press("ArrowRight")
    await_joints(workbench, [HOME[0] + 1, *HOME[1:]])
    assert row.get_by_role("alert").inner_text() == ""


def test_a_named_pose_is_one_click_away_and_stop_stops_on_the_way(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    pose = next(pose for pose in SHEET.configurations if list(pose.q) != HOME)
    button = tab.locator(f'[data-pose-name="{pose.name}"]')
    clicked = button.evaluate(
        "(button) => { button.click(); document.querySelector('.stop-button').click(); return armlab.live.time; }"
    )
    tab.wait_for_function("(then) => armlab.live.time > then", arg=clicked + 4)  # long enough for the whole motion
    stopped = tab.evaluate("() => [...armlab.live.q]")
    assert max(abs(value - goal) for value, goal in zip(stopped, pose.q, strict=True)) > 1.0
    button.click()
    await_joints(workbench, list(pose.q))


def test_another_arm_is_chosen_undone_and_done_again(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    tab.get_by_role("tab", name="Arm", exact=True).click()
    tab.locator('[data-arm-name="ur5e"]').click()
    workbench.await_arm("ur5e")
    assert state(workbench, "project.value.arm.name") == "ur5e"
    for name, arm in (("Undo", ARM), ("Redo", "ur5e")):
        tab.locator(".header").get_by_role("button", name=name).click()
        workbench.await_arm(arm)
        assert state(workbench, "project.value.arm.name") == arm
    tab.locator("canvas").press("Control+z")
    workbench.await_arm(ARM)


@pytest.mark.parametrize(
    ("name", "structure", "has_energy"), [("none", "hierarchy", False), ("bodies + constraints", "joints", True)]
)
def test_the_structure_switch_changes_the_simulation(
    workbench: Workbench, name: str, structure: str, has_energy: bool
) -> None:
    tab = at_home(workbench).tab
    tab.locator(".structure").get_by_role("radio", name=name).check()
    tab.wait_for_function("(wanted) => armlab.doc.value.project.structure === wanted", arg=structure)
    tab.wait_for_function(
        "(has) => (document.querySelector('[data-read=energy] .live-number').textContent !== '0.0') === has",
        arg=has_energy,
    )
    assert "mm" in tab.locator("[data-read=gap]").inner_text()
    await_joints(workbench, HOME)
    tab.locator(".header").get_by_role("button", name="Undo").click()
    tab.wait_for_function("() => armlab.doc.value.project.structure === 'articulation'")


def test_the_tree_and_the_view_choose_the_same_things(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    tab.get_by_role("treeitem", name="Link 2").click()
    assert state(workbench, "selection.value") == {"kind": "link", "name": "link_2"}
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Space")
    assert state(workbench, "selection.value.name") == "link_3"
    tab.get_by_role("button", name="Front").click()
    box = tab.locator("canvas").bounding_box()
    orange = np.argwhere(orange_pixels(tab))
    y, x = orange[len(orange) // 2]
    tab.mouse.click(box["x"] + int(x), box["y"] + int(y))
    chosen = state(workbench, "selection.value")
    assert chosen["kind"] == "link"
    assert tab.locator('[role="treeitem"][aria-selected="true"]').inner_text() == chosen["name"].replace(
        "link_", "Link "
    )


def test_the_view_turns_by_button_and_by_key(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    seen = [picture(tab)]
    for name in ("Front", "Side", "Top", "Frames"):
        tab.get_by_role("button", name=name, exact=True).click()
        seen.append(await_other_picture(tab, seen[-1]))
    tab.locator("canvas").press("ArrowLeft")
    seen.append(await_other_picture(tab, seen[-1]))
    assert len(set(seen)) == len(seen)


def test_an_unknown_arm_in_the_address_is_told(workbench: Workbench) -> None:
    tab = workbench.tab
    tab.goto(f"{workbench.url}#{ARM}x")
    tab.locator(".toast", has_text=f"There is no arm named “{ARM}x”.").wait_for()
    assert tab.url == workbench.url


def test_the_page_asks_nobody_but_its_own_server_and_starts_small(workbench: Workbench) -> None:
    at_home(workbench)
    assert len(workbench.requests) > 5
    assert [url for url in workbench.requests if not url.startswith((workbench.url, "blob:", "data:"))] == []
    first = set(re.findall(r"\./(assets/[^\"]+\.js)", httpx.get(workbench.url).text))
    assert first
    assert sum(len(gzip.compress(httpx.get(workbench.url + script).content)) for script in first) < 250_000

"""Saved poses in a real browser: saved, named, put in order, deleted, brought back, and played."""

from __future__ import annotations

from typing import Any

import pytest
from e2e.chromium import Workbench
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARM = "kuka-kr6-r700"
NEAR = 0.05


@pytest.fixture
def tab(workbench: Workbench) -> Any:
    """Return the page with the list of poses open."""
    tab = workbench.open(ARM).tab
    tab.get_by_role("tab", name="Poses", exact=True).click()
    tab.get_by_role("button", name="Save pose").wait_for()
    return tab


def go(tab: Any, joint: str, value: float) -> None:
    """Send a joint somewhere by its field, and wait until the arm is there."""
    field = tab.locator(f'[data-joint="{joint}"]').get_by_role("textbox").first
    field.fill(str(value))
    field.press("Enter")
    index = int(joint[1:]) - 1
    tab.wait_for_function(
        "([i, value, near]) => Math.abs(armlab.live.command[i] - value) < near", arg=[index, value, NEAR]
    )


def keep(tab: Any, count: int) -> None:
    """Keep where the arm is; there are then `count` poses."""
    tab.get_by_role("button", name="Save pose").click()
    await_count(tab, count)


def await_count(tab: Any, count: int) -> None:
    """Wait until the project, and the list, have `count` poses."""
    tab.wait_for_function("count => armlab.project.value.poses.length === count", arg=count)
    tab.wait_for_function("count => document.querySelectorAll('[data-pose-id]').length === count", arg=count)


def await_names(tab: Any, names: list[str]) -> None:
    """Wait until the poses have these names, in this order, in the project and in the list."""
    tab.wait_for_function(
        "names => JSON.stringify(armlab.project.value.poses.map(p => p.name)) === JSON.stringify(names)", arg=names
    )
    tab.wait_for_function(
        "names => JSON.stringify([...document.querySelectorAll('.poses-name')].map(f => f.value))"
        " === JSON.stringify(names)",
        arg=names,
    )


def name_field(tab: Any, name: str) -> Any:
    """Return the field with the name of a pose."""
    return tab.get_by_label(f"Name of {name}", exact=True)


def await_joint(tab: Any, index: int, value: float, within: float = 0.2) -> None:
    """Wait until the simulated joint is at a value."""
    tab.wait_for_function(
        "([i, value, within]) => Math.abs(armlab.live.q[i] - value) < within", arg=[index, value, within]
    )


def test_poses_are_kept_named_put_in_order_deleted_and_brought_back(tab: Any) -> None:
    assert "No poses yet." in tab.locator(".poses-none").inner_text()
    expect(tab.locator(".poses-play")).to_be_disabled()
    keep(tab, 1)
    go(tab, "A1", 30)
    tab.locator("canvas").first.press("k")
    await_count(tab, 2)
    assert tab.evaluate("() => armlab.project.value.poses[1].q[0]") == pytest.approx(30, abs=NEAR)

    name_field(tab, "P2").fill("  turned left ")
    name_field(tab, "P2").press("Enter")
    await_names(tab, ["P1", "turned left"])
    name_field(tab, "P1").fill(" ")
    assert tab.locator(".poses .problem").inner_text() == "A pose needs a name."
    name_field(tab, "P1").press("Escape")
    await_names(tab, ["P1", "turned left"])

    tab.get_by_role("button", name="Move P1 down").click()
    await_names(tab, ["turned left", "P1"])
    tab.get_by_role("button", name="Move P1", exact=True).press("ArrowUp")
    await_names(tab, ["P1", "turned left"])
    tab.get_by_role("button", name="Duplicate P1").click()
    await_names(tab, ["P1", "P1 (2)", "turned left"])
    drag_to_top(tab, "turned left")
    await_names(tab, ["turned left", "P1", "P1 (2)"])

    tab.get_by_role("button", name="Delete P1", exact=True).click()
    await_names(tab, ["turned left", "P1 (2)"])
    tab.locator(".toast", has_text="P1 is deleted.").get_by_role("button", name="Undo").click()
    await_names(tab, ["turned left", "P1", "P1 (2)"])


def drag_to_top(tab: Any, name: str) -> None:
    """Drag a row by its handle above the first one."""
    handle = tab.get_by_role("button", name=f"Move {name}", exact=True).bounding_box()
    first = tab.locator("[data-pose-id]").first.bounding_box()
    tab.mouse.move(handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2)
    tab.mouse.down()
    tab.mouse.move(handle["x"] + 8, first["y"] + 12, steps=4)
    tab.mouse.move(handle["x"] + 8, first["y"] + 4)
    tab.mouse.up()


def test_the_arm_goes_to_a_kept_pose_which_is_shown_before(tab: Any) -> None:
    keep(tab, 1)
    go(tab, "A1", 60)
    tab.get_by_role("button", name="Show P1 in the view").click()
    expect(tab.get_by_role("button", name="Show P1 in the view")).to_have_attribute("aria-pressed", "true")
    tab.get_by_role("button", name="Go to P1").click()
    await_joint(tab, 0, 0.0)


def test_poses_are_played_to_the_last_one_and_again(tab: Any) -> None:
    keep(tab, 1)
    go(tab, "A1", 40)
    keep(tab, 2)
    tab.get_by_role("button", name="Play all").click()
    tab.wait_for_function("() => armlab.player.value?.what === 'poses'")
    tab.wait_for_function("() => armlab.live.playerTime >= armlab.player.value.duration - 1e-3")
    await_joint(tab, 0, 40.0)
    ends = tab.evaluate("() => armlab.player.value.duration")

    tab.get_by_role("checkbox", name="Loop").check()
    tab.get_by_role("button", name="Play all").click()
    tab.wait_for_function("ends => armlab.live.playerTime > 0.05 && armlab.live.playerTime < ends - 0.05", arg=ends)
    player = tab.get_by_role("group", name="Player")
    player.get_by_role("button", name="Pause").click()
    player.get_by_role("button", name="Play the saved poses").wait_for()
    player.get_by_role("slider").fill(str(ends - 0.01))
    tab.wait_for_function("ends => Math.abs(armlab.live.playerTime - ends) < 0.02", arg=ends)
    await_joint(tab, 0, 40.0)
    player.get_by_role("combobox").select_option("2")
    player.get_by_role("button", name="Play the saved poses").click()
    await_joint(tab, 0, 0.0, within=1.0)  # at twice the rate states are 1/30 s of the motion apart
    await_joint(tab, 0, 40.0, within=1.0)  # it has begun again
    tab.get_by_role("button", name="Stop").first.click()


def test_every_change_of_the_list_is_taken_back_until_it_is_empty_again(tab: Any) -> None:
    keep(tab, 1)
    go(tab, "A1", 25)
    keep(tab, 2)
    name_field(tab, "P2").fill("left")
    name_field(tab, "P2").press("Enter")
    await_names(tab, ["P1", "left"])
    handle = tab.get_by_role("button", name="Move left", exact=True)
    handle.press("Home")
    await_names(tab, ["left", "P1"])
    assert handle.evaluate("(button) => button === document.activeElement")  # the next key moves it on
    handle.press("End")
    await_names(tab, ["P1", "left"])
    tab.get_by_role("button", name="Use current pose for P1").click()
    tab.wait_for_function("() => Math.abs(armlab.project.value.poses[0].q[0] - 25) < 0.05")
    for names in (["P1", "left"], ["left", "P1"], ["P1", "left"], ["P1", "P2"], ["P1"]):
        tab.get_by_role("button", name="Undo").first.click()
        await_names(tab, names)
    tab.get_by_role("button", name="Undo").first.click()
    tab.locator(".poses-none").wait_for()
    assert tab.locator("[data-pose-id]").count() == 0


def test_a_long_name_and_many_joints_leave_the_buttons_in_sight(workbench: Workbench) -> None:
    tab = workbench.open("franka-panda").tab
    tab.get_by_role("tab", name="Poses", exact=True).click()
    keep(tab, 1)
    long = "Above the pallet, left row, second layer, waiting for a sign"
    name_field(tab, "P1").fill(long)
    name_field(tab, "P1").press("Enter")
    await_names(tab, [long])
    assert name_field(tab, long).get_attribute("title") == long
    panel = tab.locator(".poses").bounding_box()
    button = tab.get_by_role("button", name=f"Delete {long}").bounding_box()
    assert button["x"] + button["width"] <= panel["x"] + panel["width"] + 1
    expect(tab.get_by_role("columnheader", name="joint7")).to_have_attribute("title", "panda_joint7")

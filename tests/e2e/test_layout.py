"""How the workbench is laid out: splitters, languages, colours, small screens, long names."""

from __future__ import annotations

import pytest
from e2e.bench import ARM, at_home, brightness, state
from e2e.chromium import Workbench
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_a_splitter_is_moved_by_keyboard_and_mouse_kept_and_reset(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    line = tab.get_by_role("separator", name="Size of the right panels")
    panel = tab.locator("#right")
    first = panel.bounding_box()["width"]
    line.press("ArrowLeft")
    line.press("Shift+ArrowLeft")
    assert panel.bounding_box()["width"] == pytest.approx(first + 80)
    assert int(line.get_attribute("aria-valuenow")) == pytest.approx(first + 80)
    tab.reload()
    workbench.await_arm(ARM)
    assert panel.bounding_box()["width"] == pytest.approx(first + 80)
    box = line.bounding_box()
    tab.mouse.move(box["x"], 500)
    tab.mouse.down()
    tab.mouse.move(box["x"] + 40, 500)
    tab.mouse.up()
    assert panel.bounding_box()["width"] == pytest.approx(first + 40)
    line.dblclick(position={"x": 0, "y": 100})
    assert panel.bounding_box()["width"] == pytest.approx(first)


@pytest.mark.parametrize(("language", "heading"), [("ru", "Оси"), ("uk", "Осі")])
def test_the_language_switch_changes_the_words_and_is_remembered(
    workbench: Workbench, language: str, heading: str
) -> None:
    tab = at_home(workbench).tab
    tab.locator(".language select").select_option(language)
    assert tab.locator('[data-section="jog.joints"] h3').inner_text() == heading
    assert tab.locator("html").get_attribute("lang") == language
    tab.reload()
    workbench.await_arm(ARM)
    assert tab.locator('[data-section="jog.joints"] h3').inner_text() == heading
    assert tab.locator('[data-pose="X"]').inner_text().replace("−", "-").endswith("мм")


def test_the_dark_theme_applies_to_page_and_view(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    light = brightness(tab.screenshot())
    tab.get_by_role("radio", name="Dark").check()
    assert brightness(tab.screenshot()) < 80 < light
    tab.get_by_role("radio", name="As the system").check()
    tab.emulate_media(color_scheme="dark")
    assert brightness(tab.screenshot()) < 80


def test_nothing_sticks_out_in_any_language_on_any_screen(workbench: Workbench) -> None:
    tab = workbench.open("franka-panda").tab
    for language in ("en", "ru", "uk"):
        for width, height in ((1366, 768), (1024, 768), (768, 1024), (390, 844)):
            tab.set_viewport_size({"width": width, "height": height})
            if not tab.locator(".language select").is_visible():
                tab.locator(".settings > .icon-button").click()
            tab.locator(".language select").select_option(language)
            assert tab.evaluate("() => document.documentElement.scrollWidth") <= width
            assert tab.evaluate("() => document.documentElement.scrollHeight") <= height
            sticking = tab.evaluate(
                "width => [...document.querySelectorAll('.workbench :not(svg *)')]"
                ".filter(one => !one.closest('.scroll, .skip, .unseen, .tabs, [popover]')"
                " && one.getBoundingClientRect().right > width + 1).map(one => one.className)",
                width,
            )
            assert sticking == [], (language, width)


def test_on_a_tablet_the_tree_is_a_drawer_and_the_panels_are_below_the_view(workbench: Workbench) -> None:
    tab = workbench.tab
    tab.set_viewport_size({"width": 768, "height": 1024})
    workbench.open(ARM)
    assert tab.locator("#right").bounding_box()["y"] > tab.locator("canvas").bounding_box()["y"] + 200
    expect(tab.locator("#tree")).not_to_be_visible()
    tab.get_by_role("button", name="Show the tree").click()
    tab.get_by_role("treeitem", name="Link 1").click()
    assert state(workbench, "selection.value.name") == "link_1"
    tab.get_by_role("button", name="Hide the tree").click()
    expect(tab.locator("#tree")).not_to_be_visible()


LONG_TITLE = "The long title of a project that somebody gave it in a hurry"
LONG_BODY = "a-body-with-a-rather-long-name-that-somebody-typed-sixty-chr"
LONG_POSE = "A pose with a rather long name that somebody typed, 60 chars"


def test_long_names_are_cut_and_push_nothing_aside(workbench: Workbench) -> None:
    tab = workbench.open(ARM).tab
    tab.evaluate(
        """([title, body, pose]) => {
            const project = armlab.project.value, { revision } = armlab.doc.value;
            const poses = [{ id: "a", name: pose, q: [...armlab.live.q] }];
            const bodies = [{ name: body, kind: "box", size: [0.1, 0.1, 0.1], xyz: [0.6, 0.3, 0.05] }];
            armlab.send({ type: "edit", label: "names", revision,
                changes: [{ path: [], value: armlab.wholeOf({ ...project, title, poses, bodies }) }] });
        }""",
        [LONG_TITLE, LONG_BODY, LONG_POSE],
    )
    tab.wait_for_function("() => armlab.project.value.poses.length === 1")
    for width, height in ((1366, 768), (820, 1180), (390, 844)):
        tab.set_viewport_size({"width": width, "height": height})
        if not tab.locator("#tree").is_visible():
            tab.get_by_role("button", name="Show the tree").click()
        for name in (LONG_BODY, LONG_POSE):
            title = tab.locator("#tree .branch-title", has_text=name)
            assert title.get_attribute("title") == name
            assert title.evaluate("one => one.getBoundingClientRect().right <= one.closest('#tree').clientWidth")
        overflowing = tab.evaluate(
            """() => [".header", "#tree", "#right-panel", "html"].filter((place) => {
                const one = document.querySelector(place);
                return one.scrollWidth > one.clientWidth + 1;
            })"""
        )
        assert overflowing == [], width
        tab.locator(".project-button").click()
        assert tab.get_by_role("textbox", name="Title of the project").input_value() == LONG_TITLE
        tab.wait_for_function(  # it is placed when the browser has told that it is open
            """() => {
                const { left, right } = document.querySelector("#project-menu").getBoundingClientRect();
                return left >= 0 && right <= innerWidth;
            }"""
        )
        tab.keyboard.press("Escape")


def test_on_a_phone_the_view_keeps_its_share_and_the_lower_panels_wait_closed(workbench: Workbench) -> None:
    tab = workbench.tab
    tab.set_viewport_size({"width": 390, "height": 844})
    workbench.open(ARM)
    assert tab.locator(".view").bounding_box()["height"] >= 140
    tab.get_by_role("button", name="Open the lower panels").click()
    tab.get_by_role("button", name="Save pose").wait_for()
    assert tab.locator(".view").bounding_box()["height"] >= 100


def test_the_lower_dock_has_the_height_that_its_panel_needs_and_can_fill_the_window(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    dock = tab.locator("#bottom")
    tab.locator('[data-tab="poses"]').click()
    low = dock.bounding_box()["height"]
    tab.locator('[data-tab="scenario"]').click()
    high = dock.bounding_box()["height"]
    assert high > low + 100
    tab.get_by_role("separator", name="Height of the lower panels").focus()
    tab.keyboard.press("ArrowDown")
    mine = dock.bounding_box()["height"]
    assert mine < high
    tab.locator('[data-tab="poses"]').click()
    assert dock.bounding_box()["height"] == low  # a height by hand is that panel's alone
    tab.reload()
    workbench.await_arm(ARM)
    tab.locator('[data-tab="scenario"]').click()
    assert dock.bounding_box()["height"] == mine
    tab.get_by_role("button", name="Fill the window").click()
    assert dock.bounding_box()["height"] > 768 - 120
    assert tab.locator("#right").is_visible()
    tab.get_by_role("button", name="Back to the view").click()
    assert dock.bounding_box()["height"] == mine


def test_the_panels_of_a_dock_scroll_each_for_itself(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    tab.locator('[data-tab="arm"]').click()
    panel = tab.locator("#right-panel")
    longer = (
        "() => { const one = document.querySelector('#right-panel'); return one.scrollHeight > one.clientHeight + 90; }"
    )
    tab.wait_for_function(longer)
    panel.evaluate("one => (one.scrollTop = 80)")
    tab.locator('[data-tab="kinematics"]').click()
    assert panel.evaluate("one => one.scrollTop") == 0
    tab.locator('[data-tab="arm"]').click()
    assert panel.evaluate("one => one.scrollTop") == 80


def test_six_steps_of_a_long_scenario_and_every_joint_of_a_plan_are_in_sight_on_a_small_laptop(
    workbench: Workbench,
) -> None:
    tab = at_home(workbench).tab
    tab.evaluate(
        """() => {
            const project = armlab.project.value, { revision } = armlab.doc.value;
            const start = [...armlab.live.q];
            const steps = Array.from({ length: 25 }, () => ({ do: "wait", seconds: 1 }));
            const scenario = { schema: 1, name: "long", arm: project.arm.name, start, steps };
            const plan = { kind: "joint", points: [start, start.map((q) => q * 0.9)] };
            armlab.send({ type: "edit", label: "long", revision,
                changes: [{ path: [], value: armlab.wholeOf({ ...project, scenario, plan }) }] });
        }"""
    )
    tab.locator('[data-tab="scenario"]').click()
    tab.locator(".scenario-step").first.wait_for()
    assert (
        tab.evaluate(
            """() => {
            const list = document.querySelector(".scenario-steps").getBoundingClientRect();
            const isSeen = (row) => row.top >= list.top && row.bottom <= Math.min(list.bottom, innerHeight);
            const rows = [...document.querySelectorAll(".scenario-step")];
            return rows.filter((row) => isSeen(row.getBoundingClientRect())).length;
        }"""
        )
        >= 6
    )
    tab.locator('[data-tab="planner"]').click()
    table = tab.locator(".planner-points .scroll")
    table.wait_for()
    assert table.evaluate("one => one.scrollWidth <= one.clientWidth")


def test_long_formulas_go_on_in_the_next_line(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    tab.locator('[data-tab="mathematics"]').click()
    tab.locator(".mathematics-line .katex").first.wait_for()
    cut = tab.evaluate(
        """() => [...document.querySelectorAll(".mathematics-line")]
            .filter((line) => line.querySelector(".mtable") === null && line.scrollWidth > line.clientWidth + 1)
            .map((line) => line.textContent.slice(0, 60))"""
    )
    assert cut == []

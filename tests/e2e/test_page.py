"""The page in a real browser: what a person does, what they then see, and what the simulation then does."""

from __future__ import annotations

import gzip
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import httpx
import numpy as np
import pytest
from e2e.chromium import ROOT, SERVER, Server, Workbench, load_browser_tool
from PIL import Image

from armlab import catalog, reports
from armlab.units import joint_scale

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARM = "kuka-kr6-r700"
SHEET = reports.robot_sheet(catalog.load(ARM))
HOME = [joint.home for joint in SHEET.joints]
NEAR = 0.05
"""mm and degrees: as near as a simulated arm comes to where it was sent."""


def python_pose(values: list[float]) -> list[float]:
    """Return x y z A B C of the arm at `values` (degrees), as Python computes them."""
    robot = catalog.load(ARM)
    q = np.array([value * joint_scale(joint.kind) for value, joint in zip(values, robot.joints, strict=True)])
    report = reports.fk_report(robot, q, with_frames=False)
    return [*report.xyz, *report.abc]


def state(bench: Workbench, what: str) -> Any:
    """Return something that the page knows: `live.time`, `doc.value.revision` …"""
    return bench.tab.evaluate(f"() => armlab.{what}")


def await_joints(bench: Workbench, expected: list[float]) -> None:
    """Wait until the simulated arm stands at `expected` (degrees)."""
    bench.tab.wait_for_function(
        """([expected, near]) => armlab.live.q.length === expected.length
            && (armlab.live.flags & 1) === 0
            && expected.every((value, i) => Math.abs(value - armlab.live.q[i]) < near)""",
        arg=[expected, NEAR],
    )


def await_shown_pose(bench: Workbench, expected: list[float]) -> None:
    """Wait until the page shows the pose `expected` (mm, degrees); 180° and -180° are the same turn."""
    bench.tab.wait_for_function(
        """([expected, near]) => ["X", "Y", "Z", "A", "B", "C"].every((name, i) => {
            const away = Math.abs(Number(document.querySelector(`[data-pose="${name}"]`).dataset.value) - expected[i]);
            return Math.min(away, i < 3 ? away : Math.abs(away - 360)) < near;
        })""",
        arg=[expected, NEAR],
    )


def at_home(bench: Workbench) -> Workbench:
    """Open the page with the arm of these tests, at home, and its jog panel in front."""
    bench.open(ARM)
    bench.tab.get_by_role("tab", name="Jog").click()
    await_joints(bench, HOME)
    return bench


@contextmanager
def server_at(port: int) -> Iterator[Server]:
    """Start a server on a port of its own, or on a given one: the same that was there before."""
    code = SERVER.replace("port=0", f"port={port}")
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    ready = next((line for line in process.stdout if "is ready" in line), "")
    link = next((word for word in ready.split() if word.startswith("http://")), "")
    server = Server(process, link)
    try:
        assert link, "the server ended before it was ready"
        yield server
    finally:
        server.stop()


@contextmanager
def fresh_tab(chromium: Any, **wishes: Any) -> Iterator[Any]:
    """Open a tab of a browser that nobody has used."""
    context = chromium.new_context(locale="en-GB", reduced_motion="reduce", **wishes)
    yield context.new_page()
    context.close()


def test_the_printed_link_lets_a_browser_in_and_leaves_no_token_behind(chromium: Any) -> None:
    with server_at(0) as server:
        with fresh_tab(chromium) as tab:
            bench = Workbench(tab, server.url).open()
            assert "token" not in tab.url
            assert state(bench, "link.value") == "open"
            assert bench.complaints == []
        with fresh_tab(chromium) as tab:  # the link has been used: it is worth nothing now
            tab.goto(server.url)
            card = tab.get_by_role("alertdialog")
            card.wait_for()
            assert card.get_by_role("heading").inner_text() == "Open the link that armlab printed"


def test_the_arm_appears_in_the_view_and_moves_when_its_joints_do(workbench: Workbench) -> None:
    """A KR 6 is orange: there is a good patch of orange in the view, and it moves when the arm does."""
    tab = at_home(workbench).tab
    orange = orange_pixels(tab)
    assert orange.sum() > 2000
    workbench.joint(SHEET.joints[0].name).get_by_role("slider").press("End")
    await_joints(workbench, [SHEET.joints[0].upper, *HOME[1:]])
    tab.wait_for_timeout(200)
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
    box = workbench.joint(SHEET.joints[0].name).get_by_role("slider").bounding_box()
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.mouse.down()
    for step in range(1, 9):
        tab.mouse.move(box["x"] + box["width"] * (0.5 + 0.03 * step), box["y"] + box["height"] / 2)
    tab.mouse.up()
    goal = state(workbench, "goal.value[0]")
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
    for typed, answer in (("twelve", "“twelve” is not a number."), ("999", "999.00 ° is outside −170.00 … 170.00 °.")):
        field.fill(typed)
        field.press("Enter")
        assert row.get_by_role("alert").inner_text() == answer
        assert field.get_attribute("aria-invalid") == "true"
    assert state(workbench, "goal.value") is None
    row.get_by_role("slider").press("ArrowRight")
    await_joints(workbench, [HOME[0] + 1, *HOME[1:]])
    assert row.get_by_role("alert").inner_text() == ""


def test_a_named_pose_is_one_click_away_and_stop_stops_on_the_way(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    pose = next(pose for pose in SHEET.poses if list(pose.q) != HOME)
    button = tab.locator(f'[data-pose-name="{pose.name}"]')
    stopped = button.evaluate(
        """async (button) => {
            const until = async (is) => { while (!is()) await new Promise((done) => setTimeout(done, 5)); };
            button.click();
            await until(() => (armlab.live.flags & 1) === 1);
            document.querySelector(".stop-button").click();
            await until(() => (armlab.live.flags & 1) === 0);
            return [...armlab.live.q];
        }"""
    )
    assert max(abs(value - goal) for value, goal in zip(stopped, pose.q, strict=True)) > 1.0
    button.click()
    await_joints(workbench, list(pose.q))


def test_another_arm_is_chosen_undone_and_done_again(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    tab.get_by_role("tab", name="Arm").click()
    tab.locator('[data-arm-name="ur5e"]').click()
    workbench.await_arm("ur5e")
    assert state(workbench, "doc.value.project.arm.name") == "ur5e"
    for name, arm in (("Undo", ARM), ("Redo", "ur5e")):
        tab.locator(".header").get_by_role("button", name=name).click()
        workbench.await_arm(arm)
        assert state(workbench, "doc.value.project.arm.name") == arm
    tab.locator("canvas").press("Control+z")
    workbench.await_arm(ARM)


@pytest.mark.parametrize(("structure", "has_energy"), [("Hierarchy", False), ("Joints", True)])
def test_the_structure_switch_changes_the_simulation(workbench: Workbench, structure: str, has_energy: bool) -> None:
    tab = at_home(workbench).tab
    tab.locator(".structure").get_by_role("radio", name=structure).check()
    tab.wait_for_function("(wanted) => armlab.doc.value.project.structure === wanted", arg=structure.lower())
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
    tab.get_by_role("treeitem", name="link_2").click()
    assert state(workbench, "selection.value") == {"kind": "link", "name": "link_2"}
    tab.keyboard.press("ArrowDown")
    tab.keyboard.press("Space")
    assert state(workbench, "selection.value.name") == "link_3"
    tab.get_by_role("button", name="Front").click()
    tab.wait_for_timeout(200)
    box = tab.locator("canvas").bounding_box()
    orange = np.argwhere(orange_pixels(tab))
    y, x = orange[len(orange) // 2]
    tab.mouse.click(box["x"] + int(x), box["y"] + int(y))
    chosen = state(workbench, "selection.value")
    assert chosen["kind"] == "link"
    assert tab.locator('[role="treeitem"][aria-selected="true"]').inner_text() == chosen["name"]


def test_the_view_turns_by_button_and_by_key(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    seen = [tab.locator("canvas").screenshot()]
    for name in ("Front", "Side", "Top", "Frames"):
        tab.get_by_role("button", name=name, exact=True).click()
        tab.wait_for_timeout(150)
        seen.append(tab.locator("canvas").screenshot())
    tab.locator("canvas").press("ArrowLeft")
    tab.wait_for_timeout(150)
    seen.append(tab.locator("canvas").screenshot())
    assert len(set(seen)) == len(seen)


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


def test_a_reload_comes_back_to_the_same_session(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    workbench.joint(SHEET.joints[0].name).get_by_role("slider").press("PageUp")
    await_joints(workbench, [HOME[0] + 10, *HOME[1:]])
    before = state(workbench, "session.value")
    tab.reload()
    workbench.await_arm(ARM)
    assert state(workbench, "session.value") == before
    await_joints(workbench, [HOME[0] + 10, *HOME[1:]])


def test_a_second_tab_looks_at_the_same_session_and_both_are_told(workbench: Workbench) -> None:
    tab = at_home(workbench).tab
    other = tab.context.new_page()
    other.goto(workbench.url)
    other.wait_for_selector(f'canvas[data-arm="{ARM}"]')
    assert other.evaluate("() => armlab.session.value") == state(workbench, "session.value")
    assert "Another window looks at this session" in tab.locator(".toast").inner_text()
    other.locator(".structure").get_by_role("radio", name="Joints").check()
    tab.wait_for_function("() => armlab.doc.value.project.structure === 'joints'")
    assert tab.locator(".structure").get_by_role("radio", name="Joints").is_checked()


def test_a_server_that_is_started_anew_under_the_page_finds_the_project_again(chromium: Any) -> None:
    with server_at(0) as first, fresh_tab(chromium) as tab:
        bench = Workbench(tab, first.url).open("ur5e")
        tab.locator(".structure").get_by_role("radio", name="Joints").check()
        tab.wait_for_function("() => armlab.doc.value.project.structure === 'joints'")
        old = state(bench, "session.value")
        first.stop()
        banner = tab.locator(".banner")
        banner.wait_for()
        assert "The server does not answer." in banner.inner_text()
        with server_at(urlsplit(first.url).port or 0):
            tab.wait_for_function("() => armlab.link.value === 'open'")
            assert banner.count() == 0
            assert "The server was started anew" in tab.locator(".toast").inner_text()
            assert state(bench, "session.value") != old
            project = state(bench, "doc.value.project")
            assert (project["arm"]["name"], project["structure"]) == ("ur5e", "joints")


def test_a_project_is_saved_to_a_file_and_opened_from_it(workbench: Workbench, tmp_path: Path) -> None:
    tab = at_home(workbench).tab
    tab.locator(".project-button").click()
    title = tab.get_by_label("Title of the project")
    title.fill("My cell")
    title.press("Enter")
    tab.wait_for_function("() => armlab.doc.value.project.title === 'My cell'")
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Save to a file").click()
    path = tmp_path / "cell.armlab.json"
    download.value.save_as(path)
    assert download.value.suggested_filename == "my-cell.armlab.json"
    saved = json.loads(path.read_text(encoding="utf-8"))
    assert saved["arm"]["name"] == ARM
    path.write_text(json.dumps({**saved, "title": "Another", "structure": "hierarchy"}), encoding="utf-8")
    chooser = tab.locator("input[type=file]")
    chooser.set_input_files(path)
    tab.wait_for_function("() => armlab.doc.value.project.title === 'Another'")
    assert state(workbench, "doc.value.project.structure") == "hierarchy"
    for content, answer in (
        ("{", "cannot be read"),
        ("[1]", "holds no armlab project"),
        ('{"schema": 9, "arm": 1}', ""),
    ):
        path.write_text(content, encoding="utf-8")
        chooser.set_input_files(path)
        tab.locator(".toast", has_text=answer or "was not opened").wait_for()
    assert state(workbench, "doc.value.project.title") == "Another"


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
    assert not tab.locator("#tree").is_visible()
    tab.get_by_role("button", name="Show the tree").click()
    tab.get_by_role("treeitem", name="link_1").click()
    assert state(workbench, "selection.value.name") == "link_1"
    tab.get_by_role("button", name="Hide the tree").click()
    assert not tab.locator("#tree").is_visible()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_no_serious_barrier(workbench: Workbench, theme: str) -> None:
    axe = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
    if not axe.is_file():
        reason = "NO AXE: run `python hatch_build.py --tools`; the page is not checked for barriers"
        (pytest.fail if load_browser_tool().is_required() else pytest.skip)(reason)
    workbench.tab.emulate_media(color_scheme=theme)
    tab = workbench.open(ARM).tab
    tab.evaluate(axe.read_text(encoding="utf-8"))
    for width in (1366, 768):
        tab.set_viewport_size({"width": width, "height": 900})
        for panel in tab.locator("[role=tab]").all():
            panel.click()
            closed = tab.locator('.section-toggle[aria-expanded="false"]')
            while closed.count() > 0:
                closed.first.click()
            assert serious_barriers(tab) == []


def serious_barriers(tab: Any) -> list[tuple[str, list[str]]]:
    """Return what axe finds on the page as it is: the rule, and where it is broken."""
    violations = tab.evaluate("() => axe.run().then(result => result.violations)")
    return [
        (violation["id"], [node["html"] for node in violation["nodes"]])
        for violation in violations
        if violation["impact"] in {"serious", "critical"}
    ]


def brightness(picture: bytes) -> float:
    """Return the mean grey of a screenshot, 0 to 255."""
    return float(np.asarray(Image.open(io.BytesIO(picture)).convert("L")).mean())


def orange_pixels(tab: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return where the canvas is orange."""
    picture = np.asarray(Image.open(io.BytesIO(tab.locator("canvas").screenshot())).convert("RGB")).astype(int)
    red, green, blue = picture[..., 0], picture[..., 1], picture[..., 2]
    found: np.ndarray[Any, np.dtype[np.bool_]] = (red > 150) & (red - blue > 90) & (green < red)
    return found

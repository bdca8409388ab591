"""The page in a real browser: what a person does, and what they then see."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from e2e.chromium import ROOT, Workbench, load_browser_tool, running_server
from PIL import Image

from armlab import catalog, reports
from armlab.units import joint_scale

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARM = "kuka-kr6-r700"
SHEET = reports.robot_sheet(catalog.load(ARM))
HOME = [joint.home for joint in SHEET.joints]


def python_pose(values: list[float]) -> list[float]:
    """Return x y z A B C of the arm at `values` (degrees), as Python computes them."""
    robot = catalog.load(ARM)
    q = np.array([value * joint_scale(joint.kind) for value, joint in zip(values, robot.joints, strict=True)])
    report = reports.fk_report(robot, q, with_frames=False)
    return [*report.xyz, *report.abc]


def test_the_list_shows_every_arm(workbench: Workbench) -> None:
    tab = workbench.open().tab
    shown = tab.locator(".arm").evaluate_all("links => links.map(link => link.getAttribute('href').slice(1))")
    assert sorted(shown) == sorted(catalog.robot_names())
    assert tab.locator(".count").inner_text() == f"{len(shown)} arms"


def test_the_search_filters_the_list_and_says_when_nothing_matches(workbench: Workbench) -> None:
    tab = workbench.open(ARM).tab
    tab.get_by_label("Search arms").fill("kuka r700")
    names = tab.locator(".arm-name").all_inner_texts()
    assert ARM in names
    assert all("kuka" in name for name in names)
    tab.get_by_label("Search arms").fill("no such arm")
    assert "No arm matches “no such arm”." in tab.locator(".none").inner_text()
    tab.get_by_role("button", name="Clear the search").click()
    assert tab.locator(".arm").count() == len(catalog.robot_names())


def test_choosing_an_arm_shows_its_data_and_keeps_it_in_the_address(workbench: Workbench) -> None:
    tab = workbench.open().tab
    tab.locator(f'.arm[href="#{ARM}"]').click()
    workbench.await_arm(ARM)
    assert tab.url.endswith(f"#{ARM}")
    assert tab.locator(".identity h2").inner_text() == SHEET.title
    assert tab.locator(f'.arm[href="#{ARM}"]').get_attribute("aria-current") == "true"
    assert tab.locator(".joint").count() == SHEET.dof
    workbench.await_pose(python_pose(HOME))


def test_a_slider_moved_by_keyboard_moves_the_tool_to_where_python_says(workbench: Workbench) -> None:
    tab = workbench.open(ARM).tab
    joint = SHEET.joints[1]
    slider = workbench.joint(joint.name).get_by_role("slider")
    slider.focus()
    for key in ("ArrowRight", "ArrowRight", "PageUp", "Shift+ArrowLeft"):
        tab.keyboard.press(key)
    expected = [HOME[0], round(HOME[1] + 11.9, 2), *HOME[2:]]
    workbench.await_pose(python_pose(expected))
    assert workbench.joint(joint.name).get_by_role("textbox").input_value() == f"{expected[1]:.2f}".replace("-", "−")


def test_a_slider_stops_at_the_limit(workbench: Workbench) -> None:
    workbench.open(ARM)
    joint = SHEET.joints[0]
    slider = workbench.joint(joint.name).get_by_role("slider")
    slider.press("End")
    slider.press("PageUp")
    workbench.await_pose(python_pose([joint.upper, *HOME[1:]]))


@pytest.mark.parametrize("typed", ["12.5", "12,5", " +12,50 "])
def test_a_typed_value_may_have_a_point_or_a_comma(workbench: Workbench, typed: str) -> None:
    workbench.open(ARM)
    field = workbench.joint(SHEET.joints[0].name).get_by_role("textbox")
    field.fill(typed)
    field.press("Enter")
    workbench.await_pose(python_pose([12.5, *HOME[1:]]))
    assert field.input_value() == "12.50"


def test_wrong_text_is_answered_in_place_and_moves_nothing(workbench: Workbench) -> None:
    workbench.open(ARM)
    workbench.await_pose(python_pose(HOME))
    joint = SHEET.joints[0]
    row = workbench.joint(joint.name)
    field = row.get_by_role("textbox")
    field.fill("twelve")
    field.press("Enter")
    assert row.get_by_role("alert").inner_text() == "“twelve” is not a number."
    assert field.get_attribute("aria-invalid") == "true"
    field.fill("999")
    field.press("Enter")
    assert row.get_by_role("alert").inner_text().startswith("999.00 ° is outside ")
    assert workbench.tool_pose() == pytest.approx(python_pose(HOME))
    row.get_by_role("slider").press("ArrowRight")
    workbench.await_pose(python_pose([HOME[0] + 1, *HOME[1:]]))
    assert row.get_by_role("alert").inner_text() == ""


def test_a_named_pose_is_one_click_away(workbench: Workbench) -> None:
    workbench.open(ARM)
    pose = next(pose for pose in SHEET.poses if list(pose.q) != HOME)
    workbench.tab.locator(f'[data-pose-name="{pose.name}"]').click()
    workbench.await_pose(python_pose(list(pose.q)))


def test_a_named_pose_is_reached_in_a_glide_where_motion_is_welcome(workbench: Workbench) -> None:
    workbench.tab.emulate_media(reduced_motion="no-preference")
    workbench.open(ARM)
    pose = next(pose for pose in SHEET.poses if list(pose.q) != HOME)
    workbench.tab.locator(f'[data-pose-name="{pose.name}"]').click()
    workbench.await_pose(python_pose(list(pose.q)))


def test_the_dh_table_is_shown_in_either_convention(workbench: Workbench) -> None:
    tab = workbench.open(ARM).tab
    tab.get_by_role("heading", name="Denavit–Hartenberg").click()
    for convention, rows in (("Standard", SHEET.dh_standard), ("Modified", SHEET.dh_modified)):
        tab.get_by_role("radio", name=convention).check()
        table = tab.locator(f'table[data-convention="{convention.lower()}"]')
        shown = [text.split("\t")[1:] for text in table.locator("tbody tr").all_inner_texts()]
        values = [[float(cell.replace("−", "-")) for cell in row] for row in shown]
        expected = [[row.theta, row.d, row.a, row.alpha] for row in rows]
        np.testing.assert_allclose(values, expected, atol=0.00501)


@pytest.mark.parametrize(("language", "heading"), [("ru", "Оси"), ("uk", "Осі"), ("en", "Joints")])
def test_the_language_switch_changes_the_words_and_is_remembered(
    workbench: Workbench, language: str, heading: str
) -> None:
    tab = workbench.open(ARM).tab
    tab.locator(".language select").select_option(language)
    assert tab.locator("#joints-heading").inner_text() == heading
    assert tab.locator("html").get_attribute("lang") == language
    tab.reload()
    workbench.await_arm(ARM)
    assert tab.locator("#joints-heading").inner_text() == heading


def test_the_dark_theme_applies_to_page_and_view(workbench: Workbench) -> None:
    tab = workbench.open(ARM).tab
    light = brightness(tab.screenshot())
    tab.get_by_role("radio", name="Dark").check()
    dark = brightness(tab.screenshot())
    assert dark < 80 < light
    tab.get_by_role("radio", name="As the system").check()
    tab.emulate_media(color_scheme="dark")
    assert brightness(tab.screenshot()) < 80


def test_the_canvas_shows_the_arm(workbench: Workbench) -> None:
    """A KR 6 is orange: there is a good patch of orange in the view, and it moves when the arm does."""
    tab = workbench.open(ARM).tab
    orange = orange_pixels(tab)
    assert orange.sum() > 2000
    workbench.joint(SHEET.joints[0].name).get_by_role("slider").press("End")
    workbench.await_pose(python_pose([SHEET.joints[0].upper, *HOME[1:]]))
    tab.wait_for_timeout(200)
    assert (orange_pixels(tab) != orange).sum() > 2000


def test_the_view_turns_by_button_and_by_key(workbench: Workbench) -> None:
    tab = workbench.open(ARM).tab
    seen = [tab.locator("canvas").screenshot()]
    for name in ("Front", "Side", "Top", "Frames"):
        tab.get_by_role("button", name=name).click()
        tab.wait_for_timeout(200)
        seen.append(tab.locator("canvas").screenshot())
    tab.locator("canvas").press("ArrowLeft")
    tab.wait_for_timeout(200)
    seen.append(tab.locator("canvas").screenshot())
    assert len(set(seen)) == len(seen)


def test_an_unknown_name_in_the_address_is_a_message_with_near_names(workbench: Workbench) -> None:
    tab = workbench.tab
    tab.goto(f"{workbench.url}#{ARM}x")
    note = tab.locator(".view-note [role=alert]")
    note.wait_for()
    assert f"There is no arm named “{ARM}x”." in note.inner_text()
    note.get_by_role("link", name=ARM, exact=True).click()
    workbench.await_arm(ARM)
    assert tab.locator(".view-note").count() == 0
    workbench.complaints.clear()  # Chromium itself reports the 404


def test_a_server_that_is_gone_is_told_and_the_numbers_stay(chromium: Any) -> None:
    with running_server() as mortal:
        context = chromium.new_context(locale="en-GB", reduced_motion="reduce")
        bench = Workbench(context.new_page(), mortal.url).open(ARM)
        bench.await_pose(python_pose(HOME))
        mortal.stop()
        bench.joint(SHEET.joints[0].name).get_by_role("slider").press("ArrowRight")
        bench.tab.locator(".offline").wait_for()
        assert "The server does not answer." in bench.tab.locator(".offline").inner_text()
        assert bench.tool_pose() == pytest.approx(python_pose(HOME))
        context.close()


def test_the_page_asks_nobody_but_its_own_server(workbench: Workbench) -> None:
    workbench.open(ARM)
    assert len(workbench.requests) > 5
    assert [url for url in workbench.requests if not url.startswith((workbench.url, "blob:", "data:"))] == []


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (820, 1180), (390, 844)])
def test_nothing_sticks_out_sideways(workbench: Workbench, width: int, height: int) -> None:
    tab = workbench.tab
    tab.set_viewport_size({"width": width, "height": height})
    workbench.open("franka-panda")
    for language in ("en", "ru", "uk"):
        tab.locator(".language select").select_option(language)
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        sticking = tab.evaluate(
            "width => [...document.querySelectorAll('.workbench :not(svg *)')]"
            ".filter(one => !one.closest('.scroll, .skip, .unseen') && one.getBoundingClientRect().right > width + 1)"
            ".map(one => one.className)",
            width,
        )
        assert sticking == []


def test_on_a_phone_the_list_opens_and_closes_by_its_button(workbench: Workbench) -> None:
    tab = workbench.tab
    tab.set_viewport_size({"width": 390, "height": 844})
    workbench.open(ARM)
    assert not tab.locator(".arm").first.is_visible()
    tab.get_by_role("button", name="Arms").click()
    tab.locator('.arm[href="#ur5e"]').click()
    workbench.await_arm("ur5e")
    assert not tab.locator(".arm").first.is_visible()


@pytest.mark.parametrize("theme", ["Light", "Dark"])
@pytest.mark.parametrize("width", [1366, 390])
def test_axe_finds_no_serious_barrier(workbench: Workbench, theme: str, width: int) -> None:
    axe = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
    if not axe.is_file():
        reason = "NO AXE: run `python hatch_build.py --tools`; the page is not checked for barriers"
        (pytest.fail if load_browser_tool().is_required() else pytest.skip)(reason)
    tab = workbench.tab
    tab.set_viewport_size({"width": width, "height": 900})
    workbench.open(ARM)
    tab.get_by_role("radio", name=theme).check()
    tab.locator("details").evaluate_all("folds => folds.forEach(fold => { fold.open = true; })")
    tab.evaluate(axe.read_text(encoding="utf-8"))
    violations = tab.evaluate("axe.run().then(result => result.violations)")
    serious = [
        (violation["id"], [node["html"] for node in violation["nodes"]])
        for violation in violations
        if violation["impact"] in {"serious", "critical"}
    ]
    assert serious == []


def brightness(picture: bytes) -> float:
    """Return the mean grey of a screenshot, 0 to 255."""
    return float(np.asarray(Image.open(io.BytesIO(picture)).convert("L")).mean())


def orange_pixels(tab: Any) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return where the canvas is orange."""
    picture = np.asarray(Image.open(io.BytesIO(tab.locator("canvas").screenshot())).convert("RGB")).astype(int)
    red, green, blue = picture[..., 0], picture[..., 1], picture[..., 2]
    found: np.ndarray[Any, np.dtype[np.bool_]] = (red > 150) & (red - blue > 90) & (green < red)
    return found

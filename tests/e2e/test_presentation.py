"""Presentation mode in a real browser: the view alone, x-ray and names, a tape, pictures, films and links."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from e2e.bench import ARM, at_home, await_joints, load_axe, serious_barriers, state
from e2e.chromium import Server, Workbench, new_profile
from e2e.jogging import TWO_PICTURES, await_stop, move_to_and_fro
from PIL import Image
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

WINDOW = {"width": 1366, "height": 768}
MATROSKA = bytes([0x1A, 0x45, 0xDF, 0xA3])
"""How a webm file begins."""


def present(bench: Workbench) -> Any:
    """Open the page with the arm at home, and enter the mode by its button."""
    tab = at_home(bench).tab
    tab.get_by_role("button", name="Present", exact=True).click()
    tab.get_by_role("toolbar", name="Presentation").wait_for()
    return tab


def tool(tab: Any, name: str) -> Any:
    return tab.get_by_role("toolbar", name="Presentation").get_by_role("button", name=name, exact=True)


def send_joints(tab: Any, values: list[float]) -> None:
    """Send the arm to joint values (degrees)."""
    tab.evaluate(
        """(values) => armlab.send({ type: "move_joints", revision: armlab.doc.value.revision,
            targets: Object.fromEntries(values.map((value, i) => [i, value])) })""",
        values,
    )


def link_of(tab: Any) -> str:
    """Press the button of links and return the link that is shown."""
    tool(tab, "Link").click()
    return str(tab.locator(".present-link input").input_value())


def test_the_view_fills_the_window_and_keys_lead_in_and_out(workbench: Workbench) -> None:
    tab = present(workbench)
    box = tab.locator(".view canvas").bounding_box()
    assert (box["width"], box["height"]) == pytest.approx((WINDOW["width"], WINDOW["height"]), abs=1)
    expect(tab.locator(".header")).to_be_hidden()
    expect(tab.locator("#right")).to_be_hidden()
    tab.keyboard.press("Escape")
    expect(tab.locator(".header")).to_be_visible()
    expect(tab.get_by_role("button", name="Present", exact=True)).to_be_focused()
    tab.keyboard.press("p")
    expect(tab.locator(".header")).to_be_hidden()
    tab.keyboard.press("p")
    expect(tab.locator(".header")).to_be_visible()
    tab.get_by_role("tab", name="Arm", exact=True).click()
    search = tab.locator("#right input[type=search]").first
    search.click()
    tab.keyboard.type("p")
    expect(search).to_have_value("p")
    expect(tab.locator(".header")).to_be_visible()


def test_escape_stops_the_arm_first_and_leaves_second(workbench: Workbench) -> None:
    tab = present(workbench)
    move_to_and_fro(tab)
    tab.keyboard.press("Escape")
    await_stop(tab)
    expect(tab.locator(".header")).to_be_hidden()
    tab.keyboard.press("Escape")
    expect(tab.locator(".header")).to_be_visible()


def test_axes_have_the_names_of_formulas_and_stand_where_the_links_are(workbench: Workbench) -> None:
    tab = present(workbench)
    tool(tab, "Labels").click()
    tool(tab, "X-ray").click()
    tab.wait_for_function("() => armlab.view.value.showing.shown.length > 6")
    shown = {mark["text"]: mark["at"] for mark in state(workbench, "view.value.showing.shown")}
    frames = np.array(list(tab.evaluate("() => [...armlab.live.frames]"))).reshape(-1, 7)
    for i in range(6):
        assert shown[f"θ{'₁₂₃₄₅₆'[i]} · A{i + 1}"] == pytest.approx(frames[i + 1, :3].tolist(), abs=1e-5)
    assert shown["Tool"] == pytest.approx(frames[-1, :3].tolist(), abs=1e-5)
    assert "Link 3" in shown
    tool(tab, "Labels").click()
    tool(tab, "X-ray").click()
    tab.wait_for_function("() => armlab.view.value.showing.shown.length === 0")


def test_the_tape_tells_how_far_two_points_on_the_floor_are_apart(workbench: Workbench) -> None:
    tab = present(workbench)
    tool(tab, "Measure").click()
    expect(tab.get_by_text("Click the first point.")).to_be_visible()
    tab.get_by_role("button", name="Top", exact=True).click()
    tab.evaluate(TWO_PICTURES)
    for y in (-150, 150):
        x_px, y_px = tab.evaluate("(y) => armlab.view.value.onScreen([-300, y, 0])", y)
        tab.mouse.click(x_px, y_px)
    tab.wait_for_function("() => Number(document.querySelector('.present-tape').dataset.distance) > 0")
    told = float(tab.locator(".present-tape").get_attribute("data-distance"))
    assert told == pytest.approx(300.0, abs=5.0)
    expect(tab.locator(".present-tape")).to_contain_text(f"{told:.1f} mm")
    names = tab.evaluate("() => armlab.view.value.overlay('tape').children.map(({ name }) => name)")
    assert f"{told:.1f} mm" in [name.replace("\u00a0", " ") for name in names]


def test_a_picture_and_a_film_are_downloaded(workbench: Workbench, tmp_path: Path) -> None:
    tab = present(workbench)
    with tab.expect_download() as waiting:
        tool(tab, "Picture").click()
    assert waiting.value.suggested_filename.startswith(ARM)
    waiting.value.save_as(tmp_path / "view.png")
    picture = np.asarray(Image.open(io.BytesIO((tmp_path / "view.png").read_bytes())).convert("RGB")).astype(int)
    red, blue = picture[..., 0], picture[..., 2]
    assert ((red > 150) & (red - blue > 90)).mean() > 0.005, "a KR 6 is orange"
    assert picture.min() < 60
    assert picture.max() > 200
    tool(tab, "Video").click()
    filming = tab.locator('[data-tool="film"]')
    expect(filming).to_have_attribute("aria-pressed", "true")
    expect(filming).to_contain_text("0:01")
    with tab.expect_download() as waiting:
        filming.click()
    assert waiting.value.suggested_filename.endswith(".webm")
    waiting.value.save_as(tmp_path / "view.webm")
    film = (tmp_path / "view.webm").read_bytes()
    assert film.startswith(MATROSKA)
    assert len(film) > 1000


def test_where_no_film_can_be_made_it_is_said(workbench: Workbench) -> None:
    workbench.tab.add_init_script("delete window.MediaRecorder;")
    tab = present(workbench)
    expect(tool(tab, "Video")).to_be_disabled()
    expect(tab.get_by_text("This browser cannot record video")).to_be_visible()


def test_a_link_opens_the_same_situation_elsewhere(workbench: Workbench, chromium: Any, server: Server) -> None:
    tab = at_home(workbench).tab
    there = [25.0, -80.0, 100.0, 10.0, 40.0, -30.0]
    send_joints(tab, there)
    await_joints(workbench, there)
    tab.get_by_role("button", name="Present", exact=True).click()
    tab.get_by_role("button", name="Side", exact=True).click()
    link = link_of(tab)
    assert server.key not in link
    assert "token" not in link
    assert len(link) < 2000
    aim = tab.evaluate("() => armlab.view.value.showing.aim")
    context = new_profile(chromium, server)
    other = Workbench(context.new_page(), server.url)
    other.tab.goto(link)
    other.await_arm(ARM)
    await_joints(other, there)
    other.tab.wait_for_function(
        "(aim) => armlab.view.value.showing.aim.every((value, i) => Math.abs(value - aim[i]) < 1e-3)", arg=aim
    )
    assert "#" not in other.tab.url
    expect(other.tab.get_by_text("Opened from the link.")).to_be_visible()
    assert other.complaints == []
    context.close()


def test_a_damaged_link_changes_nothing_and_a_large_project_has_none(workbench: Workbench) -> None:
    tab = present(workbench)
    link = link_of(tab)
    before = state(workbench, "doc.value.revision")
    tab.evaluate("(hash) => { location.hash = hash; }", link.partition("#")[2][:-20])
    expect(tab.get_by_text("This link is incomplete or damaged")).to_be_visible()
    assert state(workbench, "doc.value.revision") == before
    tab.get_by_role("button", name="Close", exact=True).click()
    noise = bytes(np.random.default_rng(3).integers(33, 126, 60_000, dtype=np.uint8)).decode()
    tab.evaluate(
        """(text) => armlab.send({ type: "edit", label: "noise", revision: armlab.doc.value.revision,
            changes: [{ path: [], value: armlab.wholeOf({
                ...armlab.project.value, program: { language: "gcode", text, inputs: {} } }) }] })""",
        noise,
    )
    tab.wait_for_function("(before) => armlab.doc.value.revision > before", arg=before)
    tool(tab, "Link").click()
    expect(tab.get_by_text("too large for a link")).to_be_visible()
    expect(tab.locator(".present-link input")).to_have_count(0)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_works_on_a_tablet_without_barriers(chromium: Any, server: Server, scheme: str) -> None:
    context = new_profile(
        chromium, server, viewport={"width": 820, "height": 1180}, has_touch=True, color_scheme=scheme
    )
    bench = Workbench(context.new_page(), server.url)
    tab = bench.open("scara").tab
    tab.locator(".view-present").tap()
    tool(tab, "X-ray").tap()
    tool(tab, "Labels").tap()
    load_axe(tab)
    assert serious_barriers(tab) == []
    for button in tab.get_by_role("toolbar", name="Presentation").get_by_role("button").all():
        box = button.bounding_box()
        assert box["height"] >= 44
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 820
    tool(tab, "Exit").tap()
    expect(tab.locator(".header")).to_be_visible()
    assert bench.complaints == []
    context.close()

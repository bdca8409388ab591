"""The mathematics panel in a real browser: formulas, live numbers, lit links, and the report."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from e2e.bench import await_other_picture, picture
from e2e.chromium import Workbench
from playwright.sync_api import expect

from armlab import catalog
from armlab.arrays import Floats

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARM = "planar3"


def open_panel(workbench: Workbench, arm: str = ARM) -> Any:
    """Open the panel with an arm on the bench; wait for the tool's formulas."""
    tab = workbench.open(arm).tab
    tab.get_by_role("tab", name="Mathematics").click()
    tab.locator('[data-part="tool"] .katex').first.wait_for()
    return tab


POINT = """() => [...document.querySelectorAll("[data-part=tool] .mathematics-table tbody tr:first-child td")]
    .slice(0, 3).map(cell => parseFloat(cell.innerText.replace(/\\s/g, "").replace("\u2212", "-")))"""
"""x, y and z of the tool (mm), as the table says them; typesetting puts a space after a minus."""


def await_point(tab: Any, q: Floats) -> None:
    """Wait until the table has the point at which Python puts the tool for `q`."""
    expected = 1000 * catalog.load(ARM).fk(q)[:3, 3]
    near = f"(expected) => ({POINT})().every((value, i) => Math.abs(value - expected[i]) < 0.01)"
    tab.wait_for_function(near, arg=expected.tolist())


def test_numbers_change_when_the_arm_moves(workbench: Workbench) -> None:
    tab = open_panel(workbench)
    await_point(tab, catalog.load(ARM).home)
    tab.evaluate(
        "() => armlab.send({type: 'move_joints', revision: armlab.doc.value.revision, targets: {0: 90, 1: 0, 2: 0}})"
    )
    await_point(tab, np.radians([90.0, 0.0, 0.0]))
    tab.get_by_role("button", name="Singularities").click()
    section = tab.locator('[data-part="singular"]')
    section.locator(".katex").first.wait_for()
    section.get_by_text("The arm is singular here", exact=False).wait_for()


def test_pointing_at_a_symbol_lights_its_link(workbench: Workbench) -> None:
    tab = open_panel(workbench)
    tab.get_by_role("button", name="The matrix of each joint").click()
    symbol = tab.locator('[data-part="matrices"] [data-link="2"]').first
    symbol.scroll_into_view_if_needed()
    tab.mouse.move(5, 5)
    dark = picture(tab)
    symbol.hover()
    expect(symbol).to_have_attribute("data-pointed", "")
    await_other_picture(tab, dark)
    tab.mouse.move(5, 5)
    expect(symbol).not_to_have_attribute("data-pointed", "")


def test_a_focused_formula_lights_its_links(workbench: Workbench) -> None:
    tab = open_panel(workbench)
    dark = picture(tab)
    line = tab.locator('[data-part="tool"] .mathematics-line[data-places="1 2 3"]').first
    line.focus()
    expect(line).to_have_attribute("aria-label", "Formula about Link 1, Link 2, Link 3")
    await_other_picture(tab, dark)


def test_arrow_keys_lead_from_symbol_to_symbol_and_from_row_to_row(workbench: Workbench) -> None:
    tab = open_panel(workbench)
    tab.get_by_role("button", name="The matrix of each joint").click()
    line = tab.locator('[data-part="matrices"] .mathematics-line:has([data-link])').first
    tab.mouse.move(5, 5)  # what scrolls under a resting mouse is pointed at, too
    line.focus()
    line.press("ArrowRight")
    expect(line.locator("[data-pointed]")).to_have_count(1)
    first = line.locator("[data-pointed]").get_attribute("data-link")
    told = tab.locator(".mathematics-here").get_by_role("status")
    expect(told).to_have_text(f"Lit: Link {first}")
    line.press("End")  # other keys are the browser's
    line.press("ArrowLeft")
    expect(line.locator("[data-link]").first).to_have_attribute("data-pointed", "")
    line.evaluate("(box) => box.blur()")
    expect(line.locator("[data-pointed]")).to_have_count(0)

    tab.get_by_role("button", name="Denavit–Hartenberg table").click()
    tab.mouse.move(5, 5)
    table = tab.locator('[data-part="table"]').get_by_role("region", name="Table").first
    table.focus()
    for _ in range(2):
        table.press("ArrowDown")
    expect(table.locator("tr[data-pointed]")).to_have_attribute("data-places", "2")
    expect(told).to_have_text("Lit: Link 2")


def test_long_formulas_go_on_in_the_next_line_and_the_joint_values_stay_in_sight(workbench: Workbench) -> None:
    """At 1366 x 768, of the arm with the longest formulas."""
    tab = open_panel(workbench, "kuka-kr6-r900")
    wide = (
        "(lines) => lines.filter((line) => line.querySelector('.mtable') === null"
        " && line.scrollWidth > line.clientWidth + 1).length"
    )
    assert tab.locator('[data-part="tool"] .mathematics-line').evaluate_all(wide) == 0
    panel = tab.locator('[data-panel="mathematics"]')
    assert panel.evaluate("(panel) => panel.scrollWidth - panel.clientWidth") <= 0
    assert tab.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    panel.evaluate("(panel) => panel.scrollTo(0, panel.scrollHeight)")
    top = tab.locator(".mathematics-here").bounding_box()["y"]
    assert top == pytest.approx(panel.bounding_box()["y"], abs=2)
    assert "A6" in tab.locator(".mathematics-q").inner_text()


def test_formulas_are_typeset_only_in_open_sections(workbench: Workbench) -> None:
    tab = open_panel(workbench)
    closed = tab.locator('[data-part="jacobian"]')
    assert closed.locator(".katex").count() == 0
    closed.get_by_role("button").click()
    closed.locator(".katex").first.wait_for()
    closed.get_by_role("button").click()
    assert closed.locator(".katex").count() == 0
    assert [url for url in workbench.requests if url.endswith((".woff2", ".css")) and "KaTeX" in url] != []


def test_the_report_is_downloaded_in_every_form(workbench: Workbench, tmp_path: Path) -> None:
    tab = open_panel(workbench)
    for button, suffix in (("HTML", "html"), ("Markdown", "zip"), ("LaTeX", "zip")):
        with tab.expect_download() as waiting:
            tab.get_by_role("button", name=button, exact=True).click()
        path = tmp_path / f"{button}-{waiting.value.suggested_filename}"
        waiting.value.save_as(path)
        assert path.name.startswith(f"{button}-{ARM}")
        assert path.suffix == f".{suffix}"
        if suffix == "html":
            assert "Denavit" in path.read_text(encoding="utf-8")
        else:
            assert any("Denavit" in text for text in texts_of(path))


def texts_of(path: Path) -> list[str]:
    """Return the texts of a ZIP: what can be read of it."""
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        names = [name for name in archive.namelist() if name.endswith((".md", ".tex"))]
        return [archive.read(name).decode("utf-8") for name in names]


def test_another_arm_brings_its_own_derivation(workbench: Workbench) -> None:
    tab = open_panel(workbench)
    tab.goto(f"{workbench.url}#kuka-kr6-r900")
    workbench.await_arm("kuka-kr6-r900")
    tab.locator('[data-part="tool"] [data-link="6"]').first.wait_for()


def open_check(tab: Any) -> Any:
    """Open the part in which formulas are checked; return the field for one."""
    tab.get_by_role("button", name="Check your formula", exact=True).click()
    return tab.get_by_role("textbox", name="Your formula")


def test_a_student_finds_the_mistake_in_a_formula(workbench: Workbench) -> None:
    tab = open_panel(workbench)
    workbench.allow("422")
    field, part = open_check(tab), tab.locator('[data-section="mathematics.check"]')
    expect(part).to_contain_text("L1 = 20 mm")
    field.fill("L1*cos(t1) + L2*cos(t2) + L3*cos(t1+t2+t3)")
    field.press("Enter")
    card = part.locator(".card")
    expect(card).to_contain_text("Wrong: at theta_1 = ")
    shown = [part.locator(f'[data-value="{name}"]').inner_text() for name in ("yours", "expected")]
    assert shown[0] != shown[1]
    field.fill("L1*cos(t1) + L2*cos(t1+t2 + L3")
    tab.get_by_role("button", name="Check", exact=True).click()
    expect(part.get_by_role("alert")).to_contain_text("Column ")
    field.fill("L1*cos(t1) + L2*koz(t1+t2)")
    field.press("Enter")
    expect(part.locator("mark")).to_have_text("koz")
    field.fill("L1*cos(t1) + L2*cos(t1+t2) + L3*cos(t1+t2+t3)")
    field.press("Enter")
    expect(card).to_contain_text("Right: this is x of planar3")
    part.get_by_role("combobox", name="Quantity").select_option("y")
    expect(card).to_have_count(0)
    field.press("Enter")
    expect(card).to_contain_text("Wrong")


def test_another_arm_has_other_names_and_no_verdict(workbench: Workbench) -> None:
    tab = open_panel(workbench)
    field, part = open_check(tab), tab.locator('[data-section="mathematics.check"]')
    part.get_by_role("combobox", name="Quantity").select_option("phi")
    field.fill("t1+t2+t3")
    field.press("Enter")
    expect(part.locator(".card")).to_contain_text("Right")
    tab.goto(f"{workbench.url}#kuka-kr6-r900")
    workbench.await_arm("kuka-kr6-r900")
    expect(part).to_contain_text("a_2 = 455 mm")
    expect(part.locator(".card")).to_have_count(0)
    expect(part.get_by_role("combobox", name="Quantity")).to_have_value("x")


def test_numbers_are_put_in_below_every_formula_and_follow_the_arm(workbench: Workbench) -> None:
    tab = open_panel(workbench)
    lines = tab.locator('[data-part="tool"] .mathematics-numbers')
    expect(lines).to_have_count(0)
    switch = tab.get_by_label("Substitute values")
    switch.check()
    expect(lines.first).to_be_visible()
    first = lines.first.locator("annotation")
    expect(first).to_contain_text(r"20 \cdot \cos 30")
    tab.evaluate(
        "() => armlab.send({type: 'move_joints', revision: armlab.doc.value.revision, targets: {0: 60, 1: 0, 2: 0}})"
    )
    expect(first).to_contain_text(r"20 \cdot \cos 60")
    expect(first).to_contain_text(r"= 30 \,\mathrm{mm}")
    tab.get_by_role("button", name="The inverse problem").click()
    inverse = tab.locator('[data-part="inverse"] .mathematics-numbers')
    expect(inverse.first).to_be_visible()
    switch.uncheck()
    expect(lines).to_have_count(0)
    expect(inverse).to_have_count(0)

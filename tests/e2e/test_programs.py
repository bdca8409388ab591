"""The panel “Programs”: an example is opened, checked, run, held at a breakpoint, stepped; mistakes are underlined."""

from __future__ import annotations

import pytest
from e2e.chromium import Workbench

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SQUARE = "G21 G90\nG0 X0 Y0 Z0\nG1 X60 F3000\nG1 Y60\nG1 X0\nG1 Y0\nM2\n"


def test_a_program_is_written_checked_held_at_a_breakpoint_and_stepped(workbench: Workbench) -> None:
    tab = workbench.open("scara").tab
    workbench.allow("Applying inline style")  # Chromium keeps the look of replaced text; the page's policy refuses that
    tab.get_by_role("tab", name="Programs").click()
    panel = tab.locator(".programs")
    text = panel.get_by_role("textbox", name="Program text")
    text.click()
    tab.keyboard.insert_text("G21 G90\nG1 X[1/0] F100\n")
    panel.locator(".programs-side li[data-level=error]", has_text="Line 2").wait_for()
    panel.locator(".cm-lintRange-error").wait_for()
    text.press("Control+a")
    tab.keyboard.insert_text(SQUARE)
    panel.get_by_text("5 motions").wait_for()
    assert panel.locator(".programs-side li[data-level=error]").count() == 0
    tab.wait_for_function("(text) => armlab.doc.value.project.program?.text === text", arg=SQUARE)
    panel.locator(".cm-lineNumbers .cm-gutterElement", has_text="4").click()
    panel.locator(".cm-dot").last.wait_for()
    panel.get_by_role("button", name="Run", exact=True).click()
    panel.get_by_role("button", name="Resume").wait_for()
    panel.get_by_text("Line 4 runs").wait_for()
    assert "G1 Y60" in panel.locator(".cm-running").inner_text()
    panel.get_by_role("button", name="Step", exact=True).click()
    panel.get_by_text("Line 5 runs").wait_for()
    panel.get_by_role("button", name="Stop").click()
    tab.wait_for_function("() => document.querySelectorAll('.programs .primary').length === 1")


def test_an_example_is_opened_in_its_language(workbench: Workbench) -> None:
    tab = workbench.open("kuka-kr6-r700").tab
    tab.get_by_role("tab", name="Programs").click()
    panel = tab.locator(".programs")
    panel.get_by_label("Examples").select_option(label="star · KRL")
    panel.get_by_role("radio", name="KRL").wait_for()
    tab.wait_for_function("() => armlab.doc.value.project.program?.language === 'krl'")
    assert panel.get_by_role("radio", name="KRL").is_checked()
    panel.get_by_text("motions").wait_for()
    tab.locator(".project-button").click()
    tab.get_by_role("button", name="New project").click()
    tab.wait_for_function("() => armlab.doc.value.project.program === null")
    panel.locator(".cm-line", has_text="DEF").first.wait_for(state="detached")
    panel.get_by_text("motions").wait_for(state="detached")

"""The panel “Programs”: examples, checks, breakpoints, steps, signals, console, translation, the path in the view."""

from __future__ import annotations

from typing import Any

import pytest
from e2e.chromium import Workbench
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SQUARE = "G21 G90\nG0 X0 Y0 Z0\nG1 X60 F3000\nG1 Y60\nG1 X0\nG1 Y0\nM2\n"
ROUTINE = """DEF job()
INT i
PTP {A1 0, A2 -90, A3 90, A4 0, A5 90, A6 0}
FOR i = 1 TO 2
  stroke()
ENDFOR
$OUT[3] = $IN[7]
LIN_REL {Z 10}
END
DEF stroke()
LIN_REL {Z -20}
LIN_REL {Z 20}
END
"""


WAITING = """DEF job()
PTP {A1 0, A2 -90, A3 90, A4 0, A5 90, A6 0}
WAIT FOR $IN[1]
LIN_REL {Z -20}
IF $IN[2] THEN
  $OUT[4] = TRUE
ENDIF
$OUT[3] = TRUE
END
"""
MIDDLE = """async (line) => {
  const address = `api/sessions/${armlab.session.value}/program-check`;
  const body = JSON.stringify(armlab.project.value.program);
  const headers = { "Content-Type": "application/json" };
  const found = await (await fetch(address, { method: "POST", headers, body })).json();
  const [a, b] = found.paths.find((path) => path.line === line).points;
  return armlab.view.value.onScreen(a.map((value, i) => (value + b[i]) / 2));
}"""
"""Where the middle of a line's path is on the screen."""


def panel_of(workbench: Workbench, arm: str) -> Any:
    tab = workbench.open(arm).tab
    workbench.allow("Applying inline style")  # Chromium keeps the look of replaced text; the page's policy refuses that
    tab.get_by_role("tab", name="Programs").click()
    return tab.locator(".programs")


def write(workbench: Workbench, panel: Any, text: str) -> None:
    panel.get_by_role("textbox", name="Program text").click()
    workbench.tab.keyboard.press("Control+a")
    workbench.tab.keyboard.insert_text(text)
    workbench.tab.wait_for_function("(text) => armlab.project.value.program?.text === text", arg=text)


def test_a_program_is_written_checked_held_at_a_breakpoint_and_stepped(workbench: Workbench) -> None:
    panel = panel_of(workbench, "scara")
    tab = workbench.tab
    text = panel.get_by_role("textbox", name="Program text")
    text.click()
    tab.keyboard.insert_text("G21 G90\nG1 X[1/0] F100\n")
    panel.locator(".programs-findings li[data-level=error]", has_text="Line 2").wait_for()
    panel.locator(".cm-lintRange-error").wait_for()
    write(workbench, panel, SQUARE)
    panel.get_by_text("5 motions").wait_for()
    assert panel.locator(".programs-findings li[data-level=error]").count() == 0
    panel.locator(".cm-lineNumbers .cm-gutterElement", has_text="4").click()
    panel.locator(".cm-dot").last.wait_for()
    panel.get_by_role("button", name="Run", exact=True).click()
    panel.get_by_role("button", name="Resume").wait_for()
    panel.get_by_text("Line 4 runs").wait_for()
    assert "G1 Y60" in panel.locator(".cm-running").inner_text()
    panel.get_by_role("button", name="Step into").click()
    panel.get_by_text("Line 5 runs").wait_for()
    panel.get_by_role("button", name="Step back").click()
    panel.get_by_text("Line 4 runs").wait_for()
    panel.get_by_role("button", name="Stop").click()
    tab.wait_for_function("() => document.querySelectorAll('.programs .primary').length === 1")


def test_an_example_is_opened_in_its_language(workbench: Workbench) -> None:
    panel = panel_of(workbench, "kuka-kr6-r700")
    tab = workbench.tab
    panel.get_by_label("Examples").select_option(label="weld · KRL")
    tab.wait_for_function("() => armlab.project.value.program?.language === 'krl'")
    assert panel.get_by_label("Language").input_value() == "krl"
    panel.get_by_text("motions").wait_for()
    assert panel.locator(".programs-findings li[data-level=error]").count() == 0  # its data list is there
    panel.get_by_label("Examples").select_option(label="stack · Python")
    tab.wait_for_function("() => armlab.project.value.program?.language === 'python'")
    tab.locator(".project-button").click()
    tab.get_by_role("button", name="New project").click()
    tab.wait_for_function("() => armlab.project.value.program === null")
    panel.get_by_text("motions").wait_for(state="detached")


def test_routines_are_stepped_over_and_out_of_and_signals_are_seen(workbench: Workbench) -> None:
    panel = panel_of(workbench, "kuka-kr6-r700")
    panel.get_by_label("Language").select_option("krl")
    write(workbench, panel, ROUTINE)
    panel.get_by_text("6 motions").wait_for()
    panel.get_by_role("radio", name="Signals").click()
    lamp = panel.get_by_role("switch", name="7")
    expect(lamp).to_have_attribute("aria-checked", "false")
    lamp.click()
    workbench.tab.wait_for_function("() => armlab.project.value.program?.inputs['7'] === true")
    panel.locator(".cm-line", has_text="LIN_REL {Z -20}").click()
    panel.get_by_role("button", name="Run to cursor").click()
    panel.locator(".cm-running", has_text="LIN_REL {Z -20}").wait_for()
    panel.get_by_role("button", name="Step out").click()
    workbench.tab.wait_for_function("() => armlab.live.playerTime > 0.8")  # the first call of the routine is over
    panel.locator("dt", has_text="I").first.wait_for()
    panel.get_by_role("button", name="Resume").click()
    panel.locator("[data-output='3'][data-on=true]").wait_for()


def test_the_console_moves_the_arm_and_says_what_is_wrong(workbench: Workbench) -> None:
    panel = panel_of(workbench, "kuka-kr6-r700")
    tab = workbench.tab
    panel.get_by_label("Language").select_option("krl")
    panel.get_by_role("radio", name="Console").click()
    line = panel.get_by_role("textbox", name="Statement")
    line.fill("PTP {A1 30}")
    line.press("Enter")
    panel.locator("li[data-outcome=done]", has_text="PTP {A1 30}").wait_for()
    tab.wait_for_function("() => Math.abs(armlab.live.q[0] - 30) < 0.05")
    line.fill("PTP {A1 300}")
    line.press("Enter")
    panel.locator("li[data-outcome=failed] p[data-level=error]").first.wait_for()
    for text in ("FOR i = 1 TO 2", "LIN_REL {Z -20}"):
        line.fill("INT i" if text.startswith("FOR") else text)
        if text.startswith("FOR"):
            line.press("Enter")
            line.fill(text)
        line.press("Enter")
    panel.locator("li[data-outcome=more]").first.wait_for()
    before = workbench.tool_pose()[2]
    line.fill("ENDFOR")
    line.press("Enter")
    tab.wait_for_function(
        "(before) => Math.abs(Number(document.querySelector('[data-pose=\"Z\"]').dataset.value) - before + 40) < 0.5",
        arg=before,
    )
    line.press("ArrowUp")
    assert line.input_value() == "ENDFOR"
    line.fill("? i * 2")
    line.press("Enter")
    panel.get_by_text("INT I * 2 = 6").wait_for()


def test_a_translation_stands_beside_the_program_and_can_be_used(workbench: Workbench) -> None:
    panel = panel_of(workbench, "kuka-kr6-r700")
    panel.get_by_label("Language").select_option("krl")
    write(workbench, panel, ROUTINE)
    panel.get_by_role("radio", name="Translation").click()
    panel.get_by_label("Translate to …").select_option("gcode")
    panel.locator("pre", has_text="o<stroke> sub").wait_for()
    panel.get_by_text("Run again: path within").wait_for()
    workbench.allow("Failed to load resource")  # the browser complains of what it is refused
    panel.get_by_label("Translate to …").select_option("rapid")
    panel.get_by_text("name the arm that will run it").wait_for()
    panel.get_by_label("The arm that will run it").select_option("kuka-kr6-r700")
    panel.locator("pre", has_text="PROC STROKE").wait_for()
    panel.get_by_label("Translate to …").select_option("gcode")
    panel.locator("pre", has_text="o<stroke> sub").wait_for()
    panel.get_by_role("button", name="Use as program").click()
    workbench.tab.wait_for_function("() => armlab.project.value.program?.language === 'gcode'")
    panel.get_by_role("radio", name="Findings").click()
    panel.get_by_text("motions").wait_for()


def test_a_click_on_the_path_goes_to_its_line_and_words_have_help(workbench: Workbench) -> None:
    panel = panel_of(workbench, "scara")
    tab = workbench.tab
    write(workbench, panel, SQUARE)
    panel.get_by_text("5 motions").wait_for()
    tab.mouse.click(*tab.evaluate(MIDDLE, 4))
    panel.locator(".cm-activeLine", has_text="G1 Y60").wait_for()
    panel.locator(".cm-line", has_text="G1 Y60").get_by_text("G1").hover()
    panel.locator(".cm-help", has_text="move straight").wait_for()
    panel.get_by_role("textbox", name="Program text").click()
    tab.keyboard.press("Control+End")
    tab.keyboard.type("G8")
    panel.locator(".cm-tooltip-autocomplete", has_text="G81").wait_for()


def test_the_editor_has_room_on_a_small_screen_in_russian(workbench: Workbench) -> None:
    panel_of(workbench, "kuka-kr6-r700")
    tab = workbench.tab
    tab.set_viewport_size({"width": 1366, "height": 768})
    tab.locator(".language select").select_option("ru")
    tab.locator(".programs").get_by_label("Примеры").select_option(label="star · KRL")
    tab.locator(".programs .cm-line", has_text="DEF star").wait_for()
    editor = tab.locator(".programs-editor").bounding_box()
    assert editor["height"] >= 6 * 19.5  # lines of text that are seen at once


def test_inputs_that_are_switched_while_a_program_runs_are_seen_by_it(workbench: Workbench) -> None:
    panel = panel_of(workbench, "kuka-kr6-r700")
    panel.get_by_label("Language").select_option("krl")
    write(workbench, panel, WAITING)
    panel.get_by_role("radio", name="Signals").click()
    panel.get_by_role("switch", name="1").wait_for()
    panel.get_by_role("button", name="Run", exact=True).click()
    panel.get_by_text("waits for input 1").wait_for()
    lamp = panel.locator("[data-output='3'][data-on='true']")
    assert lamp.count() == 0
    panel.get_by_role("switch", name="2").click()
    panel.get_by_role("switch", name="1").click()
    lamp.wait_for()
    panel.locator("[data-output='4'][data-on='true']").wait_for()
    panel.get_by_role("button", name="Run", exact=True).wait_for()


@pytest.mark.parametrize("language", ["en", "ru", "uk"])
def test_the_tabs_beside_a_program_are_whole_on_a_narrow_window(workbench: Workbench, language: str) -> None:
    panel = panel_of(workbench, "scara")
    workbench.tab.locator(".language select").select_option(language)
    workbench.tab.locator(f"html[lang={language}]").wait_for(state="attached")
    workbench.tab.set_viewport_size({"width": 820, "height": 1180})
    cut = """(side) => [...side.querySelectorAll(".segments .segment")].filter((tab) => {
      const own = tab.getBoundingClientRect(), all = side.getBoundingClientRect();
      return own.right > all.right + 0.5 || tab.scrollWidth > tab.clientWidth;
    }).map((tab) => tab.textContent)"""
    assert panel.locator(".programs-side").evaluate(cut) == []

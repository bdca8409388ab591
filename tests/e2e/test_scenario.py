"""The panel of the scenario, used as a person would: open, edit, check, run, pause, step, files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from e2e.chromium import Workbench

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

STEPS = "armlab.doc.value.project.scenario.steps"


@pytest.fixture
def scenario(workbench: Workbench) -> Any:
    """Return a tab with the panel of the scenario open."""
    tab = workbench.open().tab
    tab.locator('[data-tab="scenario"]').click()
    tab.locator("[data-scenario]").first.wait_for()
    return tab


def test_pick_and_place_is_opened_run_paused_stepped_and_stopped(scenario: Any) -> None:
    scenario.locator('[data-scenario="pick-and-place"]').click()
    scenario.locator('[data-step="24"]').wait_for()
    assert scenario.evaluate("armlab.doc.value.project.arm.tool") == "gripper"
    assert "Pick cube-red" in scenario.locator('[data-step="2"]').inner_text()

    act(scenario, "play")
    until(scenario, "armlab.holding.value === 'cube-red'")
    until(scenario, "document.querySelector('[data-running]') !== null")
    act(scenario, "hold")
    until(scenario, "(armlab.live.flags & 12) === 8")

    at = scenario.evaluate("armlab.live.playerTime")
    act(scenario, "step")
    until(
        scenario,
        f"""(armlab.live.flags & 12) === 8 && armlab.live.playerTime > {at} + 1e-3
            && armlab.player.value.legs.some(leg => Math.abs(leg.end - armlab.live.playerTime) < 0.01)""",
    )
    scenario.locator(".pace select").select_option("4")
    act(scenario, "play")
    until(scenario, "armlab.live.playerTime > armlab.player.value.duration - 0.02")
    act(scenario, "stop")
    until(scenario, "armlab.player.value === null")
    assert scenario.locator("[data-running]").count() == 0


def test_steps_are_added_edited_reordered_copied_and_deleted(scenario: Any) -> None:
    begin(scenario)
    add(scenario, "wait", 1)
    field = scenario.get_by_label("How long")
    field.fill("2,5")
    field.press("Enter")
    until(scenario, f"{STEPS}[1].seconds === 2.5")
    assert "Wait 2.5 s" in scenario.locator('.scenario-step[data-step="1"]').inner_text()
    note = scenario.get_by_label("Note")
    note.fill("let it settle")
    note.press("Enter")
    until(scenario, f"{STEPS}[1].note === 'let it settle'")

    scenario.locator('[data-focus="1"]').press("Alt+ArrowUp")
    await_order(scenario, ["wait", "move"])
    scenario.locator('.scenario-step[data-step="0"]').drag_to(scenario.locator('.scenario-step[data-step="1"]'))
    await_order(scenario, ["move", "wait"])
    scenario.get_by_role("button", name="Move step 2 up").click()
    await_order(scenario, ["wait", "move"])
    scenario.get_by_role("button", name="Duplicate step 1").click()
    await_order(scenario, ["wait", "wait", "move"])
    scenario.locator('[data-focus="0"]').press("Delete")
    await_order(scenario, ["wait", "move"])
    scenario.locator(".toast").get_by_role("button", name="Undo").click()
    await_order(scenario, ["wait", "wait", "move"])


def test_a_move_goes_by_joints_line_or_arc_to_a_named_or_typed_pose(scenario: Any) -> None:
    begin(scenario)
    scenario.get_by_role("combobox", name="Where to").select_option("name/home")
    until(scenario, f"{STEPS}[0].to === 'home'")
    scenario.get_by_role("combobox", name="Where to").select_option("pose")
    until(scenario, f"{STEPS}[0].to_pose !== null")
    scenario.locator(".scenario-editor").get_by_role("radio", name="Line").check()
    until(scenario, f"{STEPS}[0].path === 'line'")
    speed = scenario.get_by_label("Tool speed")
    speed.fill("120")
    speed.press("Enter")
    until(scenario, f"{STEPS}[0].tool_speed === 120")
    scenario.locator(".scenario-editor").get_by_role("radio", name="Arc").check()
    until(scenario, f"{STEPS}[0].arc !== null && {STEPS}[0].path === 'joint'")
    scenario.locator(".scenario-editor").get_by_role("radio", name="Joints").check()
    until(scenario, f"{STEPS}[0].arc === null && {STEPS}[0].tool_speed === null")


def test_a_step_that_cannot_be_planned_says_so_where_it_is(scenario: Any) -> None:
    begin(scenario)
    add(scenario, "move", 1)
    scenario.get_by_role("combobox", name="Where to").select_option("pose")
    far = scenario.locator(".scenario-editor").get_by_label("X", exact=True)
    far.fill("9000")
    far.press("Enter")
    until(scenario, f"{STEPS}[1].to_pose?.[0] === 9000")
    act(scenario, "play")
    scenario.locator('.scenario-editor[data-editing="1"] [role="alert"]', has_text="Step 2").wait_for()
    assert scenario.locator('[data-step="1"] .scenario-mark[data-level="error"]').count() == 1
    assert scenario.evaluate("armlab.player.value") is None


def test_the_check_finds_a_contact_and_leads_to_its_step(scenario: Any) -> None:
    begin(scenario)
    scenario.locator('[data-tab="scene"]').click()
    scenario.locator('[data-add="box"]').click()  # it brings a floor
    until(scenario, "armlab.doc.value.layout.bodies.includes('floor')")
    add(scenario, "move", 1)
    field = scenario.locator('.scenario-editor[data-editing="1"] .scenario-fields input').nth(1)
    field.fill("40")  # the shoulder bends down: into the floor
    field.press("Enter")
    until(scenario, f"{STEPS}[1].to[1] === 40")
    scenario.locator('[data-focus="0"]').click()
    scenario.get_by_role("button", name="Check").click()
    finding = scenario.locator('.scenario-findings li[data-level="error"] button').first
    finding.wait_for()
    assert "Step 2" in finding.inner_text()
    assert "touch" in finding.inner_text()
    finding.click()
    scenario.locator('.scenario-editor[data-editing="1"]').wait_for()


def test_a_broken_file_changes_nothing_and_a_good_one_comes_back(
    scenario: Any, workbench: Workbench, tmp_path: Path
) -> None:
    begin(scenario)
    add(scenario, "wait", 1)
    before = scenario.evaluate("armlab.doc.value.project.scenario")
    broken = {"no.json": "{ nonsense", "step.json": json.dumps({**before, "steps": [{"do": "dance"}]})}
    for name, text in broken.items():
        (tmp_path / name).write_text(text)
        choose_file(scenario, tmp_path / name)
        card = scenario.locator(".scenario-problem", has_text=name)
        card.wait_for()
        assert "as it was" in card.inner_text()
        assert scenario.evaluate("armlab.doc.value.project.scenario") == before

    with scenario.expect_download() as download:
        scenario.get_by_role("button", name="Download as JSON").click()
    saved = tmp_path / "saved.json"
    download.value.save_as(saved)
    assert json.loads(saved.read_text()) == before
    saved.write_text(json.dumps({**before, "title": "From a file"}))
    choose_file(scenario, saved)
    until(scenario, "armlab.doc.value.project.scenario.title === 'From a file'")
    assert scenario.locator(".scenario-problem").count() == 0
    assert all("422" in complaint for complaint in workbench.complaints)  # the browser notes each refusal
    workbench.complaints.clear()


def begin(tab: Any) -> None:
    """Start a new scenario, which has one move to where the arm is."""
    tab.get_by_role("button", name="New scenario").click()
    tab.locator('.scenario-step[data-step="0"]').wait_for()


def add(tab: Any, kind: str, index: int) -> None:
    """Add a step, and wait until it is being edited."""
    tab.locator(f'[data-add-step="{kind}"]').click()
    tab.locator(f'.scenario-editor[data-editing="{index}"]').wait_for()


def act(tab: Any, icon: str) -> None:
    """Press a button of the run bar."""
    tab.locator(f'[data-act="{icon}"]').click()


def await_order(tab: Any, kinds: list[str]) -> None:
    """Wait until the project has these steps, and the list shows them."""
    until(tab, f"JSON.stringify({STEPS}.map(step => step.do)) === '{json.dumps(kinds, separators=(',', ':'))}'")
    tab.wait_for_function(
        "kinds => [...document.querySelectorAll('.scenario-step')].map(row => row.dataset.do).join() === kinds.join()",
        arg=kinds,
    )


def choose_file(tab: Any, path: Path) -> None:
    """Choose a file in the dialog of the button."""
    with tab.expect_file_chooser() as chooser:
        tab.locator('.scenario-files button[aria-label^="Open a file"]').click()
    chooser.value.set_files(path)


def until(tab: Any, expression: str) -> None:
    """Wait until an expression of the page is true."""
    tab.wait_for_function(f"() => {expression}")

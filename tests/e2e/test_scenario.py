"""The panel of the scenario, used as a person would: open, edit, check, run, pause, step, files."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from e2e.bench import ARM, state
from e2e.chromium import Workbench
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

STEPS = "armlab.project.value.scenario.steps"
KNOWN = "armlab.player.value.ending === 'known'"
"""The whole of it was planned ahead by now."""
BODY = """(() => {
    const at = 7 * armlab.doc.value.layout.bodies.indexOf('windscreen');
    return [...armlab.live.bodies].slice(at, at + 3);
})()"""


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
    assert scenario.evaluate("armlab.project.value.arm.tool") == "gripper"
    assert "Pick cube-red" in scenario.locator('[data-step="2"]').inner_text()

    act(scenario, "play")
    until(scenario, "armlab.holding.value === 'cube-red'")
    until(scenario, "document.querySelector('[data-running]') !== null")
    act(scenario, "hold")
    until(scenario, "(armlab.live.flags & 12) === 8")

    until(scenario, KNOWN)
    at = scenario.evaluate("armlab.live.playerTime")
    act(scenario, "step")
    until(
        scenario,
        f"""(armlab.live.flags & 12) === 8 && armlab.live.playerTime > {at} + 1e-3
            && armlab.player.value.segments.some(segment => Math.abs(segment.end - armlab.live.playerTime) < 0.01)""",
    )
    near_the_end = scenario.evaluate("armlab.player.value.duration - 2")
    scenario.get_by_role("group", name="Player").get_by_role("slider").fill(str(near_the_end))
    until(scenario, f"Math.abs(armlab.live.playerTime - {near_the_end}) < 0.02")
    assert scenario.evaluate("armlab.holding.value") == "cube-blue"
    act(scenario, "play")
    until(scenario, "armlab.live.playerTime > armlab.player.value.duration - 0.02")
    assert scenario.evaluate("armlab.holding.value") is None
    act(scenario, "stop")
    until(scenario, "armlab.player.value === null")
    assert scenario.locator("[data-running]").count() == 0


def test_steps_are_added_edited_reordered_copied_and_deleted(scenario: Any) -> None:
    begin(scenario)
    add(scenario, "wait", 1)
    field = scenario.get_by_label("Duration")
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
    scenario.get_by_role("combobox", name="Target").select_option("name/home")
    until(scenario, f"{STEPS}[0].to === 'home'")
    scenario.get_by_role("combobox", name="Target").select_option("pose")
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
    scenario.get_by_role("combobox", name="Target").select_option("pose")
    far = scenario.locator(".scenario-editor").get_by_label("X", exact=True)
    far.fill("9000")
    far.press("Enter")
    until(scenario, f"{STEPS}[1].to_pose?.[0] === 9000")
    act(scenario, "play")
    failed = scenario.locator('.scenario-step[data-step="1"][data-failed]')
    failed.get_by_role("alert").wait_for()
    assert "reach" in failed.get_by_role("alert").inner_text()
    assert failed.locator('.scenario-mark[data-level="error"]').count() == 1
    assert scenario.locator('.scenario-editor[data-editing="1"]').count() == 1
    assert scenario.evaluate("armlab.player.value") is None


def test_a_step_that_fails_under_way_is_marked_until_the_next_run_or_edit(scenario: Any) -> None:
    begin(scenario)
    add(scenario, "wait", 1)
    field = scenario.get_by_label("Duration")
    field.fill("3")
    field.press("Enter")
    until(scenario, f"{STEPS}[1].seconds === 3")
    add(scenario, "place", 2)
    failed = scenario.locator("[data-failed]")
    act(scenario, "play")
    failed.wait_for()
    expect(failed).to_have_attribute("data-step", "2")
    assert "holds nothing" in failed.get_by_role("alert").inner_text()
    until(scenario, "(armlab.live.flags & 12) === 8")
    act(scenario, "stop")
    until(scenario, "armlab.player.value === null")
    assert failed.count() == 1  # it can be read after the stop

    scenario.get_by_role("group", name="Player").get_by_role("button", name="Play the scenario").click()
    failed.wait_for(state="detached")
    assert scenario.evaluate("armlab.player.value.what") == "scenario"
    failed.wait_for()
    add(scenario, "wait", 3)
    failed.wait_for(state="detached")


def test_the_windscreen_is_mounted_paused_stepped_and_let_go(scenario: Any) -> None:
    scenario.locator('[data-scenario="windscreen"]').click()
    rows = scenario.locator(".scenario-step")
    scenario.locator('.scenario-step[data-step="8"]').wait_for()
    assert rows.count() == 9
    assert [row.get_attribute("data-do") for row in rows.all()] == scenario.evaluate(f"{STEPS}.map(step => step.do)")
    assert scenario.evaluate("armlab.project.value.arm.tool") == "glass-gripper"
    scenario.locator(".rate select").select_option("4")

    act(scenario, "play")
    until(scenario, "armlab.holding.value === 'windscreen'")
    act(scenario, "hold")
    until(scenario, "(armlab.live.flags & 12) === 8")
    assert scenario.evaluate("armlab.live.rate") == 4
    until(scenario, KNOWN)
    assert scenario.evaluate("armlab.live.playerTime") > scenario.evaluate(f"{segment(2)}.start")
    assert "of 9" in scenario.locator(".scenario-status").inner_text()

    into_the_carry = f"({segment(3)}.start + {segment(3)}.end) / 2"
    scenario.get_by_role("group", name="Player").get_by_role("slider").fill(str(scenario.evaluate(into_the_carry)))
    until(scenario, f"Math.abs(armlab.live.playerTime - {into_the_carry}) < 0.02")
    scenario.locator('[data-step="3"][data-running]').wait_for()
    for step in (3, 4, 5):
        assert scenario.evaluate("armlab.holding.value") == "windscreen"
        step_to_the_end_of(scenario, step)
        scenario.locator(f'[data-step="{step + 1}"][data-running]').wait_for()
    set_in = scenario.evaluate(BODY)
    act(scenario, "play")
    until(scenario, "armlab.holding.value === null")
    until(scenario, "armlab.live.playerTime > armlab.player.value.duration - 0.02 && (armlab.live.flags & 12) === 8")
    assert scenario.evaluate(BODY) == pytest.approx(set_in, abs=0.02)  # m: the glass stays in the opening
    assert scenario.locator("[data-failed]").count() == 0


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
    before = scenario.evaluate("armlab.project.value.scenario")
    workbench.allow("422")  # the browser notes each refusal
    broken = {"no.json": "{ nonsense", "step.json": json.dumps({**before, "steps": [{"do": "dance"}]})}
    for name, text in broken.items():
        (tmp_path / name).write_text(text)
        choose_file(scenario, tmp_path / name)
        card = scenario.locator(".scenario-problem", has_text=name)
        card.wait_for()
        assert "as it was" in card.inner_text()
        assert scenario.evaluate("armlab.project.value.scenario") == before

    with scenario.expect_download() as download:
        scenario.get_by_role("button", name="Download as JSON").click()
    saved = tmp_path / "saved.json"
    download.value.save_as(saved)
    assert json.loads(saved.read_text()) == before
    saved.write_text(json.dumps({**before, "title": "From a file"}))
    choose_file(scenario, saved)
    until(scenario, "armlab.project.value.scenario.title === 'From a file'")
    assert scenario.locator(".scenario-problem").count() == 0


def test_a_loop_is_switched_on_and_off_while_it_is_played(scenario: Any) -> None:
    begin(scenario)
    add(scenario, "wait", 1)  # it ends where it starts: the session goes round by itself
    field = scenario.get_by_label("Duration")
    field.fill("2")
    field.press("Enter")
    until(scenario, f"{STEPS}[1].seconds === 2")
    loop = scenario.get_by_role("group", name="Player").get_by_role("button", name="Loop")
    count_starts(scenario)
    act(scenario, "play")
    until(scenario, "armlab.live.playerTime > 0.2")
    loop.click()
    until(scenario, "armlab.live.playerTime > 1")
    until(scenario, "armlab.live.playerTime < 0.9 && (armlab.live.flags & 4) === 4")
    loop.click()
    until(scenario, "armlab.notice.value?.code === 'player_ended' && (armlab.live.flags & 12) === 8")
    assert scenario.evaluate("starts.length") == 1


def test_a_motion_that_ends_elsewhere_goes_back_and_begins_again(scenario: Any) -> None:
    begin(scenario)
    add(scenario, "move", 1)
    field = scenario.locator('.scenario-editor[data-editing="1"] .scenario-fields input').first
    field.fill("20")
    field.press("Enter")
    until(scenario, f"{STEPS}[1].to[0] === 20")
    add(scenario, "wait", 2)
    loop = scenario.get_by_role("group", name="Player").get_by_role("button", name="Loop")
    scenario.locator(".rate select").select_option("0.25")
    count_starts(scenario)
    act(scenario, "play")
    until(scenario, "armlab.live.playerTime > 0.05")
    loop.click()
    scenario.locator(".rate select").select_option("1")
    until(scenario, "armlab.live.playerTime > 0.5")
    until(scenario, "armlab.live.playerTime < 0.1 && (armlab.live.flags & 4) === 4")
    until(scenario, "armlab.live.playerTime > 0.2")
    assert scenario.evaluate("starts") == [scenario.evaluate("armlab.player.value.number")]
    act(scenario, "stop")
    until(scenario, "armlab.player.value === null")


def count_starts(tab: Any) -> None:
    """Keep in `starts` the number of each thing that the player gets to play."""
    tab.evaluate(
        """() => {
            window.starts = [];
            armlab.player.subscribe(held => {
                if (held !== null && starts.at(-1) !== held.number) starts.push(held.number);
            });
        }"""
    )


def segment(step: int) -> str:
    """Return the segment of a step, as the page knows it."""
    return f"armlab.player.value.segments.find(segment => segment.step === {step})"


def step_to_the_end_of(tab: Any, step: int) -> None:
    """Press the button for one step, and wait until the arm stands at the end of that step."""
    act(tab, "step")
    at_end = f"Math.abs({segment(step)}.end - armlab.live.playerTime) < 0.01"
    until(tab, f"(armlab.live.flags & 12) === 8 && {at_end}")


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


def test_a_plan_goes_into_the_scenario_whole_and_all_of_it_can_be_edited_there(workbench: Workbench) -> None:
    tab = workbench.open(ARM).tab
    tab.evaluate(
        """() => {
            const project = armlab.project.value, { revision } = armlab.doc.value;
            const points = [[0, -90], [10, -85], [30, -80], [40, -90]].map(([a, b]) => [a, b, -b, 0, 20, 0]);
            const plan = { kind: "joint", points, scheme: "4-3-4", times: [1, 2, 1] };
            armlab.send({ type: "edit", label: "plan", revision, changes: [{ path: [],
                value: armlab.wholeOf({ ...project, plan }) }] });
        }"""
    )
    tab.locator('[data-tab="planner"]').click()
    planner = tab.locator(".planner")
    total = planner.get_by_label("Total time")
    assert total.input_value() == "4.000"
    total.fill("8")
    total.press("Enter")
    tab.wait_for_function("() => armlab.project.value.plan.times.join() === '2,4,2'")
    planner.get_by_role("button", name="Add plan to scenario").click()
    editor = tab.locator(".scenario-editor")
    editor.wait_for()
    rows = editor.locator("[data-via]")
    assert rows.count() == 2
    assert editor.get_by_label("Scheme").input_value() == "4-3-4"
    assert editor.get_by_label("Total time").input_value() == "8.000"
    first = rows.first.get_by_role("textbox").first
    assert first.input_value() == "10.0"
    first.fill("12")
    first.press("Enter")
    tab.wait_for_function("() => armlab.project.value.scenario.steps[0].via[0][0] === 12")
    kinds = editor.get_by_role("radiogroup", name="Motion type")
    kinds.get_by_role("radio", name="Line").check()
    tab.wait_for_function("() => armlab.project.value.scenario.steps[0].through?.length === 3")
    toast = tab.locator(".toast", has_text="Dropped")
    toast.get_by_text("scheme and segment times").wait_for()
    assert editor.locator("[data-via]").count() == 3
    toast.get_by_role("button", name="Undo").click()
    tab.wait_for_function("() => armlab.project.value.scenario.steps[0].scheme === '4-3-4'")
    assert state(workbench, "project.value.scenario.steps[0].times") == [2, 4, 2]


def test_a_plan_is_saved_as_an_array_with_the_step_that_is_asked_for(workbench: Workbench) -> None:
    tab = workbench.open(ARM).tab
    tab.evaluate(
        """() => {
            const project = armlab.project.value, { revision } = armlab.doc.value;
            const points = [[0, -90, 90, 0, 20, 0], [10, -85, 85, 0, 20, 0]];
            const plan = { kind: "joint", points, scheme: "cubic", times: [2] };
            armlab.send({ type: "edit", label: "plan", revision, changes: [{ path: [],
                value: armlab.wholeOf({ ...project, plan }) }] });
        }"""
    )
    tab.locator('[data-tab="planner"]').click()
    step = tab.get_by_label("Interpolation step")
    step.fill("250")
    step.press("Enter")
    for kind, name in (("csv", "CSV"), ("npy", "NumPy")):
        with tab.expect_download() as download:
            tab.locator(".planner-export").get_by_role("button", name=name).click()
        assert download.value.suggested_filename == f"{ARM}-plan.{kind}"
        content = download.value.path().read_bytes()
        rows = np.load(io.BytesIO(content)) if kind == "npy" else content.decode().splitlines()[1:]
        assert len(rows) == 9

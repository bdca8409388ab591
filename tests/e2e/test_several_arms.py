"""Several arms in one scene, in a real browser: added, selected, jogged, each with its own program, saved, opened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from e2e.chromium import Workbench
from e2e.handles import LOOKS, await_calm

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARM = "kuka-kr6-r700"
SQUARE = "G21 G90\nG0 X0 Y0 Z0\nG1 X60 F600\nG1 Y60\nG1 X0\nG1 Y0\nM2\n"


def until(tab: Any, condition: str, arg: Any = None) -> None:
    """Wait until something is true in the page."""
    tab.wait_for_function(f"(given) => {condition}", arg=arg)


def names(tab: Any) -> list[str]:
    """Return what the arms are called that are not selected."""
    found: list[str] = tab.evaluate("() => [...armlab.otherStates().keys()]")
    return found


def others(tab: Any) -> dict[str, list[float]]:
    """Return where the joints of the other arms are, by the arms' names."""
    found: dict[str, list[float]] = tab.evaluate(
        "() => Object.fromEntries([...armlab.otherStates()].map(([name, { q }]) => [name, [...q]]))"
    )
    return found


def select(tab: Any, name: str) -> None:
    """Select an arm in the tree, and wait until the page shows its states."""
    tab.locator(f"[data-branch='other/{name}']").click()
    shows(tab, name)


def shows(tab: Any, name: str) -> None:
    """Wait until an arm is selected and its states have come."""
    until(
        tab,
        "armlab.project.value?.arm_name === given && armlab.live.revision === armlab.doc.value.revision"
        " && armlab.live.q.length === armlab.doc.value.layout.joints.length",
        name,
    )


def add(tab: Any, model: str, y: str) -> Any:
    """Fill in the dialog for another arm, and press its button; return the dialog."""
    tab.get_by_role("button", name="Add an arm…").click()
    dialog = tab.get_by_role("dialog")
    dialog.get_by_label("Model").select_option(model)
    place(dialog, y)
    return dialog


def place(dialog: Any, y: str) -> None:
    field = dialog.get_by_role("textbox", name="Y")
    field.fill(y)
    field.press("Enter")
    dialog.get_by_role("button", name="Add", exact=True).click()


def two_arms(workbench: Workbench) -> Any:
    """Open the page with the scene of a KUKA and a SCARA; the KUKA is selected."""
    tab = workbench.open(ARM).tab
    tab.locator('[data-tab="scene"]').click()
    tab.get_by_role("button", name="Built-in scenes", exact=True).click()
    tab.locator("[data-scene='two-arms']").click()
    shows(tab, "kuka")
    return tab


def write_program(workbench: Workbench, text: str) -> None:
    """Write a program for the selected arm, and wait until the project has it."""
    tab = workbench.tab
    tab.get_by_role("tab", name="Programs").click()
    tab.get_by_role("textbox", name="Program text").click()
    tab.keyboard.press("Control+a")
    tab.keyboard.insert_text(text)
    until(tab, "armlab.project.value.program?.text === given", text)


def run(tab: Any) -> None:
    """Run the program of the selected arm, and wait until it is under way."""
    tab.locator(".programs").get_by_role("button", name="Run", exact=True).click()
    until(tab, "(armlab.live.flags & 4) !== 0 && armlab.live.playerTime > 0.2")


def test_an_arm_is_added_selected_and_jogged_while_the_first_stands(workbench: Workbench) -> None:
    tab = workbench.open(ARM).tab
    before = tab.evaluate("() => [...armlab.live.q]")
    dialog = add(tab, "scara", "60")
    dialog.locator("[role=alert]", has_text="overlap").wait_for()
    assert names(tab) == [], "an arm inside the other is refused"
    place(dialog, "900")
    dialog.wait_for(state="hidden")
    shows(tab, "arm 2")
    assert names(tab) == ["arm"]
    tab.locator('canvas[data-arm="scara"]').wait_for()
    tab.get_by_role("tab", name="Jog", exact=True).click()
    turned = tab.evaluate("() => armlab.live.q[0]")
    workbench.joint("Q1").get_by_role("slider").press("PageUp")
    until(tab, "Math.abs(armlab.live.q[0] - given - 10) < 0.05", turned)
    assert others(tab)["arm"] == pytest.approx(before, abs=0.01)
    select(tab, "arm")
    tab.locator('canvas[data-arm="kuka-kr6-r700"]').wait_for()
    workbench.joint("A1").get_by_role("slider").press("PageUp")
    until(tab, "Math.abs(armlab.live.q[0] - given - 10) < 0.05", before[0])
    assert others(tab)["arm 2"][0] == pytest.approx(turned + 10, abs=0.05)
    tab.get_by_role("button", name="Undo: add arm 2").click()
    until(tab, "armlab.doc.value.project.arms.length === 1")
    assert tab.locator("[data-branch^='other/']").count() == 0


def test_a_click_on_an_arm_in_the_view_selects_it(workbench: Workbench) -> None:
    with workbench.tab.expect_response(lambda response: response.url.endswith("/bodies.glb")):
        tab = two_arms(workbench)
    until(tab, "armlab.view.value.others.groups.length === 1")
    at = """() => {
        const { frames } = armlab.otherStates().get("scara");
        return armlab.view.value.onScreen([0, 1, 2].map((i) => 1000 * (0.7 * frames[7 + i] + 0.3 * frames[i])));
    }"""
    for _ in range(LOOKS):  # the camera turns to the scene when all of it is there
        await_calm(tab)
        place_of = tab.evaluate(at)
        await_calm(tab)
        if place_of == tab.evaluate(at):
            break
    tab.mouse.click(*place_of)
    shows(tab, "scara")
    tab.locator('canvas[data-arm="scara"]').wait_for()


def test_the_frames_of_base_and_tool_are_those_of_the_selected_arm(workbench: Workbench) -> None:
    tab = workbench.open(ARM).tab
    dialog = add(tab, ARM, "1500")  # of the same size: nothing else than the choice changes
    dialog.wait_for(state="hidden")
    shows(tab, "arm 2")
    until(tab, "armlab.view.value.others.groups.length === 1")
    are_there = """(() => {
        const { children } = armlab.view.value.overlay("triads");
        const { frames } = armlab.live;
        const at = (from) => ({ x: frames[from], y: frames[from + 1], z: frames[from + 2] });
        const isAt = (triad, from) => triad.position.distanceTo(at(from)) < 1e-4;
        const last = frames.length - 7;
        return children.length * 7 === frames.length && isAt(children[0], 0) && isAt(children.at(-1), last);
    })()"""
    until(tab, are_there)
    for name in ("arm", "arm 2"):  # both stand still
        select(tab, name)
        until(tab, are_there)


def test_an_arm_is_selected_in_the_tree_by_keys_and_keeps_the_focus(workbench: Workbench) -> None:
    tab = two_arms(workbench)
    tab.locator("[data-branch='arm']").click()
    for key in ("ArrowDown", "ArrowDown", "Enter"):  # past the tool
        tab.keyboard.press(key)
    shows(tab, "scara")
    until(tab, "document.activeElement?.dataset.branch === 'arm'")
    assert "scara" in tab.locator("[role=treeitem][aria-current=true]").inner_text()
    assert tab.locator("[role=treeitem][tabindex='0']").count() == 1


def test_two_arms_run_their_own_programs_at_the_same_time_and_stop_together(workbench: Workbench) -> None:
    workbench.allow("Applying inline style")  # Chromium keeps the look of replaced text; the page's policy refuses that
    tab = two_arms(workbench)
    select(tab, "scara")
    write_program(workbench, SQUARE)
    run(tab)
    select(tab, "kuka")
    tab.locator(".programs .cm-line", has_text="G1 X60").wait_for(state="detached")
    tab.locator("[data-doing=playing]").wait_for()
    write_program(workbench, SQUARE.replace("60", "40"))
    run(tab)
    first = (tab.evaluate("() => [...armlab.live.q]"), others(tab)["scara"])
    until(
        tab,
        """[[...armlab.live.q], [...armlab.otherStates().get("scara").q]].every((q, arm) =>
            q.some((value, i) => Math.abs(value - given[arm][i]) > 0.5))""",
        list(first),
    )
    tab.get_by_role("button", name="Stop", exact=True).first.click()
    until(tab, "(armlab.live.flags & 5) === 0 && (armlab.otherStates().get('scara').flags & 5) === 0")
    select(tab, "scara")
    tab.locator(".programs .cm-line", has_text="G1 X60").wait_for()


def test_one_arm_is_jogged_while_the_other_draws_on(workbench: Workbench) -> None:
    workbench.allow("Applying inline style")
    tab = two_arms(workbench)
    select(tab, "scara")
    write_program(workbench, SQUARE)
    run(tab)
    select(tab, "kuka")
    tab.get_by_role("tab", name="Jog", exact=True).click()
    start = tab.evaluate("() => armlab.live.q[0]")
    tab.keyboard.down("d")
    until(tab, "Math.abs(armlab.live.q[0] - given) > 2", start)
    tab.keyboard.up("d")
    until(tab, "(armlab.live.flags & 3) === 0")
    at = tab.evaluate("() => armlab.otherStates().get('scara').playerTime")
    until(tab, "armlab.otherStates().get('scara').playerTime > given + 0.5", at)
    tab.get_by_role("tab", name="Plots").click()
    assert tab.locator(".plots-arm").inner_text() == "kuka"


def test_two_tabs_see_the_same_arm_selected_and_a_reload_keeps_everything(workbench: Workbench) -> None:
    tab = two_arms(workbench)
    other = tab.context.new_page()
    other.goto(workbench.url)
    shows(other, "kuka")
    select(other, "scara")
    shows(tab, "scara")
    tab.get_by_role("tab", name="Jog", exact=True).click()
    turned = tab.evaluate("() => armlab.live.q[0]")
    workbench.joint("Q1").get_by_role("slider").press("PageDown")
    until(other, "Math.abs(armlab.live.q[0] - given + 10) < 0.05", turned)
    tab.reload()
    workbench.await_arm("scara")
    shows(tab, "scara")
    assert names(tab) == ["kuka"]
    assert tab.evaluate("() => armlab.live.q[0]") == pytest.approx(turned - 10, abs=0.05)


def test_a_saved_project_opens_with_both_arms_where_they_stood(workbench: Workbench, tmp_path: Path) -> None:
    tab = two_arms(workbench)
    tab.get_by_role("tab", name="Jog", exact=True).click()
    start = tab.evaluate("() => armlab.live.q[0]")
    workbench.joint("A1").get_by_role("slider").press("PageDown")
    until(tab, "Math.abs(armlab.live.q[0] - given + 10) < 0.05", start)
    select(tab, "scara")
    tab.locator(".project-button").click()
    with tab.expect_download() as waiting:
        tab.get_by_role("button", name="Save to a file").click()
    file = tmp_path / "pair.armlab.json"
    waiting.value.save_as(file)
    saved = json.loads(file.read_text("utf-8"))
    assert saved["positions"]["arms"]["kuka"]["q"][0] == pytest.approx(start - 10, abs=0.05)
    tab.locator(".project-button").click()
    tab.get_by_role("button", name="New project").click()
    until(tab, "armlab.doc.value.project.arms.length === 1")
    tab.locator(".project-button").click()
    with tab.expect_file_chooser() as chooser:
        tab.locator("#project-menu").get_by_role("button", name="Open a file").click()
    chooser.value.set_files(file)
    shows(tab, "kuka")  # which arm was looked at is no part of a project
    until(tab, "armlab.otherStates().has('scara')")
    assert tab.evaluate("() => armlab.live.q[0]") == pytest.approx(start - 10, abs=0.05)


def test_arms_are_renamed_and_removed_in_the_panel(workbench: Workbench) -> None:
    tab = two_arms(workbench)
    tab.get_by_role("tab", name="Arm", exact=True).click()
    name = tab.get_by_role("textbox", name="Name of scara")
    name.fill("kuka")
    name.press("Enter")
    tab.locator(".arms-list [role=alert]", has_text="two robots or bodies are named 'kuka'").wait_for()
    name.fill("helper")
    name.press("Enter")
    until(tab, "armlab.doc.value.project.arms[1].name === 'helper'")
    tab.get_by_role("button", name="Remove kuka").click()
    shows(tab, "helper")
    assert names(tab) == []
    tab.get_by_role("button", name="Undo: remove kuka").click()
    until(tab, "armlab.doc.value.project.arms.length === 2")

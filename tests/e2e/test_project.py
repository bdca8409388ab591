"""The project's file in a real browser: save it, open it, start a new one; broken files are told and change nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from e2e.chromium import Workbench
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARM = "kuka-kr6-r700"


def document(tab: Any) -> Any:
    """Return the project as the page has it from the server."""
    return tab.evaluate("() => armlab.doc.value.project")


def named(workbench: Workbench, title: str) -> Any:
    """Open the page with our arm, and give the project a title; return the tab."""
    tab = workbench.open(ARM).tab
    tab.wait_for_function("(arm) => armlab.project.value?.arm.name === arm", arg=ARM)
    menu(tab)
    field = tab.get_by_role("textbox", name="Title of the project")
    field.fill(title)
    field.press("Enter")
    tab.wait_for_function("(title) => armlab.doc.value.project.title === title", arg=title)
    tab.keyboard.press("Escape")
    return tab


def menu(tab: Any) -> None:
    """Open the project's menu."""
    tab.locator(".project-button").click()
    tab.locator("#project-menu").wait_for()


def save(tab: Any, path: Path) -> Path:
    """Save the project through the menu; return the file."""
    menu(tab)
    with tab.expect_download() as waiting:
        tab.get_by_role("button", name="Save to a file").click()
    target = path / str(waiting.value.suggested_filename)
    waiting.value.save_as(target)
    return target


def open_file(tab: Any, path: Path) -> None:
    """Choose a file in the system's dialog, as the menu opens it."""
    menu(tab)
    with tab.expect_file_chooser() as waiting:
        tab.locator("#project-menu").get_by_role("button", name="Open a file").click()
    waiting.value.set_files(path)


def test_a_saved_project_is_opened_as_it_was_and_undo_takes_that_back(workbench: Workbench, tmp_path: Path) -> None:
    tab = named(workbench, "Cell 7")
    saved = save(tab, tmp_path)
    assert saved.name == "cell-7.armlab.json"
    text = json.loads(saved.read_text("utf-8"))
    assert text["positions"]["arms"]["arm"]["q"] == pytest.approx(tab.evaluate("() => [...armlab.live.q]"), abs=1e-3)
    assert {**text, "positions": None} == document(tab)
    assert saved.stat().st_size < 20_000
    menu(tab)
    tab.get_by_role("button", name="New project").click()
    tab.wait_for_function("() => armlab.doc.value.project.title === 'Untitled'")
    assert document(tab)["arms"][0]["poses"] == []
    open_file(tab, saved)
    tab.wait_for_function("() => armlab.doc.value.project.title === 'Cell 7'")
    assert document(tab) == {**text, "positions": None}
    tab.get_by_text("“cell-7.armlab.json” is open.").wait_for()
    tab.get_by_role("button", name="Undo: open cell-7.armlab.json").click()
    tab.wait_for_function("() => armlab.doc.value.project.title === 'Untitled'")


def test_broken_files_are_told_and_change_nothing(workbench: Workbench, tmp_path: Path) -> None:
    tab = named(workbench, "Mine")
    before = document(tab)
    workbench.allow("422")
    workbench.allow("404")  # an unknown arm
    sent: list[str] = []
    tab.on("request", lambda request: sent.append(request.post_data or "") if request.method == "PUT" else None)
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(200_000_000)
    wrong = {**before, "arms": [{**before["arms"][0], "arm": {"name": "no-such-arm"}}]}
    cases = {
        "half.json": (json.dumps(before)[:100], "“half.json” is not valid JSON"),
        "list.json": ("[1, 2]", "“list.json” is not an armlab project"),
        "arm.json": (json.dumps(wrong), "“arm.json” was not opened"),
        "schema.json": ('{"schema": 9, "arm": 1}', "“schema.json” was not opened"),
    }
    for name, (text, sentence) in cases.items():
        (tmp_path / name).write_text(text, "utf-8")
        open_file(tab, tmp_path / name)
        tab.locator(".toast", has_text=sentence).wait_for()
        assert document(tab) == before
    open_file(tab, huge)
    tab.locator(".toast", has_text="“huge.json” is longer than 10 MB").wait_for()
    assert document(tab) == before
    assert len(sent) == 2  # what cannot be a project is not even sent


def test_a_project_without_a_title_keeps_the_old_one_and_says_so(workbench: Workbench) -> None:
    tab = named(workbench, "Mine")
    menu(tab)
    field = tab.get_by_role("textbox", name="Title of the project")
    field.fill("   ")
    field.press("Enter")
    assert tab.locator("#project-menu [role=alert]").inner_text() == "A project needs a title; the old one stays."
    assert field.input_value() == "Mine"
    assert document(tab)["title"] == "Mine"
    field.fill("<b>“;--" + "x" * 90)
    field.press("Enter")
    tab.wait_for_function("() => armlab.doc.value.project.title.startsWith('<b>')")
    assert tab.locator("#project-menu [role=alert]").inner_text() == ""
    assert len(document(tab)["title"]) == 60


@pytest.mark.parametrize(("title", "name"), [("???", "project"), ("Ячейка № 5", "ячейка-5"), ("../../etc", "etc")])
def test_every_title_makes_a_name_that_a_file_can_have(
    workbench: Workbench, tmp_path: Path, title: str, name: str
) -> None:
    assert save(named(workbench, title), tmp_path).name == f"{name}.armlab.json"


def test_a_title_typed_while_another_tab_changes_the_project_is_not_lost(workbench: Workbench) -> None:
    tab = named(workbench, "Mine")
    other = tab.context.new_page()
    other.goto(workbench.url)
    other.wait_for_selector(f'canvas[data-arm="{ARM}"]')
    tab.bring_to_front()
    menu(tab)
    field = tab.get_by_role("textbox", name="Title of the project")
    field.fill("Half-typ")
    other.locator(".structure").get_by_role("radio", name="bodies + constraints").check()
    tab.wait_for_function("() => armlab.doc.value.project.structure === 'joints'")
    field.press_sequentially("ed")
    field.press("Enter")
    other.wait_for_function("() => armlab.doc.value.project.title === 'Half-typed'")
    assert document(tab)["structure"] == "joints"


def test_a_project_opens_with_the_arm_and_loose_objects_where_they_stood(workbench: Workbench, tmp_path: Path) -> None:
    tab = named(workbench, "Stands")
    tab.evaluate(
        """() => {
            const project = armlab.project.value, { revision } = armlab.doc.value;
            const cube = { name: "cube", kind: "box", size: [60, 60, 60], xyz: [500, 100, 400], mass: 0.3 };
            const table = { name: "table", kind: "box", size: [300, 300, 20], xyz: [500, 100, 300] };
            armlab.send({ type: "edit", label: "cube", revision,
                changes: [{ path: [], value: armlab.wholeOf({ ...project, bodies: [cube, table] }) }] });
        }"""
    )
    lies = "armlab.live.bodies.length === 14 && Math.abs(armlab.live.bodies[2] - 0.34) < 1e-3"
    tab.wait_for_function(f"() => {lies}")  # it has fallen onto the table
    field = tab.locator('.joint[data-joint="A1"]').get_by_role("textbox")
    field.fill("25")
    field.press("Enter")
    tab.wait_for_function("() => Math.abs(armlab.live.q[0] - 25) < 0.01 && (armlab.live.flags & 1) === 0")
    saved = save(tab, tmp_path)
    menu(tab)
    tab.get_by_role("button", name="New project").click()
    tab.wait_for_function("() => armlab.doc.value.project.bodies.length === 0")
    field.fill("-40")
    field.press("Enter")
    tab.wait_for_function("() => armlab.live.q[0] < -39")
    open_file(tab, saved)
    tab.wait_for_function(f"() => {lies} && Math.abs(armlab.live.q[0] - 25) < 0.05")


def test_the_header_names_arm_and_project_and_the_arm_leads_to_the_catalog(workbench: Workbench) -> None:
    tab = named(workbench, "Cell 7")
    assert tab.locator(".project-button").inner_text() == "Project: Cell 7"
    button = tab.locator(".arm-button")
    assert "KR 6 R700" in button.inner_text()
    button.click()
    tab.get_by_role("searchbox").fill("panda")
    tab.locator("#right").get_by_role("button", name="Panda").first.click()
    workbench.await_arm("franka-panda")
    tab.wait_for_function("() => document.querySelector('.arm-button').textContent.includes('Panda')")


def test_another_arm_stands_on_the_same_base_and_leaves_the_old_plan_and_path(workbench: Workbench) -> None:
    tab = named(workbench, "Cell")
    tab.evaluate(
        """() => {
            const project = armlab.project.value, { revision } = armlab.doc.value;
            const points = [[0, -90, 90, 0, 20, 0], [20, -90, 90, 0, 20, 0]];
            const arm = { ...project.arm, base: [0, 0, 750, 0, 0, 0] };
            const plan = { kind: "joint", points, scheme: "jerk" };
            armlab.send({ type: "edit", label: "plan", revision, changes: [{ path: [],
                value: armlab.wholeOf({ ...project, arm, plan }) }] });
        }"""
    )
    tab.locator('[data-tab="planner"]').click()
    tab.locator(".planner").get_by_role("button", name="Plan", exact=True).click()
    tab.locator(".planner").get_by_role("button", name="Play", exact=True).click()
    tab.locator(".planner").get_by_role("button", name="Clear trace").and_(tab.locator(":enabled")).wait_for()
    tab.locator(".arm-button").click()
    tab.get_by_role("searchbox").fill("irb 120")
    tab.locator("#right .arm-cards button").first.click()
    tab.wait_for_function("() => armlab.project.value.arm.name.startsWith('abb')")
    (arm,) = document(tab)["arms"]
    assert arm["arm"]["base"][2] == 750
    assert arm["plan"] is None
    expect(tab.locator(".planner").get_by_role("button", name="Clear trace")).to_be_disabled()
    assert tab.locator(".planner-result .planner-duration").count() == 0

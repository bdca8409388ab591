"""The project's file in a real browser: save it, open it, start a new one; broken files are told and change nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from e2e.chromium import Workbench

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARM = "kuka-kr6-r700"


def document(tab: Any) -> Any:
    """Return the project as the page has it from the server."""
    return tab.evaluate("() => armlab.doc.value.project")


def named(workbench: Workbench, title: str) -> Any:
    """Open the page with our arm, and give the project a title; return the tab."""
    tab = workbench.open(ARM).tab
    tab.wait_for_function("(arm) => armlab.doc.value?.project.arm.name === arm", arg=ARM)
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
    assert json.loads(saved.read_text("utf-8")) == document(tab)
    assert saved.stat().st_size < 20_000
    menu(tab)
    tab.get_by_role("button", name="New project").click()
    tab.wait_for_function("() => armlab.doc.value.project.title === 'Untitled'")
    assert document(tab)["poses"] == []
    open_file(tab, saved)
    tab.wait_for_function("() => armlab.doc.value.project.title === 'Cell 7'")
    assert document(tab) == json.loads(saved.read_text("utf-8"))
    tab.get_by_text("“cell-7.armlab.json” is open.").wait_for()
    tab.get_by_role("button", name="Undo: open cell-7.armlab.json").click()
    tab.wait_for_function("() => armlab.doc.value.project.title === 'Untitled'")


def test_broken_files_are_told_and_change_nothing(workbench: Workbench, tmp_path: Path) -> None:
    tab = named(workbench, "Mine")
    before = document(tab)
    sent = len(workbench.requests)
    huge = tmp_path / "huge.json"
    with huge.open("wb") as file:
        file.truncate(200_000_000)
    wrong = {**before, "arm": {**before["arm"], "name": "no-such-arm"}}
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
    tab.locator(".toast", has_text="“huge.json” is longer than 1 MB").wait_for()
    assert document(tab) == before
    assert len(workbench.requests) == sent


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
    other.locator(".structure").get_by_role("radio", name="Constraint joints").check()
    tab.wait_for_function("() => armlab.doc.value.project.structure === 'joints'")
    field.press_sequentially("ed")
    field.press("Enter")
    other.wait_for_function("() => armlab.doc.value.project.title === 'Half-typed'")
    assert document(tab)["structure"] == "joints"

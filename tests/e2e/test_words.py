"""What the server says, a reader of Russian reads in Russian: diagnoses, findings and refusals."""

from __future__ import annotations

import gettext
import json
import re
from pathlib import Path
from typing import Any

import pytest
from e2e.chromium import Workbench

from armlab.messages import DOMAIN, FOLDER

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARM = "kuka-kr6-r700"
needs_catalog = pytest.mark.skipif(
    gettext.find(DOMAIN, FOLDER, ["ru"]) is None, reason="the Russian catalog of messages is not compiled"
)


@pytest.fixture
def tab(workbench: Workbench) -> Any:
    """Return the page in Russian."""
    tab = workbench.open(ARM).tab
    tab.locator(".language select").select_option("ru")
    tab.wait_for_function("() => armlab.live.frames.length > 0")
    return tab


def latin_words(text: str, *names: str) -> list[str]:
    """Return the words in Latin letters that are not names; one letter is an axis or a unit."""
    return [word for word in re.findall(r"[A-Za-z]{2,}", text) if word not in names]


def test_a_target_out_of_reach_is_explained_in_russian(tab: Any) -> None:
    tab.get_by_role("tab", name="Кинематика").click()
    tab.locator(".kinematics-mode").wait_for()  # until then the panel before it is shown, with an X of its own
    field = tab.get_by_label("X", exact=True)
    field.fill("3000")
    field.press("Tab")
    tab.get_by_role("button", name="Найти все решения").click()
    card = tab.locator(".kinematics-why")
    card.wait_for()
    assert "Точка вне зоны досягаемости." in card.inner_text()
    assert latin_words(card.inner_text()) == []


@needs_catalog
def test_a_finding_and_a_failed_plan_are_told_in_russian(workbench: Workbench, tab: Any) -> None:
    tab.get_by_role("tab", name="Планировщик", exact=True).click()
    for count in (1, 2):
        tab.get_by_role("button", name="Добавить текущее").click()
        tab.wait_for_function("n => document.querySelectorAll('[data-point]').length === n", arg=count)
    plan = tab.get_by_role("button", name="Рассчитать", exact=True)
    workbench.allow("422")
    plan.click()
    card = tab.locator(".planner-result .card")
    card.wait_for()
    assert latin_words(card.inner_text()) == []

    first = tab.locator('[data-point="1"]').get_by_role("textbox").first
    first.fill("50")
    first.press("Enter")
    tab.get_by_label("Схема").select_option("quintic")
    tab.get_by_role("checkbox", name="Задать время участков").check()
    time = tab.get_by_role("group", name="Время участков").get_by_role("textbox").first
    time.fill("0,05")
    time.press("Enter")
    finding = tab.locator(".planner-findings .card").first
    finding.get_by_text("A1").wait_for()
    assert latin_words(finding.inner_text()) == []
    assert re.search(r"\d,\d", finding.inner_text())  # with the decimal comma


@needs_catalog
def test_a_refused_command_is_told_in_russian(workbench: Workbench, tab: Any, tmp_path: Path) -> None:
    workbench.allow("422")  # two bodies have one name
    project = tab.evaluate("() => armlab.doc.value.project")
    cup = {"name": "cup", "kind": "box", "size": [50.0, 50.0, 50.0], "xyz": [1500.0, 0.0, 500.0]}
    twice = tmp_path / "twice.json"
    twice.write_text(json.dumps({**project, "bodies": [cup, {**cup, "xyz": [1500.0, 500.0, 500.0]}]}), "utf-8")
    tab.locator(".project-button").click()
    with tab.expect_file_chooser() as waiting:
        tab.locator("#project-menu").get_by_role("button", name="Открыть файл").click()
    waiting.value.set_files(twice)
    toast = tab.locator(".toast", has_text="cup")
    toast.wait_for()
    assert latin_words(toast.inner_text(), "twice", "json", "cup", "cell") == []
    assert tab.evaluate("() => armlab.doc.value.project.bodies") == []

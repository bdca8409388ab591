"""“Papers” in the project menu: an experiment opens as a ready project with its panel; undo brings the old one back."""

from __future__ import annotations

import pytest
from e2e.bench import at_home
from e2e.chromium import Workbench

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def opened(bench: Workbench, name: str) -> None:
    """Open an experiment as a person does."""
    tab = bench.tab
    tab.locator("button.project-button").click()
    details = tab.locator("#project-menu details.papers")
    if details.get_attribute("open") is None:
        details.locator("summary").click()
    details.locator(f'[data-paper="{name}"]').click()
    tab.locator(".toast", has_text="ready to be played").wait_for()


def test_four_points_open_with_their_plan_and_undo_brings_the_arm_back(workbench: Workbench) -> None:
    bench = at_home(workbench)
    before = bench.tab.evaluate("() => armlab.doc.value.project.arm.name")
    opened(bench, "s2-four-points")
    project = bench.tab.evaluate("() => armlab.doc.value.project")
    assert project["arm"]["name"] == "kuka-kr6-r700"
    assert project["plan"]["scheme"] == "4-3-4"
    assert project["title"].startswith("S2: ")
    assert bench.tab.locator("[role=tab][aria-selected=true]", has_text="Planner").count() == 1
    bench.tab.locator(".toast").get_by_role("button", name="Undo").click()
    bench.tab.wait_for_function("(name) => armlab.doc.value.project.arm.name === name", arg=before)


def test_a_program_and_a_scenario_open_in_their_panels(workbench: Workbench) -> None:
    bench = at_home(workbench)
    opened(bench, "s1-gcode")
    bench.tab.wait_for_function("() => armlab.doc.value.project.program?.text.includes('G91')")
    opened(bench, "s2-windscreen")
    bench.tab.wait_for_function("() => armlab.doc.value.project.scenario?.name === 'windscreen'")
    assert bench.tab.locator("[role=tab][aria-selected=true]", has_text="Scenario").count() == 1

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
    before = bench.tab.evaluate("() => armlab.project.value.arm.name")
    opened(bench, "s2-four-points")
    project = bench.tab.evaluate("() => armlab.project.value")
    assert project["arm"]["name"] == "kuka-kr6-r700"
    assert project["plan"]["scheme"] == "4-3-4"
    assert project["title"].startswith("S2: ")
    assert bench.tab.locator("[role=tab][aria-selected=true]", has_text="Planner").count() == 1
    bench.tab.locator(".toast").get_by_role("button", name="Undo").click()
    bench.tab.wait_for_function("(name) => armlab.project.value.arm.name === name", arg=before)


def test_a_program_and_a_scenario_open_in_their_panels(workbench: Workbench) -> None:
    bench = at_home(workbench)
    opened(bench, "s1-gcode")
    bench.tab.wait_for_function("() => armlab.project.value.program?.text.includes('G91')")
    opened(bench, "s2-windscreen")
    bench.tab.wait_for_function("() => armlab.project.value.scenario?.name === 'windscreen'")
    assert bench.tab.locator("[role=tab][aria-selected=true]", has_text="Scenario").count() == 1


@pytest.mark.parametrize(
    ("name", "panel", "quantity", "moves"),
    [
        ("s2-four-points", "Plots", "q", "plan"),
        ("s1-gcode", "Plots", "xyz", "program"),
        ("s1-structures", "Plots", "gap", "poses"),
        ("s5-carousel", "Sensors", None, "scenario"),
    ],
)
def test_one_click_later_it_moves_with_its_curves(
    workbench: Workbench, name: str, panel: str, quantity: str | None, moves: str
) -> None:
    bench = at_home(workbench)
    opened(bench, name)
    bench.tab.locator(".toast").get_by_role("button", name="Play").click()
    bench.tab.wait_for_function("(what) => armlab.player.value?.what === what", arg=moves)
    bench.tab.wait_for_function("() => armlab.live.qd.some((speed) => Math.abs(speed) > 0.5)")
    assert bench.tab.locator("[role=tab][aria-selected=true]", has_text=panel).count() == 1
    if quantity is not None:
        bench.tab.locator(f'.plots input[value="{quantity}"]:checked').wait_for(state="attached")
    bench.tab.keyboard.press("Escape")


def test_a_link_of_the_results_page_opens_the_experiment_or_the_panel(workbench: Workbench) -> None:
    bench = at_home(workbench)
    tab = bench.tab
    tab.evaluate("() => { location.hash = 'paper=s1-gcode'; }")
    tab.wait_for_function("() => armlab.project.value.program?.text.includes('G91')")
    tab.locator("[role=tab][aria-selected=true]", has_text="Programs").wait_for()
    tab.evaluate("() => { location.hash = 'panel=jog&mode=tool'; }")
    tab.locator("[role=tab][aria-selected=true]", has_text="Jog").wait_for()
    tab.locator('.jog input[value="tool"]:checked').wait_for(state="attached")
    bench.allow("status of 404")
    tab.evaluate("() => { location.hash = 'paper=s9-nothing'; }")
    tab.locator(".toast", has_text="cannot be opened").wait_for()
    assert "#" not in tab.url

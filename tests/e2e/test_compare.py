"""The three physics models side by side in a real browser: ghosts that move, curves, instability that is explained."""

from __future__ import annotations

from typing import Any

import pytest
from e2e.bench import ARM, load_axe, serious_barriers, state
from e2e.chromium import Workbench
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

TOOLS = """() => ["hierarchy", "joints", "articulation"].map((name) => {
    const ghost = armlab.view.value.overlay("ghosts").children
        .find(({ userData }) => userData.ghost?.name === `compare.${name}`);
    return ghost === undefined ? null : ghost.children.map(({ position: { x, y, z } }) => [x, y, z]);
})"""
"""Where the parts of the three ghosts are in the view, in metres; null where there is none."""


def compared(bench: Workbench, arm: str = ARM) -> Any:
    """Open the panel of an arm."""
    tab = bench.open(arm).tab
    tab.get_by_role("tab", name="Compare").click()
    tab.get_by_role("button", name="Compare", exact=True).wait_for()
    return tab


def run(tab: Any) -> None:
    """Press the button and wait for the result."""
    tab.get_by_role("button", name="Compare", exact=True).click()
    tab.locator(".compare-plots .uplot").nth(3).wait_for()
    tab.wait_for_function("() => document.querySelector('.compare-run progress') === null")


def look_at(tab: Any, seconds: float) -> list[Any]:
    """Drag the time of the runs; return where the ghosts' parts are then."""
    tab.get_by_label("Time of the runs").fill(str(seconds))
    expect(tab.locator(f'.compare-player [data-time="{seconds:g}"]')).to_be_visible()
    return list(tab.evaluate(TOOLS))


def type_value(tab: Any, what: str, value: str) -> None:
    field = tab.get_by_label(f"{what}: value")
    field.fill(value)
    field.press("Enter")


def number_in(tab: Any, model: str, column: int) -> float:
    """Return a number of the table: the tool's error, the gap, the energy's drift, the cost."""
    row = tab.get_by_role("region", name="The models in numbers").locator(f'[data-row="{model}"]')
    return float(row.locator("td").nth(column).inner_text().replace(",", ""))


def test_three_ghosts_move_together_and_the_numbers_differ(workbench: Workbench) -> None:
    tab = compared(workbench)
    before = state(workbench, "live.q")
    run(tab)
    start, later = look_at(tab, 0), look_at(tab, 0.7)
    assert all(one is not None for one in (*start, *later))
    assert start != later
    tools = [parts[-1] for parts in later]
    assert max(abs(a - b) for tool in tools[1:] for a, b in zip(tool, tools[0], strict=True)) < 1e-3
    assert number_in(tab, "hierarchy", 0) == 0.0 < number_in(tab, "articulation", 0)
    assert number_in(tab, "joints", 1) > number_in(tab, "articulation", 1) == 0.0
    assert number_in(tab, "joints", 3) > number_in(tab, "articulation", 3)
    expect(tab.get_by_text("All three models follow the command")).to_be_visible()
    assert state(workbench, "live.q") == pytest.approx(before, abs=1e-6), "the arm itself must not move"
    tab.get_by_role("button", name="Play", exact=True).last.click()
    tab.wait_for_function("() => Number(document.querySelector('.compare-player output').dataset.time) > 0.75")
    tab.get_by_role("tab", name="Plots").click()
    tab.wait_for_function("() => armlab.view.value.overlay('ghosts').children.length === 0")


def test_instability_is_shown_and_explained_and_the_advice_helps(workbench: Workbench) -> None:
    tab = compared(workbench)
    type_value(tab, "Drive stiffness", "100")
    type_value(tab, "Time step", "10")
    run(tab)
    card = tab.locator('[data-structure="joints"]')
    expect(card.locator('[data-code="structure_diverged"]')).to_contain_text("Diverged at")
    expect(card.locator('[data-code="step_too_long_for_stiffness"]')).to_contain_text("What helps: steps of")
    expect(tab.locator('[data-structure="hierarchy"]')).to_have_count(0)
    look_at(tab, 2)
    expect(tab.locator(".compare-legend")).to_contain_text("bodies + constraints diverged")
    type_value(tab, "Time step", "0.3")
    expect(tab.get_by_text("Settings have changed")).to_be_visible()
    run(tab)
    expect(tab.get_by_text("All three models follow the command")).to_be_visible()


def test_wrong_values_are_told_once_and_nothing_is_asked(workbench: Workbench) -> None:
    tab = compared(workbench)
    type_value(tab, "Masses", "0")
    problem = tab.locator('[data-setting="mass"] .problem')
    expect(problem).to_contain_text("0.01")
    tab.get_by_label("Masses: value").press("Escape")
    tab.locator(".segment", has_text="Joint step").click()
    tab.get_by_label("Step by").fill("500")
    tab.get_by_label("Step by").press("Enter")
    workbench.allow("422")
    tab.get_by_role("button", name="Compare", exact=True).click()
    alert = tab.locator(".compare-answer [role=alert]")
    expect(alert).to_have_count(1)
    expect(alert).to_contain_text("cannot step to 500 °")


def test_a_step_starts_where_the_arm_is_and_another_arm_ends_it(workbench: Workbench) -> None:
    tab = compared(workbench)
    tab.locator(".segment", has_text="Joint step").click()
    run(tab)
    start, end = look_at(tab, 0.05), look_at(tab, 1.9)
    assert start != end
    live = state(workbench, "view.value.overlay('triads').children.at(-1).position.toArray()")
    for parts in start:
        assert parts[-1] == pytest.approx(live, abs=2e-3)
    tab.evaluate("() => { location.hash = 'scara'; }")
    workbench.await_arm("scara")
    tab.wait_for_function("() => armlab.view.value.overlay('ghosts').children.length === 0")
    expect(tab.get_by_text("Press “Compare”")).to_be_visible()


def test_the_panel_speaks_other_languages_and_has_no_barriers(workbench: Workbench) -> None:
    tab = compared(workbench, "scara")
    type_value(tab, "Drive stiffness", "100")
    run(tab)
    load_axe(tab)
    assert serious_barriers(tab) == []
    english = tab.locator('[data-code="structure_shakes"]').first.inner_text()
    tab.get_by_role("combobox", name="Language").select_option("uk")
    tab.wait_for_function(
        "(old) => (document.querySelector('[data-code=\"structure_shakes\"]')?.innerText ?? old) !== old", arg=english
    )
    expect(tab.get_by_role("tab", name="Порівняння")).to_be_visible()

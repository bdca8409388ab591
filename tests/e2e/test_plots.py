"""The plots in a real browser: curves of a motion, holding and zooming them, recording, and files of it."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from e2e.chromium import Workbench

from armlab import catalog
from armlab.recording import read_recording

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARM = "kuka-kr6-r700"
NAMES = [joint.name for joint in catalog.load(ARM).joints]
TO = 30.0


def plots(workbench: Workbench) -> Any:
    """Open the page with our arm and the panel; return the tab."""
    tab = workbench.open(ARM).tab
    tab.get_by_role("tab", name="Plots").click()
    tab.locator(".plots-canvas .uplot").wait_for()
    tab.wait_for_function("() => armlab.history.length > 5 && armlab.live.q.length === 6")
    return tab


def move_first_joint(tab: Any, to: float = TO) -> None:
    """Send the first joint to a value by typing it, and wait until it is there."""
    tab.get_by_role("tab", name="Jog").click()
    field = tab.locator(f'[data-joint="{NAMES[0]}"] input[inputmode], [data-joint="{NAMES[0]}"] input.number').first
    field.fill(str(to))
    field.press("Enter")
    tab.wait_for_function("to => Math.abs(armlab.live.q[0] - to) < 0.05", arg=to)


def choose(tab: Any, group: str, name: str) -> None:
    """Choose one of a row of choices in the panel."""
    tab.locator(".plots").get_by_role("radiogroup", name=group).get_by_role("radio", name=name, exact=True).check()


def cell(tab: Any, row: str, column: int) -> str:
    """Return the text of a cell of the table of values."""
    return str(tab.locator(f'.plots-values tr[data-row="{row}"] td').nth(column).inner_text())


def number(text: str) -> float:
    """Return the number that a cell shows."""
    return float(text.replace("\u2212", "-"))


def await_cell(tab: Any, row: str, column: int, low: float, high: float) -> None:
    """Wait until a cell shows a number in a range."""
    tab.wait_for_function(
        """([row, column, low, high]) => {
            const cells = document.querySelectorAll(`.plots-values tr[data-row="${row}"] td`);
            const value = Number((cells[column]?.textContent ?? "").replace("\u2212", "-"));
            return value >= low && value <= high;
        }""",
        arg=[row, column, low, high],
    )


def test_a_motion_is_seen_in_every_quantity(workbench: Workbench) -> None:
    tab = plots(workbench)
    choose(tab, "Shown time", "60 s")
    move_first_joint(tab)
    first = NAMES[0]
    await_cell(tab, first, 0, TO - 0.1, TO + 0.1)
    await_cell(tab, first, 1, TO - 0.01, TO + 0.01)
    await_cell(tab, first, 3, TO - 0.1, TO + 1.0)
    choose(tab, "What is drawn", "q̇")
    await_cell(tab, first, 2, 5.0, 1000.0)
    choose(tab, "What is drawn", "τ")
    await_cell(tab, NAMES[1], 0, -1000.0, 1000.0)
    choose(tab, "What is drawn", "X Y Z")
    x = tab.evaluate("() => [...armlab.live.frames].slice(-7)[0] * 1000")
    await_cell(tab, "X", 0, x - 1.0, x + 1.0)
    for name, rows in (("q̈", 6), ("A B C", 3), ("Energy", 3), ("Gap", 1)):
        choose(tab, "What is drawn", name)
        assert tab.locator(".plots-values tbody tr").count() == rows
    tab.wait_for_function("() => document.querySelector('.plots-canvas .u-over') !== null")


def test_held_plots_stay_and_can_be_zoomed_by_dragging_buttons_and_keys(workbench: Workbench) -> None:
    tab = plots(workbench)
    tab.get_by_role("button", name="Hold the plot").click()
    before = cell(tab, NAMES[0], 0)
    move_first_joint(tab)
    assert cell(tab, NAMES[0], 0) == before
    tab.get_by_role("button", name="Let the plot run").click()
    await_cell(tab, NAMES[0], 0, TO - 0.1, TO + 0.1)
    box = tab.locator(".plots-canvas .u-over").bounding_box()
    middle = box["y"] + box["height"] / 2
    tab.mouse.move(box["x"] + box["width"] * 0.6, middle)
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] * 0.8, middle, steps=4)
    tab.mouse.up()
    tab.get_by_role("button", name="Let the plot run").wait_for()
    tab.get_by_role("button", name="Show the whole window").wait_for()
    tab.locator(".plots-canvas").focus()
    tab.keyboard.press("0")
    tab.get_by_role("button", name="Show the whole window").wait_for(state="detached")
    tab.get_by_role("button", name="Zoom in").click()
    tab.get_by_role("button", name="Show the whole window").wait_for()
    tab.locator(".plots-canvas").press("Space")
    tab.get_by_role("button", name="Hold the plot").wait_for()
    tab.get_by_role("button", name="Zoom out").click()
    shown = tab.locator(".plots").get_by_role("radiogroup", name="Shown time")
    assert shown.get_by_role("radio", name="60 s").is_checked()


def test_curves_can_be_switched_off_one_by_one(workbench: Workbench) -> None:
    tab = plots(workbench)
    for name in NAMES:
        tab.locator(f'.plots-values tr[data-row="{name}"]').get_by_role("button").click()
    tab.get_by_text("Every curve is switched off").wait_for()
    tab.locator(f'.plots-values tr[data-row="{NAMES[0]}"]').get_by_role("button").press("Enter")
    tab.get_by_text("Every curve is switched off").wait_for(state="detached")
    assert tab.get_by_role("button", name="Commanded", exact=True).get_attribute("aria-pressed") == "true"


def test_a_recording_is_downloaded_as_csv_mcap_and_parquet(workbench: Workbench, tmp_path: Path) -> None:
    tab = plots(workbench)
    panel = tab.locator(".plots")
    panel.get_by_role("button", name="Record", exact=True).click()
    tab.locator(".plots-note", has_text="Recording: ").wait_for()
    move_first_joint(tab)
    panel.get_by_role("button", name="Record", exact=True).click()
    tab.locator(".plots-note", has_text="ready to download").wait_for()
    files = {}
    for kind in ("CSV", "MCAP", "Parquet"):
        panel.get_by_role("button", name="Download").click()
        with tab.expect_download() as waiting:
            tab.locator("#plots-files").get_by_role("button", name=kind).click()
        files[kind] = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(files[kind])
    assert [path.name for path in files.values()] == [f"{ARM}.{kind}" for kind in ("csv", "mcap", "parquet")]
    rows = list(csv.DictReader(files["CSV"].read_text("utf-8").splitlines()))
    assert float(rows[-1][f"q_{NAMES[0]}_rad"]) == pytest.approx(TO * 3.14159265 / 180, abs=2e-3)
    read = read_recording(files["MCAP"])
    assert list(read.names) == NAMES
    assert files["Parquet"].read_bytes()[:4] == b"PAR1"


def test_a_recording_is_played_again(workbench: Workbench) -> None:
    tab = plots(workbench)
    panel = tab.locator(".plots")
    assert panel.get_by_role("button", name="Play the recording again").is_disabled()
    panel.get_by_role("button", name="Record", exact=True).click()
    tab.locator(".plots-note", has_text="Recording: ").wait_for()
    move_first_joint(tab)
    panel.get_by_role("button", name="Record", exact=True).click()
    tab.locator(".plots-note", has_text="ready to download").wait_for()
    move_first_joint(tab, -40.0)
    panel.get_by_role("button", name="Play the recording again").click()
    tab.wait_for_function("() => armlab.player.value?.what === 'recording'")
    tab.wait_for_function("to => Math.abs(armlab.live.q[0] - to) < 0.1", arg=TO)

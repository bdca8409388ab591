"""The plots in a real browser: curves of a motion, holding and zooming them, recording, and files of it."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from e2e.bench import fresh_tab, server_at, state
from e2e.chromium import Workbench
from e2e.jogging import TWO_PICTURES
from playwright.sync_api import expect

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


def heads(tab: Any) -> list[str]:
    """Return what stands over the columns of the table of values."""
    return [str(text) for text in tab.locator(".plots-values thead th").all_inner_texts()]


def seconds(tab: Any) -> float:
    """Return the time that the pointer is at, as the table says it."""
    tab.locator(".plots-values thead th", has_text=" s").wait_for()
    return number(heads(tab)[0].removesuffix(" s"))


HOLD = """(button, column) => {
    button.click();
    return [[...armlab.history.times()], [...armlab.history.column(column, 0)]];
}"""
"""Hold the plot, and return what it then holds: times and values."""


def sweep(tab: Any, time: float) -> Iterator[float]:
    """Move the pointer over a held plot of the last minute around `time` (s, 0 at its end), pixel by pixel."""
    box = tab.locator(".plots-canvas .u-over").bounding_box()
    middle = int(box["width"] * (1 + time / 60))
    for x in range(max(4, middle - 8), min(int(box["width"]) - 4, middle + 8)):
        tab.mouse.move(box["x"] + x, box["y"] + box["height"] / 2)
        tab.evaluate(TWO_PICTURES)
        yield seconds(tab)


def number(text: str) -> float:
    """Return the number that a cell shows."""
    return float(text.replace("\u2212", "-"))


def shown_within(value: float) -> float:
    """Return how far a cell may be from the number it shows: from 1000 on it shows no decimals, from 100 on one."""
    return 0.51 if abs(value) >= 999.0 else 0.06


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
    choose(tab, "Time window", "60 s")
    move_first_joint(tab)
    first = NAMES[0]
    await_cell(tab, first, 0, TO - 0.1, TO + 0.1)
    await_cell(tab, first, 1, TO - 0.01, TO + 0.01)
    await_cell(tab, first, 3, TO - 0.1, TO + 1.0)
    choose(tab, "What is drawn", "q̇")
    await_cell(tab, first, 3, 5.0, 1000.0)
    choose(tab, "What is drawn", "X Y Z")
    assert heads(tab) == ["Now", "Value", "Min", "Max"]
    x = tab.evaluate("() => [...armlab.live.frames].slice(-7)[0] * 1000")
    await_cell(tab, "X", 0, x - 1.0, x + 1.0)
    for name, rows in (("q̈", 6), ("A B C", 3), ("Energy", 3), ("Gap", 1)):
        choose(tab, "What is drawn", name)
        assert tab.locator(".plots-values tbody tr").count() == rows
    tab.wait_for_function("() => document.querySelector('.plots-canvas .u-over') !== null")


@pytest.mark.parametrize(("name", "column"), [("q", "command"), ("q̇", "commandQd"), ("q̈", "commandQdd")])
def test_what_was_commanded_is_drawn_and_read_at_the_pointer(workbench: Workbench, name: str, column: str) -> None:
    tab = plots(workbench)
    choose(tab, "Time window", "60 s")  # a motion that is over has not scrolled away
    choose(tab, "What is drawn", name)
    assert heads(tab) == ["Now", "Actual", "Commanded", "Min", "Max"]
    shown = tab.get_by_role("button", name="Commanded", exact=True)
    assert tab.locator(".plots-swatch[data-commanded]").count() == len(NAMES)
    shown.click()
    tab.locator(".plots-swatch[data-commanded]").first.wait_for(state="detached")
    shown.click()
    move_first_joint(tab)
    tab.wait_for_function("end => armlab.live.time > end + 2", arg=tab.evaluate("() => armlab.live.time"))
    times, values = tab.get_by_role("button", name="Hold the plot").evaluate(HOLD, column)
    peak = max(range(len(values)), key=lambda i: abs(values[i]))
    read = {number(cell(tab, NAMES[0], 1)) for _ in sweep(tab, times[peak] - times[-1])}
    assert max(abs(value) for value in read) > 1.0
    assert all(min(abs(value - one) for one in values) < shown_within(value) for value in read)


def test_the_commanded_torque_is_what_the_arm_alone_needs(workbench: Workbench) -> None:
    tab = plots(workbench)
    choose(tab, "What is drawn", "τ")
    tab.get_by_role("button", name="Hold the plot").click()
    actual, commanded = (number(cell(tab, NAMES[1], column)) for column in (0, 1))
    assert commanded == pytest.approx(tab.evaluate("() => armlab.live.commandTau[1]"), abs=0.02)
    assert abs(commanded) > 1.0  # it is held against gravity
    assert actual == pytest.approx(commanded, rel=0.02)  # nothing is held or touched
    tab.locator(".plots").get_by_role("button", name="Help: Plots").click()
    assert "inverse dynamics" in tab.locator(".help-bubble:popover-open").inner_text()


def test_the_wheel_zooms_at_the_pointer_and_a_double_click_shows_all(workbench: Workbench) -> None:
    tab = plots(workbench)
    whole = tab.get_by_role("button", name="Show the whole window")
    box = tab.locator(".plots-canvas .u-over").bounding_box()
    tab.mouse.move(box["x"] + box["width"] * 0.9, box["y"] + box["height"] / 2)
    tab.mouse.wheel(0, -200)
    whole.wait_for()
    tab.get_by_role("button", name="Resume the plot").wait_for()
    before = seconds(tab)
    tab.mouse.wheel(0, -200)
    tab.mouse.move(box["x"] + box["width"] * 0.9 + 1, box["y"] + box["height"] / 2)
    assert seconds(tab) == pytest.approx(before, abs=0.2)  # what the pointer is at stays there
    tab.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    whole.wait_for(state="detached")
    tab.get_by_role("button", name="Resume the plot").click()


def test_on_a_tablet_a_finger_zooms_and_nothing_is_cut_off(workbench: Workbench) -> None:
    tab = plots(workbench)
    tab.set_viewport_size({"width": 820, "height": 1180})
    over = tab.locator(".plots-canvas .u-over")
    over.scroll_into_view_if_needed()
    box = over.bounding_box()
    touch, y = tab.context.new_cdp_session(tab), box["y"] + 20
    steps = [("touchStart", 0.5), ("touchMove", 0.6), ("touchMove", 0.8), ("touchEnd", None)]
    for kind, share in steps:
        points = [] if share is None else [{"x": box["x"] + box["width"] * share, "y": y}]
        touch.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
    whole = tab.get_by_role("button", name="Show the whole window")
    whole.click()
    whole.wait_for(state="detached")
    panel = tab.locator(".plots").bounding_box()
    for button in tab.locator(".plots-tools > button, .plots-zoom button, .plots-values table").all():
        inner = button.bounding_box()
        assert inner["x"] >= panel["x"] - 1
        assert inner["x"] + inner["width"] <= panel["x"] + panel["width"] + 1


def test_held_plots_stay_and_can_be_zoomed_by_dragging_buttons_and_keys(workbench: Workbench) -> None:
    tab = plots(workbench)
    tab.get_by_role("button", name="Hold the plot").click()
    before = cell(tab, NAMES[0], 0)
    move_first_joint(tab)
    assert cell(tab, NAMES[0], 0) == before
    tab.get_by_role("button", name="Resume the plot").click()
    await_cell(tab, NAMES[0], 0, TO - 0.1, TO + 0.1)
    box = tab.locator(".plots-canvas .u-over").bounding_box()
    middle = box["y"] + box["height"] / 2
    tab.mouse.move(box["x"] + box["width"] * 0.6, middle)
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] * 0.8, middle, steps=4)
    tab.mouse.up()
    tab.get_by_role("button", name="Resume the plot").wait_for()
    tab.get_by_role("button", name="Show the whole window").wait_for()
    tab.locator(".plots-canvas").focus()
    tab.keyboard.press("0")
    tab.get_by_role("button", name="Show the whole window").wait_for(state="detached")
    tab.get_by_role("button", name="Zoom in").click()
    tab.get_by_role("button", name="Show the whole window").wait_for()
    tab.locator(".plots-canvas").press("Space")
    tab.get_by_role("button", name="Hold the plot").wait_for()
    tab.get_by_role("button", name="Zoom out").click()
    shown = tab.locator(".plots").get_by_role("radiogroup", name="Time window")
    expect(shown.get_by_role("radio", name="60 s")).to_be_checked()


def test_curves_can_be_switched_off_one_by_one(workbench: Workbench) -> None:
    tab = plots(workbench)
    for name in NAMES:
        tab.locator(f'.plots-values tr[data-row="{name}"]').get_by_role("button").click()
    tab.get_by_text("Every curve is switched off").wait_for()
    tab.locator(f'.plots-values tr[data-row="{NAMES[0]}"]').get_by_role("button").press("Enter")
    tab.get_by_text("Every curve is switched off").wait_for(state="detached")
    expect(tab.get_by_role("button", name="Commanded", exact=True)).to_have_attribute("aria-pressed", "true")


def test_a_recording_is_downloaded_as_csv_mcap_and_parquet(workbench: Workbench, tmp_path: Path) -> None:
    tab = plots(workbench)
    panel = tab.locator(".plots")
    panel.get_by_role("button", name="Record", exact=True).click()
    tab.locator(".plots-note", has_text="Recording: ").wait_for()
    header = tab.locator(".header .record-button")
    expect(header).to_have_attribute("aria-pressed", "true")
    move_first_joint(tab)
    tab.locator(".header .record-time", has_text="0:0").wait_for()
    tab.reload()  # a page that comes later knows as much
    tab.locator(".header .record-time", has_text="0:").wait_for()
    tab.get_by_role("tab", name="Plots").click()
    panel.get_by_role("button", name="Record", exact=True).click()
    tab.locator(".plots-note", has_text="ready to download").wait_for()
    expect(header).to_have_attribute("aria-pressed", "false")
    path = tab.evaluate("() => armlab.recording.value.path")
    told = tab.locator(".toast", has_text=path)
    assert told.get_by_role("button").all_inner_texts()[:3] == ["CSV", "MCAP", "Parquet"]
    assert path in tab.locator(".plots-note").inner_text()
    files = {}
    for kind in ("CSV", "MCAP", "Parquet"):
        panel.get_by_role("button", name="Download").click()
        with tab.expect_download() as waiting:
            tab.locator("#plots-files").get_by_role("button", name=kind).click()
        files[kind] = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(files[kind])
    stem = Path(path).stem
    assert stem.endswith(ARM)
    assert [file.name for file in files.values()] == [f"{stem}.{kind}" for kind in ("csv", "mcap", "parquet")]
    rows = list(csv.DictReader(files["CSV"].read_text("utf-8").splitlines()))
    assert float(rows[-1][f"q_{NAMES[0]}_deg"]) == pytest.approx(TO, abs=0.1)
    read = read_recording(files["MCAP"])
    assert list(read.names) == NAMES
    assert files["Parquet"].read_bytes()[:4] == b"PAR1"


def test_a_recording_is_played_again(workbench: Workbench) -> None:
    tab = plots(workbench)
    panel = tab.locator(".plots")
    expect(panel.get_by_role("button", name="Play the recording again")).to_be_disabled()
    panel.get_by_role("button", name="Record", exact=True).click()
    tab.locator(".plots-note", has_text="Recording: ").wait_for()
    move_first_joint(tab)
    panel.get_by_role("button", name="Record", exact=True).click()
    tab.locator(".plots-note", has_text="ready to download").wait_for()
    move_first_joint(tab, -40.0)
    panel.get_by_role("button", name="Play the recording again").click()
    tab.wait_for_function("() => armlab.player.value?.what === 'recording'")
    tab.wait_for_function("to => Math.abs(armlab.live.q[0] - to) < 0.1", arg=TO)


def test_the_recording_of_a_killed_server_is_in_the_list_after_its_restart(chromium: Any, tmp_path: Path) -> None:
    with server_at(0) as first, fresh_tab(chromium) as tab:
        bench = Workbench(tab, first.url).open(ARM)
        tab.locator(".header").get_by_role("button", name="Record", exact=True).click()
        tab.wait_for_function("() => armlab.live.time > (armlab.recording.value?.started ?? Infinity) + 1.5")
        name, old = state(bench, "recording.value.name"), state(bench, "session.value")
        first.stop()  # killed: it cannot finish anything
        with server_at(urlsplit(first.url).port or 0):
            tab.wait_for_function("(old) => armlab.link.value === 'open' && armlab.session.value !== old", arg=old)
            tab.get_by_role("tab", name="Plots").click()
            tab.locator(".plots").get_by_role("button", name="Download").click()
            with tab.expect_download() as waiting:
                tab.get_by_role("button", name=f"Download {name} as CSV").click()
            waiting.value.save_as(tmp_path / "a.csv")
            rows = list(csv.DictReader((tmp_path / "a.csv").read_text("utf-8").splitlines()))
            assert float(rows[-1]["time_s"]) > 0.9
            expect(tab.locator(".header .record-button")).to_have_attribute("aria-pressed", "false")

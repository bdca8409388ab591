"""Inertial sensors on objects in a real browser: put there, read, renamed and deleted with them; S5's cube."""

from __future__ import annotations

import csv
from typing import Any

import numpy as np
import pytest
from e2e.bench import at_home
from e2e.chromium import Workbench
from e2e.handles import await_calm
from e2e.test_papers import opened
from e2e.test_sensors import await_links

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

FLOOR = {"name": "floor", "kind": "box", "size": [3000, 3000, 100], "xyz": [0, 0, -50.5], "colour": "#5b626c"}
CRATE = {
    "name": "crate",
    "kind": "box",
    "size": [200, 200, 200],
    "xyz": [350, 350, 100.2],
    "mass": 2.0,
    "colour": "#ff00ff",
}


@pytest.fixture
def tab(workbench: Workbench) -> Any:
    """Return the page with a crate beside the arm, and the panel of sensors open."""
    tab = workbench.open("braccio").tab
    tab.evaluate(
        """bodies => {
          const project = armlab.project.value, { revision } = armlab.doc.value;
          armlab.send({ type: 'edit',
              changes: [{ path: [],
                  value: armlab.wholeOf({ ...project, bodies, sensors: [] }) }], label: 'crate', revision });
        }""",
        [FLOOR, CRATE],
    )
    tab.wait_for_function("() => armlab.doc.value.layout.bodies.includes('crate')")
    tab.get_by_role("tab", name="Sensors", exact=True).click()
    tab.get_by_role("button", name="Add sensor").wait_for()
    return tab


def add_on_crate(tab: Any) -> None:
    """Put a sensor on the crate, from the list."""
    tab.get_by_label("Link or object", exact=True).select_option("crate")
    tab.get_by_role("button", name="Add sensor").click()
    await_links(tab, ["crate"])


def test_a_sensor_on_an_object_shows_signals_and_drift_and_goes_with_it(tab: Any) -> None:
    add_on_crate(tab)
    tab.get_by_role("button", name="crate (object)", exact=True).wait_for()
    for chart in ("gyro", "acc"):
        tab.locator(f'[data-chart="{chart}"] canvas').wait_for()
    tab.locator('[data-row="eskf"]').wait_for()
    assert tab.locator("[data-estimate]").count() == 0  # it tells nothing of the arm
    assert tab.locator('[data-row="base"]').count() == 0
    tab.get_by_role("tab", name="Scene", exact=True).click()
    tab.locator('[data-body="crate"] button').first.click()
    field = tab.locator('[data-edited="crate"]').get_by_label("Name")
    field.fill("chest")
    field.press("Enter")
    await_links(tab, ["chest"])
    tab.get_by_role("button", name="Delete chest").click()
    await_links(tab, [])
    tab.locator(".toast", has_text="the sensor on 'chest' went with the object").wait_for()
    tab.evaluate("() => armlab.send({ type: 'undo' })")
    await_links(tab, ["chest"])


def test_a_click_on_an_object_puts_a_sensor_where_it_was_clicked(tab: Any) -> None:
    now = await_calm(tab)
    rows, columns = np.nonzero((now[..., 0] - now[..., 1] > 100) & (now[..., 2] - now[..., 1] > 100))
    middle = np.median(rows)
    box = tab.locator("canvas").first.bounding_box()
    tab.get_by_role("button", name="Click in the view").click()
    tab.mouse.click(box["x"] + float(np.median(columns[np.abs(rows - middle) < 2])), box["y"] + float(middle))
    await_links(tab, ["crate"])
    sensor = tab.evaluate("() => armlab.project.value.sensors[0]")
    assert sensor["on"] == "body"
    assert max(abs(value) for value in sensor["pose"][:3]) == pytest.approx(100.0, abs=0.5)  # on a face of it


def test_another_arm_keeps_the_sensors_on_objects(tab: Any, workbench: Workbench) -> None:
    add_on_crate(tab)
    tab.get_by_role("tab", name="Arm", exact=True).click()
    card = tab.locator('[data-arm-name="scara-s3"]').get_by_role("img")
    card.scroll_into_view_if_needed()
    card.click()
    workbench.await_arm("scara-s3")
    await_links(tab, ["crate"])


def test_the_cube_of_the_paper_reads_rest_push_and_fall(workbench: Workbench) -> None:
    bench = at_home(workbench)
    opened(bench, "s5-cube")
    tab = bench.tab
    await_links(tab, ["cube"])
    tab.locator(".toast").get_by_role("button", name="Play").click()
    tab.wait_for_function("() => armlab.player.value?.what === 'scenario'")
    tab.locator('[data-chart="acc"] canvas').wait_for()
    cube = "armlab.live.bodies[7 * armlab.doc.value.layout.bodies.indexOf('cube') + 2]"
    tab.wait_for_function(f"() => {cube} > 1.0")  # up by the push
    tab.wait_for_function(f"() => {cube} < 0.9")  # and down again
    with tab.expect_download() as download:
        tab.get_by_role("link", name="CSV", exact=True).click()
    with download.value.path().open() as file:
        force = np.array([float(row["acc_z_m_s2"]) for row in csv.DictReader(file)])
    for expected in (9.81, 10.81, 0.0):
        assert (np.abs(force - expected) < 1e-3).sum() > 5, expected

"""Inertial sensors in a real browser: put on links, read, moved, downloaded, undone, and gone with the arm."""

from __future__ import annotations

from typing import Any

import pytest
from e2e.chromium import Workbench
from e2e.handles import on_the_arm

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARM = "braccio"


@pytest.fixture
def tab(workbench: Workbench) -> Any:
    """Return the page with the panel of sensors open."""
    tab = workbench.open(ARM).tab
    tab.get_by_role("tab", name="Sensors", exact=True).click()
    tab.get_by_role("button", name="Add sensor").wait_for()
    return tab


def await_links(tab: Any, links: list[str]) -> None:
    """Wait until the project, and the list, have sensors on these links."""
    tab.wait_for_function(
        "links => JSON.stringify(armlab.project.value.sensors.map(s => s.link)) === JSON.stringify(links)",
        arg=links,
    )
    tab.wait_for_function("count => document.querySelectorAll('[data-sensor]').length === count", arg=len(links))


def test_a_sensor_from_the_list_shows_signals_drift_and_noise_and_is_downloaded(tab: Any) -> None:
    tab.get_by_label("Link or object", exact=True).select_option("gripper")
    tab.get_by_role("button", name="Add sensor").click()
    await_links(tab, ["gripper"])
    for chart in ("gyro", "acc"):
        tab.locator(f'[data-chart="{chart}"] canvas').wait_for()
    tab.wait_for_function("() => document.querySelector('[data-estimate]')?.dataset.estimate !== ''")
    tab.locator('[data-row="eskf"]').wait_for()
    assert tab.locator('[data-row="base"]').inner_text().split()[1] == "0.00"  # turns about the vertical
    tab.get_by_role("button", name="Allan deviation", exact=True).click()
    tab.locator('[data-chart="allan.gyro"] canvas').wait_for()
    assert "0.00500" in tab.locator('[data-row="gyro.stated"]').inner_text()
    with tab.expect_download() as download:
        tab.get_by_role("link", name="CSV", exact=True).click()
    text = download.value.path().read_text()
    assert text.startswith("time_s,gyro_x_rad_s")
    assert len(text.splitlines()) > 12


def test_a_click_on_a_link_puts_a_sensor_where_it_was_clicked(tab: Any) -> None:
    tab.get_by_role("button", name="Click in the view").click()
    tab.mouse.click(*on_the_arm(tab))
    tab.wait_for_function("() => armlab.project.value.sensors.length === 1")
    sensor = tab.evaluate("() => armlab.project.value.sensors[0]")
    assert sensor["link"] in tab.evaluate("() => armlab.doc.value.layout.links")
    assert any(sensor["pose"][:3])


def test_sensors_are_undone_and_gone_with_the_arm(tab: Any) -> None:
    for link in ("gripper", "forearm"):
        tab.get_by_label("Link or object", exact=True).select_option(link)
        tab.get_by_role("button", name="Add sensor").click()
        await_links(tab, ["gripper", "forearm"][: 1 + (link == "forearm")])
    tab.get_by_role("button", name="Remove the sensor on gripper").click()
    await_links(tab, ["forearm"])
    tab.evaluate("() => armlab.send({ type: 'undo' })")
    await_links(tab, ["gripper", "forearm"])
    tab.evaluate(
        """() => {
          const project = armlab.project.value, { revision } = armlab.doc.value;
          const arm = { ...project.arm, name: 'scara' };
          armlab.send({ type: 'edit',
              changes: [{ path: [],
                  value: armlab.wholeOf({ ...project, arm, sensors: [] }) }], label: 'arm', revision });
        }"""
    )
    await_links(tab, [])
    tab.get_by_text("No sensors yet.").wait_for()


def test_a_legend_tells_readings_from_the_ideal_and_another_preset_has_other_noise(tab: Any) -> None:
    tab.get_by_role("button", name="Add sensor").click()
    tab.locator('[data-chart="gyro"] canvas').wait_for()
    legend = tab.locator("figure", has=tab.locator('[data-chart="gyro"]')).locator(".sensors-legend li")
    assert legend.all_inner_texts() == ["x", "y", "z", "ideal"]
    tab.get_by_role("button", name="Allan deviation", exact=True).click()
    for preset, density in (("mpu-6050", "0.00500"), ("bmi088", "0.0140")):
        tab.locator("[data-sensor]").get_by_label("Sensor", exact=True).select_option(preset)
        tab.wait_for_function(
            "density => document.querySelector('[data-row=\"gyro.stated\"]')?.innerText.includes(density)", arg=density
        )


def test_two_tabs_share_sensors_until_one_of_them_chooses_another_arm(workbench: Workbench, tab: Any) -> None:
    tab.get_by_role("button", name="Add sensor").click()
    tab.wait_for_function("() => armlab.project.value.sensors.length === 1")
    link = tab.evaluate("() => armlab.project.value.sensors[0].link")
    other = Workbench(tab.context.new_page(), workbench.url)
    other.tab.goto(workbench.url)
    other.await_arm(ARM)
    other.tab.get_by_role("tab", name="Sensors", exact=True).click()
    await_links(other.tab, [link])
    other.tab.get_by_role("tab", name="Arm", exact=True).click()
    card = other.tab.locator('[data-arm-name="scara-s3"]').get_by_role("img")
    card.scroll_into_view_if_needed()
    card.click()
    workbench.await_arm("scara-s3")
    for one in (tab, other.tab):
        await_links(one, [])
        one.get_by_text("No sensors yet.").wait_for()
    assert other.complaints == []
    other.tab.close()

"""The tool centre point and the payload: typed, undone, shared by tabs, kept over a reload; wrong input is refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from e2e.arm_panel import NEAR, arm_of, await_arm, await_tool, go_to, tool, type_in, undo_once
from e2e.chromium import Workbench
from playwright.sync_api import expect

from armlab import catalog
from armlab.dynamics import gravity_torque, with_payload

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

PAPER = [45.0, 90.0, 30.0]
"""S3's joint values: 45°, 90°, 30 mm."""


def s3_bench(bench: Workbench) -> Any:
    """Open the page with S3's SCARA at the paper's joint values, the panel “Arm” in front."""
    tab = bench.open("scara-s3").tab
    tab.get_by_role("tab", name="Arm", exact=True).click()
    tab.wait_for_function("() => armlab.live.q.length === 3")
    go_to(bench, PAPER)
    return tab


def tcp(tab: Any, name: str) -> Any:
    """Return a field of the tool centre point."""
    return tab.locator(f'[data-tcp="{name}"]').get_by_role("textbox")


def payload(tab: Any, name: str) -> Any:
    """Return a field of the payload."""
    return tab.locator(f'[data-payload="{name}"]').get_by_role("textbox")


def test_a_tool_offset_gives_s3s_check_value_everywhere_at_once(workbench: Workbench) -> None:
    """L1 = L2 = L3 = 50 mm, tool z −15 mm: X = 0.0, Y = 70.7, Z = 5.0 mm."""
    tab = s3_bench(workbench)
    before = tool(workbench)
    np.testing.assert_allclose(before, [0.0, 70.711, 20.0], atol=NEAR)
    assert tcp(tab, "Z").input_value() == "0"
    type_in(tcp(tab, "Z"), "−15")
    await_arm(workbench, "arm.tcp !== null && arm.tcp[2] === -15")
    await_tool(workbench, np.array([0.0, 70.711, 5.0]))
    assert "Changed here: tool centre point." in tab.locator(".identity").inner_text()
    tab.get_by_role("tab", name="Jog").click()
    tab.wait_for_function(
        """() => { const z = document.querySelector('[data-pose="Z"]');
            return z !== null && Math.abs(Number(z.dataset.value) - 5) < 0.05; }"""
    )
    assert tab.locator('[data-pose="Z"]').get_by_role("textbox").input_value().startswith("5.0")
    tab.get_by_role("tab", name="Kinematics").click()
    tab.get_by_role("button", name="Use current pose").first.click()
    tab.get_by_role("button", name="Find all solutions").click()
    tab.locator("[data-solution]").first.wait_for()
    tab.get_by_role("tab", name="Arm", exact=True).click()
    undo_once(workbench, "Z of the TCP")
    await_tool(workbench, before)
    assert tcp(tab, "Z").input_value() == "0"


def test_the_catalogs_point_comes_back_and_another_tool_brings_its_own(workbench: Workbench) -> None:
    tab = s3_bench(workbench)
    tab.get_by_role("combobox", name="Tool", exact=True).select_option(label="Parallel gripper")
    await_arm(workbench, "arm.tool === 'gripper'")
    tab.wait_for_function("""() => document.querySelector('[data-tcp="Z"] input')?.value === '150'""")
    type_in(tcp(tab, "Z"), "170,5")
    await_arm(workbench, "arm.tcp !== null && arm.tcp[2] === 170.5")
    expect(tcp(tab, "Z")).to_have_attribute("title", "changed; in the catalog 150 mm")
    tab.get_by_role("button", name="Back to the tool’s own point").click()
    await_arm(workbench, "arm.tcp === null")
    assert tcp(tab, "Z").input_value() == "150"
    type_in(tcp(tab, "A"), "90")
    await_arm(workbench, "arm.tcp !== null && arm.tcp[3] === 90")
    tab.get_by_role("combobox", name="Tool", exact=True).select_option(label="Pen in a spring holder")
    await_arm(workbench, "arm.tool === 'pen' && arm.tcp === null")


def test_a_payload_is_carried_by_the_torques_and_its_inertia_is_said(workbench: Workbench) -> None:
    tab = workbench.open("kuka-kr6-r700").tab
    tab.get_by_role("tab", name="Arm", exact=True).click()
    tab.wait_for_function("() => armlab.live.q.length === 6")
    q = [0.0, -45.0, 60.0, 0.0, 30.0, 0.0]
    go_to(workbench, q)
    type_in(payload(tab, "Mass"), "2")
    await_arm(workbench, "arm.payload !== null && arm.payload.mass === 2")
    type_in(payload(tab, "Z"), "80")
    await_arm(workbench, "arm.payload.com[2] === 80")
    robot = catalog.load("kuka-kr6-r700")
    expected = gravity_torque(with_payload(robot, 2.0, [0.0, 0.0, 0.08]), np.radians(q))
    tab.wait_for_function(
        "(expected) => expected.every((value, i) => Math.abs(armlab.live.commandTau[i] - value) < 0.05)",
        arg=expected.tolist(),
    )
    said = tab.locator('[data-numbers="payload"]').inner_text()
    assert "Inertia (estimated): as of a solid aluminium ball of radius 56 mm" in said
    assert "Tool 0 kg + payload 2 kg = 2 kg; rated 6 kg" in said
    type_in(payload(tab, "Mass"), "7")
    tab.wait_for_selector("text=7 kg on the flange is more than the 6 kg that the maker allows.")
    tab.get_by_role("button", name="Remove the payload").click()
    await_arm(workbench, "arm.payload === null")
    bare = gravity_torque(robot, np.radians(q))
    tab.wait_for_function(
        "(expected) => expected.every((value, i) => Math.abs(armlab.live.commandTau[i] - value) < 0.05)",
        arg=bare.tolist(),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "Z: Enter a number."),
        ("1e9", "Z: 1000000000 mm is outside −10000 … 10000 mm."),
        ("abc", "Z: “abc” is not a number."),
    ],
)
def test_a_wrong_tcp_gets_one_message_and_changes_nothing(workbench: Workbench, text: str, message: str) -> None:
    tab = s3_bench(workbench)
    revision = tab.evaluate("() => armlab.doc.value.revision")
    type_in(tcp(tab, "Z"), text)
    problem = tab.locator('[data-numbers="tcp"] > .problem').first
    tab.wait_for_function("""() => document.querySelector('[data-numbers="tcp"] > .problem').textContent !== ''""")
    assert problem.inner_text() == message
    type_in(payload(tab, "Mass"), "-1")
    assert (
        tab.locator('[data-numbers="payload"] > .problem').first.inner_text() == "Mass: −1 kg is outside 0 … 10000 kg."
    )
    assert tab.evaluate("() => armlab.doc.value.revision") == revision
    assert tab.locator(".toast").count() == 0
    tcp(tab, "Z").press("Escape")
    assert tcp(tab, "Z").input_value() == "0"


def test_tcp_and_payload_are_shared_by_tabs_and_kept_over_a_reload(workbench: Workbench) -> None:
    tab = s3_bench(workbench)
    other = Workbench(tab.context.new_page(), workbench.url).open()
    type_in(tcp(tab, "Z"), "-15")
    type_in(payload(tab, "Mass"), "0,2")
    await_arm(other, "arm.tcp?.[2] === -15 && arm.payload?.mass === 0.2")
    await_tool(other, np.array([0.0, 70.711, 5.0]))
    tab.reload()
    workbench.await_arm("scara-s3")
    tab.wait_for_function("""() => document.querySelector('[data-tcp="Z"] input')?.value === '−15'""")
    assert payload(tab, "Mass").input_value() == "0.2"
    assert arm_of(workbench)["payload"] == {"mass": 0.2, "com": [0, 0, 0]}
    assert other.complaints == []

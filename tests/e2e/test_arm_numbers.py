"""The panel of the arm: changing its lengths and limits by typing, sliders and keys."""

from __future__ import annotations

import numpy as np
import pytest
from e2e.arm_panel import (
    KUKA,
    LENGTHS,
    arm_of,
    await_arm,
    await_tool,
    go_to,
    hold_arrow,
    lengths_bench,
    moved,
    pull,
    scara_bench,
    tool,
    type_in,
    undo_once,
)
from e2e.chromium import Workbench
from playwright.sync_api import expect

from armlab import catalog
from armlab.reports.robots import robot_sheet

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_a_longer_link_moves_the_tool_by_that_much_and_undo_brings_it_back(workbench: Workbench) -> None:
    """With the first joint at zero, the first link of the SCARA lies along x."""
    tab = scara_bench(workbench, LENGTHS)
    go_to(workbench, [0, 30, -50, 0])
    before = tool(workbench)
    field = tab.get_by_label("a of Q1, mm")
    assert field.input_value() == "250"
    shapes = sum("/model.glb" in url for url in workbench.requests)
    type_in(field, "300")
    await_tool(workbench, moved(before, 50, 0, 0))
    dh = arm_of(workbench)["dh"]
    assert [row["a"] for row in dh] == [300, 250, 0, 0]
    expect(field).to_have_attribute("title", "changed; in the catalog 250 mm")
    assert "Changed here: link lengths and angles." in tab.locator(".identity").inner_text()
    assert sum("/model.glb" in url for url in workbench.requests) > shapes  # its new shape is asked for at once
    field.press("ArrowUp")
    field.press("Shift+ArrowUp")
    await_tool(workbench, moved(before, 51.1, 0, 0))
    while arm_of(workbench)["dh"] is not None:
        undo_once(workbench, "a of Q1")
    await_tool(workbench, before)
    assert field.input_value() == "250"
    type_in(tab.get_by_label("d of Q1, mm"), "500")
    await_tool(workbench, moved(before, 0, 0, 80))
    tab.locator('[data-section="arm.dh"]').get_by_role("button", name="Back to the catalog’s values").click()
    await_tool(workbench, before)
    await_arm(workbench, "arm.dh === null")


def test_the_arm_changes_while_a_slider_is_pulled_and_one_undo_takes_the_pull_back(workbench: Workbench) -> None:
    tab = lengths_bench(workbench)
    before = tool(workbench)
    revision = tab.evaluate("() => armlab.doc.value.revision")
    slider = tab.get_by_role("slider", name="a of Q1")
    expect(slider).to_have_attribute("aria-valuetext", "250 mm, 100 % of the catalog’s")
    pull(tab, slider, 0.6)
    await_arm(workbench, "arm.dh !== null && arm.dh[0].a > 300")
    shown = tab.get_by_label("a of Q1, mm").input_value()
    await_tool(workbench, moved(before, float(shown) - 250, 0, 0))  # the hand still holds it
    box = slider.bounding_box()
    tab.mouse.move(box["x"] + 0.75 * box["width"], box["y"] + box["height"] / 2, steps=8)
    tab.mouse.up()
    tab.wait_for_function(
        "() => armlab.project.value.arm.dh?.[0].a === Number(document.querySelector"
        "('[data-length=\"Q1 a\"] .number').value) && armlab.project.value.arm.dh[0].a > 330"
    )
    await_tool(workbench, moved(before, arm_of(workbench)["dh"][0]["a"] - 250, 0, 0))
    assert tab.evaluate("() => armlab.doc.value.revision") >= revision + 2
    undo_once(workbench, "a of Q1")
    await_tool(workbench, before)
    assert arm_of(workbench)["dh"] is None
    assert tab.evaluate("() => armlab.doc.value.undo") != "a of Q1"
    assert slider.input_value() == "250"


def test_a_slider_is_pulled_by_keys_and_a_button_brings_the_catalogs_length_back(workbench: Workbench) -> None:
    tab = workbench.open(KUKA).tab
    tab.get_by_role("tab", name="Arm", exact=True).click()
    tab.get_by_role("button", name=LENGTHS, exact=True).click()
    slider = tab.get_by_role("slider", name="d of A1")
    slider.press("ArrowRight")  # the catalog says −400: it grows to the right
    await_arm(workbench, "arm.dh !== null && arm.dh[0].d === -401")
    row = tab.locator('[data-length="A1 d"]')
    assert row.get_by_role("textbox").input_value() == "−401"
    row.get_by_role("button", name="Back to −400 mm, the catalog’s value").click()
    await_arm(workbench, "arm.dh === null")
    assert row.get_by_role("button").count() == 0
    undo_once(workbench, "d of A1")
    assert arm_of(workbench)["dh"][0]["d"] == -401
    undo_once(workbench, "d of A1")
    assert arm_of(workbench)["dh"] is None


def test_a_pull_into_a_body_is_answered_in_place_and_goes_back(workbench: Workbench) -> None:
    tab = lengths_bench(workbench)
    tab.evaluate(
        """() => { const project = armlab.project.value, { revision } = armlab.doc.value;
            const post = { name: 'post', kind: 'box', size: [40, 200, 1200], xyz: [640, 0, 600] };
            armlab.send({ type: 'edit', label: 'post', revision,
                changes: [{ path: [], value: armlab.wholeOf({ ...project, bodies: [post] }) }] }); }"""
    )
    tab.wait_for_function("() => armlab.doc.value.project.bodies.length === 1")
    slider = tab.get_by_role("slider", name="a of Q1")
    pull(tab, slider, 1.0)
    alert = tab.locator('[data-length="Q1 a"]').get_by_role("alert")
    tab.wait_for_function(
        "() => document.querySelector('[data-length=\"Q1 a\"] .problem').textContent.includes('overlap')"
    )
    tab.mouse.up()
    assert alert.inner_text().startswith("Q1, a: ")
    assert "post" in alert.inner_text()
    dh = arm_of(workbench)["dh"]
    held = 250 if dh is None else dh[0]["a"]
    assert held < 400
    tab.wait_for_function(
        "(held) => Number(document.querySelector('[data-length=\"Q1 a\"] input[type=range]').value) === held", arg=held
    )
    slider.press("ArrowLeft")  # a shorter one is fine again
    await_arm(workbench, "arm.dh !== null && arm.dh[0].a === arg", held - 1)
    tab.wait_for_function("() => document.querySelector('[data-length=\"Q1 a\"] .problem').textContent === ''")


def test_wrong_text_in_the_table_is_answered_in_place_and_nothing_is_lost(workbench: Workbench) -> None:
    tab = scara_bench(workbench, LENGTHS)
    tab.get_by_role("radio", name="Standard").check()
    revision = tab.evaluate("() => armlab.doc.value.revision")
    field = tab.get_by_label("a of Q2, mm")
    alert = tab.locator('[data-row="Q2"] + .arm-problem').get_by_role("alert")
    for typed, answer in (
        ("long", "Q2, a: “long” is not a number."),
        ("", "Q2, a: Enter a number."),
        ("99999", "Q2, a: 99999 mm is outside −10000 … 10000 mm."),
    ):
        type_in(field, typed)
        assert alert.inner_text() == answer
        assert field.input_value() == typed
        expect(field).to_have_attribute("aria-invalid", "true")
    assert tab.evaluate("() => armlab.doc.value.revision") == revision
    field.press("Escape")
    assert (field.input_value(), field.get_attribute("aria-invalid")) == ("250", "false")
    expect(alert).not_to_be_visible()
    tab.get_by_role("radio", name="Modified").check()
    assert tab.locator('[data-convention="modified"]').get_by_role("textbox").count() == 0


def test_the_table_is_the_catalogs_in_either_convention(workbench: Workbench) -> None:
    tab = scara_bench(workbench, LENGTHS)
    sheet = robot_sheet(catalog.load("scara"))
    tab.get_by_role("radio", name="Standard").check()
    tab.wait_for_selector('[data-convention="standard"] tbody input')
    shown = tab.locator('[data-convention="standard"] tbody input').evaluate_all("(all) => all.map((one) => one.value)")
    values = [float(text.replace("−", "-")) for text in shown]
    expected = [value for row in sheet.dh_standard for value in (row.theta, row.d, row.a, row.alpha)]
    np.testing.assert_allclose(values, expected, atol=0.000501)
    tab.get_by_role("radio", name="Modified").check()
    table = tab.locator('[data-convention="modified"] tbody tr')
    cells = [text.split("\t")[1:] for text in table.all_inner_texts()]
    values = [float(cell.replace("−", "-")) for row in cells for cell in row]
    expected = [value for row in sheet.dh_modified for value in (row.theta, row.d, row.a, row.alpha)]
    np.testing.assert_allclose(values, expected, atol=0.00501)


def test_a_narrower_limit_clips_the_slider_and_names_the_poses_that_no_longer_fit(workbench: Workbench) -> None:
    tab = scara_bench(workbench, "Limits")
    kept = [{"id": "far", "name": "Far left", "q": [100, 0, -50, 0]}]
    tab.evaluate(
        """(poses) => { const project = armlab.project.value, { revision } = armlab.doc.value;
            armlab.send({ type: 'edit', label: 'poses', revision,
                changes: [{ path: [], value: armlab.wholeOf({ ...project, poses }) }] }); }""",
        kept,
    )
    tab.wait_for_function("() => armlab.project.value.poses.length === 1")
    upper = tab.get_by_label("Q1 to, °")
    type_in(upper, "-140")
    problem = tab.locator('[data-section="arm.limits"] .arm-problem').get_by_role("alert").first
    assert problem.inner_text() == "Q1, To: must be above −135°, where the range begins."
    assert arm_of(workbench)["limits"] is None
    type_in(upper, "40")
    await_arm(workbench, "arm.limits !== null && arm.limits[0].upper === 40 && arm.limits[0].lower === -135")
    tab.locator(".card", has_text="Far left").wait_for()
    assert "1 saved pose lies outside the limits of this arm: Far left." in tab.locator(".card").inner_text()
    tab.get_by_role("tab", name="Jog").click()
    slider = workbench.joint("Q1").get_by_role("slider")
    tab.wait_for_function("() => document.querySelector('[data-joint=Q1] input[type=range]').max === '40'")
    slider.press("End")
    tab.wait_for_function("() => Math.abs(armlab.live.q[0] - 40) < 0.01 && (armlab.live.flags & 1) === 0")
    tab.get_by_role("tab", name="Arm", exact=True).click()
    tab.locator('[data-section="arm.limits"]').get_by_role("button", name="Back to the catalog’s values").click()
    await_arm(workbench, "arm.limits === null")
    tab.locator(".card", has_text="Far left").wait_for(state="detached")


def test_a_held_arrow_key_is_one_step_of_undo(workbench: Workbench) -> None:
    tab = scara_bench(workbench, "Limits")
    hold_arrow((tab.locator('[data-base="X"]').get_by_role("textbox"), "ArrowUp", 12))
    await_arm(workbench, "arm.base[0] === 12")
    hold_arrow((tab.get_by_label("Q1 from, °"), "ArrowUp", 5), (tab.get_by_label("Q1 to, °"), "ArrowDown", 5))
    await_arm(workbench, "arm.limits?.[0].lower === -130 && arm.limits[0].upper === 130")
    undo_once(workbench, "limits of Q1")
    assert (arm_of(workbench)["limits"], arm_of(workbench)["base"][0]) == (None, 12)
    undo_once(workbench, "X of the base")
    assert arm_of(workbench)["base"] == [0] * 6

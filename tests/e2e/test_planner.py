"""The planner in a real browser: points are made, planned, shown against the limits, and played."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from e2e.bench import SETTLED
from e2e.chromium import Workbench
from e2e.handles import await_view, on_page
from playwright.sync_api import expect

from armlab import catalog
from armlab.motion.joint import plan_joint
from armlab.units import joint_scale

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

ARM = "kuka-kr6-r700"
POINTS = [
    [0.0, -100.0, 120.0, 0.0, 70.0, 0.0],
    [15.0, -95.0, 120.0, 0.0, 70.0, 0.0],
    [40.0, -85.0, 110.0, 0.0, 70.0, 0.0],
    [50.0, -80.0, 110.0, 0.0, 70.0, 0.0],
]
NODES = [
    [450.0, 0.0, 500.0, 0.0, 90.0, 0.0],
    [450.0, 200.0, 500.0, 0.0, 90.0, 0.0],
    [450.0, 200.0, 300.0, 0.0, 90.0, 0.0],
]


@pytest.fixture
def tab(workbench: Workbench) -> Any:
    """Return the page with the planner open."""
    tab = workbench.open(ARM).tab
    tab.get_by_role("tab", name="Planner", exact=True).click()
    tab.get_by_role("button", name="Plan", exact=True).wait_for()
    return tab


def make(tab: Any, points: list[list[float]]) -> None:
    """Add as many points as there are, and type their values."""
    for count in range(1, len(points) + 1):
        tab.get_by_role("button", name="Add current pose").click()
        tab.wait_for_function("n => document.querySelectorAll('[data-point]').length === n", arg=count)
    for row, values in enumerate(points):
        shown = tab.locator(f'[data-point="{row}"] input').evaluate_all("all => all.map(one => one.value)")
        for column, value in enumerate(values):
            if f"{value:.2f}".replace("-", "\u2212") != shown[column]:
                type_value(tab, row, column, str(value))
    tab.wait_for_function(
        "points => { const plan = armlab.project.value.plan;"
        " return JSON.stringify(plan?.points ?? plan?.frames) === JSON.stringify(points); }",
        arg=points,
    )


def type_value(tab: Any, row: int, column: int, text: str) -> None:
    """Type a value of a point."""
    field = tab.locator(f'[data-point="{row}"]').get_by_role("textbox").nth(column)
    field.fill(text)
    field.press("Enter")


def choose_tool(tab: Any) -> None:
    """Plan the way of the tool, not of the joints."""
    tab.get_by_role("radiogroup", name="What is planned").get_by_role("radio", name="Tool").check()


def plan(tab: Any) -> float:
    """Press the button, and return the duration that is shown."""
    tab.get_by_role("button", name="Plan", exact=True).click()
    tab.locator("[data-duration]").wait_for()
    return float(tab.locator("[data-duration]").get_attribute("data-duration"))


def test_four_points_are_planned_by_4_3_4_shown_against_the_limits_and_played(tab: Any) -> None:
    assert "No points yet." in tab.locator(".planner-none").first.inner_text()
    make(tab, POINTS)
    assert tab.locator(".planner-role").all_inner_texts() == ["Start", "Departure", "Approach", "End"]
    tab.get_by_label("Scheme").select_option("4-3-4")
    duration = plan(tab)
    robot = catalog.load(ARM)
    scales = [joint_scale(joint.kind) for joint in robot.joints]
    points = [[value * scale for value, scale in zip(row, scales, strict=True)] for row in POINTS]
    assert duration == pytest.approx(plan_joint(robot, points, scheme="4-3-4").duration, rel=1e-6)
    assert tab.locator(".planner-duration").inner_text() == f"{duration:.3f} s"
    shares = [float(text.rstrip(" %")) for text in tab.locator(".planner-share").all_inner_texts()]
    assert len(shares) == 3 * robot.dof
    assert max(shares) == 100
    tab.locator("[data-chart=qdd] canvas").wait_for()
    assert tab.locator("[data-chart] canvas").count() == 3

    tab.get_by_role("button", name="Play", exact=True).click()
    tab.wait_for_function("() => armlab.player.value?.what === 'plan'")
    tab.wait_for_function(
        "end => end.every((value, i) => Math.abs(armlab.live.q[i] - value) < 0.2)"
        " && armlab.live.playerTime >= armlab.player.value.duration - 1e-3",
        arg=POINTS[-1],
    )
    clear = tab.get_by_role("button", name="Clear trace")
    tab.wait_for_function("() => !document.querySelector('.planner-head button:nth-of-type(3)').disabled")
    clear.click()
    expect(clear).to_be_disabled()


def test_own_times_that_are_too_short_are_told_where_they_break_a_limit(tab: Any) -> None:
    make(tab, POINTS)
    tab.get_by_label("Scheme").select_option("quintic")
    tab.get_by_role("checkbox", name="Set segment times").check()
    times = tab.get_by_role("group", name="Times of the segments").get_by_role("textbox")
    assert times.count() == 3
    times.nth(1).fill("0.05")
    times.nth(1).press("Enter")
    assert plan(tab) == pytest.approx(2.05)
    assert tab.locator(".planner-findings .card[data-kind=error]").count() > 0
    assert "joint 'A1': velocity" in tab.locator(".planner-findings .card").first.inner_text()
    assert tab.locator(".planner-peak[data-over]").count() > 0


def test_a_plan_that_exceeds_limits_is_played_only_after_a_second_yes(tab: Any) -> None:
    make(tab, POINTS[:2])
    tab.get_by_label("Scheme").select_option("quintic")
    tab.get_by_role("checkbox", name="Set segment times").check()
    time = tab.get_by_role("group", name="Times of the segments").get_by_role("textbox").first
    time.fill("0.05")
    time.press("Enter")
    tab.wait_for_function("() => armlab.project.value.plan.times?.[0] === 0.05")
    tab.get_by_role("button", name="Play", exact=True).click()
    tab.get_by_role("button", name="Play anyway").click()
    tab.wait_for_function("() => armlab.player.value?.what === 'plan'")


def test_a_plan_through_a_post_says_what_touches_and_is_played_only_after_a_second_yes(tab: Any) -> None:
    tab.evaluate(
        """() => { const project = armlab.project.value, { revision } = armlab.doc.value;
            const post = { name: 'post', kind: 'box', size: [40, 40, 1200], xyz: [230, -230, 600] };
            armlab.send({ type: 'edit', label: 'post', revision,
                changes: [{ path: [], value: armlab.wholeOf({ ...project, bodies: [post] }) }] }); }"""
    )
    tab.wait_for_function("() => armlab.doc.value.project.bodies.length === 1")
    make(tab, [POINTS[0], [90.0, *POINTS[0][1:]]])
    plan(tab)
    assert "'post' touch after" in tab.locator(".planner-findings .card[data-kind=error]").first.inner_text()
    tab.get_by_role("button", name="Play", exact=True).click()
    tab.get_by_role("button", name="Play anyway").click()
    tab.wait_for_function("() => armlab.player.value?.what === 'plan'")


def test_a_plan_outside_the_limits_of_a_joint_is_never_played(workbench: Workbench, tab: Any) -> None:
    workbench.allow("422")
    make(tab, POINTS[:2])
    tab.evaluate(
        "() => { const project = armlab.project.value, { revision } = armlab.doc.value;"
        " const [first, second] = project.plan.points;"
        " const plan = { ...project.plan, points: [first, [266, ...second.slice(1)]] };"
        " armlab.send({ type: 'edit', changes: [{ path: [],"
        " value: armlab.wholeOf({ ...project, plan }) }], label: 'far', revision }); }"
    )
    tab.wait_for_function("() => armlab.project.value.plan.points[1][0] === 266")
    tab.get_by_role("button", name="Play", exact=True).click()
    tab.locator(".card", has_text="The plan was not played").wait_for()
    assert tab.get_by_role("button", name="Play anyway").count() == 0
    assert tab.evaluate("() => armlab.player.value") is None


def test_points_are_put_in_order_deleted_and_brought_back_and_four_are_asked_for(
    workbench: Workbench, tab: Any
) -> None:
    workbench.allow("422")  # three points are refused as often as they are planned
    make(tab, POINTS[:3])
    tab.get_by_label("Scheme").select_option("3-5-3")
    assert "It needs four points; there are 3." in tab.locator(".planner-settings").inner_text()
    tab.get_by_role("button", name="Plan", exact=True).click()
    card = tab.locator(".planner-result .card")
    card.wait_for()
    assert "'3-5-3' takes four" in card.inner_text()
    tab.get_by_role("button", name="Move End", exact=True).press("Home")
    await_firsts(tab, [40, 0, 15])
    tab.get_by_role("button", name="Delete: Start").click()
    await_firsts(tab, [0, 15])
    tab.locator("canvas").first.press("Control+z")
    await_firsts(tab, [40, 0, 15])


def await_firsts(tab: Any, values: list[float]) -> None:
    """Wait until the first joint of all points has these values, in the project and in the fields."""
    tab.wait_for_function(
        "values => JSON.stringify(armlab.project.value.plan.points.map(q => q[0])) === JSON.stringify(values)",
        arg=values,
    )
    tab.wait_for_function(
        "values => JSON.stringify([...document.querySelectorAll('[data-point]')]"
        ".map(row => Number(row.querySelector('input').value))) === JSON.stringify(values)",
        arg=values,
    )


def test_fields_refuse_what_is_no_value_of_the_joint(tab: Any) -> None:
    make(tab, POINTS[:2])
    for text, answer in (("twelve", "“twelve” is not a number."), ("999", "999.00  is outside −170.00 … 170.00 .")):
        type_value(tab, 1, 0, text)
        assert tab.locator(".planner-problem").inner_text().split() == answer.split()
    assert tab.evaluate("() => armlab.project.value.plan.points[1][0]") == POINTS[1][0]
    tab.get_by_label("Speed", exact=True).fill("0")
    tab.get_by_label("Speed", exact=True).press("Enter")
    assert "is outside" in tab.locator(".planner-settings .problem").first.inner_text()
    assert tab.evaluate("() => armlab.project.value.plan.speed") == 100


def test_the_tool_goes_through_nodes_with_rounded_corners(tab: Any) -> None:
    choose_tool(tab)
    make(tab, NODES)
    sharp = plan(tab)
    tab.get_by_label("Blend radius").fill("40")
    tab.get_by_label("Blend radius").press("Enter")
    tab.wait_for_function(
        "before => Number(document.querySelector('[data-duration]').dataset.duration) < before", arg=sharp
    )
    assert tab.evaluate("() => armlab.project.value.plan.blend") == 40
    tab.get_by_role("button", name="Play", exact=True).click()
    tab.wait_for_function("() => armlab.player.value?.what === 'plan'")
    tab.wait_for_function(
        "goal => [0, 1, 2].every(i => Math.abs(armlab.live.frames.at(i - 7) * 1000 - goal[i]) < 1)", arg=NODES[-1]
    )


def test_a_node_out_of_reach_is_named(workbench: Workbench, tab: Any) -> None:
    workbench.allow("422")
    choose_tool(tab)
    make(tab, [NODES[0], [450.0, 2000.0, 500.0, 0.0, 90.0, 0.0], NODES[2]])
    tab.get_by_role("button", name="Plan", exact=True).click()
    tab.locator(".planner-problem").wait_for()
    assert "“Via 1” is unreachable" in tab.locator(".planner-problem").inner_text()
    assert "between nodes 1 and 2" in tab.locator(".planner-result .card").inner_text()


def test_a_node_is_chosen_and_dragged_in_the_view(tab: Any) -> None:
    choose_tool(tab)
    make(tab, [NODES[0], [450.0, 300.0, 600.0, 0.0, 90.0, 0.0]])
    await_view(tab)
    tab.evaluate(SETTLED)
    ((x, y),) = on_page(tab, [np.array([450.0, 300.0, 600.0])])
    tab.mouse.click(x, y)
    tab.get_by_role("group", name="End", exact=True).wait_for()
    before = tab.evaluate("() => armlab.project.value.plan.frames[1]")
    tab.mouse.move(x, y)
    tab.mouse.down()
    tab.mouse.move(x + 20, y - 20, steps=3)
    tab.mouse.move(x + 40, y - 40, steps=3)
    tab.mouse.up()
    tab.wait_for_function(
        "before => armlab.project.value.plan.frames[1].slice(0, 3).some((v, i) => Math.abs(v - before[i]) > 20)",
        arg=before,
    )
    after = tab.evaluate("() => armlab.project.value.plan.frames[1]")
    shown = tab.locator('[data-point="1"]').get_by_role("textbox").evaluate_all("all => all.map(one => one.value)")
    assert [float(text.replace("\u2212", "-")) for text in shown] == pytest.approx(after, abs=0.006)

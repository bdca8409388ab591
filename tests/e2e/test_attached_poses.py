"""Saved poses that move with an object: attached in the panel, gone to where the object is, refused when it is gone."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from e2e.arm_panel import KUKA, await_tool, go_to, tool
from e2e.chromium import Workbench

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

READY = [0.0, -70.0, 100.0, 0.0, 60.0, 0.0]
AWAY = [20.0, -80.0, 90.0, 0.0, 60.0, 0.0]
POST = {"name": "post", "kind": "box", "size": [60, 60, 60], "xyz": [350, -300, 30]}


def attached_bench(bench: Workbench) -> Any:
    """Open the page with the KUKA, a fixed post, and a pose that was saved and attached to the post by hand."""
    tab = bench.open(KUKA).tab
    tab.wait_for_function("() => armlab.live.q.length === 6")
    tab.evaluate(
        """(post) => { const project = armlab.project.value, { revision } = armlab.doc.value;
            armlab.send({ type: 'edit', label: 'post', revision,
                changes: [{ path: [], value: armlab.wholeOf({ ...project, bodies: [post] }) }] }); }""",
        POST,
    )
    tab.wait_for_function(
        "() => armlab.doc.value.project.bodies.length === 1 && armlab.live.revision === armlab.doc.value.revision"
    )
    go_to(bench, READY)
    tab.get_by_role("button", name="Save pose").click()
    tab.wait_for_function("() => armlab.project.value.poses.length === 1")
    tab.get_by_role("combobox", name="P1 moves with").select_option(label="post")
    tab.wait_for_function("() => armlab.project.value.poses[0].on?.body === 'post'")
    return tab


def move_post(tab: Any, x: float, y: float) -> None:
    """Move the post as the scene's panel does."""
    tab.get_by_role("tab", name="Scene").click()
    tab.locator('[data-body="post"] button').first.click()
    editor = tab.locator('[data-edited="post"]')
    for label, value in (("X", x), ("Y", y)):
        field = editor.get_by_label(label, exact=True)
        field.fill(str(value))
        field.press("Enter")
    tab.wait_for_function(
        "([x, y]) => { const [a, b] = armlab.doc.value.project.bodies[0].xyz; return a === x && b === y; }", arg=[x, y]
    )


def test_an_attached_pose_goes_where_its_object_was_moved(workbench: Workbench) -> None:
    tab = attached_bench(workbench)
    before = tool(workbench)
    go_to(workbench, AWAY)
    move_post(tab, 370.0, -350.0)
    tab.get_by_role("button", name="Go to P1").click()
    await_tool(workbench, np.add(before, [20.0, -50.0, 0.0]))
    tab.get_by_role("combobox", name="P1 moves with").select_option(label="nothing")
    tab.wait_for_function("() => armlab.project.value.poses[0].on === null")
    go_to(workbench, AWAY)
    tab.get_by_role("button", name="Go to P1").click()  # it stays where it was when it was detached
    await_tool(workbench, np.add(before, [20.0, -50.0, 0.0]))


def test_a_pose_on_a_deleted_object_says_so_and_undo_brings_both_back(workbench: Workbench) -> None:
    tab = attached_bench(workbench)
    before = tool(workbench)
    go_to(workbench, AWAY)
    away = tool(workbench)
    tab.get_by_role("tab", name="Scene").click()
    tab.get_by_role("button", name="Delete post").click()
    tab.wait_for_function("() => armlab.doc.value.project.bodies.length === 0")
    chosen = tab.get_by_role("combobox", name="P1 moves with")
    assert chosen.evaluate("(select) => select.selectedOptions[0].textContent") == "post (deleted)"
    workbench.allow("422")
    tab.get_by_role("button", name="Go to P1").click()
    tab.wait_for_selector("text=is attached to 'post', which is no longer in the scene")
    np.testing.assert_allclose(tool(workbench), away, atol=0.05)
    tab.get_by_role("button", name="Undo: delete").click()
    tab.wait_for_function("() => armlab.doc.value.project.bodies.length === 1")
    tab.get_by_role("button", name="Go to P1").click()
    await_tool(workbench, before)


def test_a_renamed_object_keeps_its_poses(workbench: Workbench) -> None:
    tab = attached_bench(workbench)
    tab.get_by_role("tab", name="Scene").click()
    tab.locator('[data-body="post"] button').first.click()
    field = tab.locator('[data-edited="post"]').get_by_label("Name")
    field.fill("pillar")
    field.press("Enter")
    tab.wait_for_function("() => armlab.project.value.poses[0].on.body === 'pillar'")

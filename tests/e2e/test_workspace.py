"""The workspace overlay in a real browser: computed beside the session, cut by a plane, and that of the arm."""

from __future__ import annotations

from typing import Any

import pytest
from e2e.bench import await_other_picture, picture
from e2e.chromium import Workbench
from playwright.sync_api import expect

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def show(workbench: Workbench, arm: str) -> Any:
    """Open the panel, and show the workspace of an arm; return the tab."""
    tab = workbench.open(arm).tab
    tab.get_by_role("tab", name="Kinematics").click()
    tab.get_by_role("button", name="Workspace", exact=True).click()
    tab.get_by_label("Show in 3D").check()
    expect(tab.locator("[data-cubes]")).to_be_visible()
    return tab


def test_the_workspace_is_drawn_coloured_and_cut(workbench: Workbench) -> None:
    tab = show(workbench, "kuka-kr6-r700")
    tab.get_by_role("radio", name="None", exact=True).check()
    whole = picture(tab)
    tab.get_by_role("radio", name="Y", exact=True).check()
    expect(tab.locator("[data-cut]")).to_have_attribute("data-cut", "0.0")
    cut = await_other_picture(tab, whole)
    slider = tab.get_by_role("slider", name="Cut at Y")
    slider.press("PageUp")
    expect(tab.locator("[data-cut]")).not_to_have_attribute("data-cut", "0.0")
    moved = await_other_picture(tab, cut)
    tab.get_by_role("button", name="Other side").click()
    flipped = await_other_picture(tab, moved)
    tab.get_by_role("radio", name="Branches", exact=True).check()
    expect(tab.locator('[data-legend="branches"]')).to_contain_text("8 branches")
    coloured = await_other_picture(tab, flipped)
    tab.get_by_label("Show in 3D").uncheck()
    expect(tab.locator("[data-cubes]")).to_have_count(0)
    await_other_picture(tab, coloured)


def test_another_arm_and_other_limits_have_another_workspace(workbench: Workbench) -> None:
    tab = show(workbench, "kuka-kr6-r700")
    cubes = tab.locator("[data-cubes]")
    before = cubes.get_attribute("data-cubes")
    tab.goto(f"{workbench.url}#planar3")
    workbench.await_arm("planar3")
    expect(cubes).not_to_have_attribute("data-cubes", before)
    expect(tab.get_by_role("radio", name="Z", exact=True)).to_have_count(0)
    planar = cubes.get_attribute("data-cubes")
    tab.evaluate(
        """() => { const project = armlab.project.value, { revision } = armlab.doc.value;
            const limits = [{lower: 20, upper: 40}, {lower: -100, upper: 100}, {lower: -100, upper: 100}];
            armlab.send({type: "edit", changes: [{ path: [],
                value: armlab.wholeOf({...project, arm: {...project.arm, limits}}) }],
                label: "limits", revision}); }"""
    )
    expect(cubes).not_to_have_attribute("data-cubes", planar)
    narrow = cubes.get_attribute("data-cubes")
    tab.get_by_role("button", name="Undo", exact=False).first.click()
    expect(cubes).to_have_attribute("data-cubes", planar)
    assert narrow != planar
    tab.get_by_role("tab", name="Arm", exact=True).click()
    drawn = picture(tab)
    tab.get_by_role("tab", name="Kinematics").click()
    expect(cubes).to_have_attribute("data-cubes", planar)
    await_other_picture(tab, drawn)

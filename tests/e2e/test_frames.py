"""User frames: taught, typed, by three points; poses, jogging and targets in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from e2e.arm_panel import KUKA, go_to, undo_once
from e2e.chromium import Workbench
from playwright.sync_api import expect

from armlab.geometry import pose

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

READY = [0.0, -70.0, 100.0, 0.0, 60.0, 0.0]
TILTED = (300.0, -100.0, 200.0, 30.0, 0.0, 0.0)
TOOL = "[...armlab.live.frames.slice(-7, -4)].map((value) => 1000 * value)"


def frames_bench(bench: Workbench) -> Any:
    """Open the page with the KUKA, ready to move, the user frames in front."""
    tab = bench.open(KUKA).tab
    tab.wait_for_function("() => armlab.live.q.length === 6")
    go_to(bench, READY)
    tab.get_by_role("tab", name="Scene").click()
    tab.get_by_role("button", name="User frames", exact=True).click()
    return tab


def frames_of(tab: Any) -> list[dict[str, Any]]:
    """Return the user frames of the project."""
    found: list[dict[str, Any]] = tab.evaluate("() => armlab.doc.value.project.frames")
    return found


def put_frame(tab: Any, numbers: tuple[float, ...], name: str = "jig") -> None:
    """Add a frame at the tool and type its name and numbers."""
    tab.get_by_role("button", name="Add at the tool").click()
    editor = tab.locator("[data-edited-frame]")
    editor.get_by_label("Name").fill(name)
    editor.get_by_label("Name").press("Enter")
    tab.wait_for_function("(name) => armlab.doc.value.project.frames.some((frame) => frame.name === name)", arg=name)
    for label, value in zip("XYZABC", numbers, strict=True):
        field = tab.locator("[data-edited-frame]").get_by_label(label, exact=True)
        field.fill(str(value))
        field.press("Enter")
    tab.wait_for_function(
        "(numbers) => armlab.doc.value.project.frames.at(-1).pose.every((value, i) => value === numbers[i])",
        arg=list(numbers),
    )


def tool_matrix(tab: Any) -> Any:
    """Return where the simulated tool is, (4, 4) in m."""
    seven = tab.evaluate("() => [...armlab.live.frames.slice(-7)]")
    return pose.from_xyz_quaternion(seven[:3], seven[3:])


def test_a_frame_is_taught_where_the_tool_is_and_stands_in_tree_and_view(workbench: Workbench) -> None:
    tab = frames_bench(workbench)
    here = tool_matrix(tab)
    tab.get_by_role("button", name="Add at the tool").click()
    tab.wait_for_function("() => armlab.doc.value.project.frames.length === 1")
    np.testing.assert_allclose(pose.from_mm_deg(frames_of(tab)[0]["pose"]), here, atol=1e-4)
    assert tab.get_by_role("treeitem", name="Frame 1", exact=True).is_visible()
    tab.wait_for_selector('canvas[data-frames="Frame 1"]')
    undo_once(workbench, "user frame Frame 1")
    tab.wait_for_selector('canvas[data-frames=""]')
    assert tab.get_by_text("No user frames yet.").is_visible()


def test_the_tool_position_is_shown_and_typed_in_a_chosen_frame(workbench: Workbench) -> None:
    tab = frames_bench(workbench)
    put_frame(tab, TILTED)
    tab.get_by_role("button", name="Use for tool position").click()
    tab.get_by_role("tab", name="Jog").click()
    tab.wait_for_selector("text=Tool position (jig)")
    expected = pose.inverse(pose.from_mm_deg(TILTED)) @ tool_matrix(tab)
    shown = workbench.tool_pose()
    np.testing.assert_allclose(pose.from_mm_deg(shown)[:3, 3], expected[:3, 3], atol=1e-4)
    np.testing.assert_allclose(pose.from_mm_deg(shown)[:3, :3], expected[:3, :3], atol=1e-4)
    field = tab.locator('[data-pose="Y"]').get_by_role("textbox")
    field.fill("120")
    field.press("Enter")
    wanted = pose.from_mm_deg(TILTED) @ pose.from_mm_deg([shown[0], 120.0, *shown[2:]])
    tab.wait_for_function(
        f"(wanted) => {TOOL}.every((value, i) => Math.abs(value - wanted[i]) < 0.2)",
        arg=(wanted[:3, 3] * 1000).tolist(),
    )
    tab.get_by_role("combobox", name="Frame").select_option(label="World")
    tab.wait_for_selector("text=Tool position (world frame)")


def test_a_held_button_moves_the_tool_along_the_axis_of_the_chosen_frame(workbench: Workbench) -> None:
    tab = frames_bench(workbench)
    put_frame(tab, TILTED)
    tab.get_by_role("button", name="Use for tool position").click()
    tab.get_by_role("tab", name="Jog").click()
    panel = tab.locator(".jog")
    panel.get_by_role("radio", name="Tool", exact=True).first.check(force=True)
    panel.get_by_role("radio", name="jig", exact=True).check(force=True)
    assert tab.get_by_text("along X of jig").is_visible()
    before = tool_matrix(tab)[:3, 3]
    button = tab.locator('.jog-row[data-axis="X"] button').last
    box = button.bounding_box()
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    tab.mouse.down()
    tab.wait_for_function(
        f"(before) => Math.hypot(...{TOOL}.map((value, i) => value - before[i])) > 15",
        arg=(before * 1000).tolist(),
    )
    tab.mouse.up()
    tab.wait_for_function("() => (armlab.live.flags & 3) === 0")
    went = tool_matrix(tab)[:3, 3] - before
    x = pose.from_mm_deg(TILTED)[:3, 0]
    assert went @ x > 0.014
    np.testing.assert_allclose(went, (went @ x) * x, atol=0.05 * float(np.linalg.norm(went)))


def test_a_target_is_typed_in_the_chosen_frame(workbench: Workbench) -> None:
    tab = frames_bench(workbench)
    put_frame(tab, TILTED)
    tab.get_by_role("tab", name="Kinematics").click()
    tab.get_by_role("combobox", name="Frame").select_option(label="jig")
    tab.get_by_role("button", name="Use current pose").click()
    fields = tab.locator(".kinematics-target")
    shown = [float(fields.get_by_label(name, exact=True).input_value().replace("−", "-")) for name in "XYZABC"]
    seen = pose.inverse(pose.from_mm_deg(TILTED)) @ tool_matrix(tab)
    np.testing.assert_allclose(shown[:3], seen[:3, 3] * 1000, atol=0.02)
    fields.get_by_label("X", exact=True).fill(str(shown[0] - 10))
    fields.get_by_label("X", exact=True).press("Enter")
    with tab.expect_request(lambda request: request.url.endswith("/ik")) as asked:
        tab.get_by_role("button", name="Find all solutions").click()
    sent = pose.from_mm_deg(asked.value.post_data_json["pose"])
    wanted = pose.from_mm_deg(TILTED) @ pose.from_mm_deg([shown[0] - 10, *shown[1:]])
    np.testing.assert_allclose(sent[:3, 3], wanted[:3, 3], atol=1e-4)
    tab.locator("[data-solution]").first.wait_for()


def test_three_touched_points_make_a_frame_and_three_on_a_line_do_not(workbench: Workbench) -> None:
    tab = frames_bench(workbench)
    tab.get_by_role("button", name="By three points").click()
    taken = []
    create = tab.get_by_role("button", name="Create the frame")
    for name, q in (("Origin", READY), ("Point on +X", [8.0, *READY[1:]]), ("Point in XY", [0.0, -60.0, *READY[2:]])):
        expect(create).to_be_disabled()
        go_to(workbench, q)
        taken.append(tool_matrix(tab)[:3, 3])
        tab.get_by_role("button", name=name).click()
    create.click()
    tab.wait_for_function("() => armlab.doc.value.project.frames.length === 1")
    T = pose.from_mm_deg(frames_of(tab)[0]["pose"])
    np.testing.assert_allclose(T[:3, 3], taken[0], atol=1e-5)
    second, third = (pose.inverse(T) @ np.append(p, 1.0) for p in taken[1:])
    np.testing.assert_allclose(second[1:3], 0.0, atol=1e-5)
    assert second[0] > 0.0
    assert third[1] > 0.0
    np.testing.assert_allclose(third[2], 0.0, atol=1e-5)
    tab.get_by_role("button", name="By three points").click()
    for name in ("Origin", "Point on +X", "Point in XY"):
        tab.get_by_role("button", name=name).click()
    workbench.allow("422")
    create.click()
    tab.wait_for_function(
        "() => document.querySelector('.scene-points .problem').textContent.toLowerCase().includes('point 2')"
    )
    assert len(frames_of(tab)) == 1


def test_a_frame_outlives_a_reload_and_its_deletion_brings_the_world_back(workbench: Workbench) -> None:
    tab = frames_bench(workbench)
    put_frame(tab, TILTED)
    tab.get_by_role("button", name="Use for tool position").click()
    tab.reload()
    workbench.await_arm(KUKA)
    tab.wait_for_selector('canvas[data-frames="jig"]')
    tab.get_by_role("tab", name="Jog").click()
    tab.wait_for_selector("text=Tool position (jig)")
    tab.get_by_role("tab", name="Scene").click()
    tab.get_by_role("button", name="Delete jig").click()
    tab.wait_for_function("() => armlab.doc.value.project.frames.length === 0")
    tab.get_by_role("tab", name="Jog").click()
    tab.wait_for_selector("text=Tool position (world frame)")


@pytest.mark.parametrize(
    ("text", "message"), [("", "Enter a number."), ("1e9", "1000000000.00 mm is outside −100000.00 … 100000.00 mm.")]
)
def test_a_wrong_number_of_a_frame_gets_one_message_and_changes_nothing(
    workbench: Workbench, text: str, message: str
) -> None:
    tab = frames_bench(workbench)
    put_frame(tab, TILTED)
    field = tab.locator("[data-edited-frame]").get_by_label("X", exact=True)
    field.fill(text)
    field.press("Enter")
    assert tab.locator("[data-edited-frame] .problem:not(:empty)").all_inner_texts() == [message]
    assert frames_of(tab)[0]["pose"] == list(TILTED)
